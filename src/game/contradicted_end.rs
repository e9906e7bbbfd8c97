//! Recognises that a game goes on although it seemed to be over (`reconstruct/README.md#4.3`).

use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::game_phase::GamePhase;
use crate::laws::outcome::Ending;
use crate::men;
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::How;
use crate::seen::Seen;

/// The longest time for which a man stands on a square that it only passes. A man that stood there for longer made its move, and
/// mate or stalemate ended the game (5.1.1, 5.2.1), whatever is analysed later.
const PASSES: Duration = Duration::from_secs(3);
/// The time for which the position before kings in the centre must stand again. In analysis it may come for a moment.
const RESTORED_STANDS: Duration = Duration::from_secs(2);

impl Seen {
    /// The number of plies with which the game goes on, if the board contradicts its end.
    ///
    /// * Kings in the centre meant no result: the position before them stands again, and a clock runs.
    /// * The man that gave mate or stalemate, without a press, only passed its square: it went on at once to another square to
    ///   which it could have moved, or back.
    pub(crate) fn contradicted_end(&self, now: Instant) -> Option<usize> {
        let heard = self.board.known() && self.board.unseen_since().is_none();
        if self.phase.stage != GamePhase::Over || !heard || now < self.board.last_change().after(self.board.scan()) {
            return None;
        }
        let (record, runs) = (&self.play.decoder.record, self.clock.chessclock.runs());
        let moves = record.moves().len();
        match self.play.ending {
            None => {
                let stands = now >= self.board.last_change().after(RESTORED_STANDS);
                let restored = || moves > 0 && men::same(self.board.men(), &record.node().men);
                (stands && runs.is_some() && restored()).then_some(moves)
            }
            Some((Ending::Checkmate | Ending::Stalemate, ..)) => {
                let last = record.moves().last().filter(|last| last.how == How::GameEnd && last.pressed.is_none())?;
                let left = self.board.changed_at(1 << last.mv().to().to_u32());
                let passed = left > last.made.latest && left <= last.made.latest.after(PASSES);
                let before = moves.checked_sub(1).filter(|_| passed && (runs.is_some() || !self.clock.chessclock.present()))?;
                let node = Node::new(record.position_after(before));
                let went_on = || node.exact(self.board.men()).is_some_and(|mv| mv.from() == last.mv().from());
                (men::same(self.board.men(), &node.men) || went_on()).then_some(before)
            }
            Some(_) => None,
        }
    }

    /// The times after the last change of the board at which it may contradict the end of a game.
    pub(crate) fn end_contradicted_at(&self) -> [Option<Instant>; 2] {
        let over = self.phase.stage == GamePhase::Over;
        [self.board.scan(), RESTORED_STANDS].map(|wait| over.then(|| self.board.last_change().after(wait)))
    }
}
