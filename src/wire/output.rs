//! Defines the body of the message about an output of a collector (`wire/README.md#11`).

use serde::{Deserialize, Serialize};

/// Body of `node.output`, on `node/<collector>/output/<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct OutputStatus {
    /// What the output does.
    pub state: OutputState,
    /// Since when it has been in this state, UTC.
    pub since: String,
    /// When the receiver last took everything, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sent: Option<String>,
    /// The number of half-moves that the receiver has.
    pub plies: u32,
    /// The number of attempts since the receiver last took everything.
    pub attempts: u32,
    /// The last status code, of a receiver that speaks HTTP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub http: Option<u16>,
    /// A sentence for people that says what is wrong and what to do; empty if nothing is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// What is wrong with single boards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<BoardMessage>,
}

/// What an output does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputState {
    /// The receiver has everything.
    Ok,
    /// There is something to send.
    Waiting,
    /// The last attempt failed, and another one follows.
    Retrying,
    /// The receiver refused; a person must change something.
    Refused,
    /// It is withheld, because another collector sends the round.
    Off,
}

/// What is wrong with one board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct BoardMessage {
    /// The id of the board.
    pub board: String,
    /// A sentence for people.
    pub message: String,
}
