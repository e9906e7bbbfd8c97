//! How late the board tells a change: what its family is known for, until it shows or says better.

use core::time::Duration;

use crate::seen::Seen;

impl Seen {
    /// A board whose squares are sampled one after another tells by its reports how fast it is.
    pub(crate) fn learn_scan(&mut self) {
        if self.usual.in_turn
            && let Some(scan) = self.board.learnt_scan()
        {
            self.set_scan(scan);
        }
    }

    /// The device says so itself. A line on which boards take turns is late with their clocks by as much; a clock on a link of its
    /// own is not.
    pub(crate) fn set_delay(&mut self, delay: Duration) {
        self.set_scan(delay);
        if self.config.own_clock.is_none() {
            self.clock.chessclock.set_press_delay(self.usual.press_delay.saturating_add(delay.saturating_sub(self.usual.scan)));
        }
    }

    /// It tells a change so late at most.
    fn set_scan(&mut self, scan: Duration) {
        self.board.set_scan(scan);
        self.play.decoder.set_scan(scan);
    }
}
