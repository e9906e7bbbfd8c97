//! Splits the text between a Millennium board and its host into messages, in both directions, checks their check digits, and
//! continues correctly after lost bytes (`chesslink/README.md#2`).
//!
//! The first letter determines the length. A message with an impossible letter or wrong check digits is dropped from its first
//! byte to the next one with which a message may begin. So lost bytes in one message do not cost another message.

use alloc::vec::Vec;

use crate::event::{Anomaly, ByteRange};

/// The longest message of either side, in bytes: the command for lights.
pub const MAX_MESSAGE: usize = 167;

/// The side that sends the bytes: the board or the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// Replies and reports.
    Board,
    /// Commands.
    Host,
}

impl Speaker {
    /// Returns the length of a message with this first letter, including the check digits; `None` if no message begins with it.
    pub const fn length(self, letter: u8) -> Option<usize> {
        Some(match (self, letter) {
            (Speaker::Board, b'v' | b'r' | b'w') => 7,
            (Speaker::Board, b's') => 67,
            (Speaker::Board, b'l' | b'x') => 3,
            (Speaker::Host, b'V' | b'S' | b'X' | b'T' | b'G') => 3,
            (Speaker::Host, b'R' | b'I') => 5,
            (Speaker::Host, b'W') => 7,
            (Speaker::Host, b'L') => MAX_MESSAGE,
            _ => return None,
        })
    }

    /// Returns whether `letter` is valid at `place` (1 = after the first letter) in a message that begins with `first` and has
    /// the length `total`.
    const fn fits(first: u8, total: usize, place: usize, letter: u8) -> bool {
        if first == b's' && place < total - 2 { is_square(letter) } else { digit(letter).is_some() }
    }

    /// Returns whether these bytes may begin a message. A complete message returns false.
    fn begins(self, bytes: &[u8]) -> bool {
        let Some(total) = bytes.first().and_then(|letter| self.length(*letter)) else { return false };
        bytes.len() < total && (1..bytes.len()).all(|place| Speaker::fits(bytes[0], total, place, bytes[place]))
    }
}

/// Returns whether the letter is valid for a square: a letter of a FEN, `.` or `?`.
const fn is_square(letter: u8) -> bool {
    matches!(letter, b'P' | b'N' | b'B' | b'R' | b'Q' | b'K' | b'p' | b'n' | b'b' | b'r' | b'q' | b'k' | b'.' | b'?')
}

/// Returns the XOR of the text.
pub fn check(text: &[u8]) -> u8 {
    text.iter().fold(0, |check, letter| check ^ (letter & 0x7f))
}

/// Returns two digits as the boards write them.
pub const fn digits(value: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    [DIGITS[(value >> 4) as usize], DIGITS[(value & 15) as usize]]
}

/// Returns the value of two digits; `None` if one is not a digit.
pub const fn value(digits: [u8; 2]) -> Option<u8> {
    match (digit(digits[0]), digit(digits[1])) {
        (Some(high), Some(low)) => Some(high << 4 | low),
        _ => None,
    }
}

const fn digit(letter: u8) -> Option<u8> {
    match letter {
        b'0'..=b'9' => Some(letter - b'0'),
        b'A'..=b'F' => Some(letter - b'A' + 10),
        _ => None,
    }
}

/// Returns the letter with odd parity in bit 7.
pub const fn with_parity(letter: u8) -> u8 {
    let plain = letter & 0x7f;
    if plain.count_ones().is_multiple_of(2) { plain | 0x80 } else { plain }
}

/// Appends `text` and its check digits, without parity.
pub fn push(out: &mut Vec<u8>, text: &[u8]) {
    out.extend_from_slice(text);
    out.extend_from_slice(&digits(check(text)));
}

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// A message with good check digits. The text has no check digits and no parity.
    Message {
        /// Its text.
        text: &'a [u8],
        /// The bytes of the message, including the check digits.
        at: ByteRange,
    },
    /// Bytes that are no message.
    Anomaly {
        /// The error.
        anomaly: Anomaly,
        /// The bytes that were wrong.
        at: ByteRange,
    },
}

/// Finds the messages of one side. It holds at most one message and has no clock: the caller calls [`Framing::stall`].
#[derive(Clone, Debug)]
pub struct Framing {
    speaker: Speaker,
    /// The number of bytes since the start.
    offset: u64,
    /// Without parity.
    held: [u8; MAX_MESSAGE],
    len: usize,
    /// The buffer holds a message that has been returned already.
    given: bool,
}

impl Framing {
    /// Creates a framing without bytes.
    pub const fn new(speaker: Speaker) -> Framing {
        Framing { speaker, offset: 0, held: [0; MAX_MESSAGE], len: 0, given: false }
    }

    /// Reads one byte. Returns what it completed or broke, at most one result.
    pub fn push(&mut self, byte: u8) -> Option<Framed<'_>> {
        if self.given {
            self.reset();
        }
        let start = self.start();
        let letter = byte & 0x7f;
        self.offset += 1;
        self.held[self.len] = letter;
        self.len += 1;
        let first = self.held[0];
        let Some(total) = self.speaker.length(first) else {
            self.reset();
            return Some(Framed::Anomaly { anomaly: Anomaly::StrayByte, at: range(start, self.offset) });
        };
        if self.len > 1 && !Speaker::fits(first, total, self.len - 1, letter) {
            return Some(self.give_up(Anomaly::Truncated, start));
        }
        if self.len < total {
            return None;
        }
        let text = &self.held[..total - 2];
        if self.held[total - 2..total] != digits(check(text)) {
            return Some(self.give_up(Anomaly::BadField, start));
        }
        self.given = true;
        Some(Framed::Message { text: &self.held[..total - 2], at: range(start, self.offset) })
    }

    /// Drops the buffered bytes up to the next one with which a message may begin. A complete message inside them is ignored:
    /// only a board position that ends with `rBBBB` could contain one, and then it is not a real message.
    fn give_up(&mut self, anomaly: Anomaly, start: u64) -> Framed<'static> {
        let held = &self.held[..self.len];
        let dropped = (1..self.len).find(|&from| self.speaker.begins(&held[from..])).unwrap_or(self.len);
        self.held.copy_within(dropped..self.len, 0);
        self.len -= dropped;
        Framed::Anomaly { anomaly, at: range(start, start + dropped as u64) }
    }

    /// Forgets the incomplete message.
    pub const fn reset(&mut self) {
        (self.len, self.given) = (0, false);
    }

    /// Gives up the incomplete message, if there is one: [`Anomaly::Stalled`].
    pub fn stall(&mut self) -> Option<Framed<'static>> {
        let stalled = self.holds().then(|| Framed::Anomaly { anomaly: Anomaly::Stalled, at: range(self.start(), self.offset) });
        self.reset();
        stalled
    }

    /// Returns whether an incomplete message is in the buffer.
    pub const fn holds(&self) -> bool {
        self.len > 0 && !self.given
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    const fn start(&self) -> u64 {
        self.offset - self.len as u64
    }
}

const fn range(start: u64, end: u64) -> ByteRange {
    ByteRange { channel: 0, start, end }
}
