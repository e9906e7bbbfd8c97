//! What other threads leave for a link's thread: messages to be written, orders; and the descriptor that wakes it.
//!
//! Unlike a serial port, a HID device is written by the link's thread alone: the kernel lets a write wait for the device.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::eventfd::{EfdFlags, EventFd};

use super::Wanted;
use crate::port::SendError;

/// Messages that may wait: a session asks a question at a time.
const MAX_WAITING: usize = 64;

/// What the thread is told beside messages; the latest of each counts.
#[derive(Debug, Default)]
pub(super) struct ControlRequests {
    pub(super) wanted: Option<Wanted>,
    /// Never taken back.
    pub(super) stop: bool,
}

#[derive(Debug, Default)]
struct Inner {
    /// What may be written; none while the link is down.
    harmless: Option<fn(u8, &[u8]) -> bool>,
    queue: VecDeque<Vec<u8>>,
    control: ControlRequests,
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

    pub(super) fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        {
            let mut inner = self.lock();
            let harmless = inner.harmless.ok_or(SendError::Down)?;
            if !harmless(channel, &bytes) {
                return Err(SendError::Forbidden);
            }
            if inner.queue.len() == MAX_WAITING {
                return Err(SendError::Full);
            }
            inner.queue.push_back(bytes);
        }
        self.wake();
        Ok(())
    }

    /// The next message to be written.
    pub(super) fn next(&self) -> Option<Vec<u8>> {
        self.lock().queue.pop_front()
    }

    pub(super) fn change_control(&self, give: impl FnOnce(&mut ControlRequests)) {
        give(&mut self.lock().control);
        self.wake();
    }

    /// What was ordered since the last call; `stop` stays.
    pub(super) fn take_control(&self) -> ControlRequests {
        let control = &mut self.lock().control;
        ControlRequests { wanted: control.wanted.take(), stop: control.stop }
    }

    /// The link is up until this is dropped; then what waits is dropped.
    pub(super) fn mark_up(&self, harmless: fn(u8, &[u8]) -> bool) -> UpGuard<'_> {
        self.set(Some(harmless));
        UpGuard { requests: self }
    }

    fn set(&self, harmless: Option<fn(u8, &[u8]) -> bool>) {
        let mut inner = self.lock();
        inner.harmless = harmless;
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

    fn wake(&self) {
        // Fails only when nobody has looked for 2^64 wakes; it is awake then.
        let _ = self.wake.write(1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // Nothing between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As long as the link is up. It ends before the device is closed.
#[derive(Debug)]
pub(super) struct UpGuard<'a> {
    requests: &'a LinkRequests,
}

impl Drop for UpGuard<'_> {
    fn drop(&mut self) {
        self.requests.set(None);
    }
}
