//! Recognises reports that contradict the one before: time can only run out as fast as it runs. A byte of such a report was damaged
//! on the line, unless the next report confirms it.

use flagfall_protocols::event::{ByteRange, ClockReading};
use flagfall_protocols::time::Instant;

use super::compare::is_new_sign;
use super::{Chessclock, SLACK_MS};

/// A report that contradicts the one before and waits for the next one.
#[derive(Clone, Debug)]
pub(crate) struct Doubted {
    pub(super) at: Instant,
    pub(super) reading: ClockReading,
    pub(super) source: ByteRange,
}

impl Doubted {
    /// True if this report goes on from the doubted one, and no display rose.
    pub(super) fn is_confirmed_by(&self, clock: &Chessclock, at: Instant, reading: &ClockReading) -> bool {
        let rose = reading.left.time > self.reading.left.time || reading.right.time > self.reading.right.time;
        !rose && !clock.contradicts(at, reading, (self.at, &self.reading))
    }
}

impl Chessclock {
    /// True if this report cannot come after the last one.
    pub(super) fn contradicts_last(&self, at: Instant, reading: &ClockReading) -> bool {
        self.last.as_ref().is_some_and(|(was_at, was)| self.contradicts(at, reading, (*was_at, was)))
    }

    /// True if more time ran off than has passed, or if a flag sign came up although there was time left. While both clocks stand,
    /// an arbiter may set any time.
    fn contradicts(&self, at: Instant, reading: &ClockReading, (was_at, was): (Instant, &ClockReading)) -> bool {
        let resolution = i64::from(was.resolution_ms.max(reading.resolution_ms));
        let late = self.report_delay().max(reading.late).as_millis() as i64;
        let passed = at.since(was_at).as_millis() as i64 + late + resolution + SLACK_MS;
        [(&was.left, &reading.left), (&was.right, &reading.right)].into_iter().any(|(before, after)| {
            let ran_off = before.time.minus(after.time);
            let left = i64::from(before.time.millis()) > passed && i64::from(after.time.millis()) > 0;
            (was.running && ran_off > passed) || (is_new_sign(before, after) && left)
        })
    }
}
