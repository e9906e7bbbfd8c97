//! Cuts bytes into words: white space ends one, a line as well as the messages in it.

use core::time::Duration;

use super::message::LONGEST;
use crate::event::{Anomaly, ByteRange};
use crate::time::Instant;

/// A word broken off by this much silence is given up: 64 letters take 70 ms at 9600 baud.
const STALL: Duration = Duration::from_millis(500);

/// One thing found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'a> {
    /// A word, at most 65 letters: a host says one more than a board.
    Word(&'a [u8]),
    /// Bytes that are none.
    Broken(Anomaly),
}

/// The word in hand.
#[derive(Clone, Debug)]
pub struct Framing {
    /// Bytes seen since the start.
    offset: u64,
    held: [u8; LONGEST + 2],
    len: usize,
    /// Its beginning was given up: what is left of it is no word.
    rest: bool,
    touched: Instant,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing { offset: 0, held: [0; LONGEST + 2], len: 0, rest: false, touched: Instant::ZERO }
    }
}

impl Framing {
    /// Takes one byte; gives what it completed or broke.
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
        // A byte that no message has: bytes of a line that is not this protocol's.
        let stray = word.iter().any(|byte| !byte.is_ascii_graphic());
        Some(match ends && !rest {
            true if stray => (Found::Broken(Anomaly::StrayByte), range),
            true => (Found::Word(word), range),
            false => (Found::Broken(Anomaly::BadLength), range),
        })
    }

    /// When the word in hand, if there is one, is given up.
    pub fn deadline(&self) -> Option<Instant> {
        (self.len > 0 || self.rest).then(|| self.touched.after(STALL))
    }

    /// Gives up the word in hand if its time is over: [`Anomaly::Stalled`]. Of one whose beginning was given up nothing more is
    /// said if nothing more came.
    pub fn stall(&mut self, at: Instant) -> Option<ByteRange> {
        if self.deadline().is_none_or(|end| end > at) {
            return None;
        }
        self.rest = false;
        let len = core::mem::take(&mut self.len);
        (len > 0).then(|| ByteRange { channel: 0, start: self.offset - len as u64, end: self.offset })
    }

    /// Forgets the word in hand.
    pub const fn reset(&mut self) {
        (self.len, self.rest) = (0, false);
    }

    /// Bytes seen since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }
}
