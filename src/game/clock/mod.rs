//! The chessclock: what its reports say one after the other (`dgt-clock.md` sections 1, 2 and 5).
//!
//! Nothing is ruled here. A report is compared with the one before, and the difference is named: a press, a start, a stop, a
//! flag, time added. Which display belongs to which player is the only thing that has to be told.

pub mod control;
pub(crate) mod fact;
pub mod flag;
pub(crate) mod setting;
#[cfg(test)]
mod tests;

use core::time::Duration;

use flagfall_protocols::event::{ByteRange, ClockFace, ClockReading, ClockSide};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::clock::control::TimeControl;
use crate::clock::fact::{ClockFact, Facts, PeriodCause};
use crate::clock::flag::{FlagFall, FlagPath, Flags};
use crate::interval::Interval;
use crate::pair::Pair;

/// Two rises of at most this much in one step are two presses, not a period: no period is shorter.
const LONGEST_ADDITION_MS: i64 = 60_000;
/// A report may be this much behind what the display says, and seconds are cut: the slack in every comparison of times.
const SLACK_MS: i64 = 2_000;

/// The two clocks and what became of them.
#[derive(Clone, Debug)]
pub(crate) struct Chessclock {
    white_side: ClockSide,
    last: Option<(Instant, ClockReading)>,
    /// The levers are wired the other way round on this clock.
    inverted: bool,
    disagreements: u8,
    changed_at: Instant,
    /// The clock that runs was started, not pressed over.
    was_started: bool,
    /// Periods whose time the clock has added so far.
    period: Pair<u8>,
    flags: Flags,
    absent: bool,
    press_delay: Duration,
    source: ByteRange,
}

impl Chessclock {
    pub(crate) fn new(press_delay: Duration) -> Chessclock {
        Chessclock {
            white_side: ClockSide::Left,
            last: None,
            inverted: false,
            disagreements: 0,
            changed_at: Instant::ZERO,
            was_started: false,
            period: Pair::default(),
            flags: Flags::default(),
            absent: false,
            press_delay,
            source: ByteRange::default(),
        }
    }

