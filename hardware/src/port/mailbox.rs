//! What other threads leave for a link's thread: bytes to write, orders; and the descriptor that wakes it.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::eventfd::{EfdFlags, EventFd};

use super::Wanted;

/// Pieces that may wait.
const MAX_PIECES: usize = 256;
/// Bytes that may wait: more than a minute at 9600 baud.
const MAX_BYTES: usize = 65_536;

/// Why bytes were not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The link is down.
    Down,
    /// Too much waits already.
    Full,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Down => "the link is down",
            SendError::Full => "too much waits to be sent",
        })
    }
}

impl std::error::Error for SendError {}

/// What the thread is told beside bytes; the latest of each counts.
#[derive(Debug, Default)]
pub(super) struct Orders {
    pub(super) wanted: Option<Wanted>,
    pub(super) learnt: Option<String>,
    /// Never taken back.
    pub(super) stop: bool,
}

#[derive(Debug, Default)]
struct Inner {
    up: bool,
    queue: VecDeque<Vec<u8>>,
    bytes: usize,
    orders: Orders,
}

#[derive(Debug)]
pub(super) struct Mailbox {
    inner: Mutex<Inner>,
    wake: EventFd,
    pub(super) wakes: AtomicU64,
}

impl Mailbox {
    pub(super) fn new() -> io::Result<Mailbox> {
        let wake = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?;
        Ok(Mailbox { inner: Mutex::default(), wake, wakes: AtomicU64::new(0) })
    }

    pub(super) fn send(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        {
            let mut inner = self.lock();
            if !inner.up {
                return Err(SendError::Down);
            }
            if bytes.is_empty() {
                return Ok(());
            }
            if inner.queue.len() == MAX_PIECES || inner.bytes + bytes.len() > MAX_BYTES {
                return Err(SendError::Full);
            }
            inner.bytes += bytes.len();
            inner.queue.push_back(bytes);
        }
        self.wake();
        Ok(())
    }

    pub(super) fn order(&self, give: impl FnOnce(&mut Orders)) {
        give(&mut self.lock().orders);
        self.wake();
    }

    /// What was ordered since the last call; `stop` stays.
    pub(super) fn orders(&self) -> Orders {
        let orders = &mut self.lock().orders;
        Orders { wanted: orders.wanted.take(), learnt: orders.learnt.take(), stop: orders.stop }
    }

    /// The link came up or went down; nothing of the time before is sent.
    pub(super) fn set_up(&self, up: bool) {
        let mut inner = self.lock();
        (inner.up, inner.bytes) = (up, 0);
        inner.queue.clear();
    }

    /// The next piece to be written.
    pub(super) fn next(&self) -> Option<Vec<u8>> {
        let mut inner = self.lock();
        let piece = inner.queue.pop_front()?;
        inner.bytes -= piece.len();
        Some(piece)
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// The descriptor sleeps again. Called before the box is emptied, so that nothing is overlooked.
    pub(super) fn calm(&self) {
        // Nothing to read: somebody else's wake was read before.
        let _ = self.wake.read();
    }

    fn wake(&self) {
        // Fails only when nobody has looked for 2^64 wakes; it is awake then.
        let _ = self.wake.write(1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
