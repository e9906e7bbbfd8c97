//! Detects a position that no game can reach and that still stands after the next move: both kings are in check, or a pawn stands
//! on its last rank (Article A.5.4).

use flagfall_protocols::square::Color;

use super::king::is_attacked;
use crate::interval::Interval;
use crate::men::{self, Men};
use crate::seen::Seen;

/// The presses at which such a position stood.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IllegalPosition {
    /// The player at whose press it stood first.
    left_by: Option<Color>,
    /// The opponent's press after it, if it stood there as well.
    pub(crate) stood: Option<Interval>,
}

impl IllegalPosition {
    /// Handles a press of `by`: does such a position stand on the board? Returns true if this makes the game a draw.
    pub(crate) fn pressed(&mut self, seen: &Seen, by: Color, pressed: Interval) -> bool {
        if !seen.config.rulebook.rules().illegal_position_draws {
            return false;
        }
        let told = pressed.latest.after(seen.board.scan());
        let shown = {
            let mut stood = seen.board.past(pressed.earliest).filter(|(since, _)| *since <= told).peekable();
            stood.peek().is_some() && stood.all(|(_, men)| is_impossible(&men))
        };
        match self.left_by {
            _ if self.stood.is_some() => {}
            _ if !shown => self.left_by = None,
            None => self.left_by = Some(by),
            Some(left_by) if left_by != by => {
                self.stood = Some(pressed);
                return true;
            }
            Some(_) => {}
        }
        false
    }
}

/// True if both kings are in check, or a pawn stands on its last rank.
fn is_impossible(men: &Men) -> bool {
    let on_last_rank = (0..64).any(|square| men::on_last_rank(men[square], square));
    on_last_rank || [Color::White, Color::Black].iter().all(|&side| is_attacked(men, side))
}
