//! Detects work that hangs: each station and each thread notes when it began its current work.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::system_clock::{self, MonotonicTime};

/// The heartbeat of one station or thread. One that waits for work is alive; one that works on the same piece for long is not.
#[derive(Debug, Default)]
pub(super) struct Heartbeat {
    /// When the current piece of work began, plus one; 0 while there is none.
    busy_since: AtomicU64,
}

/// A piece of work, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct BusyGuard<'a>(&'a Heartbeat, u64);

impl Heartbeat {
    /// Begins a piece of work.
    pub(super) fn busy(&self) -> BusyGuard<'_> {
        let since = system_clock::monotonic().0.saturating_add(1);
        self.busy_since.store(since, Ordering::Relaxed);
        BusyGuard(self, since)
    }

    /// Forgets a piece of work that hangs: another one takes its place.
    pub(super) fn reset(&self) {
        self.busy_since.store(0, Ordering::Relaxed);
    }

    /// How long the current piece of work has taken; zero while there is none.
    pub(super) fn stuck_for(&self, now: MonotonicTime) -> Duration {
        match self.busy_since.load(Ordering::Relaxed) {
            0 => Duration::ZERO,
            since => now.since(MonotonicTime(since - 1)),
        }
    }
}

impl Drop for BusyGuard<'_> {
    fn drop(&mut self) {
        // A piece that hung may end while its successor is at work.
        let _ = self.0.busy_since.compare_exchange(self.1, 0, Ordering::Relaxed, Ordering::Relaxed);
    }
}
