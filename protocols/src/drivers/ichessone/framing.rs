//! Splits the bytes of an iChessOne into messages, and continues correctly after lost bytes: 3d always begins a message, except
//! as the percent of the battery.

use alloc::vec::Vec;

use crate::event::{Anomaly, ByteRange};

/// The longest message, in bytes: all squares.
pub const MAX_MESSAGE: usize = 34;
/// The first byte of every message.
const FIRST: u8 = 0x3d;

/// One message of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// 3d 70: all squares, two per byte, see [`placement`](super::placement).
    Board([u8; 32]),
    /// 3d 62: the battery.
    Battery {
        /// 1 charging.
        flag: u8,
        /// Percent.
        percent: u8,
    },
}

impl Message {
    /// Appends the bytes of the message.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Message::Board(codes) => {
                out.extend_from_slice(&[FIRST, 0x70]);
                out.extend_from_slice(codes);
            }
            Message::Battery { flag, percent } => out.extend_from_slice(&[FIRST, 0x62, *flag, *percent]),
        }
    }
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

/// Finds the messages of the board. It holds at most one message and has no clock: the caller calls [`Framing::stall`].
#[derive(Clone, Debug)]
pub struct Framing {
    /// The number of bytes since the start.
    offset: u64,
    held: [u8; MAX_MESSAGE],
    len: usize,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing { offset: 0, held: [0; MAX_MESSAGE], len: 0 }
    }
}

impl Framing {
    /// Reads one byte. Returns what it completed or broke, at most one result.
    pub fn push(&mut self, byte: u8) -> Option<Framed> {
        let (start, here) = (self.offset - self.len as u64, self.offset);
        self.offset += 1;
        let percent = self.len == 3 && self.held[1] == 0x62;
        if byte == FIRST && !percent {
            let broken = self.holds();
            (self.held[0], self.len) = (FIRST, 1);
            return broken.then_some(Framed::Anomaly { anomaly: Anomaly::Truncated, at: range(start, here) });
        }
        self.held[self.len] = byte;
        self.len += 1;
        let wrong = match (self.len, self.held) {
            (1, _) => Some(Anomaly::StrayByte),
            (2, [_, kind, ..]) if !matches!(kind, 0x70 | 0x62) => Some(Anomaly::UnknownMessage),
            (3, [_, 0x62, flag, ..]) if flag > 1 => Some(Anomaly::BadField),
            _ => None,
        };
        if let Some(anomaly) = wrong {
            self.reset();
            return Some(Framed::Anomaly { anomaly, at: range(start, self.offset) });
        }
        let message = match (self.len, self.held) {
            (4, [_, 0x62, flag, percent, ..]) => Message::Battery { flag, percent },
            (MAX_MESSAGE, [_, 0x70, codes @ ..]) => Message::Board(codes),
            _ => return None,
        };
        self.reset();
        Some(Framed::Message { message, at: range(start, self.offset) })
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
