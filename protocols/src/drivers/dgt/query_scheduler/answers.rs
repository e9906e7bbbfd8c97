//! Records the answers of a DGT board, and updates the questions that are still open.

use super::super::clock::{AckOf, ClockAck};
use super::super::host::Query;
use super::{Phase, QUIET, QUIET_LINE, QueryScheduler, REPAIR_SPACING, REREAD_SPACING, START};
use crate::drivers::outbox::Outbox;
use crate::event::{Anomaly, ByteRange, ClockReading, DeviceEvent, LogEntry};
use crate::time::Instant;

impl QueryScheduler {
    /// Records a message. `answer` means that only a question brings this message.
    pub(in crate::drivers::dgt) fn on_message(&mut self, at: Instant, answer: bool, here: ByteRange, out: &mut Outbox) {
        if answer && !self.responding && matches!(self.phase, Phase::Asking) {
            self.responding = true;
            out.event(DeviceEvent::Responding, here);
        }
        if self.responding {
            self.restart_keep_alive(at);
        }
    }

    fn restart_keep_alive(&mut self, at: Instant) {
        (self.missed, self.keep_alive) = (0, Some(at.after(QUIET_LINE)));
    }

    /// Records the firmware version. If it had to be asked more than once, the board may have missed the other questions, so
    /// they are asked again.
    pub(in crate::drivers::dgt) fn on_version(&mut self, at: Instant) {
        if self.version.take().is_some() && core::mem::take(&mut self.version_asked) > 1 {
            self.start(at, &START[1..]);
        }
    }

    /// Records a board dump.
    pub(in crate::drivers::dgt) fn on_board(&mut self) {
        self.board = None;
    }

    /// Requests a repair, because a change of the board or the clock may have been among lost bytes.
    pub(in crate::drivers::dgt) fn on_lost_bytes(&mut self, at: Instant) {
        if self.responding {
            self.repair.request(at, REPAIR_SPACING);
        }
    }

    /// Requests the clock again after a doubtful clock message. A stopped clock repeats it only when it is asked.
    pub(in crate::drivers::dgt) fn on_doubtful_clock(&mut self, at: Instant) {
        if self.responding {
            self.reread.request(at, REREAD_SPACING);
        }
    }

    /// Records a clock report. If a running clock was silent and an answer shows that its time has changed, the board has lost
    /// its mode (it was switched off and on). Then the mode is set again.
    pub(in crate::drivers::dgt) fn on_clock(&mut self, at: Instant, clock: &ClockReading, here: ByteRange, out: &mut Outbox) {
        let shown = Some([clock.right.time, clock.left.time]);
        if core::mem::take(&mut self.probing) && shown != self.shown {
            self.queue.retain(|&query| query != Query::Board);
            self.ask(at, Query::UpdateNice);
            self.ask(at, Query::Board);
            out.anomaly(Anomaly::Retried, here);
        }
        self.shown = shown;
        self.quiet = clock.running.then(|| at.after(QUIET));
        if clock.baseline && self.responding && self.clock_asked == 0 {
            self.ask(at, Query::ClockVersion);
        }
    }

    /// Records that the clock is gone. When it comes back, it is asked for its version.
    pub(in crate::drivers::dgt) fn on_clock_gone(&mut self) {
        self.quiet = None;
        if self.clock.is_none() {
            self.clock_asked = 0;
        }
    }

    /// Records an acknowledgement of the clock.
    pub(in crate::drivers::dgt) fn on_clock_ack(&mut self, at: Instant, ack: ClockAck) {
        match ack.of() {
            AckOf::Version(..) if ack.ok() => {
                self.clock = None;
                self.clock_repeated = false;
            }
            AckOf::Ready if self.clock.is_some() => self.ask(at, Query::ClockVersion),
            _ if !ack.ok() && self.clock.is_some() && !self.clock_repeated => {
                self.clock_repeated = true;
                self.ask(at, Query::ClockVersion);
            }
            _ => {}
        }
    }

    /// Ends the request for a log. Returns whether a log had been requested.
    pub(in crate::drivers::dgt) fn close_log(&mut self, at: Instant) -> bool {
        let asked = self.log.take().is_some();
        if asked {
            if self.responding {
                self.restart_keep_alive(at);
            }
            self.quiet = self.quiet.map(|_| at.after(QUIET));
        }
        asked
    }

    /// Reports that a requested log will not come, and ends the request.
    pub(in crate::drivers::dgt) fn on_log_failed(&mut self, at: Instant, here: ByteRange, out: &mut Outbox) {
        if self.close_log(at) {
            out.anomaly(Anomaly::LogTruncated, here);
            out.event(DeviceEvent::Log(LogEntry::End), here);
        }
    }
}
