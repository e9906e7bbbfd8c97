//! Converts between the monotonic clock of the program and the time of one journal.

use flagfall_protocols::time::Instant;

use crate::system_clock::MonotonicTime;

/// The relation between a journal's time and the monotonic clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline {
    base: Instant,
    opened: MonotonicTime,
}

impl Timeline {
    /// The journal's time is `base` when the monotonic clock shows `opened`.
    pub(super) const fn new(base: Instant, opened: MonotonicTime) -> Timeline {
        Timeline { base, opened }
    }

    /// The journal's time at this moment; `base` for every moment before the opening.
    pub(super) const fn journal_time(&self, moment: MonotonicTime) -> Instant {
        self.base.after(moment.since(self.opened))
    }

    /// The moment at which the journal's time is `at`.
    pub(super) const fn monotonic_time(&self, at: Instant) -> MonotonicTime {
        self.opened.after(at.since(self.base))
    }
}
