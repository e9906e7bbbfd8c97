//! What depends on how much a board tells: which man stands on a square, or only that one does.
//!
//! `identified.rs` and `occupancy/` answer for the two kinds of boards. All else of the decoder is the same for both.

use crate::reconstruct::tuning::Tuning;

/// How moves are read from one kind of board. It is chosen once for each [`Scene`](crate::reconstruct::hypothesis::Scene).
pub(crate) trait Sensing {
    /// The weights and the size of the beam for this kind of board.
    fn tuning(&self, tuning: &Tuning) -> Tuning;

    /// How many pending moves a reading may have.
    fn longest_line(&self) -> usize;
}
