//! Applies the clock's facts to the game: presses, periods, settings, flags.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::alarm::{AlarmKind, Alarms};
use crate::audit::{AuditEntry, ClockEvent};
use crate::clock::fact::{ClockFact, PeriodCause};
use crate::clock::flag::FlagPath;
use crate::clock::setting::SidesWatch;
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::interval::Interval;
use crate::laws::rules::Table;
use crate::men::{self, EMPTY};
use crate::reconstruct::line::Tentative;
use crate::reconstruct::record::Record;
use crate::reports::Changed;
use crate::seen::Seen;

impl Seen {
    /// Applies a fact of the clock to the game; `decided` says that the game has a result.
    pub(crate) fn apply_clock_fact(
        &mut self,
        now: Instant,
        fact: ClockFact,
        decided: bool,
        alarms: &mut Alarms,
        out: &mut Vec<Effect>,
    ) -> Changed {
        if !matches!(fact, ClockFact::Press { .. }) {
            self.clock.turn = None;
        }
        match fact {
            ClockFact::Baseline => {
                // A clock that is heard for the first time when moves were made has run before.
                if self.clock.chessclock.first_report() && !self.play.decoder.record.moves().is_empty() {
                    self.clock.chessclock.doubt_periods();
                }
                // Before the first move the clock may only have been left running.
                if self.phase.stage == GamePhase::Playing {
                    self.clock.note_play();
                }
                self.clock.note_stand(now, false);
                Changed::State
            }
            ClockFact::Started { runs } => {
                out.push(audit(ClockEvent::Started, Some(runs)));
                self.play_on_at_spare(now);
                if self.clock.note_start(now, self.phase.stage == GamePhase::Armed) {
                    alarms.raise(now, AlarmKind::ClockSettingDiffers, None, 0);
                }
                Changed::State
            }
            ClockFact::Stopped => {
                alarms.cure(now, AlarmKind::WrongClockRunning);
                self.clock.note_stand(now, true);
                out.push(audit(ClockEvent::Stopped, None));
                if self.play.drop_half_gesture() { Changed::Game } else { Changed::State }
            }
            ClockFact::Press { by, rise_ms, .. } => self.apply_press(now, by, rise_ms, decided, alarms),
            ClockFact::LeverMoved { up } => {
                out.push(audit(ClockEvent::LeverMoved, Some(up)));
                Changed::State
            }
            ClockFact::Corrected => {
                out.push(audit(ClockEvent::Corrected, None));
                out.push(Effect::Device(DeviceCommand::ReadClock));
                Changed::State
            }
            ClockFact::PeriodAdded { cause } => {
                let by = match cause {
                    PeriodCause::Press(by) => Some(by),
                    PeriodCause::Zero => None,
                };
                out.push(audit(ClockEvent::PeriodAdded, by));
                // After a result the record does not go on.
                if let Some(by) = by.filter(|by| !decided && self.count_differs(*by)) {
                    alarms.raise(now, AlarmKind::ClockCountDiffers, Some(by), 0);
                }
                Changed::State
            }
            ClockFact::RoseUnexplained { side } => {
                out.push(audit(ClockEvent::Rose, Some(side)));
                Changed::State
            }
            ClockFact::LeverInverted => {
                alarms.raise(now, AlarmKind::ClockLeverInverted, None, 0);
                Changed::Nothing
            }
            ClockFact::ZeroWithoutSign { side } => {
                self.clock.zero = Some((side, now));
                out.push(Effect::Device(DeviceCommand::ReadClock));
                Changed::Nothing
            }
            ClockFact::Doubted => {
                out.push(audit(ClockEvent::Doubted, None));
                out.push(Effect::Device(DeviceCommand::ReadClock));
                Changed::Nothing
            }
            ClockFact::Flag { side } => {
                self.apply_flag_fall(now, side, decided, alarms, out);
                Changed::Game
            }
        }
    }

