//! Checks of messages: they keep to their schemas, and they are silent about facts that only arbiters may know.

pub(crate) mod arbiters_only;
pub(crate) mod reader_1_0;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use flagfall::emulate::score_sheet::{self, ScoreSheet};
use flagfall::publish::schema;
use jsonschema::Validator;
use serde_json::Value;

static VALIDATORS: LazyLock<BTreeMap<&str, Validator>> =
    LazyLock::new(|| schema::names().map(|name| (name, compiled(name))).collect());

fn compiled(name: &str) -> Validator {
    let schema = schema::schema(name).unwrap_or_else(|| panic!("{name}: no schema"));
    jsonschema::draft202012::options()
        .should_validate_formats(true)
        .build(&schema)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Checks a message on `topic`: it has a schema and keeps to it, a subscriber of version 1.0 can read it, and it is silent about
/// facts that its audience may not know. An empty
/// payload is right for a retained message, which it deletes.
pub(crate) fn validate(topic: &str, payload: impl AsRef<[u8]>) -> Result<(), String> {
    let payload = payload.as_ref();
    let name = schema::name_of_topic(topic).ok_or_else(|| format!("{topic}: no schema"))?;
    if payload.is_empty() {
        let retained = schema::channels().iter().any(|channel| channel.retain && channel.messages.contains(&name));
        return if retained { Ok(()) } else { Err(format!("{topic}: an empty payload")) };
    }
    if name == schema::PGN {
        return pgn(payload).map_err(|problem| format!("{topic}: {problem}"));
    }
    let value: Value = serde_json::from_slice(payload).map_err(|error| format!("{topic}: {error}"))?;
    let name = value["type"].as_str().and_then(|kind| schema::name_of_message(topic, kind)).unwrap_or(name);
    keeps_to(name, &value).map_err(|problem| format!("{topic}: {problem}\n{value}"))?;
    reader_1_0::read(topic, &value).map_err(|problem| format!("{topic}: {problem}\n{value}"))?;
    let open = matches!(topic.split('/').nth(2), Some("live" | "public"));
    let forbidden = if open { arbiters_only::forbidden(&value) } else { Vec::new() };
    if forbidden.is_empty() { Ok(()) } else { Err(format!("{topic}: only arbiters may know {}\n{value}", forbidden.join(", "))) }
}

/// Checks that a payload is PGN with legal moves, and that its tags are those of the outputs.
fn pgn(payload: &[u8]) -> Result<(), String> {
    const TAGS: [&str; 20] = [
        "Event",
        "Site",
        "Date",
        "Round",
        "White",
        "Black",
        "Result",
        "Board",
        "WhiteFideId",
        "BlackFideId",
        "WhiteTitle",
        "BlackTitle",
        "WhiteElo",
        "BlackElo",
        "TimeControl",
        "UTCDate",
        "UTCTime",
        "SetUp",
        "FEN",
        "GameId",
    ];
    let text = str::from_utf8(payload).map_err(|error| error.to_string())?;
    let tags = text.lines().filter_map(|line| line.strip_prefix('[')?.split(' ').next());
    if let Some(other) = tags.filter(|tag| !tag.starts_with('%')).find(|tag| !TAGS.contains(tag)) {
        return Err(format!("the tag {other}"));
    }
    let sheets = score_sheet::read(payload).map_err(|error| error.to_string())?;
    let problem = |sheet: &ScoreSheet| sheet.unplayable.map(str::to_owned).or_else(|| sheet.illegal_tail.clone());
    let is_empty = |sheet: &ScoreSheet| sheet.moves.is_empty() && sheet.illegal_tail.is_none();
    match sheets.iter().filter(|sheet| !is_empty(sheet)).find_map(problem) {
        Some(problem) => Err(problem),
        None if sheets.is_empty() => Err("no game".to_owned()),
        None => Ok(()),
    }
}

/// Checks a value against the schema of this name.
pub(crate) fn keeps_to(name: &str, value: &Value) -> Result<(), String> {
    let validator = VALIDATORS.get(name).ok_or_else(|| format!("no schema is called {name}"))?;
    let problems: Vec<String> =
        validator.iter_errors(value).take(3).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if problems.is_empty() { Ok(()) } else { Err(format!("not a {name}: {}", problems.join("; "))) }
}
