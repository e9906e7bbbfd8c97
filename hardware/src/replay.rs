//! Plays a recording as a link, and stores the bytes that are written to the link.

use std::collections::VecDeque;
use std::time::Duration;

use flagfall_protocols::time::Instant;

use crate::link::{Link, LinkError};

/// Plays pieces in order, as fast as they are read. The time of each piece is data ([`Replay::at`]); the link never waits.
/// After the last piece a read returns [`LinkError::Unplugged`].
#[derive(Debug, Default)]
pub struct Replay {
    pieces: VecDeque<(Instant, Vec<u8>)>,
    at: Instant,
    written: Vec<(Instant, Vec<u8>)>,
    closed: bool,
}

impl Replay {
    /// The largest number of written pieces that are stored. Further writes return [`LinkError::Refused`].
    pub const MAX_WRITTEN: usize = 65_536;

    /// Creates a link that plays `pieces`. Empty pieces are left out.
    pub fn new(pieces: impl IntoIterator<Item = (Instant, Vec<u8>)>) -> Replay {
        let pieces = pieces.into_iter().filter(|(_, bytes)| !bytes.is_empty()).collect();
        Replay { pieces, ..Replay::default() }
    }

    /// The time at which the most recently read bytes had arrived.
    pub const fn at(&self) -> Instant {
        self.at
    }

    /// The written pieces, each with the time of the bytes that were read before it.
    pub fn written(&self) -> &[(Instant, Vec<u8>)] {
        &self.written
    }
}

impl Link for Replay {
    fn read(&mut self, buffer: &mut [u8], _timeout: Duration) -> Result<usize, LinkError> {
        if self.closed {
            return Err(LinkError::Unplugged);
        }
        let Some((at, bytes)) = self.pieces.front_mut() else { return Err(LinkError::Unplugged) };
        let count = bytes.len().min(buffer.len());
        buffer[..count].copy_from_slice(&bytes[..count]);
        self.at = *at;
        if count == bytes.len() {
            self.pieces.pop_front();
        } else {
            bytes.drain(..count);
        }
        Ok(count)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        if self.closed {
            return Err(LinkError::Unplugged);
        }
        if self.written.len() == Replay::MAX_WRITTEN {
            return Err(LinkError::Refused);
        }
        self.written.push((self.at, bytes.to_vec()));
        Ok(())
    }

    fn close(&mut self) {
        self.closed = true;
    }
}
