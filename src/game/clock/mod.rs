//! The chessclock: what its reports say one after the other (`dgt/clock.md#1`, `dgt/clock.md#2` and `dgt/clock.md#5.2`).
//!
//! Nothing is ruled here. A report is compared with the one before, and the difference is named: a press, a start, a stop, a
//! flag, time added. Which display belongs to which player is the only thing that has to be told.

mod claimed;
mod compare;
pub mod control;
pub(crate) mod fact;
pub mod flag;
pub(crate) mod recording;
pub(crate) mod setting;
#[cfg(test)]
mod tests;
pub(crate) mod tracker;
pub(crate) mod watch;

pub use recording::Recording;

use alloc::string::String;
use core::time::Duration;

use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::clock::compare::fresh_sign;
use crate::clock::control::TimeControl;
use crate::clock::fact::{ClockFact, Facts};
use crate::clock::flag::{FlagFall, FlagPath, Flags, Reported};
use crate::interval::Interval;
use crate::pair::Pair;

/// A report may be this much behind what the display says, and seconds are cut: the slack in every comparison of times.
const SLACK_MS: i64 = 2_000;

/// What the clock says, as every audience may know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockState {
    /// The times on the display; none before the clock was heard.
    pub times: Pair<Option<ClockTime>>,
    /// Whose clock runs; none while it stands.
    pub running: Option<Color>,
    /// When it was read; none before it was heard.
    pub read: Option<Instant>,
    /// It is there: heard, and not gone since.
    pub present: bool,
    /// Steps in which the times are reported, milliseconds; 0 before the clock was heard.
    pub resolution_ms: u16,
    /// The device family that told them.
    pub source: &'static str,
}

/// The two clocks and what became of them.
#[derive(Clone, Debug)]
pub(crate) struct Chessclock {
    white_side: ClockSide,
    last: Option<(Instant, ClockReading)>,
    /// The levers are wired the other way round on this clock.
    inverted: bool,
    disagreements: u8,
    /// When a clock last was told to have begun or ceased to run, and how late that was told.
    changed: (Instant, Duration),
    /// The clock that runs was started, not pressed over.
    was_started: bool,
    /// Periods whose time the clock has added so far.
    period: Pair<u8>,
    /// More periods may have been added unseen.
    period_doubtful: Pair<bool>,
    flags: Flags,
    absent: bool,
    press_delay: Duration,
    source: ByteRange,
    /// The report before the last one.
    before: Option<Reported>,
}

impl Chessclock {
    pub(crate) fn new(press_delay: Duration) -> Chessclock {
        Chessclock {
            white_side: ClockSide::Left,
            last: None,
            inverted: false,
            disagreements: 0,
            changed: (Instant::ZERO, Duration::ZERO),
            was_started: false,
            period: Pair::default(),
            period_doubtful: Pair::default(),
            flags: Flags::default(),
            absent: false,
            press_delay,
            source: ByteRange::default(),
            before: None,
        }
    }

    /// A press is told so late at most.
    pub(crate) fn set_press_delay(&mut self, press_delay: Duration) {
        self.press_delay = press_delay;
    }

    /// What the last report told is so old at most.
    pub(crate) fn told_within(&self) -> Duration {
        self.press_delay.saturating_add(self.last.map_or(Duration::ZERO, |(_, reading)| reading.late))
    }

    /// Forgets flags and periods: a new game begins. What the display shows stays known, and a sign that is still up belongs
    /// to the old game.
    pub(crate) fn new_game(&mut self) {
        self.period = Pair::default();
        self.period_doubtful = Pair::default();
        self.flags = Flags::default();
    }

    /// The clock has run unseen: nobody knows in which period it is, nor of which one the flags are.
    pub(crate) fn doubt_periods(&mut self) {
        self.period_doubtful = Pair { white: true, black: true };
        self.flags.iter_mut().for_each(|fall| fall.period_known = false);
    }

