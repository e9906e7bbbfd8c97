//! Follows a chess clock through its successive reports (`dgt/clock.md#1`, `dgt/clock.md#2` and `dgt/clock.md#5.2`).
//!
//! This module makes no rulings. It compares each report with the one before and names the difference: a press, a start, a stop,
//! a flag, added time. Only which display belongs to which player must be configured or entered.

mod claimed;
mod compare;
pub mod control;
mod doubted;
pub(crate) mod fact;
pub mod flag;
pub mod pace;
pub(crate) mod recording;
pub(crate) mod setting;
#[cfg(test)]
mod tests;
pub(crate) mod tracker;
pub(crate) mod turn;
pub(crate) mod watch;

pub use recording::Recording;

use alloc::string::String;
use core::time::Duration;

use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::clock::compare::is_new_sign;
use crate::clock::control::TimeControl;
use crate::clock::doubted::Doubted;
use crate::clock::fact::{ClockFact, Facts};
use crate::clock::flag::{FlagFall, FlagPath, Flags, Reported};
use crate::interval::Interval;
use crate::pair::Pair;
use crate::reconstruct::made::MadeMoves;

/// The tolerance in every comparison of times, in milliseconds. A report may be this much behind the display, and fractions of a
/// second are cut.
const SLACK_MS: i64 = 2_000;

/// The state of the clock, as far as every audience may know it.
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

