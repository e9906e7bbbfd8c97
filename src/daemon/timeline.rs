//! From the program's steady clock to the time of one journal.

use std::time::Duration;

use flagfall_protocols::time::Instant;

use crate::system_clock::MonotonicTime;

/// Where a journal's time stands on the steady clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline {
    base: Instant,
    opened: MonotonicTime,
}

impl Timeline {
    /// The journal's time is `base` when the steady clock shows `opened`.
    pub(super) const fn new(base: Instant, opened: MonotonicTime) -> Timeline {
        Timeline { base, opened }
    }

    /// The journal's time at this moment; `base` for all that was before.
    pub(super) const fn journal_time(&self, moment: MonotonicTime) -> Instant {
        self.base.after(moment.since(self.opened))
    }

    /// How long before the journal's opening this moment was.
    pub(super) const fn time_before_opening(&self, moment: MonotonicTime) -> Duration {
        self.opened.since(monotonic)
    }

    /// When the steady clock will show this time.
    pub(super) const fn monotonic_time(&self, at: Instant) -> MonotonicTime {
        self.opened.after(at.since(self.base))
    }
}
