//! The files in `config/schema`, and the TypeScript types of the pages, are those of the present types.
//!
//! `FLAGFALL_BLESS=1 cargo test` writes them again, for review.

use std::collections::BTreeSet;
use std::path::PathBuf;

use flagfall::publish::schema;
use serde_json::Value;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(schema::FOLDER)
}

fn names() -> Vec<&'static str> {
    schema::names().chain([schema::ASYNCAPI]).collect()
}

#[test]
#[allow(clippy::disallowed_methods, reason = "the one switch of the golden tests")]
fn the_files_are_up_to_date() {
    let bless = std::env::var_os("FLAGFALL_BLESS").is_some();
    let schema =
        |name| (folder().join(format!("{name}.json")), schema::file_text(name).unwrap_or_else(|| panic!("{name}: no text")));
    let types = (PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(schema::TYPES_FILE), schema::typescript());
    for (file, text) in names().into_iter().map(schema).chain([types]) {
        if bless {
            std::fs::write(&file, &text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        }
        let kept = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            kept == text,
            "{}: not what the types give; FLAGFALL_BLESS=1 cargo test --test contract schemas:: writes it anew",
            file.display()
        );
    }
}

#[test]
fn there_is_no_other_file() {
    let expected: BTreeSet<String> = names().into_iter().map(|name| format!("{name}.json")).collect();
    let entries = std::fs::read_dir(folder()).expect("the folder");
    let found: BTreeSet<String> = entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect();
    assert_eq!(found, expected);
}

/// Every schema is valid and has a description; published messages may get further fields.
#[test]
fn every_schema_is_valid() {
    for name in schema::names() {
        let schema = schema::schema(name).expect("a schema");
        jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        for key in ["$id", "description", "required", "properties"] {
            assert!(schema.get(key).is_some_and(|value| value.as_str() != Some("")), "{name}: no {key}");
        }
        let mut closed = Vec::new();
        closed_objects(&schema, "", &mut closed);
        // A claim has two forms.
        let bodies: &[&str] = match name {
            "cmd.claim" => &["/properties/body/oneOf/0", "/properties/body/oneOf/1"],
            name if name.starts_with("cmd.") && name != "cmd.reply" => &["/properties/body"],
            _ => &[],
        };
        let allowed: Vec<String> = bodies.iter().map(|path| (*path).to_owned()).collect();
        assert_eq!(closed, allowed, "{name}");
    }
}

fn closed_objects(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            if ["additionalProperties", "unevaluatedProperties"].iter().any(|key| fields.get(*key) == Some(&Value::Bool(false))) {
                found.push(path.to_owned());
            }
            fields.iter().for_each(|(name, field)| closed_objects(field, &format!("{path}/{name}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| closed_objects(item, &format!("{path}/{index}"), found));
        }
        _ => {}
    }
}
