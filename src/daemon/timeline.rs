//! From the program's steady clock to the time of one journal.

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

    /// When the steady clock will show this time.
    pub(super) const fn mono(&self, at: Instant) -> Mono {
        self.opened.after(at.since(self.base))
    }
}
