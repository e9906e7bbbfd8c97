//! A command as it arrived, and the answer to it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::config::Role;

/// A command as it arrived, read and not yet judged.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Submission {
    /// Who sent it: the level after `cmd` in the topic, which the broker vouches for.
    pub actor: String,
    /// What this user may do; none for a user the configuration does not know.
    pub role: Option<Role>,
    /// The verb in the topic.
    pub verb: String,
    /// The sender's id of it: the same id is the same command.
    pub id: String,
    /// When it was sent, as the sender's clock says, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued: Option<String>,
    /// Its age on arrival in milliseconds; none where either clock is not known to be synchronised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_ms: Option<u64>,
    /// What the sender believed to be the case.
    #[serde(default)]
    pub expect: Expect,
    /// When the arbiter saw what it is about, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// Why, in the sender's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the verb needs, JSON.
    pub body: Box<RawValue>,
}

/// What the sender believed to be the case: the lock of a command that changes the game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Expect {
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The revision of the arbiters' state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<u32>,
}

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Admitted and on record.
    Accepted,
    /// Carried out.
    Done,
    /// Not carried out.
    Failed,
}

/// Why, in one word for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "the contract's own words")]
pub enum Code {
    Ok,
    Denied,
    Invalid,
    Stale,
    Unsupported,
    Expired,
    Busy,
    DeviceOffline,
}

/// The answer to a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// The command's id.
    pub id: String,
    /// How far it has come.
    pub stage: Stage,
    /// Why.
    pub code: Code,
    /// The same for people; empty if there is nothing to say.
    pub message: String,
    /// The revision of the arbiters' state now.
    pub rev: u32,
}
