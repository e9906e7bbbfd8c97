//! Finds promotions to another piece than a queen on a board that does not identify men: a promoted pawn counts as a queen until
//! play shows another piece (`reconstruct/README.md#3.4`).

use core::time::Duration;

use flagfall_protocols::time::Instant;
use shakmaty::Role;

use crate::reconstruct::occupancy::promoted::with_promotion;
use crate::reconstruct::record::Record;
use crate::reconstruct::sensing_of;
use crate::seen::Seen;

/// The time for which the board must have stood after a man moved as no queen can.
const STOOD: Duration = Duration::from_secs(1);
/// The pieces that a pawn may have become instead, the likeliest first.
const OTHERS: [Role; 3] = [Role::Knight, Role::Rook, Role::Bishop];

impl Seen {
    /// The record with another promotion, and its index, where the board shows a move that the promoted piece can only have made if
    /// it is no queen.
    pub(crate) fn other_promotion(&self, now: Instant) -> Option<(usize, Record)> {
        let (rests, sensing) = (now >= self.board.last_change().after(STOOD), sensing_of(&self.board));
        if !rests || !sensing.hides_captures() || self.play.decoder.explains(&self.board) {
            return None;
        }
        let record = &self.play.decoder.record;
        sensing.unproved_promotions(record).into_iter().rev().find_map(|(ply, _)| {
            let other = OTHERS.into_iter().filter_map(|role| with_promotion(record, ply, role));
            // A man that is only off its square may be in a hand.
            let made = |record: &Record| record.node().exact(self.board.men()).is_some_and(|mv| !mv.is_capture());
            let mut shown = other.filter(made);
            shown.next().map(|record| (ply, record))
        })
    }
}
