//! Writes the results of a round for other programs.

pub mod csv;
pub mod trf;

use crate::wire::meta::{Pairing, PairingResult};

/// A pairing with its result and how much was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played<'a> {
    /// The pairing.
    pub pairing: &'a Pairing,
    /// The result; none if it is not known.
    pub result: Option<PairingResult>,
}
