//! A subscriber of version 1.0 of the contract: what it makes of a message of a later minor version (`wire/README.md#8`).
//!
//! `v1_0/` has the schemas of version 1.0 without their descriptions. They never change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// The lists of words that were open in version 1.0: a subscriber shows a word that it does not know, and goes by the class of the
/// alarm.
const OPEN_LISTS: [&str; 4] = ["AlarmKind", "Cause", "Ending", "LiveCause"];

/// What a subscriber of version 1.0 makes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// It reads every field that it knows.
    Understood,
    /// It ignores the message, since it does not know its type.
    UnknownType,
    /// It shows the name of an entry of the audit that it does not know.
    UnknownEntry,
}

struct Reader {
    /// For each schema's name, the type of its messages and the check of a message.
    schemas: BTreeMap<String, (String, Validator)>,
    /// The entries of the audit that it knows.
    entries: BTreeSet<String>,
}

static READER: LazyLock<Reader> = LazyLock::new(Reader::load);

impl Reader {
    fn load() -> Reader {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/schemas/v1_0");
        let mut reader = Reader { schemas: BTreeMap::new(), entries: BTreeSet::new() };
        for entry in std::fs::read_dir(&folder).expect("the folder of the schemas") {
            let path = entry.expect("an entry").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("a text");
            let mut schema: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            if name == "board.audit" {
                let variants = schema["$defs"]["AuditBody"]["oneOf"].as_array().expect("entries");
                let names = variants.iter().map(|variant| variant["properties"]["what"]["const"].as_str().expect("a word"));
                reader.entries = names.map(str::to_owned).collect();
            }
            if let Some(lists) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
                open(lists);
            }
            let kind = schema["properties"]["type"]["const"].as_str().expect("a type").to_owned();
            let check = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).expect("a schema");
            reader.schemas.insert(name, (kind, check));
        }
        reader
    }
}

fn open(lists: &mut Map<String, Value>) {
    for name in OPEN_LISTS {
        if let Some(list) = lists.get_mut(name) {
            *list = json!({"type": "string"});
        }
    }
}

/// Reads a message on `topic`.
pub(crate) fn read(topic: &str, message: &Value) -> Result<Read, String> {
    let kind = message["type"].as_str().ok_or("no type")?;
    let audience = if topic.split('/').nth(2) == Some("arbiter") { "arbiter" } else { "live" };
    let name = [kind.to_owned(), format!("{kind}.{audience}")].into_iter().find(|name| READER.schemas.contains_key(name));
    let Some((known, check)) = name.as_ref().and_then(|name| READER.schemas.get(name)) else { return Ok(Read::UnknownType) };
    assert_eq!(known, kind);
    let mut message = message.clone();
    let what = message["body"]["what"].as_str().map(str::to_owned);
    let unknown_entry = kind == "board.audit" && what.is_some_and(|what| !READER.entries.contains(&what));
    if unknown_entry {
        // The header must still be readable.
        message["body"] = json!({"what": "refused", "problem": ""});
    }
    let problems: Vec<String> =
        check.iter_errors(&message).take(3).map(|error| format!("{}: {error}", error.instance_path())).collect();
    match problems.is_empty() {
        true if unknown_entry => Ok(Read::UnknownEntry),
        true => Ok(Read::Understood),
        false => Err(format!("a reader of version 1.0 drops it: {}", problems.join("; "))),
    }
}
