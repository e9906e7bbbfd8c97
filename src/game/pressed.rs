//! A press that completed no legal move: what is said of it.

use flagfall_protocols::square::Color;

use crate::alarm::AlarmKind;
use crate::game::Game;
use crate::interval::Interval;
use crate::men;

/// Own men that one illegal move may displace: those of a castling.
const MOVED_BY_ONE: usize = 2;
/// Squares that differ after it: with the opponent's reply begun, or with a man beside them knocked over.
const SQUARES_OF_ONE: u32 = 6;

impl Game {
    /// A press, and no legal move: an illegal one, or men that no single move can have displaced (`reconstruct/README.md#6.1`).
    pub(crate) fn pressed_illegally(&mut self, by: Color, pawn_stays: bool, at: Interval) {
        let squares = men::difference(self.board.men(), &self.decoder.record.node().men);
        self.king_may_be_left(by, at);
        self.look_at_position(by, at);
        // What the opponent has done since is not the player's.
        let stood = self.board.past(at.latest.after(self.scan)).last().map_or(*self.board.men(), |(_, men)| men);
        let men = &self.decoder.record.node().men;
        let at_press = men::difference(&stood, men);
        let own = men::squares(at_press).filter(|square| men::color(men[square.index()]) == Some(by)).count();
        let one_move = own <= MOVED_BY_ONE && at_press.count_ones() <= SQUARES_OF_ONE;
        if !pawn_stays && self.decoder.record.node().exact(self.board.men()).is_some() {
            // A legal move after all, come too late for its press.
            return;
        }
        if !pawn_stays && (!one_move || self.gesture.is_some()) {
            return self.alarms.raise(self.now, AlarmKind::PositionDiffers, None, squares);
        }
        let kind = if pawn_stays { AlarmKind::PromotionNotReplaced } else { AlarmKind::IllegalMove };
        self.alarms.raise_press(self.now, at.latest, kind, by, squares);
    }
}
