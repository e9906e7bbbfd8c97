//! Defines a command as it arrived, and the decision about it.

use flagfall_protocols::bytes::crc32;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::memory::fingerprint;
use crate::config::Role;
pub use crate::wire::audit::ExpectBody as Expect;
use crate::wire::audit::{CommandBody, Plain};
use crate::wire::command::{Command, DaemonAction};
use crate::wire::reply::{Code, Reply, ReplyTo, Stage};

/// A command as it arrived, read and not yet decided about.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Submission {
    /// The sender: the level after `cmd` in the topic, which the broker guarantees.
    pub actor: String,
    /// The role of the sender on this board; none for a user that the configuration does not know.
    pub role: Option<Role>,
    /// The verb in the topic.
    pub verb: String,
    /// The sender's id for the command, `[A-Za-z0-9._:-]{1,64}`: the same id is the same command. Empty if it could not be read.
    pub id: String,
    /// When it was sent, by the sender's clock, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issued: Option<String>,
    /// Its age on arrival in milliseconds; none where either clock is not known to be synchronised.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age_ms: Option<u64>,
    /// The state that the sender expected.
    #[serde(default)]
    pub expect: Expect,
    /// When the arbiter observed the event, RFC 3339.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// The same in microseconds since the journal began; none if that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_us: Option<u64>,
    /// Why `observed_at` is not used; none if it is used, or if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_unused: Option<UnusedTime>,
    /// The reason, in the sender's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The arguments of the verb.
    #[serde(default)]
    pub body: Value,
    /// Where the answer goes.
    #[serde(default)]
    pub reply: ReplyTo,
    /// The checksum by which a repetition is recognised, if the record has only a part of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checksum: Option<u32>,
    /// The problem with the payload; the fields that could be read are set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
}

/// The largest length of a body that is recorded in full with a command that is not carried out, in bytes of JSON. Of a longer one
/// the record has the beginning of this length.
pub const MAX_REFUSED_BODY: usize = 200;

/// The reason why the time at which the arbiter observed something is not used. The time of the command counts then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UnusedTime {
    /// The clocks are not known to be synchronised, and the command does not say when it was sent.
    NotSynchronised,
    /// The time is later than the command.
    InTheFuture,
    /// The time is before the game, or before the journal.
    BeforeTheGame,
}

impl UnusedTime {
    /// The reason as a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            UnusedTime::NotSynchronised => {
                "observed_at is not used, because the clocks are not known to be synchronised and issued is missing: the time of the \
                 command counts"
            }
            UnusedTime::InTheFuture => {
                "observed_at is not used, because it is later than the command: the time of the command counts"
            }
            UnusedTime::BeforeTheGame => {
                "observed_at is not used, because the game had not begun then: the time of the command counts"
            }
        }
    }
}

/// A problem with a command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Fault {
    /// The code, one word.
    pub code: Code,
    /// A text for people: no control characters, at most 200 letters.
    pub message: String,
}

impl Fault {
    /// Makes a fault. Characters that cannot be shown are removed from `message`.
    pub fn new(code: Code, message: &str) -> Fault {
        Fault { code, message: message.chars().filter(|c| !c.is_control()).take(200).collect() }
    }
}

/// A command with its admission: what a `cmd` record holds.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct Recorded {
    /// The command.
    pub submission: Submission,
    /// The decision when it arrived.
    pub verdict: Verdict,
    /// The configuration under which a device was bound: another configuration assigns the devices anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<String>,
}

/// The decision about a command when it arrived.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is carried out.
    Admitted(Action),
    /// It is not carried out.
    Refused(Fault),
    /// It came before and gets the same answer again.
    Again,
}

/// An admitted command.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// The game carries it out.
    Game(Command),
    /// The daemon carries it out.
    #[serde(rename = "errand")]
    Daemon(DaemonAction),
}

impl Recorded {
    /// The JSON of a `cmd` record, without any control character, as a journal's line needs it.
    pub fn to_json(&self) -> String {
        // Plain structs and JSON values can always be written as JSON. A delete character occurs in strings only, and JSON does
        // not escape it.
        serde_json::to_string(self).unwrap_or_default().replace('\u{7f}', "\\u007f")
    }
}

impl Submission {
    /// Replaces a long body of a command that is not carried out by its length, its checksum and its beginning, so that refused
    /// commands do not fill the journal.
    pub fn shorten_body(&mut self) {
        let text = self.body.to_string();
        if text.len() <= MAX_REFUSED_BODY {
            return;
        }
        self.checksum = Some(fingerprint(self));
        let beginning = &text[..text.floor_char_boundary(MAX_REFUSED_BODY)];
        self.body = json!({"bytes": text.len(), "crc32": format!("{:08x}", crc32(text.as_bytes())), "beginning": beginning});
    }

    /// The audit entry of the command, with its body if it was `admitted`.
    pub fn audit(&self, admitted: bool, code: Code, message: &str) -> CommandBody {
        let role = self.role.map(Role::name);
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
            expect: (self.expect != Expect::default()).then(|| self.expect.clone()),
            body: admitted.then(|| plain(&self.body)),
        }
    }

    /// The answer to the command. `now` is the game and the arbiters' revision; users without a role on the board, or whose
    /// command is denied, do not get them.
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

/// Converts JSON to the form of the game's messages. Admitted bodies hold whole numbers only.
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
