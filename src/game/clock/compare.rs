//! What two reports, one after the other, tell (`dgt/clock.md#5.2`, "From message to meaning").

use flagfall_protocols::event::{ClockFace, ClockReading};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::control::TimeControl;
use super::fact::{ClockFact, Facts, PeriodCause};
use super::flag::FlagPath;
use super::{Chessclock, SLACK_MS};
use crate::interval::Interval;
use crate::pair::Pair;

/// Two rises of at most this much in one step are two presses, not a period: no period is shorter.
const LONGEST_ADDITION_MS: i64 = 60_000;
impl Chessclock {
    pub(super) fn compare(
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
            self.changed = (at, now.late);
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
        let fell = Interval { earliest: at.before(self.told_within()).min(was_at), latest: at };
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
                // After the first fall some clocks show no sign for the second (`dgt/clock.md#5.1`).
                Some(other) if !other.blocked => self.latch(side, FlagPath::ZeroAfterOther, fell, false, with_press, facts),
                _ => facts.push(ClockFact::ZeroWithoutSign { side }),
            }
        }
    }
}

/// A flag sign came up, or changed from shown to blocked.
pub(super) fn fresh_sign(was: &ClockFace, now: &ClockFace) -> bool {
    (now.flag_shown && !was.flag_shown) || (now.flag_blocked && !was.flag_blocked)
}
