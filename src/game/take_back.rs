//! Casual games: players take back what they played by putting it back (`reconstruction.md` section 3.6).

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::effect::Effect;
use crate::game::Game;
use crate::message::{Cause, Stage};

/// A position of before stands for so long. Not longer than it takes to tell a move of the wrong side, which a man that is put back
/// looks like.
const TAKEN_BACK: Duration = Duration::from_secs(1);

impl Game {
    /// A position of before that no moves explain cuts the list there, once it has stood. True if it did.
    pub(crate) fn players_take_back(&mut self, out: &mut Vec<Effect>) -> bool {
        let looked = self.differing.looked_back == self.board.last_change();
        if looked || self.take_back_stands().is_none_or(|stands| self.now < stands) || self.decoder.explains(&self.board) {
            return false;
        }
        self.differing.looked_back = self.board.last_change();
        let Some(plies) = self.decoder.record.stood_after(self.board.men()) else { return false };
        self.take_back(plies, Cause::TakeBack, out).is_ok()
    }

    /// When what stands on the board now has stood for long enough to be taken back to, where players may do that: nobody rules
    /// on the game, and nothing waits for a ruling.
    pub(crate) fn take_back_stands(&self) -> Option<Instant> {
        let may = self.config.casual && self.stage == Stage::Playing && self.board.identifies() && !self.has_fallen_flag();
        let differs = if may { self.differs() } else { 0 };
        (differs != 0).then(|| self.differs_since(differs).after(TAKEN_BACK))
    }
}
