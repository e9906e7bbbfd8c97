//! Arbiters' records: each changes what the daemon knows, never what a clock or board shows (`wire/README.md#5`).

use alloc::format;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::alarm::AlarmKind;
use crate::audit::AuditEntry;
use crate::clock::control::{MAX_PERIODS, TimeControl};
use crate::decision::Penalty;
use crate::effect::Effect;
use crate::game::Game;
use crate::input::{Author, Command};
use crate::laws::outcome::Side;
use crate::laws::rules::Table;
use crate::pair::Pair;
use crate::played::Cause;
use crate::stage::Stage;

/// The longest game that the Laws allow has fewer moves (9.6.2).
const MOST_MOVES: u32 = 9_999;

impl Game {
    pub(crate) fn command(&mut self, command: &Command, author: &Author, out: &mut Vec<Effect>) {
        match self.carry_out(command, author, out) {
            Ok(()) => {
                self.note_setter(command, author);
                self.revised();
                out.push(Effect::Audit(AuditEntry::Command { verb: verb(command) }));
            }
            Err(problem) => out.push(Effect::Audit(AuditEntry::Refused { problem: format!("{}: {problem}", verb(command)) })),
        }
    }

    /// Whose command set the position, or said whose clock is whose: findings name it.
    fn note_setter(&mut self, command: &Command, author: &Author) {
        let set_by = &mut self.desk.set_by;
        match command {
            Command::StartGame { fen: Some(_) } | Command::SetPosition { .. } => set_by.position.clone_from(&author.command),
            Command::CorrectMove { .. } | Command::TakeBack { .. } => set_by.position.clone_from(&author.command),
            Command::SwapSides => set_by.sides.clone_from(&author.command),
            _ => {}
        }
    }

    fn carry_out(&mut self, command: &Command, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        if self.seen.phase.stage == Stage::AwaitingSetUp && of_a_game(command) {
            return Err("no game has begun on this board");
        }
        match command {
            Command::StartGame { fen } => {
                let start = match fen {
                    Some(fen) => self.position(fen)?,
                    None => Chess::default(),
                };
                self.break_off(author, out);
                self.begin(start, Some(0), Stage::Armed, out);
            }
            Command::SetPosition { fen } => {
                let position = self.position(fen)?;
                match self.seen.phase.stage {
                    Stage::AwaitingSetUp => self.join_at(position, None, out),
                    _ => self.set_position(position, out),
                }
            }
            Command::TakeBack { plies } => self.take_back(*plies as usize, Cause::TakeBack, out)?,
            Command::CorrectMove { plies, uci } => self.correct_move(*plies as usize, uci, out)?,
            Command::SetMoveCount { completed } => self.set_move_count(completed, author)?,
            Command::SetClockRecord { time_control, additional_time, flag_taken_back } => {
                self.set_clock(time_control.as_deref(), *additional_time, *flag_taken_back, author)?;
            }
            Command::StopClocks | Command::RestartClocks => {}
            Command::SwapSides => {
                self.exchange_sides();
            }
            Command::Claim { flag, period, observed_at } => self.claim(color(*flag), *period, *observed_at, author, out)?,
            Command::ClaimOn { side, ground, standing, uci } => {
                self.claim_on(color(*side), (*ground, *standing), uci.as_ref(), author, out)?;
            }
            Command::Offer { side } => self.offer(color(*side), author)?,
            Command::Accept { side } => self.accept(color(*side), author, out)?,
            Command::Resign { side } => self.resign(color(*side), author)?,
            Command::Penalty { seconds: None, alarm: None, counts: None, .. } => return Err("it says no penalty"),
            Command::Penalty { side, seconds, alarm, counts } => {
                let penalty = Penalty { seconds: *seconds, alarm: *alarm, counts: *counts };
                self.penalise(color(*side), penalty, author, out)?;
            }
            Command::Confirm { finding } => self.confirm(*finding, author, out)?,
            Command::Reject { finding } => self.reject(*finding, author, out)?,
            Command::DeclareResult { result } => self.declare(*result, author, out),
            Command::AcknowledgeAlert { alarm } => {
                if !self.alarms.acknowledge(self.now, *alarm) {
                    return Err("no such open alarm");
                }
            }
        }
        Ok(())
    }

