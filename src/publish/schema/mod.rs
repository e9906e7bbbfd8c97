//! JSON Schemas (2020-12) of every message, made of the Rust types, and one AsyncAPI document of the topics
//! (`wire/README.md#8`). Both lie in [`FOLDER`] too, for those who write screens; a test compares.
//!
//! What this program publishes may get more fields with a minor version, so further fields are allowed everywhere but in the
//! body of a command: there an unknown word may be a slip of what an arbiter meant, and is refused.

mod asyncapi;
mod command;
mod header;
mod message;

pub use asyncapi::{Channel, asyncapi, channels};

use serde_json::Value;

use message::{MESSAGES, MessageSchema};

/// The folder of the source tree with a file for each name, `<name>.json`.
pub const FOLDER: &str = "config/schema";
/// The name of the AsyncAPI document.
pub const ASYNCAPI: &str = "asyncapi";

/// The name of every schema: the message's type, with the audience behind it where the body depends on that.
pub fn names() -> impl Iterator<Item = &'static str> {
    MESSAGES.iter().map(|message| message.name).chain(command::NAMES)
}

/// The schema of that name.
pub fn schema(name: &str) -> Option<Value> {
    let message = MESSAGES.iter().find(|message| message.name == name);
    message.map(MessageSchema::build).or_else(|| command::schema(name))
}

/// A schema or the AsyncAPI document as it lies in [`FOLDER`].
pub fn file_text(name: &str) -> Option<String> {
    let value = if name == ASYNCAPI { asyncapi() } else { schema(name)? };
    // Keys are text.
    Some(format!("{value:#}\n"))
}

/// The name of the schema of what is published or sent to this topic; none for a topic that is not one of ours.
pub fn name_of_topic(topic: &str) -> Option<&'static str> {
    let levels: Vec<&str> = topic.split('/').collect();
    let [_root, "1", below @ ..] = levels.as_slice() else { return None };
    Some(match below {
        ["arbiter", _, _, _, "state"] => "board.state.arbiter",
        ["arbiter", _, _, _, "move"] => "board.move.arbiter",
        ["arbiter", _, _, _, "audit"] => "board.audit",
        ["arbiter", _, _, _, "ruling"] => "board.ruling",
        ["arbiter", _, _, _, "alert", _] => "board.alert",
        ["live", _, _, _, "clock"] => "board.clock",
        ["live" | "public", _, _, _, "state"] => "board.state.live",
        ["live" | "public", _, _, _, "move"] => "board.move.live",
        ["live" | "public", _, _, _, "revision"] => "board.revision",
        ["node", _, "status"] => "node.status",
        ["node", _, "info"] => "node.info",
        ["node", _, "health"] => "node.health",
        ["device", _, "status"] => "device.status",
        ["device", _, "raw"] => "device.raw",
        ["reply", _, _] => "cmd.reply",
        ["cmd", _, _, _, _, verb] => return command::name_of_verb(verb),
        _ => return None,
    })
}
