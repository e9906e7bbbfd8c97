//! Cuts the text of a board into frames of numbers, and finds the way back after lost bytes (`certabo/README.md#2.1`).
//!
//! A frame begins with `:` and ends with the next `:`, with `L` or `D`, with the space behind its last number, or with silence
//! behind its last number; never with a line end, for those stand anywhere, and never with a digit, for another may follow. A
//! frame that cannot be is given up with all that follows it up to the next `:`.

use core::time::Duration;

use crate::event::{Anomaly, ByteRange};

/// Numbers of a board with tags: five for each square.
pub const TAG_NUMBERS: usize = 320;
/// Numbers of a board that senses where something stands: one for each rank.
pub const RANK_NUMBERS: usize = 8;
/// So long a run of bytes that are no frame is told as one; it is about as long as a frame can be.
const MAX_JUNK: u64 = 1280;
/// Silence after which the last number has no more digits.
const IDLE: Duration = Duration::from_millis(100);
/// An incomplete frame is given up after this much silence.
const STALL: Duration = Duration::from_millis(500);

/// What the frames of a board are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A tag of five numbers for each square.
    Tags,
    /// A number for each rank, a bit for each square.
    Occupancy,
}

impl Form {
    /// How many numbers a frame has.
    pub const fn numbers(self) -> usize {
        match self {
            Form::Tags => TAG_NUMBERS,
            Form::Occupancy => RANK_NUMBERS,
        }
    }
}

/// One thing found in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// A frame.
    Frame {
        /// Its numbers, as many as its [`Form`] has.
        numbers: &'a [u8],
        /// Where it stood, its `:` and what is around its numbers included.
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
    /// Nothing is in hand.
    Between,
    /// Part of a frame.
    Frame,
    /// Bytes that belong to nothing, and why.
    Junk(Anomaly),
}

/// Finds the frames of one board. It holds at most one, and knows no time: who runs it calls [`Framing::silence`].
#[derive(Clone, Debug)]
pub struct Framing {
    form: Form,
    /// The number of bytes since the start.
    offset: u64,
    /// Where begins what is in hand.
    start: u64,
    state: State,
    numbers: [u8; TAG_NUMBERS],
    len: usize,
    /// The number in hand.
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
            // Boards put these into their text by Bluetooth LE; they are counted, and the frame goes on.
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

    /// The number in hand has no more digits. A frame that is whole takes no more: it is closed then.
    const fn end_number(&mut self) {
        if let Some(number) = self.number.take()
            && self.len < self.form.numbers()
        {
            self.numbers[self.len] = number;
            self.len += 1;
        }
    }

    /// Ends what is in hand; a frame that is not whole is `otherwise`.
    fn close(&mut self, end: u64, otherwise: Anomaly) -> Option<Framed<'_>> {
        self.end_number();
        let whole = self.len == self.form.numbers();
        let state = if self.state == State::Frame && !whole { State::Junk(otherwise) } else { self.state };
        let at = range(self.start, end);
        self.reset();
        self.outcome(state, whole, at)
    }

    /// What became of what was in hand.
    fn outcome(&self, state: State, whole: bool, at: ByteRange) -> Option<Framed<'_>> {
        match state {
            State::Frame if whole => Some(Framed::Frame { numbers: &self.numbers[..self.form.numbers()], at }),
            State::Frame => Some(Framed::Anomaly { anomaly: Anomaly::Truncated, at }),
            // Such a run may have been told up to its end.
            State::Junk(anomaly) => (at.start < at.end).then_some(Framed::Anomaly { anomaly, at }),
            State::Between => None,
        }
    }

    /// Forgets what is in hand.
    pub const fn reset(&mut self) {
        (self.state, self.len, self.number) = (State::Between, 0, None);
    }

    /// After how much silence [`Framing::silence`] is due; none while nothing is in hand.
    pub fn patience(&self) -> Option<Duration> {
        match self.state {
            State::Between => None,
            State::Frame if self.number.is_some() && self.len + 1 == self.form.numbers() => Some(IDLE),
            State::Frame | State::Junk(_) => Some(STALL),
        }
    }

    /// Nothing came for [`Framing::patience`]: a frame that waits only for its end is whole, anything else is given up.
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
