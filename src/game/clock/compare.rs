//! Derives the facts (press, start, stop, flag, added time) from two successive reports of the clock (`dgt/clock.md#5.2`, "From
//! message to meaning").

use flagfall_protocols::event::{ClockFace, ClockReading, ClockSide};
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::control::TimeControl;
use super::fact::{ClockFact, Facts, PeriodCause};
use super::flag::FlagPath;
use super::{Chessclock, SLACK_MS};
use crate::interval::Interval;
use crate::pair::Pair;

/// The largest rise of a displayed time, in milliseconds, that can come from a press if the time control is not known. If both
/// times rise by at most this much in one step, both players have pressed. No period is so short.
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
            (Some(a), Some(_)) => self.handle_same_runner(a, &rises, control, facts),
            (Some(a), None) => {
                // If a press and a stop come within one report, the clock shows a stop with the lever over and time added.
                if self.lever_up_in(now) != a && *rises.get(a) > 0 {
                    pressed_by = Some(a);
                }
            }
            (None, Some(b)) => facts.push(ClockFact::Started { runs: b }),
            (None, None) => {
                if self.lever_up_in(was) != self.lever_up_in(now) {
                    facts.push(ClockFact::LeverMoved { up: self.lever_up_in(now) });
                }
                if rises != Pair::default() {
                    facts.push(ClockFact::Corrected);
                }
            }
        }
        if let Some(by) = pressed_by {
            let flagged = is_new_sign(self.face(was, by), self.face(now, by));
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
        let fell = Interval { earliest: at.before(self.report_delay()).min(was_at), latest: at };
        self.latch_new_signs(was, now, fell, pressed_by, added, facts);
        self.handle_zero_displays(was, now, fell, pressed_by, facts);
        // Some clocks begin the next period without a flag sign. The time has expired nevertheless.
        if let (Some(ran), Some(PeriodCause::Zero)) = (ran, added)
            && i64::from(self.face(was, ran).time.millis()) <= SLACK_MS
        {
            self.latch(ran, FlagPath::PeriodAtZero, fell, false, pressed_by == Some(ran), facts);
        }
        // A sign in this report belongs to the period that ends with it.
        if let Some(cause) = added {
            facts.push(ClockFact::PeriodAdded { cause });
            for color in [Color::White, Color::Black] {
                let period = self.period.get_mut(color);
                *period = period.saturating_add(u8::from(cause != PeriodCause::Press(color.other())));
            }
        }
    }

    /// Handles two reports between which the same clock ran: seconds ran off, or something else happened in between.
    fn handle_same_runner(&mut self, runner: Color, rises: &Pair<i64>, control: Option<&TimeControl>, facts: &mut Facts) {
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

    /// True if both sides gained the next period's time at once.
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

    /// True if a press also brought the next period's time.
    fn press_adds_period(&self, by: Color, rises: &Pair<i64>, control: Option<&TimeControl>) -> bool {
        control
            .and_then(|control| control.next_period(self.period(by)))
            .is_some_and(|next| *rises.get(by) >= i64::from(next.main_ms) - SLACK_MS && *rises.get(by.other()) < SLACK_MS)
    }

    /// Latches the falls whose flag signs are new in this report.
    fn latch_new_signs(
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
            if !is_new_sign(self.face(was, side), &face) {
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

    /// Handles displays that reached zero while no new sign came up.
    fn handle_zero_displays(
        &mut self,
        was: &ClockReading,
        now: &ClockReading,
        fell: Interval,
        pressed_by: Option<Color>,
        facts: &mut Facts,
    ) {
        for side in [Color::White, Color::Black] {
            let (before, face) = (*self.face(was, side), *self.face(now, side));
            let reached_zero = face.time.millis() == 0 && before.time.millis() > 0 && now.running;
            if !reached_zero || is_new_sign(&before, &face) {
                continue;
            }
            let with_press = pressed_by == Some(side);
            // A fall of the other side in this period.
            let period = self.period(side);
            let other = self.flags.of(side.other()).filter(|other| other.period >= period && other.set_anew.is_none());
            match other {
                // The sign of an earlier period stays up for five minutes. The sign is not new, but the zero is.
                _ if face.flag_shown => self.latch(side, FlagPath::RunningAtZero, fell, false, with_press, facts),
                // After the first fall some clocks show no sign for the second fall (`dgt/clock.md#5.1`).
                Some(other) if !other.blocked => self.latch(side, FlagPath::ZeroAfterOther, fell, false, with_press, facts),
                _ => facts.push(ClockFact::ZeroWithoutSign { side }),
            }
        }
    }

    /// Notes the presses of this report for each fall of before it, and counts them if that player's clock has time again.
    pub(super) fn note_presses_after_falls(&mut self, at: Instant, reading: &ClockReading, facts: &Facts) {
        let presses = facts.iter().filter(|fact| matches!(fact, ClockFact::Press { .. })).count();
        if presses == 0 || !self.flags.any() {
            return;
        }
        let white_left = self.white_side == ClockSide::Left;
        let millis = |reading: &ClockReading, side: Color| {
            let left = (side == Color::White) == white_left;
            if left { reading.left.time.millis() } else { reading.right.time.millis() }
        };
        for fall in self.flags.iter_mut().filter(|fall| fall.fell.latest < at) {
            fall.hides_moves = true;
            // Some clocks show the sign a second before zero.
            let at_fall = fall.shown.or(fall.before).map_or(0, |reported| millis(&reported.reading, fall.side));
            let now = millis(reading, fall.side);
            if now > at_fall || i64::from(now) > SLACK_MS {
                fall.note_presses(presses, at);
            }
        }
    }
}

/// True if a flag sign came up, or changed from shown to blocked.
pub(super) fn is_new_sign(was: &ClockFace, now: &ClockFace) -> bool {
    (now.flag_shown && !was.flag_shown) || (now.flag_blocked && !was.flag_blocked)
}
