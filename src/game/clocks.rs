//! What the clock's facts mean for the game: presses, periods, settings, flags.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::square::Color;

use crate::alarm::AlarmKind;
use crate::audit::{AuditEntry, ClockEvent};
use crate::clock::fact::{ClockFact, PeriodCause};
use crate::clock::flag::FlagPath;
use crate::effect::Effect;
use crate::game::Game;
use crate::interval::Interval;
use crate::laws::rules::Table;
use crate::pair::Pair;
use crate::stage::Stage;

impl Game {
    pub(crate) fn clock_fact(&mut self, fact: ClockFact, out: &mut Vec<Effect>) {
        match fact {
            ClockFact::Baseline => {
                self.reports.arbiter_dirty = true;
                // A clock that is heard for the first time when moves were made has run before.
                if self.seen.clock.chessclock.first_report() && !self.seen.play.decoder.record.moves().is_empty() {
                    self.seen.clock.chessclock.doubt_periods();
                }
            }
            ClockFact::Started { runs } => self.clock_started(runs, out),
            ClockFact::Stopped => {
                self.alarms.cure(self.now, AlarmKind::WrongClockRunning);
                self.drop_half_gesture();
                self.audit_clock(ClockEvent::Stopped, None, out);
            }
            ClockFact::Press { by, rise_ms, .. } => self.pressed(by, rise_ms),
            ClockFact::LeverMoved { up } => self.audit_clock(ClockEvent::LeverMoved, Some(up), out),
            ClockFact::Corrected => {
                self.audit_clock(ClockEvent::Corrected, None, out);
                out.push(Effect::Device(DeviceCommand::ReadClock));
            }
            ClockFact::PeriodAdded { cause } => self.period_added(cause, out),
            ClockFact::RoseUnexplained { side } => self.audit_clock(ClockEvent::Rose, Some(side), out),
            ClockFact::LeverInverted => self.alarms.raise(self.now, AlarmKind::ClockLeverInverted, None, 0),
            ClockFact::ZeroWithoutSign { side } => {
                self.seen.clock.zero = Some((side, self.now));
                out.push(Effect::Device(DeviceCommand::ReadClock));
            }
            ClockFact::Flag { side } => self.flag_fell(side, out),
        }
    }

    /// A move that ended the game at `made` was finished: in the club a mate needs its punch, or both clocks stopped (points 4, 7).
    fn is_finished(&self, (made, by): (Interval, Color), fell: &Interval) -> bool {
        let last = self.seen.play.decoder.record.moves().last().filter(|last| last.made == made);
        let pressed = last.and_then(|last| last.pressed).or_else(|| self.seen.clock.stopped_after(made, by));
        self.seen.config.rulebook.rules().table != Table::Club || pressed.is_some_and(|pressed| pressed.before(fell))
    }

    fn audit_clock(&mut self, event: ClockEvent, side: Option<Color>, out: &mut Vec<Effect>) {
        self.reports.arbiter_dirty = true;
        out.push(Effect::Audit(AuditEntry::Clock { event, side }));
    }

    fn clock_started(&mut self, runs: Color, out: &mut Vec<Effect>) {
        self.audit_clock(ClockEvent::Started, Some(runs), out);
        let first = !core::mem::replace(&mut self.seen.clock.has_run, true);
        self.seen.clock.first_ran.get_or_insert(self.now);
        if first
            && self.seen.phase.stage == Stage::Armed
            && let Some(control) = &self.seen.clock.control
        {
            let shown = Pair {
                white: self.seen.clock.chessclock.time(Color::White),
                black: self.seen.clock.chessclock.time(Color::Black),
            };
            if self.seen.clock.setting.start(control.period(0), shown) {
                self.alarms.raise(self.now, AlarmKind::ClockSettingDiffers, None, 0);
            }
        }
    }

