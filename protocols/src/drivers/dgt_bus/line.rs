//! The master of a whole line: it alone speaks, to one board at a time (`dgt_bus/README.md#7`,
//! `dgt_bus/README.md#8` and `dgt_bus/README.md#9`).
//!
//! ```text
//!  up ── 87 to each expected board ── rounds: 8a to each found one, 87 to all, 1.5 s of listening ── polling
//!
//!  polling, the board whose turn is longest ago:  83 (84 if lost)  81  81 of one that is short of time  what else is wanted
//! ```
//!
//! As a driver it owns no link and reads no clock. Whoever runs it feeds one [`LineInput`] with its time, drains
//! [`Line::poll`], and feeds [`LineInput::Deadline`] at [`Line::deadline`], after every input of the same moment. It sends only
//! then, so the order of what it does depends on the bytes and not on how they were cut.
//!
//! | file | for |
//! | --- | --- |
//! | `boards.rs` | what is known of each board, and what is wanted of it |
//! | `discover.rs` | who is there |
//! | `exchange.rs` | one question, its repetitions, its answer |
//! | `schedule.rs` | who is asked next, and what |

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::time::Duration;

use super::frame::{self, Command, Read, Reader};
use crate::event::{Anomaly, ByteRange};
use crate::time::Instant;

mod boards;
mod discover;
mod exchange;
mod schedule;

use boards::{Board, Want};
use discover::Discovery;
use exchange::{Exchange, Why};

/// More boards than any chain has: the rest is not asked.
pub const MAX_BOARDS: usize = 32;
/// A byte on the wire.
const BYTE: Duration = Duration::from_micros(1042);
/// Between an answer and the next command: the wire turns round.
const GAP: Duration = Duration::from_millis(1);
/// Brings boards back that were thrown into single-board mode; nothing to boards that were not.
const TO_BUS_MODE: u8 = 0x4a;

/// One thing that happens to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineInput<'a> {
    /// The port opened: look who is there.
    Up,
    /// The port is gone: forget everything but the expected boards.
    Down,
    /// Bytes of boards.
    Bytes(&'a [u8]),
    /// The moment named by [`Line::deadline`] has come.
    Deadline,
    /// This board is expected from now on. Unless it answers already it is told as [`LineOutput::Silent`], and tried.
    Expect(u16),
    /// This board is not expected any more. While it answers it is asked all the same.
    Dismiss(u16),
    /// The driver of a board wants this question asked: a whole command frame. Only questions are taken, and only to that board.
    Request {
        /// Whose driver.
        address: u16,
        /// What it sent.
        command: [u8; 4],
    },
}

/// One thing a line wants done or known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutput {
    /// Write these bytes.
    Send(Vec<u8>),
    /// A board answered: one whole good reply frame, for its driver.
    Frame {
        /// Which board.
        address: u16,
        /// The frame as it came.
        bytes: Vec<u8>,
    },
    /// A board answers, again or for the first time.
    Answering(u16),
    /// A board does not answer; it is tried once a cycle.
    Silent(u16),
    /// A board that was not known before.
    Found(u16),
    /// Something was not as it should be: counted.
    Anomaly {
        /// The board that was being asked, 0 if none was.
        address: u16,
        /// What: [`Anomaly::Retried`] = asked again, [`Anomaly::Unasked`] = an answer from another board or to nothing,
        /// [`Anomaly::BadField`] = a wrong sum, or a request that is not taken.
        anomaly: Anomaly,
        /// The bytes that were wrong.
        bytes: ByteRange,
    },
}

/// What the line is doing.
#[derive(Debug, Default)]
enum Phase {
    #[default]
    Down,
    Discover(Discovery),
    Poll,
}

/// The master of one line. Everything it holds is bounded by [`MAX_BOARDS`] and one reply.
#[derive(Debug)]
pub struct Line {
    expected: Vec<u16>,
    boards: Vec<Board>,
    phase: Phase,
    reader: Reader,
    /// The time of the last byte.
    touched: Instant,
    exchange: Option<Exchange>,
    free: Instant,
    /// Another look who is there is due, because nobody was; or the boards are to be called back to bus mode.
    again: Option<Instant>,
    last_check: Instant,
    /// When a log was over that kept the line for long.
    logged: Option<Instant>,
    /// What the pair in hand still asks, last first.
    steps: Vec<(u16, Command, Why)>,
    out: VecDeque<LineOutput>,
    now: Instant,
}

impl Line {
    /// A line on which these boards are expected: address 0 and what is beyond [`MAX_BOARDS`] is left out.
    pub fn new(expected: &[u16]) -> Line {
        let mut line = Line {
            expected: Vec::new(),
            boards: Vec::new(),
            phase: Phase::Down,
            reader: Reader::default(),
            touched: Instant::ZERO,
            exchange: None,
            free: Instant::ZERO,
            again: None,
            last_check: Instant::ZERO,
            logged: None,
            steps: Vec::new(),
            out: VecDeque::new(),
            now: Instant::ZERO,
        };
        expected.iter().for_each(|address| line.expect(Instant::ZERO, *address));
        line
    }

