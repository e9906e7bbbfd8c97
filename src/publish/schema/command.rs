//! Makes the JSON Schemas of the commands that are carried out: the header and, for each verb, the body (`wire/README.md#5`).

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::header;
use crate::arbiter::verbs::{self, Lock, Verb};
use crate::wire::command::{Command, DaemonAction};

/// The names of all commands with a schema. A verb that the program does not carry out yet has none.
pub(super) const NAMES: [&str; 23] = [
    "cmd.resync",
    "cmd.bind-device",
    "cmd.start-game",
    "cmd.correct-move",
    "cmd.take-back",
    "cmd.set-position",
    "cmd.swap-sides",
    "cmd.set-round-game",
    "cmd.acknowledge-alert",
    "cmd.claim",
    "cmd.set-move-count",
    "cmd.set-clock-record",
    "cmd.set-flag-order",
    "cmd.stop-clocks",
    "cmd.restart-clocks",
    "cmd.declare-result",
    "cmd.enter-result",
    "cmd.offer",
    "cmd.accept",
    "cmd.resign",
    "cmd.penalty",
    "cmd.confirm",
    "cmd.reject",
];

/// Returns the name of the schema of a verb.
pub(super) fn name_of_verb(verb: &str) -> Option<&'static str> {
    NAMES.into_iter().find(|name| name.strip_prefix("cmd.") == Some(verb))
}

/// Returns the schema of that name.
pub(super) fn schema(name: &str) -> Option<Value> {
    let verb = verbs::find(name.strip_prefix("cmd.")?)?;
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let mut body =
        body_schema::<Command>(verb.name, &mut generator).or_else(|| body_schema::<DaemonAction>(verb.name, &mut generator))?;
    let about = body.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    if verb.name == "claim" {
        // A claim is about a flag or about something else. Something else is a command of its own in the game.
        let grounds = body_schema::<Command>("claim-on", &mut generator)?;
        body = Map::from_iter([("oneOf".to_owned(), json!([body, grounds])), ("required".to_owned(), json!([]))]);
    }
    let mut schema = header::new_schema(name, &about);
    let mut required = vec!["v", "type", "id"];
    required.extend((verb.lock != Lock::None).then_some("expect"));
    required.extend(body.contains_key("required").then_some("body"));
    required.extend((verb.name == "reject").then_some("reason"));
    schema.insert("required".to_owned(), required.into_iter().collect());
    let mut used = BTreeSet::new();
    collect_references(&Value::Object(body.clone()), &mut used);
    schema.insert("properties".to_owned(), property_schemas(name, verb, body));
    // The definitions consist of numbers and texts and refer to no other definitions.
    let definitions: Map<_, _> = generator.take_definitions(true).into_iter().filter(|(name, _)| used.contains(name)).collect();
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    Some(Value::Object(schema))
}

/// Makes the schema of a verb's body from its variant in an enum of commands. The verb is left out, since it stands in the topic.
fn body_schema<T: JsonSchema>(verb: &str, generator: &mut SchemaGenerator) -> Option<Map<String, Value>> {
    let of_all = T::json_schema(generator).to_value();
    let variants = of_all.get("oneOf")?.as_array()?;
    let mut body = variants.iter().find(|variant| variant["properties"]["verb"]["const"] == verb)?.as_object()?.clone();
    if let Some(fields) = body.get_mut("properties").and_then(Value::as_object_mut) {
        fields.remove("verb");
        // These fields stand beside the body: the time in the format for people, the finding and the game as a lock.
        let beside: &[&str] = match verb {
            "claim" => &["observed_at"],
            "confirm" | "reject" => &["finding"],
            "enter-result" => &["game_no", "by_organiser"],
            _ => &[],
        };
        beside.iter().for_each(|field| drop(fields.remove(*field)));
    }
    if verb == "bind-device" {
        body.extend(["minProperties", "maxProperties"].map(|key| (key.to_owned(), 1.into())));
    }
    if let Some(required) = body.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|field| field != "verb" && field != "finding" && field != "game_no");
        if required.is_empty() {
            body.remove("required");
        }
    }
    Some(body)
}

fn collect_references(value: &Value, used: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            let name = fields.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/$defs/"));
            used.extend(name.map(str::to_owned));
            fields.values().for_each(|field| collect_references(field, used));
        }
        Value::Array(items) => items.iter().for_each(|item| collect_references(item, used)),
        _ => {}
    }
}

fn property_schemas(name: &str, verb: &Verb, body: Map<String, Value>) -> Value {
    let may = |about: &str, max: usize| json!({"description": about, "type": ["string", "null"], "maxLength": max});
    let when = |about: &str| json!({"description": about, "type": ["string", "null"], "format": "date-time"});
    json!({
        "v": header::version_schema(),
        "type": {"const": name},
        "id": {
            "description": "The sender's id of it: the same id is the same command, and is answered the same.",
            "type": "string",
            "pattern": "^[A-Za-z0-9._:-]{1,64}$",
        },
        "issued": when("When it was sent, RFC 3339."),
        "sync": {"anyOf": [header::time_source_schema(), {"type": "null"}]},
        "expect": expect_schema(verb.lock),
        "observed_at": when("When the arbiter saw what it is about, RFC 3339; it may be before it was sent."),
        "reason": reason_schema(verb),
        "reply_to": may("Where the answer goes, reply/<user>/<name> of one's own; for clients without a response topic.", 1000),
        "corr": may("What the answer shall bear, for clients without correlation data.", 128),
        "body": body,
    })
}

fn reason_schema(verb: &Verb) -> Value {
    let about = "Why, in the sender's words.";
    match verb.name {
        "reject" => json!({"description": about, "type": "string", "maxLength": 1000, "pattern": r"\S"}),
        _ => json!({"description": about, "type": ["string", "null"], "maxLength": 1000}),
    }
}

fn expect_schema(lock: Lock) -> Value {
    let (required, null): (&[&str], &[&str]) = match lock {
        Lock::None => (&[], &["null"]),
        Lock::Game => (&["game"], &[]),
        Lock::Rev => (&["game", "rev"], &[]),
        Lock::Finding => (&["game", "finding"], &[]),
    };
    let number = |about: &str| json!({"description": about, "type": "integer", "minimum": 1, "maximum": u32::MAX});
    let kind = |name: &'static str, field: &str| -> Value {
        if required.contains(&field) { name.into() } else { json!([name, "null"]) }
    };
    let own: Value = ["object"].iter().chain(null).copied().collect();
    json!({
        "description": "What the sender believes to be the case; if it is not, nothing is done.",
        "type": own,
        "required": required,
        "properties": {
            "game": {"description": "The game.", "type": kind("string", "game"), "maxLength": 1000},
            "rev": {"description": "The revision of the arbiters' state.", "type": kind("integer", "rev"), "minimum": 0, "maximum": u32::MAX},
            "finding": {
                "description": "The finding that is decided about, as the sender knows it.",
                "type": kind("object", "finding"),
                "required": ["id", "revision"],
                "properties": {"id": number("Number of the finding."), "revision": number("Which of its revisions.")},
            },
        },
    })
}
