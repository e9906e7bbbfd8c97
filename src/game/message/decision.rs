//! Decisions and what was entered at the arbiter's desk, as arbiters see them.

use alloc::string::String;

use serde::Serialize;

use crate::desk::Entered;
use crate::laws::claim::{Ground, Standing};
use crate::laws::finding::FindingKey;
use crate::laws::outcome::GameResult;
#[cfg(feature = "schema")]
use crate::laws::outcome::Side;
use crate::pair::Pair;

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecisionKind {
    /// What a finding proposes.
    Confirmed,
    /// What a finding proposes is not so: the game goes on.
    Rejected,
    /// A result, or that there is none.
    Declared,
    /// The players agreed to a draw (5.2.3).
    Agreed,
    /// A claim was accepted.
    ClaimAccepted,
    /// A claim was refused.
    ClaimRefused,
    /// A penalty, an adjustment of times, a ruling on an illegal move.
    Penalty,
    /// The game was broken off and another one begun in its place (7.2, 7.3).
    Restart,
}

/// Who decided, when, why, and on which evidence. A later decision on the same matter supersedes it; it is never changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decision {
    /// Number of the decision on this board, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub number: u32,
    /// Number of the game that it is about: the envelope names that one.
    #[serde(skip)]
    pub game_no: u32,
    /// What was decided.
    pub kind: DecisionKind,
    /// The result that the game has by it; `*` = none, it goes on.
    pub result: GameResult,
    /// Whose claim; who was penalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Side>"))]
    pub side: Option<&'static str>,
    /// The finding that was confirmed or rejected, as the arbiter saw it; else the one that stood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingKey>,
    /// The claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimBody>,
    /// The penalty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<PenaltyBody>,
    /// Who decided: a user, or `automatic` where the event has findings that are certain decided without an arbiter; none where
    /// it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Why, in the arbiter's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the command that it was given by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// When the arbiter saw what it is about, microseconds since the journal began; none where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<u64>,
    /// When it was made, microseconds since the journal began.
    pub at: u64,
    /// Number of the decision that it takes the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<u32>,
}

/// A claim, and what the record of the game says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimBody {
    /// Who claims.
    #[cfg_attr(feature = "schema", schemars(with = "Side"))]
    pub side: &'static str,
    /// On what it rests.
    pub ground: Ground,
    /// Where it stands.
    pub standing: Standing,
    /// The move that is intended, UCI; none if it is about the position on the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uci: Option<String>,
    /// The record of the game bears it out; none where it does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// How, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// What a penalty consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PenaltyBody {
    /// Seconds that each player's time was changed by; less than 0 = taken away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Pair<i32>>,
    /// Number of the alarm of an illegal move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alarm: Option<u32>,
    /// That move counts towards the player's second one (7.5.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<bool>,
}

/// One entry of the arbiter's desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EntryBody {
    /// What.
    #[serde(flatten)]
    pub entered: Entered,
    /// Who offered, agreed, resigned, claimed, moved.
    #[cfg_attr(feature = "schema", schemars(with = "Side"))]
    pub side: &'static str,
    /// When it happened: between these two, microseconds since the journal began.
    pub happened_at: [u64; 2],
    /// When it was entered, microseconds since the journal began.
    pub entered_at: u64,
    /// Id of the command that it was entered by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}
