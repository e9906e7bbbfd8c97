//! A command as it arrived, and what was decided about it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::config::Role;
use crate::wire::audit::{CommandBody, ExpectBody, Plain};
use crate::wire::command::{Command, Errand};
use crate::wire::finding::FindingKey;
use crate::wire::reply::{Code, Reply, ReplyTo, Stage};

/// A command as it arrived, read and not yet judged.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Submission {
    /// Who sent it: the level after `cmd` in the topic, which the broker vouches for.
    pub actor: String,
    /// What this user may do here; none for a user the configuration does not know.
    pub role: Option<Role>,
    /// The verb in the topic.
    pub verb: String,
    /// The sender's id of it, `[A-Za-z0-9._:-]{1,64}`: the same id is the same command. Empty if it could not be read.
    pub id: String,
    /// When it was sent, as the sender's clock says, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued: Option<String>,
    /// Its age on arrival in milliseconds; none where either clock is not known to be synchronised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_ms: Option<u64>,
    /// What the sender believed to be the case.
    #[serde(default)]
    pub expect: Expect,
    /// When the arbiter saw what it is about, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// The same in microseconds since the journal began; none where that cannot be said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_us: Option<u64>,
    /// Why, in the sender's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the verb needs.
    #[serde(default)]
    pub body: Value,
    /// Where the answer goes.
    #[serde(default)]
    pub reply: ReplyTo,
    /// What is wrong with the payload; the fields that could be read are there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// What the sender believed to be the case: the lock of a command that changes the game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct Expect {
    /// The game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The revision of the arbiters' state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rev: Option<u32>,
    /// The finding that is decided about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingKey>,
}

/// What is wrong with a command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Fault {
    /// In one word.
    pub code: Code,
    /// For people: no control characters, at most 200 letters.
    pub message: String,
}

impl Fault {
    /// A fault; what cannot be shown in `message` is left out.
    pub fn new(code: Code, message: &str) -> Fault {
        Fault { code, message: message.chars().filter(|c| !c.is_control()).take(200).collect() }
    }
}

/// A command with its admission: what a `cmd` record holds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Recorded {
    /// The command.
    pub submission: Submission,
    /// What was decided when it arrived.
    pub verdict: Verdict,
    /// The configuration that a device was bound under: another one says anew which device is whose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
}

/// What was decided about a command when it arrived.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// To be done.
    Admitted(Action),
    /// Not to be done.
    Refused(Fault),
    /// It was there before: the same answer again.
    Again,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// By the game.
    Game(Command),
    /// By the daemon.
    Errand(Errand),
}

impl Recorded {
    /// As a `cmd` record: without any control character, as a line of a journal wants it.
    pub fn to_json(&self) -> String {
        // Plain structs and JSON values: there is nothing in them that JSON cannot say. A delete character stands in strings
        // only, and JSON does not escape it.
        serde_json::to_string(self).unwrap_or_default().replace('\u{7f}', "\\u007f")
    }
}

impl Submission {
    /// What the audit says of it; with its body if it was `admitted`.
    pub fn audit(&self, admitted: bool, code: Code, message: &str) -> CommandBody {
        let role = self.role.map(|role| match role {
            Role::Operator => "operator",
            Role::Arbiter => "arbiter",
            Role::Chief => "chief",
        });
        CommandBody {
            verb: self.verb.clone(),
            id: Some(self.id.clone()),
            actor: Some(self.actor.clone()),
            role,
            code: Some(code.name()),
            message: (!message.is_empty()).then(|| message.to_owned()),
            observed_at: self.observed_at.clone(),
            reason: self.reason.clone(),
            observed_us: self.observed_us,
            expect: (self.expect != Expect::default()).then(|| ExpectBody {
                game: self.expect.game.clone(),
                rev: self.expect.rev,
                finding: self.expect.finding,
            }),
            body: admitted.then(|| plain(&self.body)),
        }
    }

    /// The answer to it; `now` is the game and the arbiters' revision. Whom the board does not concern, or who is refused for
    /// what they may not do, is not told them.
    pub fn answer(&self, stage: Stage, code: Code, message: &str, now: Option<(String, u32)>) -> Reply {
        let (game, rev) = now.filter(|_| self.role.is_some() && code != Code::Denied).unzip();
        Reply {
            actor: self.actor.clone(),
            id: self.id.clone(),
            to: self.reply.clone(),
            stage,
            code,
            message: message.to_owned(),
            game,
            rev,
            finding: None,
            corr: self.reply.corr.clone(),
        }
    }
}

/// JSON as the game's messages have it. The bodies that are admitted hold whole numbers only.
fn plain(value: &Value) -> Plain {
    match value {
        Value::Null => Plain::Nothing,
        Value::Bool(yes) => Plain::Truth(*yes),
        Value::Number(number) => number.as_i64().map_or_else(|| Plain::Text(number.to_string()), Plain::Number),
        Value::String(text) => Plain::Text(text.clone()),
        Value::Array(items) => Plain::List(items.iter().map(plain).collect()),
        Value::Object(fields) => Plain::Fields(fields.iter().map(|(key, value)| (key.clone(), plain(value))).collect()),
    }
}
