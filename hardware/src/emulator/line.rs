//! Simulates the serial line from an emulated board to the host. Bytes are delivered in order, not faster than the baud rate
//! allows.

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_protocols::time::Instant;

use super::device::Sent;

/// The largest number of bytes that are not delivered yet: eight times the largest log of a DGT board.
const MAX_WAITING: usize = 65_536;
/// The bytes of one piece, at a baud rate: about as many as a USB adapter delivers in one read.
const PIECE: usize = 16;
/// The speed of the serial line of DGT boards, in baud.
const DGT_BAUD: u64 = 9600;

#[derive(Clone, Debug)]
pub(super) struct Line {
    /// `None` means that a message takes no time.
    baud: Option<u64>,
    piece: usize,
    free: Instant,
    queue: VecDeque<Sent>,
    waiting: usize,
    /// Messages that were lost because too many bytes were waiting.
    pub(super) lost: u64,
}

impl Line {
    /// Creates the line of a DGT board.
    pub(super) const fn new(paced: bool) -> Line {
        if paced { Line::with(Some(DGT_BAUD), PIECE) } else { Line::with(None, usize::MAX) }
    }

    /// Creates a serial line of this speed.
    pub(super) const fn serial(baud: u64) -> Line {
        Line::with(Some(baud), PIECE)
    }

    /// Creates a line on which messages take no time and arrive in pieces of at most `piece` bytes. A piece has at least one
    /// byte.
    pub(super) fn unpaced(piece: usize) -> Line {
        Line::with(None, piece.max(1))
    }

    const fn with(baud: Option<u64>, piece: usize) -> Line {
        Line { baud, piece, free: Instant::ZERO, queue: VecDeque::new(), waiting: 0, lost: 0 }
    }

    /// Sends a message on channel 0. It begins at `at`, or when the line is free.
    pub(super) fn send(&mut self, at: Instant, message: &[u8]) {
        self.send_on(0, at, message);
    }

    /// The same as [`send`](Line::send), on any channel.
    pub(super) fn send_on(&mut self, channel: u8, at: Instant, message: &[u8]) {
        if self.waiting + message.len() > MAX_WAITING {
            self.lost += 1;
            return;
        }
        self.waiting += message.len();
        self.free = self.free.max(at);
        let begin = self.free;
        let mut sent = 0;
        for piece in message.chunks(self.piece) {
            sent += piece.len();
            self.free = begin.after(self.baud.map_or(Duration::ZERO, |baud| wire_time(sent, baud)));
            self.queue.push_back(Sent { at: self.free, channel, bytes: piece.to_vec() });
        }
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.queue.front().map(|sent| sent.at)
    }

    pub(super) fn take_arrived(&mut self, to: Instant, out: &mut Vec<Sent>) {
        while let Some(sent) = self.queue.pop_front_if(|sent| sent.at <= to) {
            self.waiting -= sent.bytes.len();
            out.push(sent);
        }
    }

    /// Drops the bytes that have not arrived by `at`, because the board lost its power.
    pub(super) fn drop_unsent(&mut self, at: Instant) {
        self.queue.retain(|sent| sent.at <= at);
        self.waiting = self.queue.iter().map(|sent| sent.bytes.len()).sum();
        self.free = at;
    }
}

/// Returns the time of `bytes` at this speed, 8N1: ten bits per byte.
fn wire_time(bytes: usize, baud: u64) -> Duration {
    Duration::from_micros((bytes as u64 * 10).saturating_mul(1_000_000) / baud)
}
