//! Cuts a board's bytes into messages and finds the way back after lost ones (`dgt/README.md#2`).

use alloc::vec::Vec;

use super::board::{self, Fit};
use crate::event::{Anomaly, ByteRange};

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// A message of a listed id and a length that fits it.
    Message {
        /// The id, bit 7 set.
        id: u8,
        /// What follows the header; every byte has bit 7 clear.
        data: &'a [u8],
        /// Where it stood, header included.
        at: ByteRange,
    },
    /// Bytes that are no message; `id` is that of the message they began, 0 outside one.
    Anomaly {
        /// The id of the broken message.
        id: u8,
        /// The error.
        anomaly: Anomaly,
        /// The bytes that were wrong.
        at: ByteRange,
    },
}

/// The decoder of single-board mode. It must not be fed the bytes of bus mode, where the same ids mean other things.
///
/// It holds at most one message of [`board::MAX_MESSAGE`] bytes. It knows no time: who runs it calls [`Framing::stall`] when
/// a message stays incomplete too long.
#[derive(Clone, Debug, Default)]
pub struct Framing {
    /// The number of bytes since the start.
    offset: u64,
    /// Offset of the id of the message in hand.
    start: u64,
    part: Part,
    data: Vec<u8>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Outside,
    High {
        id: u8,
    },
    Low {
        id: u8,
        high: u8,
    },
    /// `left` bytes to come; they are kept only if the id is `known`.
    Data {
        id: u8,
        left: u16,
        known: bool,
    },
}

impl Framing {
    /// Reads one byte. Returns what it completed or broke, at most one result.
    #[inline]
    pub fn push(&mut self, byte: u8) -> Option<Framed<'_>> {
        let here = self.offset;
        self.offset += 1;
        if byte & 0x80 != 0 {
            let broken = self.id().map(|id| Framed::Anomaly { id, anomaly: Anomaly::Truncated, at: range(self.start, here) });
            self.start = here;
            self.part = Part::High { id: byte };
            return broken;
        }
        match self.part {
            Part::Outside => Some(Framed::Anomaly { id: 0, anomaly: Anomaly::StrayByte, at: range(here, here + 1) }),
            Part::High { id } => {
                self.part = Part::Low { id, high: byte };
                None
            }
            Part::Low { id, high } => self.header(id, usize::from(high) << 7 | usize::from(byte)),
            Part::Data { id, left, known } => {
                if known {
                    self.data.push(byte);
                }
                if left > 1 {
                    self.part = Part::Data { id, left: left - 1, known };
                    return None;
                }
                Some(self.complete(id, known))
            }
        }
    }

    /// Counts bytes that are not looked at, and forgets the message in hand.
    pub fn skip(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.reset();
    }

    /// Forgets the incomplete message.
    pub fn reset(&mut self) {
        self.part = Part::Outside;
    }

    /// Gives up the incomplete message, if there is one: [`Anomaly::Stalled`].
    pub fn stall(&mut self) -> Option<Framed<'static>> {
        let id = self.id()?;
        self.reset();
        Some(Framed::Anomaly { id, anomaly: Anomaly::Stalled, at: range(self.start, self.offset) })
    }

    /// The id of the message in hand.
    pub fn id(&self) -> Option<u8> {
        match self.part {
            Part::Outside => None,
            Part::High { id } | Part::Low { id, .. } | Part::Data { id, .. } => Some(id),
        }
    }

    /// Returns the number of bytes since the start.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Offset of the first byte of the message in hand, or of the last one.
    pub fn start(&self) -> u64 {
        self.start
    }

    fn header(&mut self, id: u8, total: usize) -> Option<Framed<'_>> {
        let known = match board::fit(id, total) {
            Fit::Known => true,
            Fit::Unknown => false,
            Fit::Bad => {
                self.part = Part::Outside;
                return Some(Framed::Anomaly { id, anomaly: Anomaly::BadLength, at: range(self.start, self.offset) });
            }
        };
        self.data.clear();
        if total == 3 {
            return Some(self.complete(id, known));
        }
        // Two times seven bits: fits.
        self.part = Part::Data { id, left: (total - 3) as u16, known };
        None
    }

    fn complete(&mut self, id: u8, known: bool) -> Framed<'_> {
        self.part = Part::Outside;
        let at = range(self.start, self.offset);
        if known {
            Framed::Message { id, data: &self.data, at }
        } else {
            Framed::Anomaly { id, anomaly: Anomaly::UnknownMessage, at }
        }
    }
}

const fn range(start: u64, end: u64) -> ByteRange {
    ByteRange { channel: 0, start, end }
}
