//! When something happened, as far as sensors can tell.

use core::time::Duration;

use flagfall_protocols::time::Instant;

/// A moment known to lie between two instants, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Not before this.
    pub earliest: Instant,
    /// Not after this.
    pub latest: Instant,
}

impl Interval {
    /// Something seen at `at` that may have happened up to `delay` before.
    pub const fn seen(at: Instant, delay: Duration) -> Interval {
        Interval { earliest: at.before(delay), latest: at }
    }

    /// Certainly before `other`.
    pub fn before(&self, other: &Interval) -> bool {
        self.latest < other.earliest
    }

    /// The same, if it cannot have come before `other`.
    pub(crate) fn not_before(self, other: &Interval) -> Interval {
        Interval { earliest: self.earliest.max(other.earliest), latest: self.latest.max(other.latest) }
    }

    /// Both ends in microseconds since the journal began.
    pub const fn micros(&self) -> [u64; 2] {
        [self.earliest.0, self.latest.0]
    }
}
