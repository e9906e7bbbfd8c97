//! Controls a whole line of boards as its master. Only the master sends without a question, and to one board at a time
//! (`dgt_bus/README.md#7`, `dgt_bus/README.md#8` and `dgt_bus/README.md#9`).
//!
//! ```text
//!  up ── 87 to each expected board ── rounds: 8a to each found one, 87 to all, 1.5 s of listening ── polling
//!
//!  polling, the board whose turn is longest ago:  83 (84 if lost)  81  81 of a board short of time  other questions
//! ```
//!
//! Like a driver it owns no link and reads no clock. The caller feeds one [`LineInput`] with its time, drains [`Line::poll`],
//! and feeds [`LineInput::Deadline`] at [`Line::deadline`], after every input of the same moment. The line sends only at
//! deadlines, so the order of its actions depends on the bytes and not on how they were cut.
//!
//! | file | for |
//! | --- | --- |
//! | `boards.rs` | the state of each board, and the questions that wait for it |
//! | `discover.rs` | finds the boards on the line |
//! | `exchange.rs` | one question, its repetitions and its answer |
//! | `schedule.rs` | chooses the next board and question |

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

/// The largest number of boards on a line. This is more than any line has. Further boards are not asked.
pub const MAX_BOARDS: usize = 32;
/// The time of one byte on the wire.
const BYTE: Duration = Duration::from_micros(1042);
/// The gap between an answer and the next command.
const GAP: Duration = Duration::from_millis(1);
/// The command that switches boards from single-board mode to bus mode. It has no effect on boards in bus mode.
const TO_BUS_MODE: u8 = 0x4a;

/// One input to a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineInput<'a> {
    /// The port opened: the line searches for its boards.
    Up,
    /// The port is gone: the line forgets everything except the expected boards.
    Down,
    /// Bytes from boards.
    Bytes(&'a [u8]),
    /// The moment named by [`Line::deadline`] has come.
    Deadline,
    /// This board is expected from now on. Unless it already answers, it is reported as [`LineOutput::Silent`] and tried.
    Expect(u16),
    /// This board is not expected any more. While it answers, it is still asked.
    Dismiss(u16),
    /// The driver of a board sends this question: a whole command frame. Only questions to that board are accepted.
    Request {
        /// The address of the driver's board.
        address: u16,
        /// The command frame.
        command: [u8; 4],
    },
}

/// One output of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineOutput {
    /// Write these bytes.
    Send(Vec<u8>),
    /// A board answered: one whole good reply frame for its driver.
    Frame {
        /// The address of the board.
        address: u16,
        /// The frame as received.
        bytes: Vec<u8>,
    },
    /// A board answers, again or for the first time.
    Answering(u16),
    /// A board does not answer. It is tried once a cycle.
    Silent(u16),
    /// A new board was found.
    Found(u16),
    /// The input was not as it should be. This is counted.
    Anomaly {
        /// The board that was being asked; 0 if no board was.
        address: u16,
        /// The error: [`Anomaly::Retried`] = asked again, [`Anomaly::Unasked`] = an answer from another board or without a
        /// question, [`Anomaly::BadField`] = a wrong sum, or a refused request.
        anomaly: Anomaly,
        /// The bytes that were wrong.
        bytes: ByteRange,
    },
}

/// The phase of the line.
#[derive(Debug, Default)]
enum Phase {
    #[default]
    Down,
    Discover(Discovery),
    Poll,
}

/// The master of one line. Its memory is bounded by [`MAX_BOARDS`] and one reply.
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
    /// The time of the next search or of the next call back to bus mode, while no board answers.
    again: Option<Instant>,
    last_check: Instant,
    /// The end of a log that occupied the line for long.
    logged: Option<Instant>,
    /// The remaining questions of the present turn, in reverse order.
    steps: Vec<(u16, Command, Why)>,
    out: VecDeque<LineOutput>,
    now: Instant,
}

impl Line {
    /// Creates a line on which these boards are expected. Address 0 and boards after [`MAX_BOARDS`] are left out.
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

    /// Handles one input. It never panics, whatever the bytes are.
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

    /// Returns the next output, or `None` when all are drained.
    pub fn poll(&mut self) -> Option<LineOutput> {
        self.out.pop_front()
    }

    /// Returns the time at which the line needs [`LineInput::Deadline`].
    pub fn deadline(&self) -> Option<Instant> {
        let deadline = match (&self.phase, &self.exchange) {
            (Phase::Down, _) => None,
            (_, Some(exchange)) => Some(self.ends(exchange)),
            (Phase::Discover(discovery), None) => Some(discovery.listens().unwrap_or(self.free)),
            (Phase::Poll, None) => self.next_turn(),
        };
        deadline.map(|deadline| deadline.max(self.now))
    }

    /// Returns the addresses of all known boards, answering or not, in the order in which they were found.
    pub fn boards(&self) -> impl Iterator<Item = u16> + '_ {
        self.boards.iter().map(|board| board.address)
    }

    /// Returns whether the search is over and the boards are polled.
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
            exchange.answered = true;
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

/// Returns the time of this number of bytes on the wire.
const fn wire_time(bytes: usize) -> Duration {
    BYTE.saturating_mul(bytes as u32)
}
