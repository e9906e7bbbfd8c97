//! A link whose received bytes are damaged on the way.

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use flagfall_protocols::time::Instant;

use super::{Faults, Made};
use crate::link::{Link, LinkError};

/// How many damaged pieces may wait for their time; beyond that they come at once.
const MAX_WAITING: usize = 4096;
/// How many pieces in a row may be lost before a read gives up early.
const MAX_LOST: usize = 64;

/// Damages what is read from a link; what is written passes unharmed (wrap the other end to damage that).
///
/// Delays are waited for in the inner link's own read, so nothing sleeps here. With a clock that stands still every delay is
/// taken for over after one wait.
pub struct FaultyLink<L, N> {
    link: L,
    faults: Faults,
    now: N,
    waiting: VecDeque<(Instant, Vec<u8>)>,
    broken: Option<LinkError>,
}

impl<L: Link, N: FnMut() -> Instant + Send> FaultyLink<L, N> {
    /// Damages what comes from `link`; `now` says what time it is.
    pub const fn new(link: L, faults: Faults, now: N) -> FaultyLink<L, N> {
        FaultyLink { link, faults, now, waiting: VecDeque::new(), broken: None }
    }

    /// How many faults were made up to now.
    pub const fn made(&self) -> Made {
        self.faults.made()
    }

    fn take(&mut self, buffer: &mut [u8]) -> Option<usize> {
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
                // What had been received before the link broke comes first.
                return match self.take(buffer) {
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
                    return self.take(buffer).ok_or(LinkError::TimedOut);
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
