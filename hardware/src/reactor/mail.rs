//! What other threads give to the reactor's thread: new links, calls for links, and finished jobs.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::sys::eventfd::{EfdFlags, EventFd};

use super::job::Done;
use super::link::Link;

/// Everything that came since the last look.
#[derive(Default)]
pub(super) struct Letters {
    /// New links.
    pub(super) joins: Vec<Link>,
    /// Links whose outlet has something for the reactor.
    pub(super) calls: BTreeSet<u64>,
    /// Results of jobs, each with the link or the probe that it was done for. There is at most one for each of them.
    pub(super) done: Vec<(u64, Done)>,
    /// The reactor must end.
    pub(super) stop: bool,
}

/// The reactor's letter box, with a descriptor that wakes its thread.
pub(super) struct Mail {
    letters: Mutex<Letters>,
    pub(super) wake: EventFd,
}

impl Mail {
    pub(super) fn new() -> io::Result<Mail> {
        let wake = EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?;
        Ok(Mail { letters: Mutex::default(), wake })
    }

    /// Adds something and wakes the reactor.
    pub(super) fn put(&self, add: impl FnOnce(&mut Letters)) {
        add(&mut self.lock());
        // This fails only after 2^64 unread wakes. Then the thread is awake anyway.
        let _ = self.wake.write(1);
    }

    /// Takes everything that has come.
    pub(super) fn take(&self) -> Letters {
        // The descriptor is reset first, so that nothing is missed. If there is nothing to read, an earlier call has read it.
        let _ = self.wake.read();
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Letters> {
        // No code between lock and unlock can panic halfway.
        self.letters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
