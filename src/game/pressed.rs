//! Reports a press that completed no legal move.

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::alarm::{AlarmKind, Alarms};
use crate::interval::Interval;
use crate::men;
use crate::seen::Seen;

/// The largest number of own men that one illegal move may displace: as many as in a castling.
const MOVED_BY_ONE: usize = 2;
/// The largest number of squares that may differ after it, if the opponent has begun his reply or a man beside them was knocked
/// over.
const SQUARES_OF_ONE: u32 = 6;

impl Seen {
    /// Raises the alarm for a press without a legal move: either an illegal move, or men that no single move can have
    /// displaced (`reconstruct/README.md#6.1`).
    pub(crate) fn raise_illegal_press(&self, now: Instant, by: Color, pawn_stays: bool, at: Interval, alarms: &mut Alarms) {
        let (board, node) = (&self.board, self.play.decoder.record.node());
        // Men that the opponent has moved since then do not count.
        let stood = board.past(at.latest.after(board.scan())).last().map_or(*board.men(), |(_, men)| men);
        let at_press = men::difference(&stood, &node.men);
        let own = men::squares(at_press).filter(|square| men::color(node.men[square.index()]) == Some(by)).count();
        let one_move = own <= MOVED_BY_ONE && at_press.count_ones() <= SQUARES_OF_ONE;
        if !pawn_stays && node.exact(board.men()).is_some() {
            // A legal move was made after all, but it came too late for its press.
            return;
        }
        let squares = men::difference(board.men(), &node.men);
        if !pawn_stays && (!one_move || self.phase.gesture.is_some()) {
            return alarms.raise(now, AlarmKind::PositionDiffers, None, squares);
        }
        let kind = if pawn_stays { AlarmKind::PromotionNotReplaced } else { AlarmKind::IllegalMove };
        alarms.raise_press(now, at.latest, kind, by, squares);
    }
}
