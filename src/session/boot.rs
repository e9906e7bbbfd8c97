//! Defines the `boot` records of the journal: a station began to serve its board, and continues the numbers of its events.

use flagfall_game::config::UntilPress;
use serde::{Deserialize, Serialize};

use super::station::StationInput;
use crate::system_clock::Utc;
use crate::wire::round_games::RoundBound;

/// A `boot` record's JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct BootRecord {
    /// The version of the program.
    pub program: String,
    /// The name of the node.
    pub node: String,
    /// How often the node was started. It is part of the id of every event that is numbered from here on.
    pub boot: u64,
    /// For each audience, in the order of [`Audience::ALL`](flagfall_protocols::trace::Audience::ALL), the first number that may
    /// have been given before to another event; none if no number was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restated: Option<[u64; 3]>,
    /// The number of games of a round that the configuration allowed from here on; none without a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// The configured start of the round, microseconds since 1970, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_us: Option<i64>,
    /// Whether made moves wait for their press before the live audience gets them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub live_until_press: bool,
    /// Whether they wait before the public gets them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub public_until_press: bool,
}

impl BootRecord {
    /// Reads a record; none if it is not one of ours.
    pub fn read(json: &str) -> Option<BootRecord> {
        serde_json::from_str(json).ok()
    }

    /// The JSON for the journal.
    pub fn json(&self) -> String {
        // It holds plain text and numbers, which JSON can represent.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// For which audiences made moves wait for their press.
    pub fn until_press(&self) -> UntilPress {
        UntilPress { live: self.live_until_press, public: self.public_until_press }
    }

    /// The bound on the games of the round.
    pub fn bound(&self) -> Option<RoundBound> {
        self.games.map(|games| RoundBound { games, start: self.start_us.map(Utc) })
    }
}

/// What a station that begins must know to continue the numbers of its events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The version of the program.
    pub program: String,
    /// The name of the node.
    pub node: String,
    /// How often the node was started.
    pub boot: u64,
    /// The last number of each audience that this process has sent already; none at the first opening in this process.
    pub sent: Option<[u64; 3]>,
    /// The bound on the games of the round. The record of the start has it, so that a replay publishes the same games whatever is
    /// configured then.
    pub bound: Option<RoundBound>,
    /// For which audiences made moves wait for their press. The record has it for the same reason.
    pub until_press: UntilPress,
}

impl Start {
    /// The record of this start.
    pub fn record(&self, restated: Option<[u64; 3]>) -> BootRecord {
        let start_us = self.bound.and_then(|bound| bound.start).map(|start| start.0);
        let games = self.bound.map(|bound| bound.games);
        BootRecord {
            program: self.program.clone(),
            node: self.node.clone(),
            boot: self.boot,
            restated,
            games,
            start_us,
            live_until_press: self.until_press.live,
            public_until_press: self.until_press.public,
        }
    }

    /// The input of the station that this record is.
    pub(super) fn input(&self, restated: Option<[u64; 3]>) -> StationInput<'static> {
        StationInput::Boot { boot: self.boot, restated, bound: self.bound, until_press: self.until_press }
    }
}
