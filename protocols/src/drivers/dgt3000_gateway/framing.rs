//! Splits the text between the gateway and its host into JSON objects by counting braces, in both directions, and continues
//! correctly after lost bytes.
//!
//! `{"` and a letter always begin an object: no letter can follow the end of a text, and within a text the quotation mark has a
//! `\` before it. If no `:` stands before them, they begin a message, and the buffered message has lost its end.

use crate::event::{Anomaly, ByteRange};

/// The longest message, in bytes. The longest known message has about 350 bytes.
pub const MAX_MESSAGE: usize = 1024;

/// One result of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framed<'a> {
    /// A message from its opening brace to its closing brace.
    Message {
        /// Its text.
        text: &'a [u8],
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

/// Finds the objects of one side. It holds at most one message and has no clock: the caller calls [`Framing::stall`].
#[derive(Clone, Debug)]
pub struct Framing {
    /// The number of bytes since the start.
    offset: u64,
    held: [u8; MAX_MESSAGE],
    len: usize,
    depth: usize,
    quoted: bool,
    escaped: bool,
    /// The buffer holds a message that has been returned already.
    given: bool,
}

impl Default for Framing {
    fn default() -> Framing {
        Framing { offset: 0, held: [0; MAX_MESSAGE], len: 0, depth: 0, quoted: false, escaped: false, given: false }
    }
}

impl Framing {
    /// Reads one byte. Returns what it completed or broke, at most one result.
    pub fn push(&mut self, byte: u8) -> Option<Framed<'_>> {
        if self.given {
            self.reset();
        }
        let start = self.start();
        self.offset += 1;
        if self.len == 0 && byte != b'{' {
            let space = matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0);
            return (!space).then(|| Framed::Anomaly { anomaly: Anomaly::StrayByte, at: range(start, self.offset) });
        }
        if self.len == MAX_MESSAGE {
            self.reset();
            return Some(Framed::Anomaly { anomaly: Anomaly::BadLength, at: range(start, self.offset) });
        }
        self.held[self.len] = byte;
        self.len += 1;
        if self.starts_new_message() {
            self.begin(byte);
            return Some(Framed::Anomaly { anomaly: Anomaly::Truncated, at: range(start, self.offset - 3) });
        }
        self.count(byte);
        if self.depth > 0 {
            return None;
        }
        self.given = true;
        Some(Framed::Message { text: &self.held[..self.len], at: range(start, self.offset) })
    }

    const fn count(&mut self, byte: u8) {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' if self.quoted => self.escaped = true,
            b'"' => self.quoted = !self.quoted,
            b'{' if !self.quoted => self.depth += 1,
            b'}' if !self.quoted => self.depth -= 1,
            _ => {}
        }
    }

    /// Returns whether the last three bytes begin a message after other bytes.
    fn starts_new_message(&self) -> bool {
        let Some((before, &[b'{', b'"', b'a'..=b'z' | b'A'..=b'Z'])) = self.held[..self.len].split_last_chunk() else {
            return false;
        };
        let word = before.iter().rev().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        word.is_some_and(|byte| *byte != b':')
    }

    /// Restarts the buffer with `{"` and this letter.
    fn begin(&mut self, letter: u8) {
        self.held[..3].copy_from_slice(&[b'{', b'"', letter]);
        (self.len, self.depth, self.quoted, self.escaped) = (3, 1, true, false);
    }

    /// Forgets the incomplete message.
    pub const fn reset(&mut self) {
        (self.len, self.depth, self.quoted, self.escaped, self.given) = (0, 0, false, false, false);
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
