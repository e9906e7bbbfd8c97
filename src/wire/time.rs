//! What time it is for people, and what that rests on.

use flagfall_protocols::time::Instant;
use serde::{Deserialize, Serialize};

use crate::system_clock::Utc;

/// What a clock on the wall goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "the contract's own words")]
pub enum TimeSource {
    Ntp,
    Ptp,
    Gps,
    Rtc,
    #[default]
    None,
}

impl TimeSource {
    /// The word in messages.
    pub const fn name(self) -> &'static str {
        match self {
            TimeSource::Ntp => "ntp",
            TimeSource::Ptp => "ptp",
            TimeSource::Gps => "gps",
            TimeSource::Rtc => "rtc",
            TimeSource::None => "none",
        }
    }

    /// The source of that name.
    pub fn from_name(name: &str) -> Option<TimeSource> {
        let all = [TimeSource::Ntp, TimeSource::Ptp, TimeSource::Gps, TimeSource::Rtc, TimeSource::None];
        all.into_iter().find(|source| source.name() == name)
    }

    /// The time may be compared with that of another machine.
    pub const fn is_synchronised(self) -> bool {
        matches!(self, TimeSource::Ntp | TimeSource::Ptp | TimeSource::Gps)
    }
}

/// What time it was for people at one moment of the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The moment.
    pub at: Instant,
    /// The time.
    pub utc: Utc,
    /// What it goes by.
    pub sync: TimeSource,
    /// Estimated error, milliseconds; none if nobody knows.
    pub err_ms: Option<u32>,
}

impl Anchor {
    /// The time for people at another moment.
    pub fn utc_at(&self, at: Instant) -> Utc {
        // A journal lasts less than 2^63 microseconds.
        self.utc.after_micros(at.0 as i64 - self.at.0 as i64)
    }

    /// The moment of a time for people; the journal's beginning for all that was before.
    pub fn instant_at(&self, utc: Utc) -> Instant {
        let since = utc.0.saturating_sub(self.utc.0);
        Instant(self.at.0.saturating_add_signed(since))
    }
}
