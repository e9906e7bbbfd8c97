//! Makes the JSON Schemas of the header fields, which surround a body (`wire/README.md#2`).

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::wire::time::TimeSource;

/// The kinds of header.
#[derive(Clone, Copy)]
pub(super) enum Header {
    /// The header of a board's state, which the next state replaces.
    State,
    /// The header of a board's event, which is numbered.
    Event,
    /// The header of a message about a node or device.
    Node,
    /// The header of the will. It has no time, since it is written long before it is sent.
    Will,
    /// The header of a message of the organiser, who has no node: its number grows with each publication.
    Organiser,
    /// The header of a reply, with the id of the command.
    Reply,
}

/// Makes the beginning of every schema.
pub(super) fn new_schema(name: &str, about: &str) -> Map<String, Value> {
    let id = format!("urn:flagfall:1:{name}");
    let dialect = "https://json-schema.org/draft/2020-12/schema";
    let texts = [("$schema", dialect), ("$id", &id), ("title", name), ("description", about), ("type", "object")];
    texts.into_iter().map(|(key, text)| (key.to_owned(), text.into())).collect()
}

/// The schema of the version: this major version with any minor version.
pub(super) fn version_schema() -> Value {
    json!({"description": "Version of the schema, major.minor: a minor version only adds fields.", "type": "string", "pattern": r"^1\.[0-9]+$"})
}

/// The schema of the source of a time.
pub(super) fn time_source_schema() -> Value {
    let mut schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<TimeSource>();
    for key in ["$schema", "title"] {
        schema.remove(key);
    }
    schema.to_value()
}

impl Header {
    /// Returns the names of the required fields, and the schemas of all fields.
    pub(super) fn fields(self, kind: &str) -> (&'static [&'static str], Map<String, Value>) {
        let mut fields = Map::from_iter([
            ("v".to_owned(), version_schema()),
            ("type".to_owned(), json!({"const": kind})),
            ("node".to_owned(), json!({"description": "Who says it.", "type": "string", "pattern": "^[a-z0-9-]{1,40}$"})),
            ("boot".to_owned(), boot_schema()),
            ("t".to_owned(), time_schema()),
        ]);
        if matches!(self, Header::Organiser) {
            fields.retain(|name, _| matches!(name.as_str(), "v" | "type"));
            let about = "The number of the publication: a message whose number has not grown is refused.";
            fields.insert("rev".to_owned(), json!({"description": about, "type": "integer", "minimum": 0}));
            return (&["v", "type", "rev"], fields);
        }
        let mut add = |name: &str, schema: Value| {
            fields.insert(name.to_owned(), schema);
        };
        let required: &[&str] = match self {
            Header::State => {
                add("game", game_schema());
                add("rev", rev_schema());
                &["v", "type", "game", "rev", "node", "boot", "t"]
            }
            Header::Event => {
                add("game", game_schema());
                add("id", event_id_schema());
                add("no", number_schema());
                &["v", "type", "id", "no", "game", "node", "boot", "t"]
            }
            Header::Node | Header::Organiser => &["v", "type", "node", "boot", "t"],
            Header::Will => &["v", "type", "node", "boot"],
            Header::Reply => {
                add("id", json!({"description": "Id of the command; empty if it could not be read.", "type": "string"}));
                &["v", "type", "id", "node", "boot", "t"]
            }
        };
        (required, fields)
    }
}

fn boot_schema() -> Value {
    json!({"description": "How often the node was started: a will of an earlier run is recognised by it.", "type": "integer", "minimum": 1})
}

fn game_schema() -> Value {
    let about = "The game: <event>-<round>-<board>-g<number>; a board may have several.";
    json!({"description": about, "type": "string", "pattern": "^[a-z0-9-]+-g[0-9]+$"})
}

fn rev_schema() -> Value {
    let about = "Counts what changed for this audience; clock ticks do not count.";
    json!({"description": about, "type": "integer", "minimum": 0})
}

fn event_id_schema() -> Value {
    json!({"description": "<journal>:<boot>:<no>, with the start in which the number was given: the same id is the same event. Version 1.0 wrote <journal>:<no>.", "type": "string", "pattern": "^.+:[1-9][0-9]*$"})
}

fn number_schema() -> Value {
    json!({"description": "Number of the event, without a gap for each board and audience.", "type": "integer", "minimum": 1})
}

fn time_schema() -> Value {
    json!({
        "description": "When it happened; for the public, when it happened on the board.",
        "type": "object",
        "required": ["us", "utc", "sync"],
        "properties": {
            "us": {
                "description": "Microseconds since the journal, or for node.* the machine, began: for order and durations.",
                "type": "integer",
                "minimum": 0,
            },
            "utc": {
                "description": "The same for people, RFC 3339.",
                "type": "string",
                "format": "date-time",
                "pattern": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z$",
            },
            "sync": time_source_schema(),
            "err_ms": {"description": "Estimated error of utc, milliseconds; left out if nobody knows.", "type": "integer", "minimum": 0},
        },
    })
}
