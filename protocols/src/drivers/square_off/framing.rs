//! Splits the bytes of one channel of a Square Off board into messages, for pieces of any size, and continues correctly after
//! lost bytes.
//!
//! A reader function defines the messages of a channel: it maps the buffered bytes to a [`Step`]. `message.rs` has the readers
//! of a board, and `host.rs` has the reader of a host.

use core::time::Duration;

use crate::event::{Anomaly, ByteRange};
use crate::time::Instant;

/// The silence after which an incomplete message is dropped. The pieces of one message come at most 0.15 s apart, and two
/// pictures of the Neo at least 0.36 s (`square_off/README.md#4`).
const STALL: Duration = Duration::from_millis(300);

/// The meaning of the buffered bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step<M> {
    /// The beginning of a message.
    More,
    /// A message.
    Whole(M),
    /// This number of bytes, at least one, is no message.
    Broken(Anomaly, usize),
}

/// One result of the framing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<M> {
    /// A message.
    Message(M),
    /// Bytes that are no message.
    Broken(Anomaly),
}

/// The framing of one channel, with at most `N` buffered bytes.
#[derive(Clone, Debug)]
pub struct Framing<M, const N: usize> {
    read: fn(&[u8]) -> Step<M>,
    channel: u8,
    /// The number of bytes since the start.
    offset: u64,
    held: [u8; N],
    len: usize,
    touched: Instant,
}

impl<M, const N: usize> Framing<M, N> {
    /// Creates a framing for a channel whose messages `read` reads. `read` must accept or refuse at most `N` bytes.
    pub const fn new(channel: u8, read: fn(&[u8]) -> Step<M>) -> Framing<M, N> {
        Framing { read, channel, offset: 0, held: [0; N], len: 0, touched: Instant::ZERO }
    }

    /// Reads one byte. `give` receives what it completed or broke, in order.
    pub fn push(&mut self, at: Instant, byte: u8, mut give: impl FnMut(Found<M>, ByteRange)) {
        self.touched = at;
        self.offset += 1;
        if let Some(free) = self.held.get_mut(self.len) {
            *free = byte;
            self.len += 1;
        }
        while self.len > 0 {
            match (self.read)(&self.held[..self.len]) {
                Step::More if self.len < N => return,
                Step::More => give(Found::Broken(Anomaly::Truncated), self.drop_first(self.len)),
                Step::Whole(message) => give(Found::Message(message), self.drop_first(self.len)),
                Step::Broken(anomaly, count) => give(Found::Broken(anomaly), self.drop_first(count.max(1))),
            }
        }
    }

    /// Returns the time at which the incomplete message, if there is one, is given up.
    pub fn deadline(&self) -> Option<Instant> {
        (self.len > 0).then(|| self.touched.after(STALL))
    }

    /// Gives up the incomplete message if its time is over: [`Anomaly::Stalled`].
    pub fn stall(&mut self, at: Instant) -> Option<ByteRange> {
        let over = self.deadline().is_some_and(|end| end <= at);
        over.then(|| self.drop_first(self.len))
    }

    /// Forgets the incomplete message.
    pub const fn reset(&mut self) {
        self.len = 0;
    }

    /// Returns the number of bytes since the start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Drops the first buffered bytes. Returns their range.
    fn drop_first(&mut self, count: usize) -> ByteRange {
        let count = count.min(self.len);
        let start = self.offset - self.len as u64;
        self.held.copy_within(count..self.len, 0);
        self.len -= count;
        ByteRange { channel: self.channel, start, end: start + count as u64 }
    }
}
