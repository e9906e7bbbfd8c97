//! Sets the longest time after which the board reports a change: the known value of its family, until reports give a better one.

use core::time::Duration;

use crate::seen::Seen;

impl Seen {
    /// Takes over the speed that reports of a board show if it samples its squares one after another.
    pub(crate) fn learn_scan(&mut self) {
        if self.usual.in_turn
            && let Some(scan) = self.board.learnt_scan()
        {
            self.set_scan(scan);
        }
    }

    /// Takes over the delay that the device itself reports. A line that several boards share delays the reports of their
    /// clocks by as much. A clock on its own link has no such delay.
    pub(crate) fn set_delay(&mut self, delay: Duration) {
        self.set_scan(delay);
        if self.config.own_clock.is_none() {
            self.clock.chessclock.set_press_delay(self.usual.press_delay.saturating_add(delay.saturating_sub(self.usual.scan)));
        }
    }

    /// Sets the longest time after which the board reports a change.
    fn set_scan(&mut self, scan: Duration) {
        self.board.set_scan(scan);
        self.play.decoder.set_scan(scan);
        self.joining.set_scan(scan);
        if let Some(after) = &mut self.play.after_result {
            after.decoder.set_scan(scan);
        }
        if let Some(decoder) = self.play.after_illegal.as_mut().and_then(|after| after.decoder.as_mut()) {
            decoder.set_scan(scan);
        }
    }
}
