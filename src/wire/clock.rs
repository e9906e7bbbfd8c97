//! Defines how the clock appears in messages: its times for every audience, and its status and the duty to record for arbiters.

use flagfall_game::clock;
use flagfall_game::color_name;
use flagfall_protocols::driver::DriverInfo;
use serde::Serialize;

use super::player::Side;

/// The clock block every audience gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ClockBody {
    /// White's time, milliseconds; none before the clock was heard.
    pub white_ms: Option<u32>,
    /// Black's time, milliseconds.
    pub black_ms: Option<u32>,
    /// Whose clock runs; none while it stands.
    #[schemars(with = "Option<Side>")]
    pub running: Option<&'static str>,
    /// When it was read, microseconds since the journal began.
    pub read_us: u64,
    /// Steps in which the times are reported, milliseconds; 0 before the clock was heard.
    pub resolution_ms: u16,
    /// The device family that told them.
    pub source: &'static str,
}

impl From<clock::ClockState> for ClockBody {
    fn from(clock: clock::ClockState) -> ClockBody {
        ClockBody {
            white_ms: clock.times.white.map(|time| time.millis()),
            black_ms: clock.times.black.map(|time| time.millis()),
            running: clock.running.map(color_name),
            read_us: clock.read.map_or(0, |at| at.0),
            resolution_ms: clock.resolution_ms,
            source: clock.source,
        }
    }
}

/// Whether there is a clock. Where there is none nothing is found on time, and no press is concluded from moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockStatus {
    /// The board tells no times, and no other clock does.
    NotAvailable,
    /// It has not reported yet.
    #[default]
    NotHeard,
    /// It reports.
    Reporting,
    /// It has reported and is gone.
    Lost,
}

impl From<clock::ClockState> for ClockStatus {
    fn from(clock: clock::ClockState) -> ClockStatus {
        match clock.read {
            _ if clock.source == DriverInfo::NO_CLOCK => ClockStatus::NotAvailable,
            None => ClockStatus::NotHeard,
            Some(_) if clock.present => ClockStatus::Reporting,
            Some(_) => ClockStatus::Lost,
        }
    }
}

/// A player's duty to record the moves (8.1, 8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    /// The time control is not known.
    Unknown,
    /// Every move.
    Required,
    /// Suspended to the end of the period: little time, and less than 30 seconds added with each move.
    Suspended,
    /// Not under these rules.
    NotRequired,
}

mirror!(clock::Recording => Recording { Unknown, Required, Suspended, NotRequired });
