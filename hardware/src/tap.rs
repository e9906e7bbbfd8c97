//! Passes a copy of all bytes of a link to a function, with the time of the caller's clock.

use std::fmt;
use std::time::Duration;

use flagfall_protocols::time::Instant;

use crate::link::{Link, LinkError};

/// The direction of bytes, as the host sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// Received from the device.
    Rx,
    /// Sent to the device.
    Tx,
}

/// A link with a sink for its bytes.
///
/// The sink gets a sent piece *before* it is written, so that no answer can have an earlier time than its question. The write
/// may still fail afterwards.
pub struct Tap<L, N, S> {
    link: L,
    now: N,
    sink: S,
}

impl<L, N, S> Tap<L, N, S>
where
    L: Link,
    N: FnMut() -> Instant + Send,
    S: FnMut(Direction, Instant, &[u8]) + Send,
{
    /// Wraps `link`. `now` returns the time, and `sink` receives each piece.
    pub const fn new(link: L, now: N, sink: S) -> Tap<L, N, S> {
        Tap { link, now, sink }
    }

    /// Returns the link without the sink.
    pub fn into_link(self) -> L {
        self.link
    }
}

impl<L: fmt::Debug, N, S> fmt::Debug for Tap<L, N, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").field("link", &self.link).finish_non_exhaustive()
    }
}

impl<L, N, S> Link for Tap<L, N, S>
where
    L: Link,
    N: FnMut() -> Instant + Send,
    S: FnMut(Direction, Instant, &[u8]) + Send,
{
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        let count = self.link.read(buffer, timeout)?;
        if count > 0 {
            (self.sink)(Direction::Rx, (self.now)(), &buffer[..count]);
        }
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        (self.sink)(Direction::Tx, (self.now)(), bytes);
        self.link.write(bytes)
    }

    fn close(&mut self) {
        self.link.close();
    }
}