    /// Takes one input. Never panics, whatever the bytes.
    pub fn handle(&mut self, at: Instant, input: LineInput<'_>) {
        self.now = self.now.max(at);
        match input {
            LineInput::Up => self.start(at),
            LineInput::Down => {
                self.phase = Phase::Down;
                self.clear();
                self.boards.clear();
            }
            LineInput::Bytes(bytes) => self.handle_bytes(at, bytes),
            LineInput::Deadline => self.handle_deadline(at),
            LineInput::Expect(address) => self.expect(at, address),
            LineInput::Dismiss(address) => self.dismiss(address),
            LineInput::Request { address, command } => self.handle_request(address, command),
        }
    }

    /// The next output; `None` when all are drained.
    pub fn poll(&mut self) -> Option<LineOutput> {
        self.out.pop_front()
    }

    /// When the line wants [`LineInput::Deadline`].
    pub fn deadline(&self) -> Option<Instant> {
        let deadline = match (&self.phase, &self.exchange) {
            (Phase::Down, _) => None,
            (_, Some(exchange)) => Some(self.ends(exchange)),
            (Phase::Discover(discovery), None) => Some(discovery.listens().unwrap_or(self.free)),
            (Phase::Poll, None) => self.next_turn(),
        };
        deadline.map(|deadline| deadline.max(self.now))
    }

    /// Addresses of the boards that are known, answering or not, in the order in which they were found.
    pub fn boards(&self) -> impl Iterator<Item = u16> + '_ {
        self.boards.iter().map(|board| board.address)
    }

    /// Whether it is known who is there, and the boards are polled.
    pub const fn polling(&self) -> bool {
        matches!(self.phase, Phase::Poll)
    }

    fn start(&mut self, at: Instant) {
        self.clear();
        self.boards.clear();
        (self.free, self.again, self.logged) = (at, None, None);
        self.last_check = at;
        self.phase = Phase::Discover(Discovery::new(&self.expected));
    }

    fn clear(&mut self) {
        self.reader.give_up();
        self.exchange = None;
        self.steps.clear();
    }

    fn board(&mut self, address: u16) -> Option<&mut Board> {
        self.boards.iter_mut().find(|board| board.address == address)
    }

    fn handle_request(&mut self, address: u16, bytes: [u8; 4]) {
        let want = match frame::command(&bytes) {
            Some((command, to)) if to == address => Want::for_command(command),
            _ => None,
        };
        let Some(want) = want else {
            return self.anomaly(address, Anomaly::BadField, self.here());
        };
        if let Some(board) = self.board(address) {
            board.want(want);
        }
    }

    fn handle_bytes(&mut self, at: Instant, bytes: &[u8]) {
        if matches!(self.phase, Phase::Down) {
            return;
        }
        for &byte in bytes {
            self.touched = at;
            match self.reader.push(byte) {
                None => {}
                Some(Read::Frame(frame, range)) => {
                    let frame = frame.to_vec();
                    self.handle_frame(at, frame, range);
                }
                Some(Read::Anomaly(anomaly, range)) => self.report_broken(anomaly, range),
            }
        }
    }

    fn report_broken(&mut self, anomaly: Anomaly, range: ByteRange) {
        let address = self.exchange.as_ref().map_or(0, |exchange| exchange.address);
        self.anomaly(address, anomaly, range);
        if let Some(exchange) = &mut self.exchange {
            exchange.heard = true;
        }
        if let Phase::Discover(discovery) = &mut self.phase {
            discovery.record_garbage();
        }
    }

    fn handle_deadline(&mut self, at: Instant) {
        if let Some(exchange) = &self.exchange {
            if self.ends(exchange) > at {
                return;
            }
            if let Some(range) = self.reader.give_up() {
                self.report_broken(Anomaly::Stalled, range);
            }
            return self.handle_no_answer(at);
        }
        match self.phase {
            Phase::Down => {}
            Phase::Discover(_) => self.discover(at),
            Phase::Poll => self.ask_next(at),
        }
    }

    fn send(&mut self, bytes: &[u8]) {
        self.out.push_back(LineOutput::Send(bytes.to_vec()));
    }

    fn anomaly(&mut self, address: u16, anomaly: Anomaly, bytes: ByteRange) {
        self.out.push_back(LineOutput::Anomaly { address, anomaly, bytes });
    }

    fn here(&self) -> ByteRange {
        ByteRange { channel: 0, start: self.reader.offset(), end: self.reader.offset() }
    }
}

/// So many bytes on the wire.
const fn wire_time(bytes: usize) -> Duration {
    BYTE.saturating_mul(bytes as u32)
}