    fn apply_press(&mut self, now: Instant, by: Color, rise_ms: i64, decided: bool, alarms: &mut Alarms) -> Changed {
        self.play_on_at_spare(now);
        let exchanged = self.check_sides(now, Some(by), alarms);
        let by = if exchanged { by.other() } else { by };
        if self.clock.press_differs_from_control(now, by, rise_ms) {
            alarms.raise(now, AlarmKind::ClockSettingDiffers, None, 0);
        }
        let mut changed = Changed::State;
        let at = Interval::seen(now, self.clock.chessclock.report_delay());
        if self.phase.stage == GamePhase::Over && !decided {
            let mover = self.last_man_left().map(|(mover, _)| mover);
            let presses = &mut self.play.pressed_elsewhere;
            if mover == Some(by) {
                presses.clear();
                presses.push((by, at));
            } else if mover.is_some() && presses.len() == 1 {
                presses.push((by, at));
            } else if self.play.decoder.record.press_after_end(by, at) {
                changed = Changed::Game;
            }
        }
        let usable = self.press_joining(by, at);
        if self.phase.is_read() {
            let view = self.clock.view();
            if usable && !self.play.awaits_ruling_on_illegal_move() {
                self.play.decoder.press(at, by, &self.board, &view, &mut self.play.conclusions);
            }
            if let Some(after) = &mut self.play.after_illegal {
                after.press(at, by, &self.board, &view);
            }
        }
        if let Some(after) = &mut self.play.after_result {
            after.decoder.press(at, by, &self.board, &self.clock.view(), &mut after.conclusions);
        }
        alarms.cure(now, AlarmKind::IncompleteMove);
        alarms.cure(now, AlarmKind::WrongClockRunning);
        changed
    }

    /// Checks whose sides of the clock are whose by a press, or by what was read since the last one. Returns true if they were exchanged.
    pub(crate) fn check_sides(&mut self, now: Instant, press: Option<Color>, alarms: &mut Alarms) -> bool {
        let mut exchanged = self.count_held_press(now, press.is_some(), alarms);
        if let Some(by) = press.filter(|_| !exchanged) {
            let first = self.play.decoder.line().plies().first().map(|first| first.color);
            // Who pressed for a move that nobody saw being made is not known.
            let seen = self.board.unseen_since().is_none() && !self.play.decoder.has_gap();
            self.clock.sides.press(by, now, first, seen);
            exchanged = self.count_held_press(now, false, alarms);
        }
        exchanged
    }

    /// Counts the press that is held. Until the `next` one it only counts if a move that waits for its press contradicts it, because another
    /// move may not have been read yet.
    fn count_held_press(&mut self, now: Instant, next: bool, alarms: &mut Alarms) -> bool {
        let Some((by, at)) = self.clock.sides.held() else { return false };
        let decoder = &self.play.decoder;
        let mut plies = decoder.line().plies().iter();
        let made = if next {
            let known = decoder.record.moves().iter().rev().map(|known| (known.color, known.made));
            let all = plies.rev().map(|ply| (ply.color, ply.made)).chain(known);
            self.clock.sides.mover(all.filter(|(_, made)| made.earliest <= at))
        } else {
            // The first press may come after the reply.
            let before = |ply: &&Tentative| ply.made.latest <= at;
            let waits = if self.clock.sides.contradicted() { plies.rfind(before) } else { plies.find(before) };
            waits.filter(|waits| waits.pressed.is_none() && waits.color != by).map(|waits| waits.color)
        };
        let contradicted = made.is_some_and(|made| self.clock.sides.count(made));
        self.judge_sides(now, contradicted, alarms)
    }

    /// If the presses have contradicted the sides of the clock, exchanges them, unless they are configured. Returns whether they were exchanged.
    fn judge_sides(&mut self, now: Instant, contradicted: bool, alarms: &mut Alarms) -> bool {
        let exchanged = contradicted && self.config.white_clock.is_none();
        if exchanged {
            self.exchange_sides(now, alarms);
        } else if contradicted {
            // Whoever configured the sides is asked. Meanwhile no flag is one player's for certain.
            alarms.raise(now, AlarmKind::ClockSidesDiffer, None, 0);
            self.clock.sides.watch_again();
        }
        exchanged
    }

    /// Left and right of the clock were taken for each other: from here on, and in what was written down, they are not.
    pub(crate) fn exchange_sides(&mut self, now: Instant, alarms: &mut Alarms) {
        self.clock.chessclock.exchange_sides();
        self.joining.forget_positions();
        self.clock.turn = None;
        // They begin with a press of the player who made the last move.
        self.play.pressed_elsewhere.clear();
        self.play.segments.iter_mut().for_each(Record::exchange_clocks);
        self.play.decoder.exchange_sides(now, &self.board);
        if let Some(decoder) = self.play.after_illegal.as_mut().and_then(|after| after.decoder.as_mut()) {
            decoder.exchange_sides(now, &self.board);
        }
        if let Some(after) = &mut self.play.after_result {
            after.decoder.exchange_sides(now, &self.board);
        }
        alarms.raise(now, AlarmKind::ClockSidesExchanged, None, 0);
        alarms.settle(now, AlarmKind::Flag, None);
        self.raise_flags(now, alarms);
        alarms.cure(now, AlarmKind::WrongClockRunning);
    }

