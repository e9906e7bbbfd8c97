//! Finds the boards on the line (`dgt_bus/README.md#8`). The expected boards are asked by address, and then all unknown boards
//! answer a ping to all. Boards that answer at the same moment make garbage, and then the ping is repeated.

use alloc::vec::Vec;
use core::time::Duration;

use super::{Board, GAP, Line, LineOutput, MAX_BOARDS, Phase, TO_BUS_MODE, Why, wire_time};
use crate::drivers::dgt_bus::frame::{self, Command};
use crate::time::Instant;

/// The time of listening after a ping to all boards. Boards answer within 1.1 s.
const LISTEN: Duration = Duration::from_millis(1500);
/// The number of rounds without a new board that end the search.
const QUIET_ROUNDS: u8 = 2;
/// The number of consecutive rounds with garbage and no new board that end the search. Boards choose a new time for each
/// answer, so two readable boards are soon received separately.
const GARBAGE_ROUNDS: u8 = 4;
/// The largest number of rounds, for a line on which there is always garbage.
const MOST_ROUNDS: u8 = 20;
/// The time until the next search if no board was found.
const AGAIN: Duration = Duration::from_secs(3);

/// The state of the running search.
#[derive(Debug)]
pub(super) struct Discovery {
    /// The expected boards that are still to be asked, with the next one last, and those that did not answer.
    expected: Vec<u16>,
    missing: Vec<u16>,
    /// The number of known boards that have been told to ignore the ping of this round.
    quiet: usize,
    listening: Option<Instant>,
    rounds: u8,
    quiet_rounds: u8,
    garbage_rounds: u8,
    news: bool,
    garbage: bool,
}

impl Discovery {
    pub(super) fn new(expected: &[u16]) -> Discovery {
        Discovery {
            expected: expected.iter().rev().copied().collect(),
            missing: Vec::new(),
            quiet: 0,
            listening: None,
            rounds: 0,
            quiet_rounds: 0,
            garbage_rounds: 0,
            news: false,
            garbage: false,
        }
    }

    /// Returns the end of the present listening.
    pub(super) const fn listens(&self) -> Option<Instant> {
        self.listening
    }

    /// Records an expected board that did not answer.
    pub(super) fn record_missing(&mut self, address: u16) {
        if !self.missing.contains(&address) && self.missing.len() < MAX_BOARDS {
            self.missing.push(address);
        }
    }

    pub(super) const fn record_news(&mut self) {
        self.news = true;
    }

    pub(super) const fn record_garbage(&mut self) {
        self.garbage |= self.listening.is_some();
    }

    /// Ends a round. Returns true if it was the last one.
    fn end_round(&mut self) -> bool {
        self.rounds += 1;
        let (news, garbage) = (core::mem::take(&mut self.news), core::mem::take(&mut self.garbage));
        (self.quiet_rounds, self.garbage_rounds) = match (news, garbage) {
            (true, _) => (0, 0),
            (false, true) => (self.quiet_rounds, self.garbage_rounds + 1),
            (false, false) => (self.quiet_rounds + 1, 0),
        };
        (self.listening, self.quiet) = (None, 0);
        self.quiet_rounds >= QUIET_ROUNDS || self.garbage_rounds >= GARBAGE_ROUNDS || self.rounds >= MOST_ROUNDS
    }
}

impl Line {
    /// Does the next step of the search.
    pub(super) fn discover(&mut self, at: Instant) {
        let Phase::Discover(discovery) = &mut self.phase else { return };
        if let Some(end) = discovery.listening {
            if end > at {
                return;
            }
            let over = discovery.end_round();
            self.free = at;
            // An incomplete frame at the end counts as garbage of the next round, which does no harm.
            if over {
                return self.end_discovery(at);
            }
        }
        if self.free > at {
            return;
        }
        let Phase::Discover(discovery) = &mut self.phase else { return };
        if let Some(address) = discovery.expected.pop() {
            return self.ask(at, address, Command::Ping, Why::Expected);
        }
        // Between two rounds the questions for known boards are asked, so that their drivers need not wait for the end of the
        // search.
        if discovery.quiet == 0
            && let Some((address, command)) = self.wanted()
        {
            return self.ask_wanted(at, address, command);
        }
        let Phase::Discover(discovery) = &mut self.phase else { return };
        if let Some(board) = self.boards.get(discovery.quiet) {
            discovery.quiet += 1;
            let address = board.address;
            return self.ask(at, address, Command::IgnoreNextPing, Why::Quiet);
        }
        discovery.listening = Some(at.after(wire_time(4) + LISTEN));
        self.reader.give_up();
        self.send(&Command::Ping.to(0));
    }

    /// Adds an expected board.
    pub(super) fn expect(&mut self, at: Instant, address: u16) {
        if !(1..=frame::MAX_ADDRESS).contains(&address) {
            return;
        }
        if !self.expected.contains(&address) && self.expected.len() < MAX_BOARDS {
            self.expected.push(address);
        }
        match &mut self.phase {
            Phase::Down => {}
            Phase::Discover(discovery) => discovery.record_missing(address),
            Phase::Poll => self.await_board(at, address),
        }
    }

    /// Removes an expected board. A silent board then costs the others no more time.
    pub(super) fn dismiss(&mut self, address: u16) {
        self.expected.retain(|expected| *expected != address);
        self.boards.retain(|board| board.answering || board.address != address);
        if let Phase::Discover(discovery) = &mut self.phase {
            discovery.expected.retain(|expected| *expected != address);
            discovery.missing.retain(|missing| *missing != address);
        }
    }

    /// Adds a board that does not answer yet, so that it is tried, and reports it as silent.
    fn await_board(&mut self, at: Instant, address: u16) {
        let full = self.boards.len() >= MAX_BOARDS;
        match self.board(address) {
            Some(board) if board.answering => return,
            Some(_) => {}
            None if full => return,
            None => self.boards.push(Board::new(address, at)),
        }
        self.out.push_back(LineOutput::Silent(address));
    }

    /// Ends the search. Expected boards that did not answer are tried again and again.
    fn end_discovery(&mut self, at: Instant) {
        let Phase::Discover(discovery) = core::mem::replace(&mut self.phase, Phase::Poll) else { return };
        for address in discovery.missing {
            self.await_board(at, address);
        }
        self.free = at.after(GAP);
        self.again = None;
    }

    /// Calls the boards back to bus mode if no board answers, because a stray byte may have put all of them into single-board
    /// mode. Returns true if the call was sent now.
    pub(super) fn call_to_bus_mode(&mut self, at: Instant) -> bool {
        if self.boards.iter().any(|board| board.answering) {
            self.again = None;
            return false;
        }
        if self.again.is_some_and(|again| again > at) {
            return false;
        }
        self.again = Some(at.after(AGAIN));
        self.send(&[TO_BUS_MODE]);
        self.free = at.after(wire_time(1) + GAP);
        if self.boards.is_empty() {
            self.phase = Phase::Discover(Discovery::new(&self.expected));
        }
        true
    }
}
