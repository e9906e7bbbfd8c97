//! Chooses the next board and the next question (`dgt_bus/README.md#9`). The choice depends only on the times of the questions
//! and on the answers.

use core::time::Duration;

use super::{Board, Line, Want, Why};
use crate::drivers::dgt_bus::frame::Command;
use crate::time::Instant;

/// The shortest time between two turns of a board. The scan and the clock of a board give no new data sooner.
const PACE: Duration = Duration::from_millis(200);
/// The longest cycle that leaves time for additional questions to clocks that are short of time.
const LONG: Duration = Duration::from_millis(600);
/// The interval at which every board is asked for its squares.
const CHECK: Duration = Duration::from_secs(60);

impl Line {
    /// Returns the time of the next question.
    pub(super) fn next_turn(&self) -> Option<Instant> {
        if !self.steps.is_empty() || self.wanted().is_some() {
            return Some(self.free);
        }
        let turns = self.boards.iter().map(|board| due(board, self.free));
        // Without boards the next action is the call back to bus mode.
        let call = self.boards.is_empty().then(|| self.again.unwrap_or(self.free));
        turns.chain(call).min().map(|at| at.max(self.free))
    }

    /// Asks the next question.
    pub(super) fn ask_next(&mut self, at: Instant) {
        if self.free > at || self.call_to_bus_mode(at) {
            return;
        }
        if let Some((address, command, why)) = self.steps.pop() {
            return self.ask_step(at, address, command, why);
        }
        let oldest = self.boards.iter().enumerate().filter(|(_, board)| due(board, at) <= at);
        let Some((index, _)) = oldest.min_by_key(|(_, board)| board.turned) else {
            // It is no board's turn, so there is time for other questions.
            if let Some((address, command)) = self.wanted() {
                self.ask_wanted(at, address, command);
            }
            return;
        };
        self.want_check(at);
        let short = self.boards.iter().filter(|board| board.answering && board.short).min_by_key(|board| board.clocked);
        let short = short.map(|board| board.address);
        let wanted = self.wanted();
        let board = &mut self.boards[index];
        let cycle = at.since(board.turned.replace(at).unwrap_or(at));
        let (address, unsure) = (board.address, board.unsure);
        if !board.answering {
            return self.ask(at, address, Command::Ping, Why::Try);
        }
        // The steps are in reverse order. Each turn has one additional question, so that such questions cannot delay the other
        // boards.
        self.steps.extend(wanted.map(|(address, command)| (address, command, Why::Turn)));
        self.steps
            .extend(short.filter(|short| *short != address && cycle < LONG).map(|short| (short, Command::SendClock, Why::Turn)));
        self.steps.push((address, Command::SendClock, Why::Turn));
        let changes = if unsure { Command::RepeatChanges } else { Command::SendChanges };
        self.ask(at, address, changes, Why::Turn);
    }

    fn ask_step(&mut self, at: Instant, address: u16, command: Command, why: Why) {
        if command == Command::SendClock {
            return self.ask(at, address, command, why);
        }
        self.ask_wanted(at, address, command);
    }

    pub(super) fn ask_wanted(&mut self, at: Instant, address: u16, command: Command) {
        if let Some(board) = self.board(address) {
            board.clear_want(command);
        }
        self.ask(at, address, command, Why::Turn);
    }

    /// Returns the first waiting question of the board with the oldest picture. After a long log every board has its turn
    /// before the next log.
    pub(super) fn wanted(&self) -> Option<(u16, Command)> {
        let turned = |logged: Instant| self.boards.iter().all(|board| !board.answering || board.turned >= Some(logged));
        let logs = self.logged.is_none_or(turned);
        let wishes = self.boards.iter().filter_map(|board| Some((board, board.next_want(logs)?)));
        wishes.min_by_key(|(board, _)| board.pictured).map(|(board, command)| (board.address, command))
    }

    /// Asks each board for its squares once a minute, one board at a time.
    fn want_check(&mut self, at: Instant) {
        let spacing = CHECK / self.boards.len().max(1) as u32;
        let Some(board) = self.boards.iter_mut().filter(|board| board.answering).min_by_key(|board| board.pictured) else {
            return;
        };
        if at.since(self.last_check) >= spacing && at.since(board.pictured) >= CHECK.saturating_sub(spacing) {
            board.want(Want::Board);
            self.last_check = at;
        }
    }
}

/// Returns the time of a board's next turn.
fn due(board: &Board, free: Instant) -> Instant {
    board.turned.map_or(free, |turned| turned.after(PACE))
}
