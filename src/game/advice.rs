//! Advice to arbiters on duties that no finding is about: recording the moves (8.4) and coming in time (6.7).

use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};

use crate::alarm::AlarmKind;
use crate::clock::control::Period;
use crate::game::Game;
use crate::message::{Recording, Stage};
use crate::pair::Pair;

/// With less time left than this in a period a player need not record, if less than [`ADDED_MS`] is added with each move (8.4).
const LITTLE_TIME_MS: u32 = 5 * 60_000;
const ADDED_MS: u32 = 30_000;

/// Whether a player's duty to record ends here, until the end of the period (8.4).
fn ends(period: &Period, left: ClockTime) -> bool {
    left.millis() < LITTLE_TIME_MS && period.per_move_ms < ADDED_MS
}

impl Game {
    /// Takes the times of a clock report: what is suspended in a period stays so until its end.
    pub(crate) fn note_recording(&mut self) {
        let Some(control) = self.seen.clock.control.as_ref().filter(|_| self.seen.config.rulebook.rules().records) else {
            return;
        };
        for color in [Color::White, Color::Black] {
            let Some(left) = self.seen.clock.chessclock.time(color) else { continue };
            let index = self.seen.clock.chessclock.period(color);
            let suspended = self.seen.clock.suspended.get_mut(color);
            let now = *suspended == Some(index) || ends(control.period(index), left);
            let noted = now.then_some(index);
            self.reports.arbiter_dirty |= *suspended != noted;
            *suspended = noted;
        }
    }

    /// Who must record his moves.
    pub(crate) fn recording(&self) -> Pair<Recording> {
        let of = |color: Color| match (self.seen.config.rulebook.rules().records, &self.seen.clock.control) {
            (false, _) => Recording::NotRequired,
            (true, None) => Recording::Unknown,
            (true, Some(_)) if self.seen.clock.suspended.get(color).is_some() => Recording::Suspended,
            (true, Some(_)) => Recording::Required,
        };
        Pair { white: of(Color::White), black: of(Color::Black) }
    }

    /// When the default time is over, counted from the first start of the clock; none if there is no such time (6.7.1).
    pub(crate) fn default_time_over(&self) -> Option<Instant> {
        let seconds = self.seen.config.default_time_s.or(self.seen.config.rulebook.rules().default_time_s)?;
        let started = self.seen.clock.first_ran.filter(|_| matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing))?;
        Some(started.after(Duration::from_secs(u64::from(seconds))))
    }

    /// Nobody can see on a board whether a player is there: who has to make his first move after the default time is named.
    pub(crate) fn watch_default_time(&mut self) {
        let (Some(over), Some(runs)) = (self.default_time_over(), self.seen.clock.chessclock.runs()) else { return };
        let to_move = self.seen.play.decoder.record.turn() == runs && !self.has_moved(runs);
        let late = Some(runs).filter(|_| to_move && self.now >= over);
        let reminded = self.alarms.open().find(|alarm| alarm.kind == AlarmKind::DefaultTimeOver).and_then(|alarm| alarm.side);
        if reminded.is_some() && reminded != late {
            self.alarms.cure(self.now, AlarmKind::DefaultTimeOver);
        }
        if late.is_some() {
            self.alarms.raise(self.now, AlarmKind::DefaultTimeOver, late, 0);
        }
    }

    fn has_moved(&self, side: Color) -> bool {
        let sure = self.seen.play.decoder.record.moves().iter().take(2).any(|known| known.color == side);
        let earlier = *self.seen.play.completed_before.get(side) != Some(0);
        sure || earlier || self.seen.play.decoder.line().plies().iter().any(|ply| ply.color == side)
    }
}
