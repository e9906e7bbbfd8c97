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
            present: self.seen.clock.chessclock.present(),
            runs: self.seen.clock.chessclock.runs(),
            white: self.seen.clock.chessclock.white_side(),
            changed_at: self.seen.clock.chessclock.changed_at(),
            times: Pair {
                white: self.seen.clock.chessclock.time(Color::White),
                black: self.seen.clock.chessclock.time(Color::Black),
            },
        }
    }

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

    /// Did hands set the time of a player whose flag has fallen? What a clock adds by itself comes with a press or a period.
    pub(crate) fn note_setting(&mut self, before: &ClockView, facts: &Facts) {
        let by_itself = |fact| matches!(fact, ClockFact::Press { .. } | ClockFact::PeriodAdded { .. });
        let unseen = |fact| matches!(fact, ClockFact::Baseline | ClockFact::RoseUnexplained { .. });
        if facts.iter().any(by_itself) || !(before.runs.is_none() || facts.iter().any(unseen)) {
            return;
        }
        // Both clocks stood, and nothing was missed since.
        let stood = before.present && before.runs.is_none() && !facts.iter().any(|fact| matches!(fact, ClockFact::Baseline));
        let rose =
            |side: Color| self.seen.clock.chessclock.time(side) > *before.times.get(side) && before.times.get(side).is_some();
        self.seen.clock.set_anew |= self.seen.clock.chessclock.flags().iter().any(|fall: &FlagFall| rose(fall.side));
        self.seen.clock.set_anew |= self.entry_open() && rose(Color::White) | rose(Color::Black);
        for side in [Color::White, Color::Black] {
            let Some((before_ms, now_ms)) = before.times.get(side).zip(self.seen.clock.chessclock.time(side)) else { continue };
            let rise = now_ms.minus(before_ms);
            // What ran off, or may have, is no setting; what hands take away again is.
            if rise > 0 || (rise < 0 && stood) {
                let set = self.seen.clock.time_set.get_mut(side);
                if set.len() == MAX_SETTINGS {
                    set.remove(0);
                }
                set.push((self.now, rise));
            }
        }
    }

    /// Were the clocks stopped with a flag that was called? Soon after it, and nothing else came between (club point 10).
    pub(crate) fn note_stop(&mut self, before: &ClockView) {
        if before.runs.is_none() || self.seen.clock.chessclock.runs().is_some() {
            return;
        }
        let (now, made) = (self.now, self.seen.play.decoder.line().made_at().unwrap_or(Instant::ZERO));
        for fall in self.seen.clock.chessclock.flags_mut().iter_mut() {
            let with_it = |seen: Instant| before.changed_at.max(made) <= seen && now <= seen.after(STOPPED_WITH);
            if fall.observed_at.is_some_and(with_it) {
                fall.clocks_stopped = Some(true);
            }
        }
    }

    /// Whether both clocks stood when a flag was called at `seen`, or were stopped with it; none if nobody knows.
    pub(crate) fn stopped_with(&self, seen: Instant) -> Option<bool> {
        let changed = self.seen.clock.chessclock.changed_at();
        match self.seen.clock.chessclock.runs() {
            _ if !self.seen.clock.chessclock.present() => None,
            None => Some(changed <= seen.after(STOPPED_WITH)),
            Some(_) => (changed <= seen).then_some(false),
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
        out.push(Effect::Audit(AuditBody::Clock { event, side: side.map(men::color_name) }));
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

    /// The clock of `color` may run: it is his move, or the other player's move stands on the board.
    pub(crate) fn may_run(&self, color: Color) -> bool {
        self.seen.play.decoder.press_pending()
            || self.seen.play.decoder.record.turn() == color
            || self.seen.play.decoder.line().plies().iter().any(|ply| ply.color == color.other())
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
            let view = self.clock_view();
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
        let completed = self.completed_now().get(by).map(|completed| completed + pending);
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
        let unfinished = self.seen.play.decoder.line().last().is_some_and(|ply| ply.color == side) || self.case().touched();
        let reading = matches!(self.seen.phase.stage, Stage::Armed | Stage::Playing);
        if reading && !after_end && unfinished && self.case().ending_on_board().is_none() {
            self.alarms.raise(self.now, AlarmKind::IncompleteMove, Some(side), 0);
        }
        if let Some(body) = self.seen.clock.chessclock.flags().of(side).map(crate::view::flag) {
            out.push(Effect::Audit(AuditBody::Flag(body)));
        }
        self.revised();
    }

    /// Moves completed by each player so far; none where earlier ones are not known.
    pub(crate) fn completed_now(&self) -> Pair<Option<u32>> {
        let of = |color| {
            let recorded = self.seen.play.decoder.record.completed(color, None).0;
            self.seen.play.completed_before.get(color).map(|before| before.saturating_add_unsigned(recorded).max(0) as u32)
        };
        Pair { white: of(Color::White), black: of(Color::Black) }
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