    fn set_move_count(&mut self, completed: &Pair<u32>, author: &Author) -> Result<(), &'static str> {
        if completed.white.max(completed.black) > MOST_MOVES {
            return Err("no game has so many moves");
        }
        for color in [Color::White, Color::Black] {
            let recorded = self.seen.play.decoder.record.completed(color, None).0;
            // The scoresheets may have fewer moves than the record.
            *self.seen.play.completed_before.get_mut(color) = Some(*completed.get(color) as i32 - recorded as i32);
        }
        self.desk.set_by.move_count.clone_from(&author.command);
        let (record, before) = (&self.seen.play.decoder.record, &self.seen.play.completed_before);
        for fall in self.seen.clock.chessclock.flags_mut().iter_mut() {
            // The count speaks for moves of which only their number is known.
            let entered = record.entered_around(fall.side, &fall.fell);
            let (sure, more) = record.completed(fall.side, Some(&fall.fell));
            fall.counted = before
                .get(fall.side)
                .filter(|_| entered > 0)
                .map(|before| (before.saturating_add_unsigned(sure + entered).max(0) as u32, more > entered));
        }
        self.alarms.settle(self.now, AlarmKind::ClockCountDiffers, None);
        Ok(())
    }

    fn set_clock(
        &mut self,
        time_control: Option<&str>,
        additional_time: Option<u32>,
        flag_taken_back: Option<Side>,
        author: &Author,
    ) -> Result<(), &'static str> {
        if let Some(text) = time_control {
            self.seen.clock.control = Some(TimeControl::parse(text).map_err(|error| error.problem)?);
            self.desk.set_by.time_control.clone_from(&author.command);
            self.desk.set_by.additional_time = None;
        }
        if let Some(seconds) = additional_time {
            let control = self.seen.clock.control.take().ok_or("no time control is known")?;
            self.seen.clock.control = Some(control.with_additional_time(seconds.min(3_599) * 1000));
            self.desk.set_by.additional_time.clone_from(&author.command);
        }
        if let Some(side) = flag_taken_back {
            self.rulings.forget_findings_of(color(side), &self.seen.clock.chessclock);
            self.seen.clock.chessclock.flags_mut().take_back(color(side));
            self.reports.ruling_dirty = true;
            self.alarms.settle(self.now, AlarmKind::Flag, Some(color(side)));
        }
        self.seen.clock.setting.settle();
        self.alarms.settle(self.now, AlarmKind::ClockSettingDiffers, None);
        Ok(())
    }

    /// A flag is considered to have fallen when the arbiter observes it or a player validly claims it (6.8): no sign of the
    /// clock is needed.
    fn claim(
        &mut self,
        side: Color,
        period: Option<u32>,
        observed_at: Option<u64>,
        author: &Author,
        out: &mut Vec<Effect>,
    ) -> Result<(), &'static str> {
        let seen = observed_at.map_or(self.now, Instant).min(self.now);
        let period = period.map(|period| self.index_of(period)).transpose()?;
        let stopped = self.seen.clock.stopped_with(seen);
        let club = self.seen.config.rulebook.rules().table == Table::Club;
        if let Some(fall) = self.seen.clock.chessclock.flags_mut().claimed(side, period) {
            // A call without stopping the clocks was none.
            if club && fall.clocks_stopped == Some(false) {
                fall.observed_at = None;
            }
            if fall.observed_at.is_none() {
                fall.clocks_stopped = stopped;
            }
            // Nobody can have seen it before it fell.
            fall.observe(seen.max(fall.fell.earliest), author.command.as_ref());
            return Ok(());
        }
        if self.seen.phase.stage == Stage::AwaitingSetUp {
            return Err("no game has begun on this board");
        }
        if !self.seen.clock.chessclock.observe(side, seen, period, author.command.as_ref()) {
            return Err("no game has so many flags");
        }
        if let Some(fall) = self.seen.clock.chessclock.flags_mut().last_of(side) {
            fall.clocks_stopped = stopped;
        }
        self.flag_fell(side, out);
        Ok(())
    }

    /// The index of a period that is counted from 1.
    fn index_of(&self, period: u32) -> Result<usize, &'static str> {
        let index = (period as usize).checked_sub(1).filter(|&index| index < MAX_PERIODS).ok_or("there is no such period")?;
        let known = |control: &TimeControl| index == 0 || control.next_period(index - 1).is_some();
        if self.seen.clock.control.as_ref().is_none_or(known) { Ok(index) } else { Err("the time control has no such period") }
    }
}

const fn color(side: Side) -> Color {
    match side {
        Side::White => Color::White,
        Side::Black => Color::Black,
    }
}

/// It says something of a game that must be there.
const fn of_a_game(command: &Command) -> bool {
    use Command::*;
    !matches!(
        command,
        StartGame { .. }
            | SetPosition { .. }
            | SetClockRecord { .. }
            | StopClocks
            | RestartClocks
            | SwapSides
            | Claim { .. }
            | AcknowledgeAlert { .. }
    )
}

const fn verb(command: &Command) -> &'static str {
    match command {
        Command::StartGame { .. } => "start-game",
        Command::SetPosition { .. } => "set-position",
        Command::TakeBack { .. } => "take-back",
        Command::CorrectMove { .. } => "correct-move",
        Command::SetMoveCount { .. } => "set-move-count",
        Command::SetClockRecord { .. } => "set-clock-record",
        Command::StopClocks => "stop-clocks",
        Command::RestartClocks => "restart-clocks",
        Command::SwapSides => "swap-sides",
        Command::Claim { .. } => "claim",
        Command::ClaimOn { .. } => "claim",
        Command::Offer { .. } => "offer",
        Command::Accept { .. } => "accept",
        Command::Resign { .. } => "resign",
        Command::Penalty { .. } => "penalty",
        Command::Confirm { .. } => "confirm",
        Command::Reject { .. } => "reject",
        Command::DeclareResult { .. } => "declare-result",
        Command::AcknowledgeAlert { .. } => "acknowledge-alert",
    }
}
