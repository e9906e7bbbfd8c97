//! Damages the bytes that are received through a link, for tests of drivers.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use flagfall_protocols::time::Instant;

use super::{Faults, Made};
use crate::link::{Link, LinkError};

/// The largest number of delayed pieces. If there are more, they are delivered at once.
const MAX_WAITING: usize = 4096;
/// The largest number of consecutive lost pieces. After them a read returns before its time limit.
const MAX_LOST: usize = 64;

/// Damages the bytes that are read from a link. Written bytes pass unchanged (wrap the other end to damage them).
///
/// This type waits for delays in the read of the inner link and never sleeps itself. With a clock that does not advance, every
/// delay counts as over after one wait.
pub struct FaultyLink<L, N> {
    link: L,
    faults: Faults,
    now: N,
    waiting: VecDeque<(Instant, Vec<u8>)>,
    broken: Option<LinkError>,
}

impl<L: Link, N: FnMut() -> Instant + Send> FaultyLink<L, N> {
    /// Damages the bytes that come from `link`. `now` returns the time.
    pub const fn new(link: L, faults: Faults, now: N) -> FaultyLink<L, N> {
        FaultyLink { link, faults, now, waiting: VecDeque::new(), broken: None }
    }

    /// The number of faults so far.
    pub const fn made(&self) -> Made {
        self.faults.made()
    }

    fn read_waiting(&mut self, buffer: &mut [u8]) -> Option<usize> {
        let (_, bytes) = self.waiting.front_mut()?;
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        bytes.drain(..count);
        if bytes.is_empty() {
            self.waiting.pop_front();
        }
        Some(count)
    }
}

impl<L: Link, N: FnMut() -> Instant + Send> Link for FaultyLink<L, N> {
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        let end = (self.now)().after(timeout);
        let mut raw = [0; 1024];
        for _ in 0..MAX_LOST {
            let now = (self.now)();
            let due = self.waiting.front().map(|(due, _)| *due);
            let is_due = due.is_some_and(|due| due <= now);
            if is_due || self.broken.is_some() || self.waiting.len() >= MAX_WAITING {
                // Bytes that were received before the link broke are delivered first.
                return match self.read_waiting(buffer) {
                    Some(count) => Ok(count),
                    None => Err(self.broken.take().unwrap_or(LinkError::Unplugged)),
                };
            }
            let for_due = due.filter(|&due| due <= end);
            match self.link.read(&mut raw, for_due.unwrap_or(end).since(now)) {
                Ok(0) => return Ok(0),
                Ok(count) => {
                    let mut pieces = Vec::new();
                    self.faults.piece((self.now)(), &raw[..count], &mut pieces);
                    self.waiting.extend(pieces);
                }
                Err(LinkError::TimedOut) if for_due.is_some() => {
                    return self.read_waiting(buffer).ok_or(LinkError::TimedOut);
                }
                Err(LinkError::TimedOut) => return Err(LinkError::TimedOut),
                Err(error) => self.broken = Some(error),
            }
        }
        Err(LinkError::TimedOut)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        self.link.write(bytes)
    }

    fn close(&mut self) {
        self.waiting.clear();
        self.broken = None;
        self.link.close();
    }
}

impl<L: fmt::Debug, N> fmt::Debug for FaultyLink<L, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultyLink").field("link", &self.link).field("made", &self.faults.made()).finish_non_exhaustive()
    }
}
