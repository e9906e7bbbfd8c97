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
        let squares = men::difference(self.seen.board.men(), &self.seen.play.decoder.record.node().men);
        self.irregular.king.pressed_without_move(&self.seen, by, at);
        if self.irregular.illegal_position.pressed(&self.seen, by, at) {
            self.revised();
        }
        // What the opponent has done since is not the player's.
        let stood =
            self.seen.board.past(at.latest.after(self.seen.board.scan())).last().map_or(*self.seen.board.men(), |(_, men)| men);
        let men = &self.seen.play.decoder.record.node().men;
        let at_press = men::difference(&stood, men);
        let own = men::squares(at_press).filter(|square| men::color(men[square.index()]) == Some(by)).count();
        let one_move = own <= MOVED_BY_ONE && at_press.count_ones() <= SQUARES_OF_ONE;
        if !pawn_stays && self.seen.play.decoder.record.node().exact(self.seen.board.men()).is_some() {
            // A legal move after all, come too late for its press.
            return;
        }
        if !pawn_stays && (!one_move || self.seen.phase.gesture.is_some()) {
            return self.alarms.raise(self.now, AlarmKind::PositionDiffers, None, squares);
        }
        let kind = if pawn_stays { AlarmKind::PromotionNotReplaced } else { AlarmKind::IllegalMove };
        self.alarms.raise_press(self.now, at.latest, kind, by, squares);
    }
}
