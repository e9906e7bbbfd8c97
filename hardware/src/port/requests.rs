//! What other threads leave for a link's thread: bytes that the port did not take at once, orders; and the descriptor that
//! wakes it.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::eventfd::{EfdFlags, EventFd};

use super::Wanted;
use crate::link::LinkError;
use crate::serial::Writer;

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
    /// The family's driver does not call these bytes harmless.
    Forbidden,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Down => "the link is down",
            SendError::Full => "too much waits to be sent",
            SendError::Forbidden => "not among what may be sent",
        })
    }
}

impl std::error::Error for SendError {}

/// What the thread is told beside bytes; the latest of each counts.
#[derive(Debug, Default)]
pub(super) struct ControlRequests {
    pub(super) wanted: Option<Wanted>,
    pub(super) learnt: Option<String>,
    /// Never taken back.
    pub(super) stop: bool,
}

#[derive(Debug, Default)]
struct Inner {
    /// None while the link is down.
    port: Option<Writer>,
    queue: VecDeque<Vec<u8>>,
    /// How much of the first piece went out.
    done: usize,
    /// How much waits in all.
    bytes: usize,
    control: ControlRequests,
}

/// How writing what waits went.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flushed {
    /// Something went out.
    pub(super) any: bool,
    /// Something waits still.
    pub(super) left: bool,
}

#[derive(Debug)]
pub(super) struct LinkRequests {
    inner: Mutex<Inner>,
    wake: EventFd,
    pub(super) wakes: AtomicU64,
}

impl LinkRequests {
    pub(super) fn new() -> io::Result<LinkRequests> {
        let wake = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?;
        Ok(LinkRequests { inner: Mutex::default(), wake, wakes: AtomicU64::new(0) })
    }

    /// Writes at once if nothing waits; what the port does not take is left to the link's thread, and so is its error.
    pub(super) fn send(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        {
            let mut inner = self.lock();
            let Inner { port: Some(port), queue, done, bytes: waiting, .. } = &mut *inner else { return Err(SendError::Down) };
            if bytes.is_empty() {
                return Ok(());
            }
            if queue.len() == MAX_PIECES || *waiting + bytes.len() > MAX_BYTES {
                return Err(SendError::Full);
            }
            if queue.is_empty() {
                *done = port.write_now(&bytes).unwrap_or(0);
                if *done == bytes.len() {
                    return Ok(());
                }
                *waiting = bytes.len() - *done;
            } else {
                *waiting += bytes.len();
            }
            queue.push_back(bytes);
            if queue.len() > 1 {
                // Its thread knows of the first, and waits until the port takes it.
                return Ok(());
            }
        }
        self.wake();
        Ok(())
    }

    /// Writes what waits, as much as the port takes now.
    pub(super) fn flush(&self) -> Result<Flushed, LinkError> {
        let mut inner = self.lock();
        let Inner { port, queue, done, bytes, .. } = &mut *inner;
        let mut any = false;
        while let Some(piece) = queue.front() {
            let count = port.as_ref().ok_or(LinkError::Unplugged)?.write_now(&piece[*done..])?;
            if count == 0 {
                return Ok(Flushed { any, left: true });
            }
            any = true;
            *done += count;
            *bytes -= count;
            if *done == piece.len() {
                *done = 0;
                queue.pop_front();
            }
        }
        Ok(Flushed { any, left: false })
    }

    pub(super) fn change_control(&self, give: impl FnOnce(&mut ControlRequests)) {
        give(&mut self.lock().control);
        self.wake();
    }

    /// What was ordered since the last call; `stop` stays.
    pub(super) fn take_control(&self) -> ControlRequests {
        let control = &mut self.lock().control;
        ControlRequests { wanted: control.wanted.take(), learnt: control.learnt.take(), stop: control.stop }
    }

    /// The link is up and writes with `port` until this is dropped; then `port` is closed, and what waits is dropped.
    pub(super) fn mark_up(&self, port: Option<Writer>) -> UpGuard<'_> {
        self.set(port);
        UpGuard { requests: self }
    }

    fn set(&self, port: Option<Writer>) {
        let mut inner = self.lock();
        (inner.port, inner.done, inner.bytes) = (port, 0, 0);
        inner.queue.clear();
    }

    pub(super) fn fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }

    /// The descriptor sleeps again. Called before the box is emptied, so that nothing is overlooked.
    pub(super) fn clear_wake(&self) {
        // Nothing to read: somebody else's wake was read before.
        let _ = self.wake.read();
    }

    pub(super) fn wake(&self) {
        // Fails only when nobody has looked for 2^64 wakes; it is awake then.
        let _ = self.wake.write(1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As long as the link is up. It ends before the port is closed.
#[derive(Debug)]
pub(super) struct UpGuard<'a> {
    requests: &'a LinkRequests,
}

impl Drop for UpGuard<'_> {
    fn drop(&mut self) {
        self.requests.set(None);
    }
}
