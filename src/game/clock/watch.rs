//! Checks for problems with the clock, and for a player who did not come in time (6.7).

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::control::Method;
use super::tracker::ClockTracker;
use crate::alarm::{AlarmKind, Alarms};
use crate::config::GameConfig;
use crate::lifecycle::Lifecycle;
use crate::seen::{Play, soonest};

/// The time for which a clock may run on the wrong side without an alarm, so that it can be corrected. Black starts White's clock
/// by a press.
const WRONG_CLOCK: Duration = Duration::from_secs(2);
/// The time for which a display may stand at zero without its flag sign before an alarm.
const AT_ZERO: Duration = Duration::from_secs(2);
/// The time beyond its delay for which a running clock may be silent before it is queried, and again before an alarm.
const CLOCK_QUIET: Duration = Duration::from_secs(3);
/// The longest silence of a running clock whose time control is not known.
const UNKNOWN_DELAY: Duration = Duration::from_secs(60);

/// The data from other parts that the checks of the clock need.
pub(crate) struct WatchContext<'a> {
    pub(crate) now: Instant,
    pub(crate) config: &'a GameConfig,
    pub(crate) play: &'a Play,
    pub(crate) phase: &'a Lifecycle,
}

impl ClockTracker {
    /// Raises an alarm for each problem, and closes the alarms of problems that are over.
    pub(crate) fn review(&mut self, around: &WatchContext<'_>, alarms: &mut Alarms) {
        let now = around.now;
        self.check_zero_display(now, alarms);
        self.check_default_time(around, alarms);
        let Some(runs) = self.chessclock.runs() else {
            self.asked = None;
            return;
        };
        if self.wrong_clock_suspected(around, runs) && now >= self.chessclock.changed_at().after(WRONG_CLOCK) {
            alarms.raise(now, AlarmKind::WrongClockRunning, Some(runs), 0);
        }
        let Some((heard, _)) = self.chessclock.last_report() else { return };
        let due = heard.after(self.allowed_silence());
        match self.asked {
            None if now >= due => self.asked = Some(now),
            Some(asked) if now >= asked.after(CLOCK_QUIET) => alarms.raise(now, AlarmKind::ClockLost, None, 0),
            _ => {}
        }
    }

    /// The next time at which one of these checks may find something without a new report.
    pub(crate) fn due(&self, around: &WatchContext<'_>) -> Option<Instant> {
        let runs = self.chessclock.runs();
        let heard = self.chessclock.last_report().filter(|_| runs.is_some()).map(|(heard, _)| heard);
        let wrong = runs.is_some_and(|runs| self.wrong_clock_suspected(around, runs));
        soonest(
            around.now,
            [
                self.default_time_over(around),
                self.chessclock.unanswered_at(),
                self.zero.map(|(_, since)| since.after(AT_ZERO)),
                wrong.then(|| self.chessclock.changed_at().after(WRONG_CLOCK)),
                heard.map(|heard| self.asked.map_or(heard.after(self.allowed_silence()), |asked| asked.after(CLOCK_QUIET))),
            ],
        )
    }

    /// Raises an alarm for a display that stays at zero without a flag sign. Nothing is ruled; somebody must go and see.
    fn check_zero_display(&mut self, now: Instant, alarms: &mut Alarms) {
        let Some((side, since)) = self.zero else { return };
        let clock = &self.chessclock;
        let latched = clock.flags().of(side).is_some_and(|fall| !fall.is_over(since));
        if clock.time(side).is_none_or(|time| time.millis() > 0) || latched {
            self.zero = None;
            alarms.cure(now, AlarmKind::ClockAtZero);
        } else if now >= since.after(AT_ZERO) {
            alarms.raise(now, AlarmKind::ClockAtZero, Some(side), 0);
        }
    }

    /// How long a running clock may be silent.
    fn allowed_silence(&self) -> Duration {
        let Some(control) = &self.control else { return UNKNOWN_DELAY };
        let period = control.period(self.chessclock.period(self.chessclock.runs().unwrap_or(Color::White)));
        let delay = if period.method == Method::UsDelay { period.per_move_ms } else { 0 };
        CLOCK_QUIET + Duration::from_millis(u64::from(delay))
    }

    /// True if the clock of the side that is not to move was started, at the start of the game or after a pause.
    fn wrong_clock_suspected(&self, around: &WatchContext<'_>, runs: Color) -> bool {
        self.chessclock.was_started() && around.phase.is_read() && !around.play.may_run(runs)
    }

    /// The end of the default time, counted from the first start of the clock; none if the rules have none (6.7.1).
    fn default_time_over(&self, around: &WatchContext<'_>) -> Option<Instant> {
        let config = around.config;
        let seconds = config.default_time_s.or(config.rulebook.rules().default_time_s)?;
        let started = self.first_ran.filter(|_| around.phase.is_read())?;
        Some(started.after(Duration::from_secs(u64::from(seconds))))
    }

    /// Raises an alarm for a player who has not made his first move within the default time. A board does not show whether a
    /// player is present.
    fn check_default_time(&self, around: &WatchContext<'_>, alarms: &mut Alarms) {
        let (Some(over), Some(runs)) = (self.default_time_over(around), self.chessclock.runs()) else { return };
        let now = around.now;
        let to_move = around.play.decoder.record.turn() == runs && !around.play.has_moved(runs);
        let late = Some(runs).filter(|_| to_move && now >= over);
        let reminded = alarms.open().find(|alarm| alarm.kind == AlarmKind::DefaultTimeOver).and_then(|alarm| alarm.side);
        if reminded.is_some() && reminded != late {
            alarms.cure(now, AlarmKind::DefaultTimeOver);
        }
        if late.is_some() {
            alarms.raise(now, AlarmKind::DefaultTimeOver, late, 0);
        }
    }
}
