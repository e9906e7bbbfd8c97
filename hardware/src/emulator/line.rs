//! The line from the board to the host: messages leave in order, at the pace of the wire.

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_protocols::time::Instant;

/// How many bytes may wait: eight readings of the whole log.
const MAX_WAITING: usize = 65_536;
/// How many bytes a paced piece holds: about what a USB adapter hands over at once.
const PIECE: usize = 16;

#[derive(Clone, Debug)]
pub(super) struct Line {
    paced: bool,
    free: Instant,
    queue: VecDeque<(Instant, Vec<u8>)>,
    waiting: usize,
    /// Messages lost because too much was waiting.
    pub(super) lost: u64,
}

impl Line {
    pub(super) const fn new(paced: bool) -> Line {
        Line { paced, free: Instant::ZERO, queue: VecDeque::new(), waiting: 0, lost: 0 }
    }

    /// A message that begins at `at`, or when the line is free.
    pub(super) fn send(&mut self, at: Instant, message: &[u8]) {
        if self.waiting + message.len() > MAX_WAITING {
            self.lost += 1;
            return;
        }
        self.waiting += message.len();
        self.free = self.free.max(at);
        if !self.paced {
            self.queue.push_back((self.free, message.to_vec()));
            return;
        }
        let begin = self.free;
        let mut sent = 0;
        for piece in message.chunks(PIECE) {
            sent += piece.len();
            self.free = begin.after(wire_time(sent));
            self.queue.push_back((self.free, piece.to_vec()));
        }
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.queue.front().map(|(at, _)| *at)
    }

    pub(super) fn take(&mut self, to: Instant, out: &mut Vec<(Instant, Vec<u8>)>) {
        while self.next().is_some_and(|at| at <= to) {
            let Some((at, piece)) = self.queue.pop_front() else { break };
            self.waiting -= piece.len();
            out.push((at, piece));
        }
    }

    /// The board lost its power at `at`: what has not arrived by then never will.
    pub(super) fn cut(&mut self, at: Instant) {
        self.queue.retain(|(arrives, _)| *arrives <= at);
        self.waiting = self.queue.iter().map(|(_, piece)| piece.len()).sum();
        self.free = at;
    }
}

/// How long `bytes` take at 9600 baud, 8N1: ten bits each.
fn wire_time(bytes: usize) -> Duration {
    Duration::from_micros((bytes as u64 * 10).saturating_mul(1_000_000) / 9600)
}
