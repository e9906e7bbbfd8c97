//! Arbiters' records: each changes what the daemon knows, never what a clock or board shows (`mqtt.md` section 5).

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::Chess;
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;

use crate::alarm::AlarmKind;
use crate::clock::control::{MAX_PERIODS, TimeControl};
use crate::effect::Effect;
use crate::game::{Game, castling_mode};
use crate::input::{Author, Command, Side};
use crate::interval::Interval;
use crate::king_capture::KingCapture;
use crate::message::{AuditBody, Cause, CommandBody, MoveBody, PenaltyBody, RevisionBody, Stage};
use crate::pair::Pair;
use crate::reconstruct::record::How;

/// The longest game that the Laws allow has fewer moves (9.6.2).
const MOST_MOVES: u32 = 9_999;

impl Game {
    pub(crate) fn command(&mut self, command: &Command, author: &Author, out: &mut Vec<Effect>) {
        match self.carry_out(command, author, out) {
            Ok(()) => {
                self.revised();
                let body = CommandBody { verb: verb(command).into(), ..CommandBody::default() };
                out.push(Effect::Audit(AuditBody::Command(Box::new(body))));
            }
            Err(problem) => out.push(Effect::Audit(AuditBody::Refused { problem: format!("{}: {problem}", verb(command)) })),
        }
    }

    fn carry_out(&mut self, command: &Command, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        if self.stage == Stage::AwaitingSetUp && of_a_game(command) {
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
                match self.stage {
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
            Command::StopClocks {} | Command::RestartClocks {} => {}
            Command::SwapSides {} => {
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
                let penalty = PenaltyBody { seconds: *seconds, alarm: *alarm, counts: *counts };
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

    fn position(&self, fen: &str) -> Result<Chess, &'static str> {
        let fen = Fen::from_ascii(fen.as_bytes()).map_err(|_| "the FEN cannot be read")?;
        fen.into_position(castling_mode(&self.config)).map_err(|_| "the FEN is not a legal position")
    }

    /// An earlier position of the game is a take-back; any other one begins a new record with the old counts.
    fn set_position(&mut self, position: Chess, out: &mut Vec<Effect>) {
        let plies = self.decoder.record.moves().len();
        let mut earlier = self.decoder.record.clone();
        for kept in (0..=plies).rev() {
            earlier.truncate(kept);
            if earlier.node().position == position {
                // Every count up to the record's own length can be cut back to.
                let _ = self.take_back(kept, Cause::SetPosition, out);
                return;
            }
        }
        self.restart_from(position, castling_mode(&self.config));
        out.push(revision(1, Cause::SetPosition, Vec::new()));
    }

    fn take_back(&mut self, plies: usize, cause: Cause, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        if plies > self.decoder.record.moves().len() {
            return Err("the game has fewer moves");
        }
        let cut = plies < self.decoder.record.moves().len();
        self.decoder.forget_tentative();
        if cut {
            self.decoder.record.truncate(plies);
            out.push(revision(plies as u32 + 1, cause, Vec::new()));
        }
        self.reopen();
        self.settle_irregularities();
        self.decoder.board_changed(self.now, &self.board);
        Ok(())
    }

    fn correct_move(&mut self, plies: usize, uci: &str, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let moves = self.decoder.record.moves().len();
        if plies > moves {
            return Err("the game has fewer moves");
        }
        let mut earlier = self.decoder.record.clone();
        earlier.truncate(plies);
        let uci = UciMove::from_ascii(uci.as_bytes()).map_err(|_| "the move cannot be read")?;
        let mv = uci.to_move(&earlier.node().position).map_err(|_| "the move is not legal there")?;
        let made = Interval { earliest: self.now, latest: self.now };
        let times = self.clock_view().times;
        earlier.push(mv, made, None, How::Arbiter, times);
        let color = earlier.turn().other();
        self.decoder.record = earlier;
        self.decoder.forget_tentative();
        self.settle_irregularities();
        self.reopen();
        self.note_ending(made, color, out);
        let body = self.move_body(plies);
        out.push(match plies < moves {
            true => revision(plies as u32 + 1, Cause::CorrectMove, alloc::vec![body]),
            false => Effect::Move(body),
        });
        self.decoder.board_changed(self.now, &self.board);
        Ok(())
    }

    /// The game goes on: a flag that fell after its supposed end counts.
    pub(crate) fn reopen(&mut self) {
        self.ending = None;
        self.stage = Stage::Playing;
        if self.result.is_none() {
            self.clock.flags_mut().iter_mut().for_each(|fall| fall.after_end = false);
            self.raise_flags();
        }
    }

    fn settle_irregularities(&mut self) {
        self.king = KingCapture::None;
        for kind in [AlarmKind::IllegalMove, AlarmKind::PromotionNotReplaced, AlarmKind::PressedWithoutMove] {
            self.alarms.settle(self.now, kind, None);
        }
    }

    fn set_move_count(&mut self, completed: &Pair<u32>, author: &Author) -> Result<(), &'static str> {
        if completed.white.max(completed.black) > MOST_MOVES {
            return Err("no game has so many moves");
        }
        for color in [Color::White, Color::Black] {
            let recorded = self.decoder.record.completed(color, None).0;
            *self.completed_before.get_mut(color) = Some(completed.get(color).saturating_sub(recorded));
        }
        self.desk.set_by.move_count.clone_from(&author.command);
        self.clock.flags_mut().iter_mut().for_each(|fall| fall.counted = None);
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
            self.control = Some(TimeControl::parse(text).map_err(|error| error.problem)?);
            self.desk.set_by.time_control.clone_from(&author.command);
            self.desk.set_by.additional_time = None;
        }
        if let Some(seconds) = additional_time {
            let control = self.control.take().ok_or("no time control is known")?;
            self.control = Some(control.with_additional_time(seconds.min(3_599) * 1000));
            self.desk.set_by.additional_time.clone_from(&author.command);
        }
        if let Some(side) = flag_taken_back {
            self.forget_findings_of(color(side));
            self.clock.flags_mut().take_back(color(side));
            self.ruling_dirty = true;
            self.alarms.settle(self.now, AlarmKind::Flag, Some(color(side)));
        }
        self.setting.settle();
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
        if let Some(fall) = self.clock.flags_mut().claimed(side, period) {
            // Nobody can have seen it before it fell.
            fall.observe(seen.max(fall.fell.earliest), author.command.as_ref());
            return Ok(());
        }
        if self.stage == Stage::AwaitingSetUp {
            return Err("no game has begun on this board");
        }
        let period = period.unwrap_or_else(|| self.clock.period(side));
        if !self.clock.observe(side, seen, period, author.command.as_ref()) {
            return Err("no game has so many flags");
        }
        self.flag_fell(side, out);
        Ok(())
    }

    /// The index of a period that is counted from 1.
    fn index_of(&self, period: u32) -> Result<usize, &'static str> {
        let index = (period as usize).checked_sub(1).filter(|&index| index < MAX_PERIODS).ok_or("there is no such period")?;
        let known = |control: &TimeControl| index == 0 || control.next_period(index - 1).is_some();
        if self.control.as_ref().is_none_or(known) { Ok(index) } else { Err("the time control has no such period") }
    }
}

fn revision(from_ply: u32, cause: Cause, moves: Vec<MoveBody>) -> Effect {
    Effect::Audit(AuditBody::Revision(RevisionBody { from_ply, cause, moves }))
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
            | StopClocks {}
            | RestartClocks {}
            | SwapSides {}
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
        Command::StopClocks {} => "stop-clocks",
        Command::RestartClocks {} => "restart-clocks",
        Command::SwapSides {} => "swap-sides",
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
