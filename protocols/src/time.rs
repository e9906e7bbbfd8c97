//! Two kinds of time that must never be mixed: when something reached us, and what a chess clock shows.

use core::fmt;
use core::time::Duration;

/// When an input reached us: microseconds since the journal began. Written down and read back exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

impl Instant {
    /// The moment the journal began.
    pub const ZERO: Instant = Instant(0);

    /// Microseconds since the journal began.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// This moment plus `span`; stops at the largest value instead of wrapping.
    pub const fn after(self, span: Duration) -> Instant {
        Instant(self.0.saturating_add(span.as_micros() as u64))
    }

    /// This moment minus `span`; stops at zero.
    pub const fn before(self, span: Duration) -> Instant {
        Instant(self.0.saturating_sub(span.as_micros() as u64))
    }

    /// How long after `earlier` this is; zero if it is not after it.
    pub const fn since(self, earlier: Instant) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// What a chess clock shows for one side, in milliseconds. Never added to an [`Instant`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockTime(pub u32);

impl ClockTime {
    /// From hours, minutes and seconds as displayed.
    pub const fn hms(hours: u32, minutes: u32, seconds: u32) -> ClockTime {
        ClockTime((hours * 3600 + minutes * 60 + seconds) * 1000)
    }

    /// Milliseconds shown.
    pub const fn millis(self) -> u32 {
        self.0
    }

    /// How much more this shows than `other`, in milliseconds; negative if less.
    pub const fn minus(self, other: ClockTime) -> i64 {
        self.0 as i64 - other.0 as i64
    }
}

impl fmt::Display for ClockTime {
    /// `h:mm:ss`, as a clock shows it; milliseconds are cut off.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.0 / 1000;
        write!(f, "{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }
}
