//! Defines the body of a message about a flag-fall.

use flagfall_game::clock::flag;
use flagfall_game::color_name;
use serde::Serialize;

use super::player::Side;

/// By which sign of the clock a fall was seen (`dgt/clock.md#5.2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlagPath {
    /// The clock stopped for good at zero (bit 0x10).
    Blocked,
    /// The flag sign came up (bit 0x40) at a time other than zero.
    Shown,
    /// The flag sign came up at zero and the clock went on.
    RunningAtZero,
    /// The flag sign came up and the clock added the next period's time to both sides.
    PeriodAtZero,
    /// The display reached zero after the other side's flag had fallen: such a clock shows no second sign.
    ZeroAfterOther,
    /// The sign was up when the clock was connected: when it fell is not known.
    OnConnect,
    /// The clock has shown nothing: an arbiter observed the fall or a player validly claimed it (Article 6.8). When the time
    /// expired is not known.
    ObservedByArbiter,
}

mirror!(flag::FlagPath => FlagPath { Blocked, Shown, RunningAtZero, PeriodAtZero, ZeroAfterOther, OnConnect, ObservedByArbiter });

/// A flag as arbiters see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct FlagBody {
    /// The number of the fall in its game, from 1. No number is used twice in a game. A finding names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub number: Option<u32>,
    /// Whose.
    #[schemars(with = "Side")]
    pub side: &'static str,
    /// By which sign.
    pub path: FlagPath,
    /// When the time expired: between these two, microseconds since the journal began.
    pub expired_at: [u64; 2],
    /// When it was observed or claimed, microseconds since the journal began.
    pub observed_at: Option<u64>,
    /// Period, from 1.
    #[schemars(range(min = 1))]
    pub period: u32,
    /// The game had ended before.
    pub after_end: bool,
    /// Number of the decision about it that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruled: Option<u32>,
}

impl From<&flag::FlagFall> for FlagBody {
    fn from(fall: &flag::FlagFall) -> FlagBody {
        FlagBody {
            number: Some(fall.number),
            side: color_name(fall.side),
            path: fall.path.into(),
            expired_at: fall.fell.micros(),
            observed_at: fall.observed_at.map(|at| at.0),
            period: fall.period as u32 + 1,
            after_end: fall.after_end,
            ruled: None,
        }
    }
}