    /// Forgets flags and periods: a new game begins. What the display shows stays known, and a sign that is still up belongs
    /// to the old game.
    pub(crate) fn new_game(&mut self) {
        self.period = Pair::default();
        self.flags = Flags::default();
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

    /// When the last report came, and where it was read.
    pub(crate) fn last_report(&self) -> Option<(Instant, ByteRange)> {
        self.last.as_ref().map(|(at, _)| (*at, self.source))
    }

    /// Steps in which the times are reported, milliseconds.
    pub(crate) fn resolution_ms(&self) -> u16 {
        self.last.as_ref().map_or(0, |(_, reading)| reading.resolution_ms)
    }

    /// When a clock last began or ceased to run.
    pub(crate) fn changed_at(&self) -> Instant {
        self.changed_at
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
        self.source = source;
        self.absent = false;
        let before = self.last.replace((at, *reading));
        match before {
            Some((was_at, was)) if !reading.baseline => self.compare(at, was_at, &was, reading, control, &mut facts),
            before => self.baseline(at, before, reading, &mut facts),
        }
        facts
    }

    /// A sign that was up before the gap tells nothing new; any other one came up during it.
    fn baseline(&mut self, at: Instant, before: Option<(Instant, ClockReading)>, reading: &ClockReading, facts: &mut Facts) {
        facts.push(ClockFact::Baseline);
        self.changed_at = at;
        let earliest = before.map_or(Instant::ZERO, |(was_at, _)| was_at);
        for side in [Color::White, Color::Black] {
            let face = *self.face(reading, side);
            let was = before.map_or(ClockFace::default(), |(_, was)| *self.face(&was, side));
            if fresh_sign(&was, &face) {
                self.latch(side, FlagPath::OnConnect, Interval { earliest, latest: at }, face.flag_blocked, false, facts);
            }
        }
    }

    fn compare(
        &mut self,
        at: Instant,
        was_at: Instant,
        was: &ClockReading,
        now: &ClockReading,
        control: Option<&TimeControl>,
        facts: &mut Facts,
    ) {
        let (ran, runs) = (self.runner(was), self.runner(now));
        let rise = |color| self.face(now, color).time.minus(self.face(was, color).time);
        let rises = Pair { white: rise(Color::White), black: rise(Color::Black) };
        if ran != runs {
            self.changed_at = at;
            self.was_started = ran.is_none() && runs.is_some();
        }
        let mut pressed_by = None;
        match (ran, runs) {
            (Some(a), Some(b)) if a != b => pressed_by = Some(a),
            (Some(a), Some(_)) => self.same_runner(a, &rises, control, facts),
            (Some(a), None) => {
                // A press and a stop inside one report show as a stop with the lever over and time added.
                if self.up(now) != a && *rises.get(a) > 0 {
                    pressed_by = Some(a);
                }
            }
            (None, Some(b)) => facts.push(ClockFact::Started { runs: b }),
            (None, None) => {
                if self.up(was) != self.up(now) {
                    facts.push(ClockFact::LeverMoved { up: self.up(now) });
                }
                if rises != Pair::default() {
                    facts.push(ClockFact::Corrected);
                }
            }
        }
        if let Some(by) = pressed_by {
            let flagged = fresh_sign(self.face(was, by), self.face(now, by));
            facts.push(ClockFact::Press { by, rise_ms: *rises.get(by), flagged });
        }
        if ran.is_some() && runs.is_none() {
            facts.push(ClockFact::Stopped);
        }
        let added = match pressed_by {
            _ if ran.is_some() && self.both_up(&rises, control) => Some(PeriodCause::Zero),
            Some(by) if self.press_adds_period(by, &rises, control) => Some(PeriodCause::Press(by)),
            _ => None,
        };
        let fell = Interval { earliest: at.before(self.press_delay).min(was_at), latest: at };
        self.signs(was, now, fell, pressed_by, added, facts);
        self.zeros(was, now, fell, pressed_by, facts);
        // Some clocks change the period without a sign; the time ran out all the same.
        if let (Some(ran), Some(PeriodCause::Zero)) = (ran, added)
            && i64::from(self.face(was, ran).time.millis()) <= SLACK_MS
        {
            self.latch(ran, FlagPath::PeriodAtZero, fell, false, pressed_by == Some(ran), facts);
        }
        // A sign in this report belongs to the period that ended with it.
        if let Some(cause) = added {
            facts.push(ClockFact::PeriodAdded { cause });
            for color in [Color::White, Color::Black] {
                let period = self.period.get_mut(color);
                *period = period.saturating_add(u8::from(cause != PeriodCause::Press(color.other())));
            }
        }
    }

    /// The same clock ran before and after: seconds ran off, or something else happened in between.
    fn same_runner(&mut self, runner: Color, rises: &Pair<i64>, control: Option<&TimeControl>, facts: &mut Facts) {
        let (own, other) = (*rises.get(runner), *rises.get(runner.other()));
        if own < 0 {
            self.disagreements = 0;
        } else if own == 0 && other < 0 {
            self.disagreements = self.disagreements.saturating_add(1);
            if self.disagreements == 3 {
                self.inverted = !self.inverted;
                facts.push(ClockFact::LeverInverted);
            }
        }
        if own <= 0 {
            return;
        }
        let addition = control.map_or(LONGEST_ADDITION_MS, |c| i64::from(c.period(self.period(runner)).per_move_ms));
        if other > 0 && own <= addition && other <= addition {
            for (by, rise_ms) in [(runner, own), (runner.other(), other)] {
                facts.push(ClockFact::Press { by, rise_ms, flagged: false });
            }
        } else if !self.both_up(rises, control) {
            facts.push(ClockFact::RoseUnexplained { side: runner });
        }
    }

    /// Both sides gained the next period's time at once.
    fn both_up(&self, rises: &Pair<i64>, control: Option<&TimeControl>) -> bool {
        let least = match control {
            Some(control) => match control.next_period(self.period(Color::White).min(self.period(Color::Black))) {
                Some(next) => i64::from(next.main_ms) - SLACK_MS,
                None => return false,
            },
            None => LONGEST_ADDITION_MS + 1,
        };
        rises.white >= least && rises.black >= least
    }

    /// A press that brought the next period's time as well.
    fn press_adds_period(&self, by: Color, rises: &Pair<i64>, control: Option<&TimeControl>) -> bool {
        control
            .and_then(|control| control.next_period(self.period(by)))
            .is_some_and(|next| *rises.get(by) >= i64::from(next.main_ms) - SLACK_MS && *rises.get(by.other()) < SLACK_MS)
    }

    /// Flag signs that came up.
    fn signs(
        &mut self,
        was: &ClockReading,
        now: &ClockReading,
        fell: Interval,
        pressed_by: Option<Color>,
        added: Option<PeriodCause>,
        facts: &mut Facts,
    ) {
        for side in [Color::White, Color::Black] {
            let face = *self.face(now, side);
            if !fresh_sign(self.face(was, side), &face) {
                continue;
            }
            let path = match () {
                () if face.flag_blocked => FlagPath::Blocked,
                () if added == Some(PeriodCause::Zero) => FlagPath::PeriodAtZero,
                () if face.time.millis() == 0 => FlagPath::RunningAtZero,
                () => FlagPath::Shown,
            };
            self.latch(side, path, fell, face.flag_blocked, pressed_by == Some(side), facts);
        }
    }

    /// Displays that reached zero with no sign that is new.
    fn zeros(&mut self, was: &ClockReading, now: &ClockReading, fell: Interval, pressed_by: Option<Color>, facts: &mut Facts) {
        for side in [Color::White, Color::Black] {
            let (before, face) = (*self.face(was, side), *self.face(now, side));
            let reached_zero = face.time.millis() == 0 && before.time.millis() > 0 && now.running;
            if !reached_zero || fresh_sign(&before, &face) {
                continue;
            }
            let with_press = pressed_by == Some(side);
            // The fall of the other side that belongs to this period.
            let period = self.period(side);
            let other = self.flags.of(side.other()).filter(|other| other.period >= period);
            match other {
                // The sign of an earlier period stays up for five minutes: it is not new, the zero is.
                _ if face.flag_shown => self.latch(side, FlagPath::RunningAtZero, fell, false, with_press, facts),
                // After the first fall some clocks show no sign for the second (`dgt-clock.md` section 5).
                Some(other) if !other.blocked => self.latch(side, FlagPath::ZeroAfterOther, fell, false, with_press, facts),
                _ => facts.push(ClockFact::ZeroWithoutSign { side }),
            }
        }
    }

    fn latch(&mut self, side: Color, path: FlagPath, fell: Interval, blocked: bool, with_press: bool, facts: &mut Facts) {
        let flag = FlagFall {
            side,
            path,
            fell,
            blocked,
            with_press,
            period: self.period(side),
            counted: None,
            observed_at: None,
            after_end: false,
            after_quiet: false,
            source: self.source,
        };
        if self.flags.latch(flag) {
            facts.push(ClockFact::Flag { side });
        } else if blocked {
            // The sign of a latched fall changed from shown to blocked.
            self.flags.block(side, flag.period);
        }
    }
}

/// A flag sign came up, or changed from shown to blocked.
fn fresh_sign(was: &ClockFace, now: &ClockFace) -> bool {
    (now.flag_shown && !was.flag_shown) || (now.flag_blocked && !was.flag_blocked)
}
