//! From the program's steady clock to the time of one journal.

use std::time::Duration;

use flagfall_protocols::time::Instant;

use crate::wall::Mono;

/// Where a journal's time stands on the steady clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline {
    base: Instant,
    opened: Mono,
}

impl Timeline {
    /// The journal's time is `base` when the steady clock shows `opened`.
    pub(super) const fn new(base: Instant, opened: Mono) -> Timeline {
        Timeline { base, opened }
    }

    /// The journal's time at this moment; `base` for all that was before.
    pub(super) const fn at(&self, mono: Mono) -> Instant {
        self.base.after(mono.since(self.opened))
    }

    /// How long before the journal's opening this moment was.
    pub(super) const fn late(&self, mono: Mono) -> Duration {
        self.opened.since(mono)
    }

    /// When the steady clock will show this time.
    pub(super) const fn mono(&self, at: Instant) -> Mono {
        self.opened.after(at.since(self.base))
    }
}
