//! Recognises reports that contradict the one before: time can only run out as fast as it runs, and a running clock gains time only at a
//! press or with the next period. A byte of such a report was damaged on the line, unless the next report confirms it.

use core::time::Duration;

use flagfall_protocols::event::{ByteRange, ClockReading};
use flagfall_protocols::time::Instant;

use super::compare::{LONGEST_ADDITION_MS, is_new_sign};
use super::control::TimeControl;
use super::fact::Facts;
use super::{Chessclock, SLACK_MS};
use crate::pair::Pair;

/// The time for which a report that shows too much time waits for the next one. Whoever sets a clock must be seen, even if the clock does
/// not answer the question.
const WAITS: Duration = Duration::from_secs(2);

/// A report that contradicts the one before and waits for the next one.
#[derive(Clone, Debug)]
pub(crate) struct Doubted {
    pub(super) at: Instant,
    pub(super) reading: ClockReading,
    pub(super) source: ByteRange,
    /// When it counts without another report; none if it shows a flag sign, or that more time ran off than has passed.
    pub(super) until: Option<Instant>,
}

/// Why a report cannot come after the last one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Contradiction {
    /// More time ran off than has passed, or a flag sign came up although there was time left.
    TooEarly,
    /// A display gained time.
    Gained,
}

impl Doubted {
    /// A report that waits, after others that may have waited since an earlier moment.
    pub(super) fn new(
        at: Instant,
        reading: ClockReading,
        source: ByteRange,
        why: Contradiction,
        before: Option<&Doubted>,
    ) -> Doubted {
        let first = before.and_then(|before| before.until).unwrap_or(at.after(WAITS));
        Doubted { at, reading, source, until: (why == Contradiction::Gained).then_some(first) }
    }

    /// True if this report goes on from the doubted one, and no display rose.
    pub(super) fn is_confirmed_by(&self, clock: &Chessclock, at: Instant, reading: &ClockReading) -> bool {
        let rose = reading.left.time > self.reading.left.time || reading.right.time > self.reading.right.time;
        !rose && !clock.comes_too_early(at, reading, (self.at, &self.reading))
    }
}

impl Chessclock {
    /// Why this report cannot come after the last one; none if it can.
    pub(super) fn contradiction(
        &self,
        at: Instant,
        reading: &ClockReading,
        control: Option<&TimeControl>,
    ) -> Option<Contradiction> {
        let (was_at, was) = self.last.as_ref().map(|(was_at, was)| (*was_at, was))?;
        match () {
            () if self.comes_too_early(at, reading, (was_at, was)) => Some(Contradiction::TooEarly),
            () if self.gains_by_itself(was, reading, control) => Some(Contradiction::Gained),
            () => None,
        }
    }

    /// Takes the doubted report if it has waited for long enough.
    pub(crate) fn take_unanswered(&mut self, now: Instant, control: Option<&TimeControl>) -> Option<Facts> {
        let doubted = self.doubted.take_if(|doubted| doubted.until.is_some_and(|until| now >= until))?;
        let mut facts = Facts::default();
        let late = doubted.reading.late.saturating_add(now.since(doubted.at));
        self.take_report(doubted.at, &ClockReading { late, ..doubted.reading }, doubted.source, control, &mut facts);
        Some(facts)
    }

    /// When a doubted report counts without another one.
    pub(crate) fn unanswered_at(&self) -> Option<Instant> {
        self.doubted.as_ref().and_then(|doubted| doubted.until)
    }

    /// True if more time ran off than has passed, or if a flag sign came up although there was time left. While both clocks stand,
    /// an arbiter may set any time.
    fn comes_too_early(&self, at: Instant, reading: &ClockReading, (was_at, was): (Instant, &ClockReading)) -> bool {
        let resolution = i64::from(was.resolution_ms.max(reading.resolution_ms));
        let late = self.report_delay().max(reading.late).as_millis() as i64;
        let passed = at.since(was_at).as_millis() as i64 + late + resolution + SLACK_MS;
        [(&was.left, &reading.left), (&was.right, &reading.right)].into_iter().any(|(before, after)| {
            let ran_off = before.time.minus(after.time);
            let left = i64::from(before.time.millis()) > passed && i64::from(after.time.millis()) > 0;
            (was.running && ran_off > passed) || (is_new_sign(before, after) && left)
        })
    }

    /// True if a display gained time although a clock ran, and neither presses nor a new period give so much. A press gives time to the
    /// player whose clock ran. If several presses come between two reports, both players gain time.
    fn gains_by_itself(&self, was: &ClockReading, now: &ClockReading, control: Option<&TimeControl>) -> bool {
        let Some(ran) = self.runner(was) else { return false };
        let gains = self.rises(was, now);
        let (own, other) = (*gains.get(ran), *gains.get(ran.other()));
        let step = i64::from(was.resolution_ms.max(now.resolution_ms));
        let addition = control.map_or(0, |control| i64::from(control.period(self.period(ran)).per_move_ms));
        let most = addition.max(LONGEST_ADDITION_MS);
        let pressed = self.lever_up_in(now) != ran;
        let of_presses = own <= most && other <= most && (own <= step || pressed || other > 0) && (other <= step || own > 0);
        let of_period = self.both_up(&gains, control) || (pressed && self.press_adds_period(ran, &gains, control));
        !(of_presses || of_period)
    }

    /// By how much each display rose, milliseconds.
    pub(super) fn rises(&self, was: &ClockReading, now: &ClockReading) -> Pair<i64> {
        let ((before, _), (after, _)) = (self.times_and_runner(was), self.times_and_runner(now));
        Pair { white: after.white.minus(before.white), black: after.black.minus(before.black) }
    }
}