    /// Exchanges the sides of the clock as an arbiter says, which settles what the presses contradicted.
    pub(crate) fn swap_sides(&mut self, now: Instant, alarms: &mut Alarms) {
        self.exchange_sides(now, alarms);
        alarms.settle(now, AlarmKind::ClockSidesDiffer, None);
        if self.config.white_clock.is_some() {
            self.clock.sides = SidesWatch::default();
        } else {
            self.clock.sides.settle();
        }
    }

    /// True if the presses contradict the configured sides of the clock and no arbiter has settled it.
    pub(crate) fn sides_doubtful(&self, alarms: &Alarms) -> bool {
        let contradicted = self.config.white_clock.is_some() && self.clock.sides.contradicted();
        contradicted || alarms.is_open(AlarmKind::ClockSidesDiffer)
    }

    /// Raises the alarm of every flag that is latched and counts.
    pub(crate) fn raise_flags(&self, now: Instant, alarms: &mut Alarms) {
        for fall in self.clock.chessclock.flags().iter().filter(|fall| !fall.after_end) {
            alarms.raise(now, AlarmKind::Flag, Some(fall.side), 0);
        }
    }

    /// The clock added the time of the next period for another number of completed moves than the record has.
    fn count_differs(&self, by: Color) -> bool {
        let ended = self.clock.chessclock.period(by).saturating_sub(1);
        let required = self.clock.control.as_ref().and_then(|control| control.required(ended));
        let pending = u32::from(self.play.decoder.press_pending());
        let completed = self.play.completed_now().get(by).map(|completed| completed + pending);
        required.zip(completed).is_some_and(|(required, completed)| required != completed)
    }

    /// Notes with a flag-fall what is known of the game at that moment, and raises its alarm.
    pub(crate) fn apply_flag_fall(
        &mut self,
        now: Instant,
        side: Color,
        decided: bool,
        alarms: &mut Alarms,
        out: &mut Vec<Effect>,
    ) {
        let fell = self.clock.chessclock.flags().of(side).map(|fall| fall.fell);
        let ended = self
            .play
            .ending
            .is_some_and(|(_, made, by)| fell.is_some_and(|fell| made.before(&fell) && self.is_finished((made, by), &fell)));
        let after_end = decided || (self.phase.stage == GamePhase::Over && ended);
        self.clock.set_anew = false;
        let quiet = self.apparently_over(now);
        let observer = self.config.observer && !self.config.rulebook.only_players_call();
        let touched = self.phase.stage != GamePhase::Over && self.touched();
        let last_change = self.board.last_change();
        let shown = self.board.men();
        let odd = men::squares(self.play.decoder.unexplained_squares(&self.board)).any(|square| shown[square.index()] != EMPTY);
        if let Some(fall) = self.clock.chessclock.flags_mut().last_fall_mut(side) {
            let called = fall.path == FlagPath::ObservedByArbiter;
            fall.after_end = after_end;
            // Whoever claims it says that the game is on.
            fall.after_quiet = quiet && !called;
            fall.touched = touched && last_change <= fall.fell.latest;
            fall.hides_moves |= odd;
            // The event's regulations name this device as an observer: the flag is considered fallen when its sign was read (6.8).
            if !after_end && observer && !called {
                fall.observe(now, None);
            }
        }
        let kind = if after_end { AlarmKind::FlagAfterEnd } else { AlarmKind::Flag };
        alarms.raise(now, kind, Some(side), 0);
        let unfinished = self.play.decoder.line().last().is_some_and(|ply| ply.color == side) || self.touched();
        if self.phase.is_read() && !after_end && unfinished && self.play.ending_on_board().is_none() {
            alarms.raise(now, AlarmKind::IncompleteMove, Some(side), 0);
        }
        if let Some(fall) = self.clock.chessclock.flags().of(side) {
            out.push(Effect::Audit(AuditEntry::Flag(Box::new(fall.clone()))));
        }
    }

    /// A move that ended the game at `made` was finished: in the club a mate needs its punch, or both clocks stopped (points 4, 7).
    fn is_finished(&self, (made, by): (Interval, Color), fell: &Interval) -> bool {
        let last = self.play.decoder.record.moves().last().filter(|last| last.made == made);
        let pressed = last.and_then(|last| last.pressed).or_else(|| self.clock.stopped_after(made, by));
        self.config.rulebook.rules().table != Table::Club || pressed.is_some_and(|pressed| pressed.before(fell))
    }
}

fn audit(event: ClockEvent, side: Option<Color>) -> Effect {
    Effect::Audit(AuditEntry::Clock { event, side })
}
