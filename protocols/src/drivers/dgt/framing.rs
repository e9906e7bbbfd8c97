//! Splits the bytes of a DGT board into messages, and continues correctly after lost bytes (`dgt/README.md#2`).

use alloc::vec::Vec;

use super::board::{self, Fit};
use crate::event::{Anomaly, ByteRange};

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// A message with a listed id and a fitting length.
    Message {
        /// The id, bit 7 set.
        id: u8,
        /// The bytes after the header. Bit 7 of every byte is clear.
        data: &'a [u8],
        /// The bytes of the message, including the header.
        at: ByteRange,
    },
    /// Bytes that are no message.
    Anomaly {
        /// The id of the broken message, or 0 outside a message.
        id: u8,
        /// The error.
        anomaly: Anomaly,
        /// The bytes that were wrong.
        at: ByteRange,
    },
}

/// The decoder of single-board mode. It must not read bytes of bus mode, where the same ids have other meanings.
///
/// It holds at most one message of [`board::MAX_MESSAGE`] bytes. It has no clock: the caller calls [`Framing::stall`] when a
/// message stays incomplete for too long.
#[derive(Clone, Debug, Default)]
pub struct Framing {
    /// The number of bytes since the start.
    offset: u64,
    /// The offset of the incomplete message's id.
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
    /// `left` bytes are missing. They are stored only if the id is `known`.
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

    /// Counts bytes that are ignored, and forgets the incomplete message.
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

    /// Returns the id of the incomplete message.
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

    /// Returns the offset of the first byte of the incomplete message, or of the last message.
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
        // The length has two times seven bits, so it fits.
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