/// The two clocks, and the flags and periods that their reports have shown.
#[derive(Clone, Debug)]
pub(crate) struct Chessclock {
    white_side: ClockSide,
    last: Option<(Instant, ClockReading)>,
    /// The levers are wired the other way round on this clock.
    inverted: bool,
    disagreements: u8,
    /// When a clock was last reported to have begun or ceased to run, and how late that report was.
    changed: (Instant, Duration),
    /// The running clock was started while both stood, not by the opponent's press.
    was_started: bool,
    /// Periods whose time the clock has added so far.
    period: Pair<u8>,
    /// True if more periods may have been added than were seen.
    period_doubtful: Pair<bool>,
    flags: Flags,
    absent: bool,
    press_delay: Duration,
    source: ByteRange,
    /// The report before the last one.
    before: Option<Reported>,
    /// A report after the last one that contradicts it.
    doubted: Option<Doubted>,
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
            doubted: None,
        }
    }

    /// Sets the longest delay after which a press is reported.
    pub(crate) fn set_press_delay(&mut self, press_delay: Duration) {
        self.press_delay = press_delay;
    }

    /// The longest time that a change may be older than the last report, which shows it.
    pub(crate) fn report_delay(&self) -> Duration {
        self.press_delay.saturating_add(self.last.map_or(Duration::ZERO, |(_, reading)| reading.late))
    }

    /// Forgets flags and periods, because a new game begins. The displayed times stay known, and a sign that is still up
    /// belongs to the old game.
    pub(crate) fn new_game(&mut self) {
        self.period = Pair::default();
        self.period_doubtful = Pair::default();
        self.flags = Flags::default();
    }

    /// Notes that the clock has run unseen: its period is not known, and neither are the periods of the flags.
    pub(crate) fn doubt_periods(&mut self) {
        self.period_doubtful = Pair { white: true, black: true };
        self.flags.iter_mut().for_each(|fall| fall.period_known = false);
    }

    /// True if no report came before the last one.
    pub(crate) fn first_report(&self) -> bool {
        self.before.is_none()
    }

    /// The side of the clock whose display is White's.
    pub(crate) fn white_side(&self) -> ClockSide {
        self.white_side
    }

    /// Sets which display is White's.
    pub(crate) fn set_white_side(&mut self, side: ClockSide) {
        self.white_side = side;
    }

    /// Exchanges the sides, which were recorded the wrong way round, together with the flags and periods noted until now.
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

    /// The player whose clock runs, according to the last report.
    pub(crate) fn runs(&self) -> Option<Color> {
        self.last.as_ref().filter(|_| !self.absent).and_then(|(_, reading)| self.runner(reading))
    }

    fn runner(&self, reading: &ClockReading) -> Option<Color> {
        reading.running.then(|| self.lever_up_in(reading))
    }

    fn lever_up_in(&self, reading: &ClockReading) -> Color {
        self.color(if self.inverted { reading.lever_up.other() } else { reading.lever_up })
    }

    /// The player whose lever is up.
    pub(crate) fn lever_up(&self) -> Option<Color> {
        self.last.as_ref().map(|(_, reading)| self.lever_up_in(reading))
    }

    /// The time shown for `color`.
    pub(crate) fn time(&self, color: Color) -> Option<ClockTime> {
        self.last.as_ref().map(|(_, reading)| self.face(reading, color).time)
    }

    fn reported(&self) -> Option<Reported> {
        self.last.as_ref().map(|(_, reading)| Reported { source: self.source, reading: *reading })
    }

    /// Each player's time in this report, and the player whose clock ran.
    pub(crate) fn times_and_runner(&self, reading: &ClockReading) -> (Pair<ClockTime>, Option<Color>) {
        let time = |color| self.face(reading, color).time;
        (Pair { white: time(Color::White), black: time(Color::Black) }, self.runner(reading))
    }

    /// The time of the last report, and the range of its bytes.
    pub(crate) fn last_report(&self) -> Option<(Instant, ByteRange)> {
        self.last.as_ref().map(|(at, _)| (*at, self.source))
    }

    /// The steps in which the clock reports the times, milliseconds.
    pub(crate) fn resolution_ms(&self) -> u16 {
        self.last.as_ref().map_or(0, |(_, reading)| reading.resolution_ms)
    }

    /// The time at which a clock last began or ceased to run.
    pub(crate) fn changed(&self) -> Interval {
        let (at, late) = self.changed;
        Interval::seen(at, self.press_delay.saturating_add(late))
    }

    /// The time at which that change was reported.
    pub(crate) fn changed_at(&self) -> Instant {
        self.changed.0
    }

    /// True if the running clock was started while both stood, not by a press of the opponent.
    pub(crate) fn was_started(&self) -> bool {
        self.was_started
    }

    /// True if a clock is connected and has reported.
    pub(crate) fn present(&self) -> bool {
        self.last.is_some() && !self.absent
    }

    /// The latched flags.
    pub(crate) fn flags(&self) -> &Flags {
        &self.flags
    }

    /// The latched flags, for changes by an arbiter's record.
    pub(crate) fn flags_mut(&mut self) -> &mut Flags {
        &mut self.flags
    }

    /// The current period of `color`, counted from 0.
    pub(crate) fn period(&self, color: Color) -> usize {
        usize::from(*self.period.get(color))
    }

    /// Notes that the board reports the clock as gone. Returns true if it was there before.
    pub(crate) fn lose(&mut self) -> bool {
        !core::mem::replace(&mut self.absent, true)
    }

    /// Compares a report with the one before. A report that contradicts it counts only when the next one confirms it.
    pub(crate) fn read(
        &mut self,
        at: Instant,
        reading: &ClockReading,
        source: ByteRange,
        control: Option<&TimeControl>,
    ) -> Facts {
        let mut facts = Facts::default();
        let doubted = self.doubted.take();
        if !reading.baseline && self.contradicts_last(at, reading) {
            match doubted.filter(|doubted| doubted.is_confirmed_by(self, at, reading)) {
                Some(doubted) => self.take_report(doubted.at, &doubted.reading, doubted.source, control, &mut facts),
                None => {
                    self.doubted = Some(Doubted { at, reading: *reading, source });
                    facts.push(ClockFact::Doubted);
                    return facts;
                }
            }
        }
        self.take_report(at, reading, source, control, &mut facts);
        facts
    }

    fn take_report(
        &mut self,
        at: Instant,
        reading: &ClockReading,
        source: ByteRange,
        control: Option<&TimeControl>,
        facts: &mut Facts,
    ) {
        self.before = self.reported();
        self.source = source;
        self.absent = false;
        let before = self.last.replace((at, *reading));
        match before {
            Some((was_at, was)) if !reading.baseline => self.compare(at, was_at, &was, reading, control, facts),
            before => self.baseline(at, before, reading, control, facts),
        }
        self.note_presses_after_falls(at, reading, facts);
    }

    /// Handles the first report after a gap: a sign that was up before the gap is not new, and any other sign came up during
    /// it.
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
            // Was the next period's time added? At most the length of the gap has run off.
            let next = control.and_then(|control| control.next_period(self.period(side)));
            if let Some((was_at, next)) = before.map(|(was_at, _)| was_at).zip(next) {
                let gap_ms = at.since(was_at).as_millis() as i64;
                let least = i64::from(next.main_ms) - gap_ms - SLACK_MS;
                *self.period_doubtful.get_mut(side) |= face.time.minus(was.time) >= least;
            }
            if is_new_sign(&was, &face) {
                self.latch(side, FlagPath::OnConnect, Interval { earliest, latest: at }, face.flag_blocked, false, facts);
            }
        }
    }

    /// Latches a fall that only an arbiter or a player has reported, with the command of this id. It came after the last
    /// report, or its time is not known. Returns false if there are too many falls.
    pub(crate) fn observe(&mut self, side: Color, seen: Instant, period: Option<usize>, command: Option<&String>) -> bool {
        let period_known = period.is_some() || !*self.period_doubtful.get(side);
        let period = period.unwrap_or_else(|| self.period(side));
        let heard = self.last.as_ref().map_or(Instant::ZERO, |(at, _)| *at).min(seen);
        let heard_by_then = self.last.as_ref().is_some_and(|(at, _)| *at <= seen);
        let flag = FlagFall {
            number: 0,
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
            set_anew: None,
            played_on: None,
            presses: 0,
            touched: false,
            hides_moves: false,
            stood: MadeMoves::default(),
        };
        self.flags.latch(flag)
    }

    fn latch(&mut self, side: Color, path: FlagPath, fell: Interval, blocked: bool, with_press: bool, facts: &mut Facts) {
        let period = self.period(side);
        let period_known = !*self.period_doubtful.get(side);
        let flag = FlagFall {
            number: 0,
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
            set_anew: None,
            played_on: None,
            presses: 0,
            touched: false,
            hides_moves: false,
            stood: MadeMoves::default(),
        };
        if self.flags.latch(flag) {
            facts.push(ClockFact::Flag { side });
        } else if blocked {
            // The sign of a latched fall changed from shown to blocked.
            self.flags.block(side, period);
        }
    }
}
