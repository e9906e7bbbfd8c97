//! Defines the time of an event as an interval, as exactly as the sensors show it.

use core::time::Duration;

use flagfall_protocols::time::Instant;

/// The two instants between which an event lies, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The event did not happen before this.
    pub earliest: Instant,
    /// The event did not happen after this.
    pub latest: Instant,
}

impl Interval {
    /// An event that was seen at `at` and may have happened up to `delay` earlier.
    pub const fn seen(at: Instant, delay: Duration) -> Interval {
        Interval { earliest: at.before(delay), latest: at }
    }

    /// True if this certainly lies before `other`.
    pub fn before(&self, other: &Interval) -> bool {
        self.latest < other.earliest
    }

    /// The same interval, but not before `other` begins.
    pub(crate) fn not_before(self, other: &Interval) -> Interval {
        Interval { earliest: self.earliest.max(other.earliest), latest: self.latest.max(other.latest) }
    }

    /// Both ends in microseconds since the journal began.
    pub const fn micros(&self) -> [u64; 2] {
        [self.earliest.0, self.latest.0]
    }
}
