//! Makes JSON Schemas (2020-12) of every message from the Rust types, and one AsyncAPI document of the topics
//! (`wire/README.md#8`). The files of both are in [`FOLDER`] too, for authors of screens; a test compares these files with the
//! types.
//!
//! A minor version may add fields to what this program publishes, so the schemas allow further fields everywhere but in the body
//! of a command. There an unknown field may be a typing error of an arbiter, so it is refused.

mod asyncapi;
mod command;
mod header;
mod message;
mod typescript;

pub use asyncapi::{Channel, asyncapi, channels};
pub use typescript::{TYPES_FILE, typescript};

use serde_json::Value;

use message::{MESSAGES, MessageSchema};

/// The folder of the source tree that has a file `<name>.json` for each name.
pub const FOLDER: &str = "config/schema";
/// The name of the AsyncAPI document.
pub const ASYNCAPI: &str = "asyncapi";

/// The name of the messages that are PGN, which have no schema.
pub const PGN: &str = "board.pgn";

/// Returns the name of every schema: the type of the message, followed by the audience where the body depends on it.
pub fn names() -> impl Iterator<Item = &'static str> {
    MESSAGES.iter().map(|message| message.name).chain(command::NAMES)
}

/// Returns the schema of that name.
pub fn schema(name: &str) -> Option<Value> {
    let message = MESSAGES.iter().find(|message| message.name == name);
    message.map(MessageSchema::build).or_else(|| command::schema(name))
}

/// Returns a schema or the AsyncAPI document as it stands in its file in [`FOLDER`].
pub fn file_text(name: &str) -> Option<String> {
    let value = if name == ASYNCAPI { asyncapi() } else { schema(name)? };
    // The keys are text, so writing JSON does not fail.
    Some(format!("{value:#}\n"))
}

/// Returns the name of the schema for messages of this type on this topic; none for a topic that flagfall does not use.
pub fn name_of_message(topic: &str, kind: &str) -> Option<&'static str> {
    let name = name_of_topic(topic)?;
    Some(if name == "board.revision" && kind == "board.restated" { "board.restated" } else { name })
}

/// Returns the name of the schema for messages on this topic, or of the first of two; [`PGN`] has no schema. None for a topic that flagfall does not use.
pub fn name_of_topic(topic: &str) -> Option<&'static str> {
    let levels: Vec<&str> = topic.split('/').collect();
    let [_root, "1", below @ ..] = levels.as_slice() else { return None };
    Some(match below {
        ["arbiter", _, _, _, "state"] => "board.state.arbiter",
        ["arbiter", _, _, _, "move"] => "board.move.arbiter",
        ["arbiter", _, _, _, "audit"] => "board.audit",
        ["arbiter", _, _, _, "ruling"] => "board.ruling",
        ["arbiter", _, _, _, "alert", _] => "board.alert",
        ["arbiter", _, _, _, "moves", _] => "board.moves.arbiter",
        ["live" | "public", _, _, _, "moves", _] => "board.moves.live",
        ["live" | "public", _, _, _, "clock"] => "board.clock",
        ["live" | "public", _, _, _, "state"] => "board.state.live",
        ["live" | "public", _, _, _, "move"] => "board.move.live",
        ["live" | "public", _, _, _, "revision"] => "board.revision",
        ["live" | "public", _, _, _, "pgn"] | ["public", _, _, "pgn"] => PGN,
        ["node", _, "status"] => "node.status",
        ["node", _, "info"] => "node.info",
        ["node", _, "health"] => "node.health",
        ["node", _, "output", _] => "node.output",
        ["meta", _] => "meta.event",
        ["meta", _, _] => "meta.round",
        ["device", _, "status"] => "device.status",
        ["device", _, "raw"] => "device.raw",
        ["reply", _, _] => "cmd.reply",
        ["cmd", _, _, _, _, verb] => return command::name_of_verb(verb),
        _ => return None,
    })
}
