//! Defines what is kept of the play after a decision has given the game its result (`reconstruct/README.md#4.5`).
//!
//! The game of record ends with the result. If the decision is taken back, because it was entered at the wrong board, the game has the
//! moves that were played in the meantime.

use alloc::vec::Vec;

use crate::reconstruct::{Conclusion, Decoder};

/// What is played after a result.
#[derive(Clone, Debug)]
pub(crate) struct AfterResult {
    /// The moves of the game, and those after the result.
    pub(crate) decoder: Decoder,
    /// What the decoder has concluded besides sure moves, at most [`AfterResult::MAX_CONCLUSIONS`].
    pub(crate) conclusions: Vec<Conclusion>,
    /// The number of sure moves when the result was given.
    pub(crate) plies: usize,
}

impl AfterResult {
    /// The largest number of conclusions that are kept.
    pub(crate) const MAX_CONCLUSIONS: usize = 16;
}
