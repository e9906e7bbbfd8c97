//! Passes requests from other threads to the thread of a serial link: bytes that the port did not accept at once, control
//! requests, and a descriptor that wakes the thread.

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

/// The largest number of pieces of bytes that wait to be written.
const MAX_PIECES: usize = 256;
/// The largest number of bytes that wait to be written. At 9600 baud they take more than a minute.
const MAX_BYTES: usize = 65_536;

/// The reason why a link did not accept bytes to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The link is down.
    Down,
    /// Too many bytes wait already.
    Full,
    /// The family's driver does not call these bytes harmless.
    Forbidden,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Down => "the link is down",
            SendError::Full => "too many bytes are waiting to be sent",
            SendError::Forbidden => "the command is not on the list of allowed commands",
        })
    }
}

impl std::error::Error for SendError {}

/// Requests other than bytes. The latest request of each kind counts.
#[derive(Debug, Default)]
pub(super) struct ControlRequests {
    pub(super) wanted: Option<Wanted>,
    pub(super) learnt: Option<String>,
    /// It is never reset.
    pub(super) stop: bool,
}

#[derive(Debug, Default)]
struct Inner {
    /// None while the link is down.
    port: Option<Writer>,
    queue: VecDeque<Vec<u8>>,
    /// Bytes of the first piece that have gone out.
    done: usize,
    /// Number of all waiting bytes.
    bytes: usize,
    control: ControlRequests,
}

/// The result of writing the waiting bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flushed {
    /// At least one byte went out.
    pub(super) any: bool,
    /// Bytes still wait.
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

    /// Writes at once if no bytes wait. The link's thread later writes the bytes that the port did not accept, and it handles
    /// the error.
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
                // The thread already knows the first piece and waits until the port accepts it.
                return Ok(());
            }
        }
        self.wake();
        Ok(())
    }

    /// Writes as many of the waiting bytes as the port accepts now.
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

    /// Returns the control requests since the last call. `stop` stays set.
    pub(super) fn take_control(&self) -> ControlRequests {
        let control = &mut self.lock().control;
        ControlRequests { wanted: control.wanted.take(), learnt: control.learnt.take(), stop: control.stop }
    }

    /// Marks the link as up, with `port` for writing, until the guard is dropped. Then `port` is closed and the waiting bytes
    /// are dropped.
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

    /// Resets the descriptor. The thread calls this before it takes the requests, so that no request is missed.
    pub(super) fn clear_wake(&self) {
        // If there is nothing to read, an earlier call has read this wake.
        let _ = self.wake.read();
    }

    pub(super) fn wake(&self) {
        // This fails only after 2^64 unread wakes. Then the thread is awake anyway.
        let _ = self.wake.write(1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Exists as long as the link is up. It is dropped before the port is closed.
#[derive(Debug)]
pub(super) struct UpGuard<'a> {
    requests: &'a LinkRequests,
}

impl Drop for UpGuard<'_> {
    fn drop(&mut self) {
        self.requests.set(None);
    }
}
