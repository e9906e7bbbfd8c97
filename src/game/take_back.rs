//! Casual games: players take back what they played by putting it back (`reconstruct/README.md#3.7`). And where no clock tells
//! a press, a man that has rested on his way takes back the move that was read (scenarios 5 and 32).

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::time::Instant;

use crate::effect::Effect;
use crate::game::Game;
use crate::message::{Cause, Stage};
use crate::reconstruct::candidates::Node;
use crate::reconstruct::record::How;

/// A position of before stands for so long. Not longer than it takes to tell a move of the wrong side, which a man that is put back
/// looks like.
const TAKEN_BACK: Duration = Duration::from_secs(1);

impl Game {
    /// What stands there, which no moves explain, cuts the list, once it has stood. True if it did.
    pub(crate) fn players_take_back(&mut self, out: &mut Vec<Effect>) -> bool {
        let looked = self.monitor.differing.looked_back == self.seen.board.last_change();
        if looked
            || self.take_back_stands().is_none_or(|stands| self.now < stands)
            || self.seen.play.decoder.explains(&self.seen.board)
        {
            return false;
        }
        self.monitor.differing.looked_back = self.seen.board.last_change();
        let back = self.seen.config.casual.then(|| self.seen.play.decoder.record.stood_after(self.seen.board.men())).flatten();
        let Some(plies) = back.or_else(|| self.before_the_way_on()) else { return false };
        self.take_back(plies, Cause::TakeBack, out).is_ok()
    }

    /// The number of moves before the last one, if nobody pressed that and its man has gone on to another square that he could
    /// have been moved to.
    fn before_the_way_on(&self) -> Option<usize> {
        let last = self.seen.play.decoder.record.moves().last()?;
        let before = self.seen.play.decoder.record.moves().len() - 1;
        let node = Node::new(self.seen.play.decoder.record.position_after(before));
        let instead = node.exact(self.seen.board.men())?;
        let went_on = last.how == How::Settled && instead.from() == last.mv().from() && !self.seen.clock.chessclock.present();
        went_on.then_some(before)
    }

    /// When what stands on the board now has stood for long enough to cut the list, where that may be: nobody rules on the game
    /// or hears its presses, and nothing waits for a ruling.
    pub(crate) fn take_back_stands(&self) -> Option<Instant> {
        let free = self.seen.config.casual || !self.seen.clock.chessclock.present();
        let may = free && self.seen.phase.stage == Stage::Playing && self.seen.board.identifies() && !self.has_fallen_flag();
        let differs = if may { self.differs() } else { 0 };
        (differs != 0).then(|| self.differs_since(differs).after(TAKEN_BACK))
    }
}
