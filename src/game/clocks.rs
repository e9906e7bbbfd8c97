//! What the clock's facts mean for the game: presses, periods, settings, flags.

use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::alarm::AlarmKind;
use crate::clock::fact::{ClockFact, Facts, PeriodCause};
use crate::clock::flag::{FlagFall, FlagPath};
use crate::effect::Effect;
use crate::game::Game;
use crate::interval::Interval;
use crate::laws::rules::Table;
use crate::men;
use crate::message::{AuditBody, ClockEvent, Stage};
use crate::pair::Pair;
use crate::reconstruct::ClockView;

/// Who calls a flag stops the clocks within this.
const STOPPED_WITH: Duration = Duration::from_secs(10);

/// Settings of one player's time that are kept: a clock is set digit by digit.
const MAX_SETTINGS: usize = 64;

impl Game {
    /// What the clock says, for the decoder.
    pub(crate) fn clock_view(&self) -> ClockView {
        ClockView {
            present: self.clock.present(),
            runs: self.clock.runs(),
            white: self.clock.white_side(),
            changed_at: self.clock.changed_at(),
            times: Pair { white: self.clock.time(Color::White), black: self.clock.time(Color::Black) },
        }
    }

    pub(crate) fn clock_fact(&mut self, fact: ClockFact, out: &mut Vec<Effect>) {
        match fact {
            ClockFact::Baseline => {
                self.arbiter_dirty = true;
                // A clock that is heard for the first time when moves were made has run before.
                if self.clock.first_report() && !self.decoder.record.moves().is_empty() {
                    self.clock.doubt_periods();
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
                self.zero = Some((side, self.now));
                out.push(Effect::Device(DeviceCommand::ReadClock));
            }
            ClockFact::Flag { side } => self.flag_fell(side, out),
        }
    }

    /// Did hands set the time of a player whose flag has fallen? What a clock adds by itself comes with a press or a period.
    pub(crate) fn note_setting(&mut self, before: &ClockView, facts: &Facts) {
        let by_itself = |fact| matches!(fact, ClockFact::Press { .. } | ClockFact::PeriodAdded { .. });
        let unseen = |fact| matches!(fact, ClockFact::Baseline | ClockFact::RoseUnexplained { .. });
        if facts.iter().any(by_itself) || !(before.runs.is_none() || facts.iter().any(unseen)) {
            return;
        }
        // Both clocks stood, and nothing was missed since.
        let stood = before.present && before.runs.is_none() && !facts.iter().any(|fact| matches!(fact, ClockFact::Baseline));
        let rose = |side: Color| self.clock.time(side) > *before.times.get(side) && before.times.get(side).is_some();
        self.clock_set_anew |= self.clock.flags().iter().any(|fall: &FlagFall| rose(fall.side));
        self.clock_set_anew |= self.entry_open() && rose(Color::White) | rose(Color::Black);
        for side in [Color::White, Color::Black] {
            let Some((before_ms, now_ms)) = before.times.get(side).zip(self.clock.time(side)) else { continue };
            let rise = now_ms.minus(before_ms);
            // What ran off, or may have, is no setting; what hands take away again is.
            if rise > 0 || (rise < 0 && stood) {
                let set = self.time_set.get_mut(side);
                if set.len() == MAX_SETTINGS {
                    set.remove(0);
                }
                set.push((self.now, rise));
            }
        }
    }

    /// Were the clocks stopped with a flag that was called? Soon after it, and nothing else came between (club point 10).
    pub(crate) fn note_stop(&mut self, before: &ClockView) {
        if before.runs.is_none() || self.clock.runs().is_some() {
            return;
        }
        let (now, made) = (self.now, self.decoder.line().made_at().unwrap_or(Instant::ZERO));
        for fall in self.clock.flags_mut().iter_mut() {
            let with_it = |seen: Instant| before.changed_at.max(made) <= seen && now <= seen.after(STOPPED_WITH);
            if fall.observed_at.is_some_and(with_it) {
                fall.clocks_stopped = Some(true);
            }
        }
    }

    /// Whether both clocks stood when a flag was called at `seen`, or were stopped with it; none if nobody knows.
    pub(crate) fn stopped_with(&self, seen: Instant) -> Option<bool> {
        let changed = self.clock.changed_at();
        match self.clock.runs() {
            _ if !self.clock.present() => None,
            None => Some(changed <= seen.after(STOPPED_WITH)),
            Some(_) => (changed <= seen).then_some(false),
        }
    }

    /// A move that ended the game at `made` was finished: in the club a mate needs its punch, or both clocks stopped (points 4, 7).
    fn is_finished(&self, (made, by): (Interval, Color), fell: &Interval) -> bool {
        let last = self.decoder.record.moves().last().filter(|last| last.made == made);
        let pressed = last.and_then(|last| last.pressed).or_else(|| self.stopped_after(made, by));
        self.config.rulebook.rules().table != Table::Club || pressed.is_some_and(|pressed| pressed.before(fell))
    }

    fn audit_clock(&mut self, event: ClockEvent, side: Option<Color>, out: &mut Vec<Effect>) {
        self.arbiter_dirty = true;
        out.push(Effect::Audit(AuditBody::Clock { event, side: side.map(men::color_name) }));
    }

    fn clock_started(&mut self, runs: Color, out: &mut Vec<Effect>) {
        self.audit_clock(ClockEvent::Started, Some(runs), out);
        let first = !core::mem::replace(&mut self.clock_has_run, true);
        self.clock_first_ran.get_or_insert(self.now);
        if first
            && self.stage == Stage::Armed
            && let Some(control) = &self.control
        {
            let shown = Pair { white: self.clock.time(Color::White), black: self.clock.time(Color::Black) };
            if self.setting.start(control.period(0), shown) {
                self.alarms.raise(self.now, AlarmKind::ClockSettingDiffers, None, 0);
            }
        }
    }

    /// The clock of `color` may run: it is his move, or the other player's move stands on the board.
    pub(crate) fn may_run(&self, color: Color) -> bool {
        self.decoder.press_pending()
            || self.decoder.record.turn() == color
            || self.decoder.line().plies().iter().any(|ply| ply.color == color.other())
    }

    fn pressed(&mut self, by: Color, rise_ms: i64) {
        let plies = self.decoder.line().plies();
        // Who pressed for what was made unseen is not known.
        let seen = self.board.unseen_since().is_none() && !self.decoder.mends();
        let made = plies.first().zip(plies.last()).map(|(first, last)| (first.color, last.color)).filter(|_| seen);
        let exchanged = self.config.white_clock.is_none() && self.sides.press(by, made);
        if exchanged {
            self.exchange_sides();
        }
        let by = if exchanged { by.other() } else { by };
        self.arbiter_dirty = true;
        let fits_a_period = self.control.as_ref().map(|control| *control.period(self.clock.period(by)));
        let added_period = self.control.as_ref().is_some_and(|control| {
            control
                .next_period(self.clock.period(by).saturating_sub(1))
                .is_some_and(|next| rise_ms >= i64::from(next.main_ms) / 2)
        });
        if let Some(period) = fits_a_period.filter(|_| !added_period)
            && self.setting.press(&period, rise_ms)
        {
            self.alarms.raise(self.now, AlarmKind::ClockSettingDiffers, None, 0);
        }
        let at = Interval::seen(self.now, self.clock.told_within());
        if self.stage == Stage::Over && self.result.is_none() && self.decoder.record.press_after_end(by, at) {
            self.revised();
        }
        if matches!(self.stage, Stage::Armed | Stage::Playing) {
            let view = self.clock_view();
            self.decoder.press(at, by, &self.board, &view, &mut self.decoded);
        }
        self.alarms.cure(self.now, AlarmKind::IncompleteMove);
        self.alarms.cure(self.now, AlarmKind::WrongClockRunning);
    }

    /// Left and right of the clock were taken for each other: from here on, and in what was written down, they are not.
    pub(crate) fn exchange_sides(&mut self) {
        self.clock.exchange_sides();
        self.decoder.record.exchange_clocks();
        self.alarms.raise(self.now, AlarmKind::ClockSidesExchanged, None, 0);
        self.alarms.settle(self.now, AlarmKind::Flag, None);
        self.raise_flags();
        self.alarms.cure(self.now, AlarmKind::WrongClockRunning);
    }

    /// Every flag that is latched and counts has its alarm.
    pub(crate) fn raise_flags(&mut self) {
        for fall in self.clock.flags().iter().filter(|fall| !fall.after_end) {
            self.alarms.raise(self.now, AlarmKind::Flag, Some(fall.side), 0);
        }
    }

    fn period_added(&mut self, cause: PeriodCause, out: &mut Vec<Effect>) {
        let PeriodCause::Press(by) = cause else {
            return self.audit_clock(ClockEvent::PeriodAdded, None, out);
        };
        self.audit_clock(ClockEvent::PeriodAdded, Some(by), out);
        let ended = self.clock.period(by).saturating_sub(1);
        let required = self.control.as_ref().and_then(|control| control.required(ended));
        let pending = u32::from(self.decoder.press_pending());
        let completed = self.completed_now().get(by).map(|completed| completed + pending);
        if let (Some(required), Some(completed)) = (required, completed)
            && required != completed
        {
            self.alarms.raise(self.now, AlarmKind::ClockCountDiffers, Some(by), 0);
        }
    }

    pub(crate) fn flag_fell(&mut self, side: Color, out: &mut Vec<Effect>) {
        let fell = self.clock.flags().of(side).map(|fall| fall.fell);
        let ended = self
            .ending
            .is_some_and(|(_, made, by)| fell.is_some_and(|fell| made.before(&fell) && self.is_finished((made, by), &fell)));
        let after_end = self.result.is_some() || (self.stage == Stage::Over && ended);
        self.clock_set_anew = false;
        let quiet = self.apparently_over();
        if let Some(fall) = self.clock.flags_mut().last_of(side) {
            fall.after_end = after_end;
            // Who claims it says that the game is on.
            fall.after_quiet = quiet && fall.path != FlagPath::ObservedByArbiter;
        }
        if !after_end {
            self.device_observes(side);
        }
        let kind = if after_end { AlarmKind::FlagAfterEnd } else { AlarmKind::Flag };
        self.alarms.raise(self.now, kind, Some(side), 0);
        let unfinished = self.decoder.line().last().is_some_and(|ply| ply.color == side) || self.touched();
        let reading = matches!(self.stage, Stage::Armed | Stage::Playing);
        if reading && !after_end && unfinished && self.ending_on_board().is_none() {
            self.alarms.raise(self.now, AlarmKind::IncompleteMove, Some(side), 0);
        }
        if let Some(body) = self.clock.flags().of(side).map(crate::view::flag) {
            out.push(Effect::Audit(AuditBody::Flag(body)));
        }
        self.revised();
    }

    /// Moves completed by each player so far; none where earlier ones are not known.
    pub(crate) fn completed_now(&self) -> Pair<Option<u32>> {
        let of = |color| {
            let recorded = self.decoder.record.completed(color, None).0;
            self.completed_before.get(color).map(|before| before.saturating_add_unsigned(recorded).max(0) as u32)
        };
        Pair { white: of(Color::White), black: of(Color::Black) }
    }
}
