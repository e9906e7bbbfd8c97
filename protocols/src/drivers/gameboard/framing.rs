//! Splits the bytes of a board of the Gameboard UI Protocol into words. White space ends a word, within a line and at its end.

use core::time::Duration;

use super::message::LONGEST;
use crate::event::{Anomaly, ByteRange};
use crate::time::Instant;

/// The silence after which an incomplete word is dropped. 64 letters take 70 ms at 9600 baud.
const STALL: Duration = Duration::from_millis(500);

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// A word of at most 65 letters. The longest word of a host has one letter more than that of a board.
    Word(&'a [u8]),
    /// Bytes that are no word.
    Broken(Anomaly),
}

/// The framing with the incomplete word.
#[derive(Clone, Debug)]
pub struct Framing {
    /// The number of bytes since the start.
    offset: u64,
    held: [u8; LONGEST + 2],
    len: usize,
    /// The beginning of the word was given up, so the rest of it is no word.
    rest: bool,
    touched: Instant,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing { offset: 0, held: [0; LONGEST + 2], len: 0, rest: false, touched: Instant::ZERO }
    }
}

impl Framing {
    /// Reads one byte. Returns what it completed or broke.
    pub fn push(&mut self, at: Instant, byte: u8) -> Option<(Found<'_>, ByteRange)> {
        self.offset += 1;
        self.touched = at;
        let ends = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        if ends && self.len == 0 {
            self.rest = false;
            return None;
        }
        if !ends {
            self.held[self.len] = byte;
            self.len += 1;
            if self.len < self.held.len() {
                return None;
            }
        }
        let len = core::mem::take(&mut self.len);
        let range = ByteRange { channel: 0, start: self.offset - (len + usize::from(ends)) as u64, end: self.offset };
        let rest = core::mem::replace(&mut self.rest, !ends);
        let word = &self.held[..len];
        // No message contains such a byte: the line belongs to another protocol.
        let stray = word.iter().any(|byte| !byte.is_ascii_graphic());
        Some(match ends && !rest {
            true if stray => (Found::Broken(Anomaly::StrayByte), range),
            true => (Found::Word(word), range),
            false => (Found::Broken(Anomaly::BadLength), range),
        })
    }

    /// Returns the time at which an incomplete word is given up.
    pub fn deadline(&self) -> Option<Instant> {
        (self.len > 0 || self.rest).then(|| self.touched.after(STALL))
    }

    /// Gives up an incomplete word if its time is over: [`Anomaly::Stalled`]. If its beginning was given up already and no more
    /// bytes came, this reports nothing.
    pub fn stall(&mut self, at: Instant) -> Option<ByteRange> {
        if self.deadline().is_none_or(|end| end > at) {
            return None;
        }
        self.rest = false;
        let len = core::mem::take(&mut self.len);
        (len > 0).then(|| ByteRange { channel: 0, start: self.offset - len as u64, end: self.offset })
    }

    /// Forgets the incomplete word.
    pub const fn reset(&mut self) {
        (self.len, self.rest) = (0, false);
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }
}
