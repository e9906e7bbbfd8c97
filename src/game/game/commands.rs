//! Carries out arbiters' commands: each changes the daemon's knowledge, never what a clock or board shows (`wire/README.md#5`).

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use super::Game;
use crate::alarm::AlarmKind;
use crate::arbiter_entries::{Entered, FlagOrder, Statement};
use crate::audit::AuditEntry;
use crate::clock::control::TimeControl;
use crate::decision::{Claim, Decision, DecisionKind, Penalty};
use crate::effect::Effect;
use crate::game_phase::GamePhase;
use crate::input::{Author, Command};
use crate::interval::Interval;
use crate::laws::outcome::GameResult;
use crate::laws::rules::Table;
use crate::played::Cause;

/// The largest adjustment of a player's time, in seconds. A clock shows less than a day.
const MOST_SECONDS: u32 = 86_400;

impl Game {
    /// Carries out a command, and reports that it was carried out or why it was refused.
    pub(super) fn command(&mut self, command: &Command, author: &Author, out: &mut Vec<Effect>) {
        match self.carry_out(command, author, out) {
            Ok(()) => {
                self.entries.note_setter(command, author.command.as_ref());
                match command.changes_game() {
                    true => self.reports.revised(),
                    false => self.reports.arbiter_dirty = true,
                }
                out.push(Effect::Audit(AuditEntry::Command { verb: command.verb() }));
            }
            Err(problem) => out.push(Effect::Audit(AuditEntry::Refused { problem: format!("{}: {problem}", command.verb()) })),
        }
    }

