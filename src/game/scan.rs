//! How late the board tells a change: what its family is known for, until it shows or says better.

use core::time::Duration;

use crate::game::Game;

impl Game {
    /// A board whose squares are sampled one after another tells by its reports how fast it is.
    pub(crate) fn learn_scan(&mut self) {
        if self.in_turn
            && let Some(scan) = self.board.learnt_scan()
        {
            self.set_scan(scan);
        }
    }

    /// It tells a change so late at most.
    pub(crate) fn set_scan(&mut self, scan: Duration) {
        self.scan = scan;
        self.board.set_scan(scan);
        self.decoder.set_scan(scan);
    }
}
