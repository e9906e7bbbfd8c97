//! Passes requests from other threads to the thread of a USB-HID link: messages to write, control requests, and a descriptor
//! that wakes the thread.
//!
//! Only the link's thread writes to a HID device, because the kernel lets a write wait for the device. A serial port is
//! different.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::eventfd::{EfdFlags, EventFd};

use super::Wanted;
use crate::port::SendError;

/// The largest number of messages that wait to be written. A driver's session asks one question at a time.
const MAX_WAITING: usize = 64;

/// Requests other than messages. The latest request of each kind counts.
#[derive(Debug, Default)]
pub(super) struct ControlRequests {
    pub(super) wanted: Option<Wanted>,
    /// It is never reset.
    pub(super) stop: bool,
}

#[derive(Debug, Default)]
struct Inner {
    /// Tells which bytes may be written; `None` while the link is down.
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

    /// Returns the next message to write.
    pub(super) fn next(&self) -> Option<Vec<u8>> {
        self.lock().queue.pop_front()
    }

    pub(super) fn change_control(&self, give: impl FnOnce(&mut ControlRequests)) {
        give(&mut self.lock().control);
        self.wake();
    }

    /// Returns the control requests since the last call. `stop` stays set.
    pub(super) fn take_control(&self) -> ControlRequests {
        let control = &mut self.lock().control;
        ControlRequests { wanted: control.wanted.take(), stop: control.stop }
    }

    /// Marks the link as up until the guard is dropped. Then the waiting messages are dropped.
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

    /// Resets the descriptor. The thread calls this before it takes the requests, so that no request is missed.
    pub(super) fn clear_wake(&self) {
        // If there is nothing to read, an earlier call has read this wake.
        let _ = self.wake.read();
    }

    fn wake(&self) {
        // This fails only after 2^64 unread wakes. Then the thread is awake anyway.
        let _ = self.wake.write(1);
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Exists as long as the link is up. It is dropped before the device is closed.
#[derive(Debug)]
pub(super) struct UpGuard<'a> {
    requests: &'a LinkRequests,
}

impl Drop for UpGuard<'_> {
    fn drop(&mut self) {
        self.requests.set(None);
    }
}
