//! Defines the time for people (UTC) in messages, and how reliable it is.

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
    /// Returns the word for it in messages.
    pub const fn name(self) -> &'static str {
        match self {
            TimeSource::Ntp => "ntp",
            TimeSource::Ptp => "ptp",
            TimeSource::Gps => "gps",
            TimeSource::Rtc => "rtc",
            TimeSource::None => "none",
        }
    }

    /// Returns the source that has this name.
    pub fn from_name(name: &str) -> Option<TimeSource> {
        let all = [TimeSource::Ntp, TimeSource::Ptp, TimeSource::Gps, TimeSource::Rtc, TimeSource::None];
        all.into_iter().find(|source| source.name() == name)
    }

    /// Whether the time may be compared with the time of another machine.
    pub const fn is_synchronised(self) -> bool {
        matches!(self, TimeSource::Ntp | TimeSource::Ptp | TimeSource::Gps)
    }
}

/// A time of the journal, and the time for people at that moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchor {
    /// The time of the journal.
    pub at: Instant,
    /// The time for people.
    pub utc: Utc,
    /// The source of the time for people.
    pub sync: TimeSource,
    /// The estimated error of `utc`, milliseconds; none if it is not known.
    pub err_ms: Option<u32>,
}

impl Anchor {
    /// Returns the time for people at another time of the journal.
    pub fn utc_at(&self, at: Instant) -> Utc {
        // A journal lasts less than 2^63 microseconds.
        self.utc.after_micros(at.0 as i64 - self.at.0 as i64)
    }

    /// Returns the time of the journal for a time for people. Every time before the journal began gives its beginning.
    pub fn instant_at(&self, utc: Utc) -> Instant {
        let since = utc.0.saturating_sub(self.utc.0);
        Instant(self.at.0.saturating_add_signed(since))
    }
}
