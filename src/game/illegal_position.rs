//! A position that no game can reach and that still stands after the next move: both kings in check, or a pawn on its last rank
//! (Article A.5.4).

use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::facts::illegal_kind;
use crate::game::Game;
use crate::interval::Interval;
use crate::king_capture::is_attacked;
use crate::laws::facts::{End, Ended};
use crate::men::{self, Men};

impl Game {
    /// A press of `by`: if it completed the move after an illegal one, what stood on the board at that press?
    pub(crate) fn look_at_position(&mut self, by: Color, pressed: Interval) {
        let answered = self.alarms.open().any(|alarm| {
            let before = alarm.happened < pressed.latest && alarm.side == Some(by.other());
            illegal_kind(alarm.kind).is_some() && before
        });
        if self.illegal_position.is_some() || !answered {
            return;
        }
        let told = pressed.latest.after(self.scan);
        let stood: Vec<Men> = self.board.past(pressed.earliest).filter(|(since, _)| *since <= told).map(|(_, men)| men).collect();
        if !stood.is_empty() && stood.iter().all(cannot_be) {
            self.illegal_position = Some(pressed);
            self.revised();
        }
    }

    /// The illegal position as an end of the game.
    pub(crate) fn stood_illegally(&self) -> Option<Ended> {
        let at = self.illegal_position?;
        Some(Ended { end: End::IllegalPosition, at, pressed: Some(at), positions: Vec::new() })
    }
}

/// Both kings are in check, or a pawn stands on its last rank.
fn cannot_be(men: &Men) -> bool {
    let on_last_rank = (0..64).any(|square| men::on_last_rank(men[square], square));
    on_last_rank || [Color::White, Color::Black].iter().all(|&side| is_attacked(men, side))
}
