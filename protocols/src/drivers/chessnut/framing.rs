//! Splits the bytes of one channel of a Chessnut board into messages, and continues correctly after lost bytes
//! (`chessnut/README.md#2`).
//!
//! There is no checksum and no start mark. Bytes that cannot be a message are dropped from the first byte to the next one with
//! which a message may begin. If a second position seems to begin inside a position, either these are the halves of two
//! positions, or the codes of the pieces look like a beginning. The following bytes decide: another position, or half a second
//! of silence, confirms the first one. So a few positions are reported late: those with a black queen, no piece, a black pawn
//! and the black king on h g f e of a rank, or the same shifted by two files.

use super::message::{Message, SQUARES, Shape, is_position, is_squares, shape};
use crate::event::{Anomaly, ByteRange};

/// The longest message, in bytes: the list of all pieces of a Move.
pub const MAX_MESSAGE: usize = 139;

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed {
    /// A message. The codes of a position are valid piece codes.
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

/// Finds the messages of one channel. It has no clock: the caller calls [`Framing::stall`] after half a second of silence.
#[derive(Clone, Debug)]
pub struct Framing {
    channel: u8,
    /// The number of bytes since the start.
    offset: u64,
    held: [u8; MAX_MESSAGE],
    len: usize,
}

impl Framing {
    /// Creates a framing for this channel without bytes.
    pub const fn new(channel: u8) -> Framing {
        Framing { channel, offset: 0, held: [0; MAX_MESSAGE], len: 0 }
    }

    /// Reads one byte. `take` receives what it completed or broke.
    pub fn push(&mut self, byte: u8, take: &mut dyn FnMut(Framed)) {
        self.offset += 1;
        // The buffer has room, because a message of its full length is removed at once.
        self.held[self.len] = byte;
        self.len += 1;
        while let Some(framed) = self.next_result(false) {
            take(framed);
        }
    }

    /// Ends the waiting for more bytes, and gives up the incomplete message, if there is one ([`Anomaly::Stalled`]).
    pub fn stall(&mut self, take: &mut dyn FnMut(Framed)) {
        while let Some(framed) = self.next_result(true) {
            take(framed);
        }
        if self.len > 0 {
            take(self.drop(Anomaly::Stalled, self.len));
        }
    }

    /// Forgets the buffered bytes.
    pub const fn reset(&mut self) {
        self.len = 0;
    }

    /// Returns whether bytes are in the buffer.
    pub const fn holds(&self) -> bool {
        self.len > 0
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn next_result(&mut self, quiet: bool) -> Option<Framed> {
        let held = &self.held[..self.len];
        let total = match shape(self.channel, held) {
            Shape::Part => return None,
            Shape::No { known } => {
                let next = (1..self.len).find(|&from| !matches!(shape(self.channel, &held[from..]), Shape::No { .. }));
                let anomaly = if known { Anomaly::BadLength } else { Anomaly::StrayByte };
                return Some(self.drop(anomaly, next.unwrap_or(self.len)));
            }
            Shape::Whole(total) => total,
        };
        if held[0] == 0x01 {
            let inner = (1..total).find(|&from| begins(&held[from..], held[1]));
            if !held[2..2 + SQUARES].iter().copied().all(is_squares) {
                return Some(self.drop(Anomaly::BadField, inner.unwrap_or(total)));
            }
            if let Some(inner) = inner {
                match held[total..] {
                    [] | [0x01] if !quiet => return None,
                    [] | [0x01] => {}
                    [0x01, length, ..] if is_position(length) => {}
                    _ => return Some(self.drop(Anomaly::Truncated, inner)),
                }
            }
        }
        let at = self.first_range(total);
        let message = Message::decode(&held[..total]);
        self.remove(total);
        // Every complete shape is a message.
        Some(message.map_or(Framed::Anomaly { anomaly: Anomaly::UnknownMessage, at }, |message| Framed::Message { message, at }))
    }

    fn drop(&mut self, anomaly: Anomaly, count: usize) -> Framed {
        let at = self.first_range(count);
        self.remove(count);
        Framed::Anomaly { anomaly, at }
    }

    const fn first_range(&self, count: usize) -> ByteRange {
        let start = self.offset - self.len as u64;
        ByteRange { channel: self.channel, start, end: start + count as u64 }
    }

    fn remove(&mut self, count: usize) {
        self.held.copy_within(count..self.len, 0);
        self.len -= count;
    }
}

/// Returns whether a position of this length may begin with these bytes. A board sends all positions with the same length.
fn begins(bytes: &[u8], length: u8) -> bool {
    bytes.first() == Some(&0x01)
        && bytes.get(1).is_none_or(|other| *other == length)
        && bytes.iter().skip(2).take(SQUARES).copied().all(is_squares)
}
