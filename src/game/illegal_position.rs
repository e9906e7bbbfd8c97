//! A position that no game can reach and that still stands after the next move: both kings in check, or a pawn on its last rank
//! (Article A.5.4).

use flagfall_protocols::square::Color;

use crate::game::Game;
use crate::interval::Interval;
use crate::king_capture::is_attacked;
use crate::men::{self, Men};

/// What the presses have shown of such a position.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IllegalPosition {
    /// Whose press it first stood at.
    left_by: Option<Color>,
    /// The opponent's press after it, if it stood there as well.
    pub(crate) stood: Option<Interval>,
}

impl Game {
    /// A press of `by`: what stood on the board?
    pub(crate) fn look_at_position(&mut self, by: Color, pressed: Interval) {
        if !self.config.rulebook.rules().illegal_position_draws {
            return;
        }
        let told = pressed.latest.after(self.scan);
        let shown = {
            let mut stood = self.board.past(pressed.earliest).filter(|(since, _)| *since <= told).peekable();
            stood.peek().is_some() && stood.all(|(_, men)| cannot_be(&men))
        };
        let known = &mut self.illegal_position;
        match known.left_by {
            _ if known.stood.is_some() => {}
            _ if !shown => known.left_by = None,
            None => known.left_by = Some(by),
            Some(left_by) if left_by != by => {
                known.stood = Some(pressed);
                self.revised();
            }
            Some(_) => {}
        }
    }
}

/// Both kings are in check, or a pawn stands on its last rank.
fn cannot_be(men: &Men) -> bool {
    let on_last_rank = (0..64).any(|square| men::on_last_rank(men[square], square));
    on_last_rank || [Color::White, Color::Black].iter().all(|&side| is_attacked(men, side))
}