    /// No report came before the last one.
    pub(crate) fn first_report(&self) -> bool {
        self.before.is_none()
    }

    /// Which display is White's.
    pub(crate) fn white_side(&self) -> ClockSide {
        self.white_side
    }

    /// Says which display is White's.
    pub(crate) fn set_white_side(&mut self, side: ClockSide) {
        self.white_side = side;
    }

    /// The sides were taken for each other: so were the flags and periods noted until now.
    pub(crate) fn exchange_sides(&mut self) {
        self.white_side = self.white_side.other();
        self.flags.exchange();
        core::mem::swap(&mut self.period.white, &mut self.period.black);
        core::mem::swap(&mut self.period_doubtful.white, &mut self.period_doubtful.black);
    }

    fn color(&self, side: ClockSide) -> Color {
        if side == self.white_side { Color::White } else { Color::Black }
    }

    fn face<'a>(&self, reading: &'a ClockReading, color: Color) -> &'a ClockFace {
        let left = (color == Color::White) == (self.white_side == ClockSide::Left);
        if left { &reading.left } else { &reading.right }
    }

    /// Whose clock runs, as far as the last report says.
    pub(crate) fn runs(&self) -> Option<Color> {
        self.last.as_ref().filter(|_| !self.absent).and_then(|(_, reading)| self.runner(reading))
    }

    fn runner(&self, reading: &ClockReading) -> Option<Color> {
        reading.running.then(|| self.up(reading))
    }

    fn up(&self, reading: &ClockReading) -> Color {
        self.color(if self.inverted { reading.lever_up.other() } else { reading.lever_up })
    }

    /// The player whose lever is up.
    pub(crate) fn lever_up(&self) -> Option<Color> {
        self.last.as_ref().map(|(_, reading)| self.up(reading))
    }

    /// The time shown for `color`.
    pub(crate) fn time(&self, color: Color) -> Option<ClockTime> {
        self.last.as_ref().map(|(_, reading)| self.face(reading, color).time)
    }

    fn reported(&self) -> Option<Reported> {
        self.last.as_ref().map(|(_, reading)| Reported { source: self.source, reading: *reading })
    }

    /// Each player's time in this report, and whose clock ran.
    pub(crate) fn tells(&self, reading: &ClockReading) -> (Pair<ClockTime>, Option<Color>) {
        let time = |color| self.face(reading, color).time;
        (Pair { white: time(Color::White), black: time(Color::Black) }, self.runner(reading))
    }

    /// When the last report came, and where it was read.
    pub(crate) fn last_report(&self) -> Option<(Instant, ByteRange)> {
        self.last.as_ref().map(|(at, _)| (*at, self.source))
    }

    /// Steps in which the times are reported, milliseconds.
    pub(crate) fn resolution_ms(&self) -> u16 {
        self.last.as_ref().map_or(0, |(_, reading)| reading.resolution_ms)
    }

    /// When a clock last began or ceased to run.
    pub(crate) fn changed(&self) -> Interval {
        let (at, late) = self.changed;
        Interval::seen(at, self.press_delay.saturating_add(late))
    }

    /// When that was told.
    pub(crate) fn changed_at(&self) -> Instant {
        self.changed.0
    }

    /// The clock that runs was started while both stood, not by a press of the opponent.
    pub(crate) fn was_started(&self) -> bool {
        self.was_started
    }

    /// A clock is connected and has reported.
    pub(crate) fn present(&self) -> bool {
        self.last.is_some() && !self.absent
    }

    /// The latched flags.
    pub(crate) fn flags(&self) -> &Flags {
        &self.flags
    }

    /// The latched flags, for an arbiter's record to change.
    pub(crate) fn flags_mut(&mut self) -> &mut Flags {
        &mut self.flags
    }

    /// The period `color` is in, counted from 0.
    pub(crate) fn period(&self, color: Color) -> usize {
        usize::from(*self.period.get(color))
    }

    /// The board says that the clock is gone. True if it was there.
    pub(crate) fn lose(&mut self) -> bool {
        !core::mem::replace(&mut self.absent, true)
    }

    /// Compares a report with the one before.
    pub(crate) fn read(
        &mut self,
        at: Instant,
        reading: &ClockReading,
        source: ByteRange,
        control: Option<&TimeControl>,
    ) -> Facts {
        let mut facts = Facts::default();
        self.before = self.reported();
        self.source = source;
        self.absent = false;
        let before = self.last.replace((at, *reading));
        match before {
            Some((was_at, was)) if !reading.baseline => self.compare(at, was_at, &was, reading, control, &mut facts),
            before => self.baseline(at, before, reading, control, &mut facts),
        }
        facts
    }

    /// A sign that was up before the gap tells nothing new; any other one came up during it.
    fn baseline(
        &mut self,
        at: Instant,
        before: Option<(Instant, ClockReading)>,
        reading: &ClockReading,
        control: Option<&TimeControl>,
        facts: &mut Facts,
    ) {
        facts.push(ClockFact::Baseline);
        self.changed = (at, reading.late);
        let earliest = before.map_or(Instant::ZERO, |(was_at, _)| was_at);
        for side in [Color::White, Color::Black] {
            let face = *self.face(reading, side);
            let was = before.map_or(ClockFace::default(), |(_, was)| *self.face(&was, side));
            // Was the next period's time added? No more can have run off than the gap was long.
            let next = control.and_then(|control| control.next_period(self.period(side)));
            if let Some((was_at, next)) = before.map(|(was_at, _)| was_at).zip(next) {
                let gap_ms = at.since(was_at).as_millis() as i64;
                let least = i64::from(next.main_ms) - gap_ms - SLACK_MS;
                *self.period_doubtful.get_mut(side) |= face.time.minus(was.time) >= least;
            }
            if fresh_sign(&was, &face) {
                self.latch(side, FlagPath::OnConnect, Interval { earliest, latest: at }, face.flag_blocked, false, facts);
            }
        }
    }

    /// A fall that nothing but the arbiter has shown, as the command with this id says: it came after the last report, or nobody
    /// knows when. False if there are too many.
    pub(crate) fn observe(&mut self, side: Color, seen: Instant, period: Option<usize>, command: Option<&String>) -> bool {
        let period_known = period.is_some() || !*self.period_doubtful.get(side);
        let period = period.unwrap_or_else(|| self.period(side));
        let heard = self.last.as_ref().map_or(Instant::ZERO, |(at, _)| *at).min(seen);
        let heard_by_then = self.last.as_ref().is_some_and(|(at, _)| *at <= seen);
        let flag = FlagFall {
            side,
            path: FlagPath::ObservedByArbiter,
            fell: Interval { earliest: heard, latest: seen },
            blocked: false,
            with_press: false,
            period,
            period_known,
            counted: None,
            observed_at: Some(seen),
            observed_by: command.cloned(),
            clocks_stopped: None,
            ruled_at: None,
            after_end: false,
            after_quiet: false,
            before: self.reported().filter(|_| heard_by_then),
            shown: None,
        };
        self.flags.latch(flag)
    }

    fn latch(&mut self, side: Color, path: FlagPath, fell: Interval, blocked: bool, with_press: bool, facts: &mut Facts) {
        let period = self.period(side);
        let period_known = !*self.period_doubtful.get(side);
        let flag = FlagFall {
            side,
            path,
            fell,
            blocked,
            with_press,
            period,
            period_known,
            counted: None,
            observed_at: None,
            observed_by: None,
            clocks_stopped: None,
            ruled_at: None,
            after_end: false,
            after_quiet: false,
            before: self.before,
            shown: self.reported(),
        };
        if self.flags.latch(flag) {
            facts.push(ClockFact::Flag { side });
        } else if blocked {
            // The sign of a latched fall changed from shown to blocked.
            self.flags.block(side, period);
        }
    }
}
