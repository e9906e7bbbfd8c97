//! Defines two kinds of time, which must never be mixed: the time at which an input arrived, and the time on a chess clock.

use core::fmt;
use core::time::Duration;

/// The time at which an input arrived, in microseconds since the journal began. It is written and read back exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(pub u64);

impl Instant {
    /// The moment at which the journal began.
    pub const ZERO: Instant = Instant(0);

    /// Returns the microseconds since the journal began.
    pub const fn micros(self) -> u64 {
        self.0
    }

    /// Returns this moment plus `span`. The result stops at the largest value instead of wrapping.
    pub const fn after(self, span: Duration) -> Instant {
        Instant(self.0.saturating_add(span.as_micros() as u64))
    }

    /// Returns this moment minus `span`. The result stops at zero.
    pub const fn before(self, span: Duration) -> Instant {
        Instant(self.0.saturating_sub(span.as_micros() as u64))
    }

    /// Returns the time since `earlier`; zero if this moment is not after it.
    pub const fn since(self, earlier: Instant) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

/// The time that a chess clock shows for one side, in milliseconds. It is never added to an [`Instant`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClockTime(pub u32);

impl ClockTime {
    /// Creates a time from hours, minutes and seconds as displayed.
    pub const fn hms(hours: u32, minutes: u32, seconds: u32) -> ClockTime {
        ClockTime((hours * 3600 + minutes * 60 + seconds) * 1000)
    }

    /// Returns the time in milliseconds.
    pub const fn millis(self) -> u32 {
        self.0
    }

    /// Returns this time minus `other`, in milliseconds. The result may be negative.
    pub const fn minus(self, other: ClockTime) -> i64 {
        self.0 as i64 - other.0 as i64
    }
}

impl fmt::Display for ClockTime {
    /// Writes `h:mm:ss`, as a clock shows it. Milliseconds are cut off.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = self.0 / 1000;
        write!(f, "{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60)
    }
}
