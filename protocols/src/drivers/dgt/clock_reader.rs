//! Decides what DGT clock messages mean, with regard to earlier messages: the reading rules of `dgt/clock.md#1.4`, in their
//! order.

use core::time::Duration;

use super::clock::{AckOf, ClockAck, ClockMessage, ClockReport, Status};
use crate::event::{Anomaly, ClockReading, DeviceEvent};
use crate::time::ClockTime;

/// The largest rise of a time that is accepted at once, in milliseconds (rule 6).
const JUMP_MS: i64 = 3_600_000;
/// The largest difference at which a second report confirms a doubtful one, in milliseconds. The time may have run, and a press
/// may have added time.
const SAME_MS: u64 = 60_000;
/// A time that is reported as [`Anomaly::ClockEightHours`].
const EIGHT_HOURS: ClockTime = ClockTime::hms(8, 0, 0);

/// The results of one clock message. Several fields may be set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockNews {
    /// An anomaly to count.
    pub anomaly: Option<Anomaly>,
    /// An event to report.
    pub event: Option<DeviceEvent>,
    /// An acknowledgement, for the session.
    pub ack: Option<ClockAck>,
}

/// The memory that the reading rules need.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClockReader {
    /// The last reported times, right and left; `None` before the baseline.
    last: Option<[ClockTime; 2]>,
    /// The rise that waits for its confirmation.
    doubtful: Option<[ClockTime; 2]>,
    absent: bool,
}

impl ClockReader {
    /// Forgets everything. The next good report is a baseline again.
    pub fn reset(&mut self) {
        *self = ClockReader::default();
    }

    /// Reads the seven bytes of one message.
    pub fn read(&mut self, bytes: &[u8; 7]) -> ClockNews {
        match ClockMessage::decode(bytes) {
            ClockMessage::Ack(ack) => ClockNews { ack: Some(ack), event: button(ack), ..ClockNews::default() },
            ClockMessage::Null => count(Anomaly::ClockNull),
            ClockMessage::Report(report) => self.report(&report),
        }
    }

    fn report(&mut self, report: &ClockReport) -> ClockNews {
        if report.status.has(Status::NO_CLOCK) {
            let news = !core::mem::replace(&mut self.absent, true);
            (self.last, self.doubtful) = (None, None);
            return ClockNews { event: news.then_some(DeviceEvent::ClockAbsent), ..ClockNews::default() };
        }
        let (Some(right), Some(left)) = (report.right.face(), report.left.face()) else {
            return count(Anomaly::ClockIllegal);
        };
        let times = [right.time, left.time];
        if self.last.is_some_and(|last| rises(last, times)) && !self.doubtful.is_some_and(|before| near(before, times)) {
            self.doubtful = Some(times);
            return count(Anomaly::ClockJump);
        }
        let baseline = self.last.replace(times).is_none();
        self.doubtful = None;
        self.absent = false;
        let event = DeviceEvent::Clock(ClockReading {
            left,
            right,
            running: report.status.has(Status::RUNNING),
            lever_up: report.status.lever_up(),
            turn: report.status.turn(),
            battery_low: report.status.has(Status::BATTERY_LOW),
            baseline,
            resolution_ms: 1000,
            late: Duration::ZERO,
        });
        let anomaly = times.contains(&EIGHT_HOURS).then_some(Anomaly::ClockEightHours);
        ClockNews { anomaly, event: Some(event), ack: None }
    }
}

fn rises(from: [ClockTime; 2], to: [ClockTime; 2]) -> bool {
    from.iter().zip(to).any(|(&from, to)| to.minus(from) > JUMP_MS)
}

fn near(one: [ClockTime; 2], other: [ClockTime; 2]) -> bool {
    one.iter().zip(other).all(|(&one, other)| other.minus(one).unsigned_abs() <= SAME_MS)
}

fn button(ack: ClockAck) -> Option<DeviceEvent> {
    match ack.of() {
        AckOf::Button(Some(button)) if ack.ok() => Some(DeviceEvent::ClockButton(button)),
        _ => None,
    }
}

fn count(anomaly: Anomaly) -> ClockNews {
    ClockNews { anomaly: Some(anomaly), ..ClockNews::default() }
}
