//! Cuts the bytes of one channel into messages and finds the way back after lost ones (`chessnut/README.md#2`).
//!
//! There is no check and no start mark. What cannot be a message is given up from its first byte to the next one from which a
//! message may begin. A position in which another one seems to begin is two halves of two, or pieces that happen to look like
//! it: what comes next decides, a position or nothing for half a second speaking for it. So a few positions are told late: a
//! black queen, no piece, a black pawn and the black king, on h g f e of a rank or the same shifted by two files.

use super::message::{Message, SQUARES, Shape, is_position, is_squares, shape};
use crate::event::{Anomaly, ByteRange};

/// The longest message: the pieces of a Move.
pub const MAX_MESSAGE: usize = 139;

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed {
    /// A message; the codes of a position are those of pieces.
    Message {
        /// What it says.
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

/// Finds the messages of one channel. It knows no time: who runs it calls [`Framing::stall`] after half a second of silence.
#[derive(Clone, Debug)]
pub struct Framing {
    channel: u8,
    /// The number of bytes since the start.
    offset: u64,
    held: [u8; MAX_MESSAGE],
    len: usize,
}

impl Framing {
    /// Nothing was seen of this channel.
    pub const fn new(channel: u8) -> Framing {
        Framing { channel, offset: 0, held: [0; MAX_MESSAGE], len: 0 }
    }

    /// Takes one byte; `take` is given what it completed or broke.
    pub fn push(&mut self, byte: u8, take: &mut dyn FnMut(Framed)) {
        self.offset += 1;
        // There is room: a message as long as the buffer is taken out of it.
        self.held[self.len] = byte;
        self.len += 1;
        while let Some(framed) = self.settle(false) {
            take(framed);
        }
    }

    /// Nothing more comes: gives up the message in hand, if there is one ([`Anomaly::Stalled`]).
    pub fn stall(&mut self, take: &mut dyn FnMut(Framed)) {
        while let Some(framed) = self.settle(true) {
            take(framed);
        }
        if self.len > 0 {
            take(self.drop(Anomaly::Stalled, self.len));
        }
    }

    /// Forgets what is in hand.
    pub const fn reset(&mut self) {
        self.len = 0;
    }

    /// Whether something is in hand.
    pub const fn holds(&self) -> bool {
        self.len > 0
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    fn settle(&mut self, quiet: bool) -> Option<Framed> {
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
        let at = self.first(total);
        let message = Message::decode(&held[..total]);
        self.forget(total);
        // Every whole shape is a message.
        Some(message.map_or(Framed::Anomaly { anomaly: Anomaly::UnknownMessage, at }, |message| Framed::Message { message, at }))
    }

    fn drop(&mut self, anomaly: Anomaly, count: usize) -> Framed {
        let at = self.first(count);
        self.forget(count);
        Framed::Anomaly { anomaly, at }
    }

    const fn first(&self, count: usize) -> ByteRange {
        let start = self.offset - self.len as u64;
        ByteRange { channel: self.channel, start, end: start + count as u64 }
    }

    fn forget(&mut self, count: usize) {
        self.held.copy_within(count..self.len, 0);
        self.len -= count;
    }
}

/// Whether a position of this length may begin with these bytes: a board sends all of them in one form.
fn begins(bytes: &[u8], length: u8) -> bool {
    bytes.first() == Some(&0x01)
        && bytes.get(1).is_none_or(|other| *other == length)
        && bytes.iter().skip(2).take(SQUARES).copied().all(is_squares)
}
