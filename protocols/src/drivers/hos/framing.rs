//! Splits the bytes of a HoS board into messages. Reports by cable have a fixed length, and texts by radio end with a comma.
//!
//! The form must be known before: the digits of a text are valid piece codes, so after a stray 00 a text would be read as
//! squares.

use alloc::vec::Vec;

use crate::event::{Anomaly, ByteRange};

/// The longest message, in bytes: a text with 00 before it, and its comma.
pub const MAX_MESSAGE: usize = 67;

/// One message of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// All squares, two per byte, see [`placement`](super::placement).
    Board([u8; 32]),
    /// Hours, minutes and seconds of the left and the right side, as received.
    Clock([u8; 6]),
    /// "FF…,": a text that does not report the squares.
    OtherText,
}

impl Message {
    /// Appends the report by cable. A text of unknown layout appends nothing.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Message::Board(codes) => {
                out.push(0x00);
                out.extend_from_slice(codes);
            }
            Message::Clock(bytes) => {
                out.extend_from_slice(&[0x00, 0xff, 0xca]);
                out.extend_from_slice(bytes);
            }
            Message::OtherText => {}
        }
    }

    /// Appends the text of the squares. Other messages append nothing.
    pub fn encode_text(&self, out: &mut Vec<u8>) {
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        if let Message::Board(codes) = self {
            out.extend(codes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]));
            out.push(b',');
        }
    }

    /// Returns the message of a text without its comma.
    fn from_text(text: &[u8]) -> Option<Message> {
        if text.starts_with(b"FF") {
            return Some(Message::OtherText);
        }
        let digits = if text.len() == 66 { text.strip_prefix(b"00")? } else { text };
        let mut codes = [0; 32];
        if digits.len() != 64 {
            return None;
        }
        for (byte, pair) in codes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Message::Board(codes))
    }
}

fn digit(letter: u8) -> Option<u8> {
    char::from(letter).to_digit(16).map(|value| value as u8)
}

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed {
    /// A complete message. Its codes may be wrong.
    Message {
        /// The message.
        message: Message,
        /// The bytes of the message.
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

/// The form of a board's messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Texts.
    Radio,
    /// Reports, each with its number 00 before it.
    Cable,
}

/// Finds the messages of the board. It holds at most one message and has no clock: the caller calls [`Framing::stall`].
#[derive(Clone, Debug)]
pub struct Framing {
    form: Form,
    /// The number of bytes since the start.
    offset: u64,
    held: [u8; MAX_MESSAGE],
    len: usize,
}

impl Framing {
    /// Creates a framing without bytes.
    pub const fn new(form: Form) -> Framing {
        Framing { form, offset: 0, held: [0; MAX_MESSAGE], len: 0 }
    }

    /// Reads one byte. Returns what it completed or broke, at most one result.
    pub fn push(&mut self, byte: u8) -> Option<Framed> {
        let start = self.offset - self.len as u64;
        self.offset += 1;
        self.held[self.len] = byte;
        self.len += 1;
        let held = &self.held[..self.len];
        let found = match (self.form, held) {
            (Form::Cable, [0x00, 0xff, 0xca, rest @ ..]) => Ok(rest.try_into().ok().map(Message::Clock)),
            (Form::Cable, [0x00, 0xff, _, ..]) => Err(Anomaly::UnknownMessage),
            (Form::Cable, [0x00, rest @ ..]) => Ok(rest.try_into().ok().map(Message::Board)),
            (Form::Cable, _) => Err(Anomaly::StrayByte),
            (Form::Radio, [text @ .., b',']) => Message::from_text(text).map(Some).ok_or(Anomaly::BadLength),
            (Form::Radio, [.., last]) if digit(*last).is_none() => Err(Anomaly::StrayByte),
            (Form::Radio, _) if self.len == MAX_MESSAGE => Err(Anomaly::BadLength),
            (Form::Radio, _) => Ok(None),
        };
        let at = range(start, self.offset);
        let framed = match found {
            Ok(None) => return None,
            Ok(Some(message)) => Framed::Message { message, at },
            Err(anomaly) => Framed::Anomaly { anomaly, at },
        };
        self.reset();
        Some(framed)
    }

    /// Forgets the incomplete message.
    pub const fn reset(&mut self) {
        self.len = 0;
    }

    /// Gives up the incomplete message, if there is one: [`Anomaly::Stalled`].
    pub fn stall(&mut self) -> Option<Framed> {
        let start = self.offset - self.len as u64;
        let stalled = self.holds().then(|| Framed::Anomaly { anomaly: Anomaly::Stalled, at: range(start, self.offset) });
        self.reset();
        stalled
    }

    /// Returns whether an incomplete message is in the buffer.
    pub const fn holds(&self) -> bool {
        self.len > 0
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }
}

const fn range(start: u64, end: u64) -> ByteRange {
    ByteRange { channel: 0, start, end }
}