    fn pressed(&mut self, by: Color, rise_ms: i64) {
        let plies = self.seen.play.decoder.line().plies();
        // Who pressed for what was made unseen is not known.
        let seen = self.seen.board.unseen_since().is_none() && !self.seen.play.decoder.mends();
        let made = plies.first().zip(plies.last()).map(|(first, last)| (first.color, last.color)).filter(|_| seen);
        let exchanged = self.seen.config.white_clock.is_none() && self.seen.clock.sides.press(by, made);
        if exchanged {
            self.exchange_sides();
        }
        let by = if exchanged { by.other() } else { by };
        self.reports.arbiter_dirty = true;
        let fits_a_period =
            self.seen.clock.control.as_ref().map(|control| *control.period(self.seen.clock.chessclock.period(by)));
        let added_period = self.seen.clock.control.as_ref().is_some_and(|control| {
            control
                .next_period(self.seen.clock.chessclock.period(by).saturating_sub(1))
                .is_some_and(|next| rise_ms >= i64::from(next.main_ms) / 2)
        });
        if let Some(period) = fits_a_period.filter(|_| !added_period)
            && self.seen.clock.setting.press(&period, rise_ms)
        {
            self.alarms.raise(self.now, AlarmKind::ClockSettingDiffers, None, 0);
        }
        let at = Interval::seen(self.now, self.seen.clock.chessclock.told_within());
        if self.seen.phase.stage == Stage::Over
            && self.rulings.result.is_none()
            && self.seen.play.decoder.record.press_after_end(by, at)
        {
            self.revised();
        }
        if matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing) {
            let view = self.seen.clock.view();
            self.seen.play.decoder.press(at, by, &self.seen.board, &view, &mut self.seen.play.decoded);
        }
        self.alarms.cure(self.now, AlarmKind::IncompleteMove);
        self.alarms.cure(self.now, AlarmKind::WrongClockRunning);
    }

    /// Left and right of the clock were taken for each other: from here on, and in what was written down, they are not.
    pub(crate) fn exchange_sides(&mut self) {
        self.seen.clock.chessclock.exchange_sides();
        self.seen.play.decoder.record.exchange_clocks();
        self.alarms.raise(self.now, AlarmKind::ClockSidesExchanged, None, 0);
        self.alarms.settle(self.now, AlarmKind::Flag, None);
        self.raise_flags();
        self.alarms.cure(self.now, AlarmKind::WrongClockRunning);
    }

    /// Every flag that is latched and counts has its alarm.
    pub(crate) fn raise_flags(&mut self) {
        for fall in self.seen.clock.chessclock.flags().iter().filter(|fall| !fall.after_end) {
            self.alarms.raise(self.now, AlarmKind::Flag, Some(fall.side), 0);
        }
    }

    fn period_added(&mut self, cause: PeriodCause, out: &mut Vec<Effect>) {
        let PeriodCause::Press(by) = cause else {
            return self.audit_clock(ClockEvent::PeriodAdded, None, out);
        };
        self.audit_clock(ClockEvent::PeriodAdded, Some(by), out);
        let ended = self.seen.clock.chessclock.period(by).saturating_sub(1);
        let required = self.seen.clock.control.as_ref().and_then(|control| control.required(ended));
        let pending = u32::from(self.seen.play.decoder.press_pending());
        let completed = self.seen.play.completed_now().get(by).map(|completed| completed + pending);
        if let (Some(required), Some(completed)) = (required, completed)
            && required != completed
        {
            self.alarms.raise(self.now, AlarmKind::ClockCountDiffers, Some(by), 0);
        }
    }

    pub(crate) fn flag_fell(&mut self, side: Color, out: &mut Vec<Effect>) {
        let fell = self.seen.clock.chessclock.flags().of(side).map(|fall| fall.fell);
        let ended = self
            .seen
            .play
            .ending
            .is_some_and(|(_, made, by)| fell.is_some_and(|fell| made.before(&fell) && self.is_finished((made, by), &fell)));
        let after_end = self.rulings.result.is_some() || (self.seen.phase.stage == Stage::Over && ended);
        self.seen.clock.set_anew = false;
        let quiet = self.case().apparently_over();
        if let Some(fall) = self.seen.clock.chessclock.flags_mut().last_of(side) {
            fall.after_end = after_end;
            // Who claims it says that the game is on.
            fall.after_quiet = quiet && fall.path != FlagPath::ObservedByArbiter;
        }
        if !after_end {
            self.device_observes(side);
        }
        let kind = if after_end { AlarmKind::FlagAfterEnd } else { AlarmKind::Flag };
        self.alarms.raise(self.now, kind, Some(side), 0);
        let unfinished = self.seen.play.decoder.line().last().is_some_and(|ply| ply.color == side) || self.seen.touched();
        let reading = matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing);
        if reading && !after_end && unfinished && self.seen.play.ending_on_board().is_none() {
            self.alarms.raise(self.now, AlarmKind::IncompleteMove, Some(side), 0);
        }
        if let Some(fall) = self.seen.clock.chessclock.flags().of(side) {
            out.push(Effect::Audit(AuditEntry::Flag(Box::new(fall.clone()))));
        }
        self.revised();
    }

    /// Keeps the counts at the falls: the moves that they rest on are about to be replaced.
    pub(crate) fn count_at_falls(&mut self) {
        let case = self.case();
        let counts: Vec<_> = self.seen.clock.chessclock.flags().iter().map(|fall| case.completed_by_fall(fall)).collect();
        for (fall, counted) in self.seen.clock.chessclock.flags_mut().iter_mut().zip(counts) {
            fall.counted = counted;
        }
    }
}
