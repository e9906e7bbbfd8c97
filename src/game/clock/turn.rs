//! Compares the time that a turn took with the time that ran off the display in it. This shows whether the clock withholds time
//! at the beginning of a turn or gives it back at its end (Article 6.3.2).

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;

use super::SLACK_MS;
use super::control::{Method, Period};
use crate::interval::Interval;

/// The length from which a turn can show that the clock is set rightly. No delay in use is shorter than two seconds.
const LONG_TURN_MS: i64 = 3_000;

/// A turn that is under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// The player whose clock runs.
    pub(crate) side: Color,
    /// The time at which it began to run.
    pub(crate) began: Interval,
    /// The time on its display then.
    pub(crate) time: ClockTime,
}

impl Turn {
    /// The turn as it ended with this press. `time` is the display after the press, and the clock reports its times in steps of
    /// `resolution_ms`.
    pub(crate) fn end(self, pressed: Interval, time: ClockTime, resolution_ms: u16) -> EndedTurn {
        EndedTurn { began: self.began, pressed, used_ms: self.time.minus(time), resolution_ms: i64::from(resolution_ms) }
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}

/// A turn that ended with a press.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EndedTurn {
    began: Interval,
    pressed: Interval,
    /// The time that the display lost from the beginning of the turn to the end of the press, milliseconds. It is negative if the
    /// display gained time.
    used_ms: i64,
    resolution_ms: i64,
}

/// The result of the comparison of a turn with a setting of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The turn shows this setting.
    Fits,
    /// The turn was too short to show it.
    Open,
    /// The clock has another setting.
    Differs,
}

impl EndedTurn {
    /// The shortest time that the turn can have taken, milliseconds.
    fn shortest_ms(&self) -> i64 {
        millis(self.pressed.earliest.since(self.began.latest))
    }

    /// The longest time that the turn can have taken, milliseconds.
    fn longest_ms(&self) -> i64 {
        millis(self.pressed.latest.since(self.began.earliest))
    }

    /// Compares the turn with this setting of the clock.
    pub(crate) fn compare(&self, period: &Period) -> Fit {
        let too_much = self.used_ms - runs_off(period, self.longest_ms());
        let too_little = runs_off(period, self.shortest_ms()) - self.used_ms;
        // A display in whole seconds is less than one of them behind or ahead. Without a delay no clock runs too fast.
        let ran_in_delay = delays(period) && 2 * too_much > 3 * self.resolution_ms;
        let stood = too_little > SLACK_MS;
        match () {
            () if ran_in_delay || stood => Fit::Differs,
            () if self.shortest_ms() >= LONG_TURN_MS && too_much <= 0 && too_little <= self.resolution_ms => Fit::Fits,
            () => Fit::Open,
        }
    }

    /// True if time ran in the delays of this turn and of the turn `before` it. The end of that turn is the beginning of this one,
    /// so the two together are known more exactly than each of them.
    pub(crate) fn ran_in_both_delays(&self, before: &EndedTurn, period: &Period) -> bool {
        if !delays(period) || before.pressed != self.began {
            return false;
        }
        let together = millis(self.pressed.latest.since(before.began.earliest));
        let if_one_took = |longest: i64| runs_off(period, longest) + runs_off(period, together - longest);
        let most = if_one_took(self.longest_ms()).max(if_one_took(before.longest_ms()));
        2 * (self.used_ms + before.used_ms - most) > 5 * self.resolution_ms
    }
}

/// True if the clock withholds time at the beginning of a turn or gives it back at its end.
fn delays(period: &Period) -> bool {
    matches!(period.method, Method::Bronstein | Method::UsDelay)
}

/// The time that runs off in a turn of this length, milliseconds, with what the press adds.
fn runs_off(period: &Period, took_ms: i64) -> i64 {
    let per_move = i64::from(period.per_move_ms);
    match period.method {
        Method::TimeOnly => took_ms,
        Method::Fischer => took_ms - per_move,
        Method::Bronstein | Method::UsDelay => (took_ms - per_move).max(0),
    }
}

#[cfg(test)]
mod tests {
    use flagfall_protocols::time::Instant;

    use super::super::control::TimeControl;
    use super::*;

    /// A turn of so many milliseconds, in which the display fell from five minutes to this number of seconds.
    fn turn(took_ms: u64, left_s: u32) -> EndedTurn {
        let delay = Duration::from_millis(500);
        let at = |millis: u64| Interval::seen(Instant(millis * 1000), delay);
        let turn = Turn { side: Color::White, began: at(10_000), time: ClockTime(300_000) };
        turn.end(at(10_000 + took_ms), ClockTime(left_s * 1000), 1000)
    }

    #[test]
    fn what_a_turn_shows() {
        use Fit::{Differs, Fits, Open};
        for (control, took_ms, left_s, expected) in [
            // The delay that the clock has, and has not.
            ("300d3", 8_000, 295, Fits),
            ("300d3", 8_000, 292, Differs),
            ("300d3", 3_000, 297, Differs),
            ("300d3", 2_000, 300, Open),
            ("300d3", 1_000, 299, Open),
            ("300d5", 20_000, 285, Fits),
            ("300d5", 20_000, 280, Differs),
            ("300b3", 8_000, 295, Fits),
            ("300b3", 8_000, 292, Differs),
            ("300b3", 2_000, 300, Open),
            // A longer delay than configured.
            ("300d2", 20_000, 290, Differs),
            // A delay that nobody configured.
            ("300", 8_000, 292, Fits),
            ("300", 8_000, 297, Differs),
            ("300", 2_000, 300, Open),
            ("300+5", 8_000, 297, Fits),
            ("300+5", 8_000, 302, Differs),
            ("300+5", 2_000, 303, Open),
        ] {
            let control_of = TimeControl::parse(control).expect("a time control");
            assert_eq!(turn(took_ms, left_s).compare(control_of.period(0)), expected, "{control}, {took_ms} ms, {left_s} s");
        }
    }

    /// The display is cut or rounded, and both reports may be late: a clock that is set rightly never differs.
    #[test]
    fn a_clock_that_is_set_rightly_never_differs() {
        for text in ["300", "300+5", "300d3", "300d10", "300b3", "300b10"] {
            let control = TimeControl::parse(text).expect("a time control");
            let period = *control.period(0);
            for took in (0..30_000_i64).step_by(170) {
                let runs_off = runs_off(&period, took);
                for (late_before, late_after, part) in [(0, 0, 0), (500, 0, 999), (0, 500, 1), (500, 500, 500), (250, 400, 700)] {
                    let shown = |millis: i64| (millis + part).div_euclid(1000) * 1000;
                    let at = |millis: i64| Interval::seen(Instant(millis.unsigned_abs() * 1000), Duration::from_millis(500));
                    let ended = EndedTurn {
                        began: at(100_000 + late_before),
                        pressed: at(100_000 + took + late_after),
                        used_ms: shown(300_000) - shown(300_000 - runs_off),
                        resolution_ms: 1000,
                    };
                    // The opponent answers at once, and then takes as long.
                    let at_once = EndedTurn { began: ended.pressed, pressed: ended.pressed, used_ms: 0, ..ended };
                    assert!(!at_once.ran_in_both_delays(&ended, &period), "{text}: {took} ms, {ended:?}");
                    assert_ne!(ended.compare(&period), Fit::Differs, "{text}: {took} ms, {ended:?}");
                }
            }
        }
    }
}
