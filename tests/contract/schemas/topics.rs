//! Topics, schemas and the AsyncAPI document agree.

use std::collections::BTreeSet;

use flagfall::arbiter::verbs::VERBS;
use flagfall::publish::schema;
use serde_json::Value;

/// Functions of `topics` that do not make a topic.
const NO_TOPIC: [&str; 3] = ["collector", "device_id", "game_id"];

#[test]
fn every_topic_has_a_channel_and_every_channel_a_topic() {
    let source = include_str!("../../../src/wire/topics.rs");
    let makes =
        source.lines().filter_map(|line| line.trim_start().strip_prefix("pub fn ")).filter(|line| line.contains("-> String"));
    let functions: BTreeSet<&str> =
        makes.filter_map(|line| line.split('(').next()).filter(|name| !NO_TOPIC.contains(name)).collect();
    let channels = schema::channels();
    let names: BTreeSet<&str> = channels.iter().map(|channel| channel.name).collect();
    assert_eq!(functions, names);
    assert_eq!(names.len(), channels.len(), "each once");
    let addresses: BTreeSet<&str> = channels.iter().map(|channel| channel.address.as_str()).collect();
    assert_eq!(addresses.len(), channels.len(), "each name is different");
}

#[test]
fn every_channel_leads_to_its_schemas() {
    let mut used = BTreeSet::new();
    for channel in schema::channels() {
        for name in &channel.messages {
            let verb = name.strip_prefix("cmd.").unwrap_or_default();
            let topic = channel.address.replace("{verb}", verb).replace(['{', '}'], "");
            assert_eq!(schema::name_of_message(&topic, name), Some(*name), "{topic}");
            if *name != schema::PGN {
                used.insert(*name);
            }
        }
    }
    assert_eq!(used, schema::names().collect(), "each in some channel");
}

#[test]
fn other_topics_have_no_schema() {
    for topic in [
        "",
        "flagfall",
        "flagfall/1",
        "flagfall/2/node/a/status",
        "flagfall/1/node/a",
        "flagfall/1/node/a/status/b",
        "flagfall/1/arbiter/e/r/b/clock",
        "flagfall/1/public/e/r/b/audit",
        "flagfall/1/live/e/r/b/ruling",
        "flagfall/1/live/e/r/b/alert/1",
        "flagfall/1/live/e/r/b",
        "flagfall/1/cmd/u/e/r/b/dance",
        "flagfall/1/cmd/u/e/r/b/identify",
        "flagfall/1/cmd/u/e/r/b/claim-on",
        "flagfall/1/reply/u",
        "flagfall/1/meta",
        "flagfall/1/meta/e/r/b",
        "a/flagfall/1/node/a/status",
    ] {
        assert_eq!(schema::name_of_topic(topic), None, "{topic}");
    }
    assert_eq!(schema::name_of_topic("another-root/1/live/e/r/b/clock"), Some("board.clock"));
}

#[test]
fn every_verb_has_a_schema() {
    let carried_out: BTreeSet<String> = VERBS.iter().map(|verb| format!("cmd.{}", verb.name)).collect();
    let named: BTreeSet<String> =
        schema::names().filter(|name| name.starts_with("cmd.") && *name != "cmd.reply").map(str::to_owned).collect();
    assert_eq!(carried_out, named);
}

/// Every reference within the document has a target, and every schema in it has a file.
#[test]
fn the_document_holds_together() {
    let document = schema::asyncapi();
    let mut references = Vec::new();
    collect(&document, &mut references);
    assert!(references.len() > 100, "{}", references.len());
    for reference in references {
        match reference.strip_prefix('#') {
            Some(pointer) => assert!(document.pointer(pointer).is_some(), "{reference}"),
            None => {
                let name = reference.strip_prefix("./").and_then(|file| file.strip_suffix(".json")).unwrap_or_default();
                assert!(schema::schema(name).is_some(), "{reference}");
            }
        }
    }
    let count = |key: &str| document[key].as_object().map_or(0, serde_json::Map::len);
    assert_eq!((count("channels"), count("operations")), (29, 29));
    let commands = &document["operations"]["commands"];
    assert_eq!((&commands["action"], &commands["bindings"]["mqtt"]["retain"]), (&"receive".into(), &false.into()));
    assert_eq!(commands["reply"]["channel"]["$ref"], "#/channels/reply");
}

fn collect<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(fields) => {
            found.extend(fields.get("$ref").and_then(Value::as_str));
            fields.values().for_each(|field| collect(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        _ => {}
    }
}
