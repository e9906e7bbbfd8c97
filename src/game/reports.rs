//! What each audience has been told, and what it is to be told.

use alloc::vec::Vec;

use shakmaty::Move;

use crate::told::Told;

/// Revisions and what is out of date.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reports {
    /// The moves that the live audience has been told.
    pub(crate) told: Told,
    /// The moves that arbiters were told as pending.
    pub(crate) pending_told: Vec<Move>,
    pub(crate) rev: u32,
    pub(crate) live_rev: u32,
    pub(crate) ruling_dirty: bool,
    pub(crate) arbiter_dirty: bool,
    pub(crate) live_dirty: bool,
}