    fn carry_out(&mut self, command: &Command, author: &Author, out: &mut Vec<Effect>) -> Result<(), Cow<'static, str>> {
        if self.seen.phase.stage == GamePhase::AwaitingSetUp && command.needs_game() {
            return Err("no game has begun on this board".into());
        }
        match command {
            Command::StartGame { fen } => {
                let start = match fen {
                    Some(fen) => self.seen.config.position(fen)?,
                    None => Chess::default(),
                };
                self.break_off(author, out);
                self.begin(start, Some(0), GamePhase::Armed, out);
                self.seen.phase.by_command = true;
            }
            Command::SetPosition { fen } => {
                let position = self.seen.config.position(fen)?;
                match self.seen.phase.stage {
                    GamePhase::AwaitingSetUp => self.join_at(position, None, out),
                    _ => self.set_position(position, out),
                }
            }
            Command::TakeBack { plies } => self.take_back(*plies as usize, Cause::TakeBack, out)?,
            Command::CorrectMove { plies, uci } => self.correct_move(*plies as usize, uci, out)?,
            Command::SetMoveCount { completed } => {
                self.seen.set_move_count(completed)?;
                self.entries.set_by.move_count.clone_from(&author.command);
                self.alarms.settle(self.now, AlarmKind::ClockCountDiffers, None);
            }
            Command::SetClockRecord { time_control, additional_time, flag_taken_back } => {
                self.set_clock(time_control.as_deref(), *additional_time, *flag_taken_back, author)?;
            }
            Command::SetFlagOrder { first } => self.set_flag_order(*first, author)?,
            Command::StopClocks | Command::RestartClocks => {}
            Command::SwapSides => self.seen.swap_sides(self.now, &mut self.alarms),
            Command::Claim { flag, period, observed_at } => self.claim_flag(*flag, *period, *observed_at, author, out)?,
            Command::ClaimOn { side, ground, standing, uci } => {
                self.claim(*side, (*ground, *standing), uci.as_ref(), author, out)?;
            }
            Command::Offer { side } => {
                self.check_game_open()?;
                self.add_entry(*side, Entered::Offer, author)?;
            }
            Command::Accept { side } => self.accept(*side, author, out)?,
            Command::Resign { side } => {
                self.check_game_open()?;
                self.add_entry(*side, Entered::Resignation, author)?;
            }
            Command::Penalty { seconds: None, alarm: None, counts: None, .. } => {
                return Err("the command names no penalty: it needs seconds, an alarm, or whether the move counts".into());
            }
            Command::Penalty { side, seconds, alarm, counts } => {
                let penalty = Penalty { seconds: *seconds, alarm: *alarm, counts: *counts };
                self.record_penalty(*side, penalty, author, out)?;
            }
            Command::Confirm { finding } => self.confirm(*finding, author, out)?,
            Command::Reject { finding } => self.reject(*finding, author, out)?,
            Command::DeclareResult { result } => {
                self.check_declared(*result, author)?;
                self.declare(self.declaration(*result, author), out);
            }
            Command::EnterResult { game_no, result, by_organiser } => {
                let declared = self.declaration(*result, author);
                self.enter_result(Decision { game_no: *game_no, by_organiser: *by_organiser, ..declared }, out)?;
            }
            Command::AcknowledgeAlert { alarm } => {
                self.check_acknowledged(*alarm)?;
                if !self.alarms.acknowledge(self.now, *alarm) {
                    return Err("there is no open alarm with this number".into());
                }
            }
        }
        Ok(())
    }

    /// Fails for an alarm that is a question: it stays until it is answered.
    fn check_acknowledged(&self, id: u32) -> Result<(), &'static str> {
        match self.alarms.open().find(|alarm| alarm.id == id).map(|alarm| alarm.kind) {
            Some(AlarmKind::UnpublishedGame) => Err("say with set-round-game whether the game is the round's or private"),
            Some(AlarmKind::Flag) if self.rulings.result.is_none() && self.awaits_ruling() => {
                Err("decide the finding about the flag: confirm or reject it")
            }
            Some(AlarmKind::PositionToRestore) if self.seen.shown_start().is_some() => {
                Err("set up the position of the game, or begin another game with start-game")
            }
            _ => Ok(()),
        }
    }

    fn set_clock(
        &mut self,
        time_control: Option<&str>,
        additional_time: Option<u32>,
        flag_taken_back: Option<Color>,
        author: &Author,
    ) -> Result<(), &'static str> {
        let clock = &mut self.seen.clock;
        if let Some(text) = time_control {
            clock.control = Some(TimeControl::parse(text).map_err(|error| error.problem)?);
            self.entries.set_by.time_control.clone_from(&author.command);
            self.entries.set_by.additional_time = None;
        }
        if let Some(seconds) = additional_time {
            let control = clock.control.take().ok_or("no time control is known")?;
            clock.control = Some(control.with_additional_time(seconds.min(3_599) * 1000));
            self.entries.set_by.additional_time.clone_from(&author.command);
        }
        if let Some(side) = flag_taken_back {
            self.rulings.forget_findings_of(side, &clock.chessclock);
            clock.chessclock.flags_mut().take_back(side);
            self.reports.ruling_dirty = true;
            self.alarms.settle(self.now, AlarmKind::Flag, Some(side));
        }
        clock.setting.settle();
        self.alarms.settle(self.now, AlarmKind::ClockSettingDiffers, None);
        Ok(())
    }

    /// Records which of two flags fell first.
    ///
    /// # Errors
    /// Fails if the flags of both sides are not down.
    fn set_flag_order(&mut self, first: Color, author: &Author) -> Result<(), &'static str> {
        let falls = self.seen.clock.chessclock.flags().iter().rev().filter(|fall| !fall.after_end);
        let last = [Color::White, Color::Black].map(|side| falls.clone().find(|fall| fall.side == side).map(|fall| fall.number));
        let [Some(white), Some(black)] = last else { return Err("the flags of both sides must be down") };
        self.entries.flag_order = Some(FlagOrder { first, falls: [white, black] });
        self.entries.set_by.flag_order.clone_from(&author.command);
        Ok(())
    }

    /// Records a flag-fall. A flag is considered to have fallen when the arbiter observes it or a player validly claims it
    /// (6.8), so no sign of the clock is needed.
    fn claim_flag(
        &mut self,
        side: Color,
        period: Option<u32>,
        observed_at: Option<u64>,
        author: &Author,
        out: &mut Vec<Effect>,
    ) -> Result<(), &'static str> {
        let clock = &mut self.seen.clock;
        let seen = observed_at.map_or(self.now, Instant).min(self.now);
        let period = period.map(|period| clock.period_index(period)).transpose()?;
        let club = self.seen.config.rulebook.rules().table == Table::Club;
        if clock.claim_latched(side, period, seen, club, author.command.as_ref()) {
            return Ok(());
        }
        if self.seen.phase.stage == GamePhase::AwaitingSetUp {
            return Err("no game has begun on this board");
        }
        clock.latch_unreported(side, period, seen, author.command.as_ref())?;
        self.seen.apply_flag_fall(self.now, side, self.rulings.result.is_some(), &mut self.alarms, out);
        self.reports.revised();
        Ok(())
    }

    /// Accepts an open offer (5.2.3).
    fn accept(&mut self, side: Color, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        self.check_game_open()?;
        self.seen.may_accept(side, &self.entries, self.event_time(author))?;
        let agreed = self.statement(side, Entered::Agreement, author, None);
        self.check_in_time(agreed.clone(), author)?;
        self.entries.enter(agreed)?;
        let draft = self.draft(DecisionKind::Agreed, author);
        self.decide(Decision { result: GameResult::Draw, side: Some(side), ..draft }, out);
        self.give_result(GameResult::Draw, out);
        Ok(())
    }

    /// Records a penalty, an adjustment of times, or a ruling on an illegal move.
    fn record_penalty(
        &mut self,
        side: Color,
        penalty: Penalty,
        author: &Author,
        out: &mut Vec<Effect>,
    ) -> Result<(), &'static str> {
        let Penalty { seconds, alarm, counts } = penalty;
        if seconds.is_some_and(|seconds| seconds.white.unsigned_abs().max(seconds.black.unsigned_abs()) > MOST_SECONDS) {
            return Err("the penalty has more seconds than any clock shows");
        }
        match (alarm, counts) {
            (None, None) => {}
            (Some(alarm), Some(counts)) => {
                self.alarms.check_illegal_move_of(alarm, side)?;
                self.add_entry(side, Entered::IllegalMove { alarm, counts }, author)?;
            }
            // An arbiter saw the illegal move and no sensor did (7.5.4).
            (None, Some(counts)) => self.add_entry(side, Entered::IllegalMove { alarm: 0, counts }, author)?,
            (Some(_), None) => return Err("the command must say whether the illegal move counts"),
        }
        let draft = self.draft(DecisionKind::Penalty, author);
        self.decide(Decision { side: Some(side), penalty: Some(penalty), ..draft }, out);
        Ok(())
    }

    /// Notes that the arbiter begins another game in the middle of this one (7.2, 7.3).
    fn break_off(&mut self, author: &Author, out: &mut Vec<Effect>) {
        let played = self.seen.phase.stage == GamePhase::Playing
            && (!self.seen.play.decoder.record.moves().is_empty() || self.awaits_ruling());
        if played && self.rulings.result.is_none() {
            self.decide(self.draft(DecisionKind::Restart, author), out);
        }
    }

    pub(super) fn draft(&self, kind: DecisionKind, author: &Author) -> Decision {
        self.rulings.draft(self.seen.phase.number, self.now, kind, author)
    }

    /// Makes a decision that confirms or rejects no finding.
    pub(super) fn decide(&mut self, decision: Decision, out: &mut Vec<Effect>) {
        let decision = self.record_decision(decision, out);
        self.rulings.note_decision(&decision);
    }

    pub(super) fn check_game_open(&self) -> Result<(), &'static str> {
        if self.rulings.result.is_none() { Ok(()) } else { Err("the game has a result") }
    }

    /// The time that the arbiter states; otherwise now.
    pub(super) fn event_time(&self, author: &Author) -> Interval {
        let at = author.observed_at.unwrap_or(self.now).min(self.now);
        Interval { earliest: at, latest: at }
    }

    /// An entry of this author.
    pub(super) fn statement(&self, side: Color, what: Entered, author: &Author, claim: Option<Claim>) -> Statement {
        Statement { side, what, happened: self.event_time(author), entered: self.now, command: author.command.clone(), claim }
    }

    pub(super) fn add_entry(&mut self, side: Color, what: Entered, author: &Author) -> Result<(), &'static str> {
        self.entries.enter(self.statement(side, what, author, None))
    }
}
