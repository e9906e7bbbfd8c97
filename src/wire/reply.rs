//! Defines the answer to a command.

use serde::{Deserialize, Serialize};

use super::finding::FindingKey;

/// How far a command has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Admitted and on record.
    Accepted,
    /// Carried out; an errand: passed on.
    Done,
    /// Not carried out.
    Failed,
}

/// Why, in one word for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, schemars::JsonSchema)]
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

impl Code {
    /// The word in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Code::Ok => "ok",
            Code::Denied => "denied",
            Code::Invalid => "invalid",
            Code::Stale => "stale",
            Code::Unsupported => "unsupported",
            Code::Expired => "expired",
            Code::Busy => "busy",
            Code::DeviceOffline => "device-offline",
        }
    }
}

/// The answer to a command: body of `cmd.reply`, but for `id`, which stands in the header, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Reply {
    /// Whom it is for.
    #[serde(skip)]
    pub actor: String,
    /// The command's id.
    #[serde(skip)]
    pub id: String,
    /// Where it goes.
    #[serde(skip)]
    pub to: ReplyTo,
    /// How far it has come.
    pub stage: Stage,
    /// Why.
    pub code: Code,
    /// The same for people; empty if there is nothing to say.
    pub message: String,
    /// The game now; not for who may not know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The revision of the arbiters' state now; not for who may not know it: it moves with every flag and finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<u32>,
    /// The finding now, of a command that decides about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingKey>,
    /// `corr` of the command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corr: Option<String>,
}

/// Where an answer goes, and what the sender wants to find in it again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct ReplyTo {
    /// The response topic; none = the sender named none that is theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
    /// MQTT 5 correlation data, lower-case hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation: Option<String>,
    /// `corr` of the payload, for clients of MQTT 3.1.1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corr: Option<String>,
}
