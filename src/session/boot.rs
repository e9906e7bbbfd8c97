//! Defines the `boot` records of the journal: a station began to serve its board.

use serde::{Deserialize, Serialize};

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
    /// How often the node was started.
    pub boot: u64,
    /// The number of games of a round that the configuration allowed from here on; none without a bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u32>,
    /// The configured start of the round, microseconds since 1970, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_us: Option<i64>,
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

    /// The same record with this bound on the games of the round. The journal has it, so that a replay publishes the same games
    /// whatever is configured then.
    #[must_use]
    pub fn with_bound(self, bound: Option<RoundBound>) -> BootRecord {
        let start_us = bound.and_then(|bound| bound.start).map(|start| start.0);
        BootRecord { games: bound.map(|bound| bound.games), start_us, ..self }
    }

    /// The bound on the games of the round.
    pub fn bound(&self) -> Option<RoundBound> {
        self.games.map(|games| RoundBound { games, start: self.start_us.map(Utc) })
    }
}
