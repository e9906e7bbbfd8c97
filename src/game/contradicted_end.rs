//! Recognises that a game goes on although it seemed to be over (`reconstruct/README.md#4.3`).

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Square;

use crate::game_phase::GamePhase;
use crate::laws::outcome::Ending;
use crate::men::{self, Men};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::How;
use crate::seen::Seen;

/// The longest time for which a man stands on a square that it only passes. A man that stood there for longer made its move, and
/// mate or stalemate ended the game (5.1.1, 5.2.1), whatever is analysed later.
const PASSES: Duration = Duration::from_secs(3);
/// The time for which the position before kings in the centre must stand again, or a man that went on without a press must stand.
/// In analysis, and while the men are set up anew, such a position may come for a moment.
const STANDS: Duration = Duration::from_secs(2);

impl Seen {
    /// The number of plies with which the game goes on, if the board contradicts its end.
    ///
    /// * Kings in the centre meant no result: the position before them stands again, and a clock runs.
    /// * The man that gave mate or stalemate, without a press, only passed its square: it went on at once to another square to
    ///   which it could have moved, and its player presses there, or it stands there for two seconds. It may have been captured there
    ///   before a board showed it. A man that is put back is no move.
    pub(crate) fn contradicted_end(&self, now: Instant) -> Option<usize> {
        let heard = self.board.known() && self.board.unseen_since().is_none();
        if self.phase.stage != GamePhase::Over || !heard {
            return None;
        }
        let still = now >= self.board.last_change().after(STANDS);
        let (record, runs) = (&self.play.decoder.record, self.clock.chessclock.runs());
        let moves = record.moves().len();
        match self.play.ending {
            None => {
                let restored = || moves > 0 && men::same(self.board.men(), &record.node().men);
                (still && runs.is_some() && restored()).then_some(moves)
            }
            Some((Ending::Checkmate | Ending::Stalemate, ..)) => {
                let (_, left) = self.last_man_left()?;
                let last = record.moves().last()?;
                let runs = runs.is_some() || !self.clock.chessclock.present();
                let before = moves.checked_sub(1).filter(|_| runs && left <= last.made.latest.after(PASSES))?;
                let pressed = !self.play.pressed_elsewhere.is_empty();
                // If another man has come to the square, the men are set up anew.
                if !(still || pressed) || self.board.changed_at(1 << last.mv().to().to_u32()) > left {
                    return None;
                }
                let node = Node::new(record.position_after(before));
                let from = last.mv().from();
                let other_move = |men: &Men| node.exact(men).is_some_and(|mv| mv.from() == from);
                // With a press, it is enough that the man stood there for a moment.
                let went_on = if pressed {
                    self.board.past(left).any(|(_, men)| other_move(&men) || was_captured(&node, from, &men))
                } else {
                    other_move(self.board.men())
                };
                went_on.then_some(before)
            }
            Some(_) => None,
        }
    }

    /// The player whose last move ended the game without a press, and when its man first left its square.
    pub(crate) fn last_man_left(&self) -> Option<(Color, Instant)> {
        let moves = self.play.decoder.record.moves();
        let last = moves.last().filter(|last| last.how == How::GameEnd && last.pressed.is_none())?;
        let left = self.board.changed_after(1 << last.mv().to().to_u32(), last.made.latest)?;
        Some((last.color, left))
    }

    /// The time at which the board may contradict the end of a game if it does not change.
    pub(crate) fn end_contradicted_at(&self) -> Option<Instant> {
        (self.phase.stage == GamePhase::Over).then(|| self.board.last_change().after(STANDS))
    }
}

/// True if the board shows that the man on this square made a legal move, and was captured where it went.
fn was_captured(before: &Node, from: Option<Square>, board: &Men) -> bool {
    // The squares of the man, of the one that captured it, and of the capture.
    if men::difference(&before.men, board).count_ones() != 3 {
        return false;
    }
    let moves = before.table().iter().map(|candidate| candidate.mv).filter(|mv| mv.from() == from);
    let mut taken = moves.filter(|mv| men::color(board[mv.to().to_usize()]) == Some(men::turn(&before.position).other()));
    taken.any(|mv| before.after(mv).exact(board).is_some_and(|reply| reply.to() == mv.to()))
}
