//! Splits the text of a Certabo or Tabutronic board into frames of numbers, and continues correctly after lost bytes
//! (`certabo/README.md#2.1`).
//!
//! A frame begins with `:`. It ends with the next `:`, with `L` or `D`, with the space after its last number, or with silence
//! after its last number. It never ends with a line end, because line ends occur anywhere, and never with a digit, because
//! another digit may follow. An invalid frame is dropped with all following bytes up to the next `:`.

use core::time::Duration;

use crate::event::{Anomaly, ByteRange};

/// The length of a frame of a board with tags, in numbers: five for each square.
pub const TAG_NUMBERS: usize = 320;
/// The length of a frame of a board that senses occupied squares, in numbers: one for each rank.
pub const RANK_NUMBERS: usize = 8;
/// The largest number of bytes that are reported as one anomaly. It is about the length of the longest frame.
const MAX_JUNK: u64 = 1280;
/// The silence after which the last number counts as complete.
const IDLE: Duration = Duration::from_millis(100);
/// The silence after which an incomplete frame is dropped.
const STALL: Duration = Duration::from_millis(500);

/// The form of a board's frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A tag of five numbers for each square.
    Tags,
    /// A number for each rank, with a bit for each square.
    Occupancy,
}

impl Form {
    /// Returns the number of numbers in a frame.
    pub const fn numbers(self) -> usize {
        match self {
            Form::Tags => TAG_NUMBERS,
            Form::Occupancy => RANK_NUMBERS,
        }
    }
}

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// A frame.
    Frame {
        /// Its numbers, as many as its [`Form`] has.
        numbers: &'a [u8],
        /// The bytes of the frame, including its `:` and the characters around its numbers.
        at: ByteRange,
    },
    /// Bytes that are no frame.
    Anomaly {
        /// The error.
        anomaly: Anomaly,
        /// The bytes that were wrong.
        at: ByteRange,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// No byte is in the buffer.
    Between,
    /// Part of a frame.
    Frame,
    /// Bytes that belong to no frame, and the reason.
    Junk(Anomaly),
}

/// Finds the frames of one board. It holds at most one frame and has no clock: the caller calls [`Framing::silence`].
#[derive(Clone, Debug)]
pub struct Framing {
    form: Form,
    /// The number of bytes since the start.
    offset: u64,
    /// The start of the buffered bytes.
    start: u64,
    state: State,
    numbers: [u8; TAG_NUMBERS],
    len: usize,
    /// The incomplete number.
    number: Option<u8>,
}

impl Framing {
    /// Creates a framing without bytes.
    pub const fn new(form: Form) -> Framing {
        Framing { form, offset: 0, start: 0, state: State::Between, numbers: [0; TAG_NUMBERS], len: 0, number: None }
    }

    /// Reads one byte. Returns what it completed or broke, at most one result.
    pub fn push(&mut self, byte: u8) -> Option<Framed<'_>> {
        let here = self.offset;
        self.offset += 1;
        match (byte, self.state) {
            (b'\r' | b'\n' | b'*', _) => None,
            (b':', _) => {
                let (form, start, state) = (self.form, self.start, self.state);
                self.end_number();
                let whole = self.len == form.numbers();
                (self.start, self.state, self.len, self.number) = (here, State::Frame, 0, None);
                self.outcome(state, whole, range(start, here))
            }
            (b'L' | b'D' | b' ', State::Between) => None,
            (b'L' | b'D', State::Frame) => self.close(here, Anomaly::Truncated),
            (b' ', State::Frame) => {
                self.end_number();
                if self.len == self.form.numbers() { self.close(self.offset, Anomaly::Truncated) } else { None }
            }
            (b'0'..=b'9', State::Frame) => {
                let number = self.number.unwrap_or(0).checked_mul(10).and_then(|tens| tens.checked_add(byte - b'0'));
                self.number = number;
                if number.is_none() {
                    self.state = State::Junk(Anomaly::BadField);
                }
                None
            }
            // Boards insert these bytes into their text by Bluetooth LE. They are counted, and the frame goes on.
            (0..b' ' | 0x7f | 0xff, State::Frame | State::Between) => {
                Some(Framed::Anomaly { anomaly: Anomaly::StrayByte, at: range(here, self.offset) })
            }
            (_, State::Between) => {
                (self.start, self.state) = (here, State::Junk(Anomaly::StrayByte));
                None
            }
            (_, State::Frame) => {
                self.state = State::Junk(Anomaly::BadField);
                None
            }
            (_, State::Junk(anomaly)) => {
                let start = self.start;
                if self.offset - start < MAX_JUNK {
                    return None;
                }
                (self.start, self.state) = (self.offset, State::Junk(Anomaly::StrayByte));
                Some(Framed::Anomaly { anomaly, at: range(start, self.offset) })
            }
        }
    }

    /// Ends the number. A complete frame accepts no more numbers, because it is closed then.
    const fn end_number(&mut self) {
        if let Some(number) = self.number.take()
            && self.len < self.form.numbers()
        {
            self.numbers[self.len] = number;
            self.len += 1;
        }
    }

    /// Ends the buffered bytes. An incomplete frame becomes the anomaly `otherwise`.
    fn close(&mut self, end: u64, otherwise: Anomaly) -> Option<Framed<'_>> {
        self.end_number();
        let whole = self.len == self.form.numbers();
        let state = if self.state == State::Frame && !whole { State::Junk(otherwise) } else { self.state };
        let at = range(self.start, end);
        self.reset();
        self.outcome(state, whole, at)
    }

    /// Returns the result of the buffered bytes.
    fn outcome(&self, state: State, whole: bool, at: ByteRange) -> Option<Framed<'_>> {
        match state {
            State::Frame if whole => Some(Framed::Frame { numbers: &self.numbers[..self.form.numbers()], at }),
            State::Frame => Some(Framed::Anomaly { anomaly: Anomaly::Truncated, at }),
            // Such a run may have been reported up to its end already.
            State::Junk(anomaly) => (at.start < at.end).then_some(Framed::Anomaly { anomaly, at }),
            State::Between => None,
        }
    }

    /// Forgets the buffered bytes.
    pub const fn reset(&mut self) {
        (self.state, self.len, self.number) = (State::Between, 0, None);
    }

    /// Returns the time of silence after which [`Framing::silence`] is due; `None` while the buffer is empty.
    pub fn patience(&self) -> Option<Duration> {
        match self.state {
            State::Between => None,
            State::Frame if self.number.is_some() && self.len + 1 == self.form.numbers() => Some(IDLE),
            State::Frame | State::Junk(_) => Some(STALL),
        }
    }

    /// Handles silence of the length [`Framing::patience`]: a frame that only waits for its end is complete, and anything else
    /// is given up.
    pub fn silence(&mut self) -> Option<Framed<'_>> {
        self.close(self.offset, Anomaly::Stalled)
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }
}

const fn range(start: u64, end: u64) -> ByteRange {
    ByteRange { channel: 0, start, end }
}
