//! Defines how a command appears in the audit.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::wire::finding::FindingKey;

/// A command in the arbiters' record. A command that came without an admission has its verb only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct CommandBody {
    /// What was to be done.
    pub verb: String,
    /// The sender's id of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// What they may do; none for a user who is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["operator", "arbiter", "chief", "organiser"]))]
    pub role: Option<&'static str>,
    /// `ok`, or why it was not carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["ok", "denied", "invalid", "stale", "unsupported", "expired", "busy", "device-offline"]))]
    pub code: Option<&'static str>,
    /// The same for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the arbiter saw what it is about, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// Why, in the sender's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When the arbiter saw it, microseconds since the journal began; none where that cannot be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_us: Option<u64>,
    /// What the sender believed to be the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<ExpectBody>,
    /// What was admitted: the body as it came. None for a command that was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "BTreeMap<String, Plain>")]
    pub body: Option<Plain>,
}

/// The lock of a command in the arbiters' record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
pub struct ExpectBody {
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The revision of the arbiters' state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<u32>,
    /// The finding that is decided about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingKey>,
}

/// A value in the body of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(untagged)]
pub enum Plain {
    /// `null`.
    Nothing,
    /// Yes or no.
    Truth(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// Several.
    List(Vec<Plain>),
    /// Several with names.
    Fields(BTreeMap<String, Plain>),
}
