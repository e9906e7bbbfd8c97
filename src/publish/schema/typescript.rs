//! Makes TypeScript types of all messages from their schemas, for the pages for browsers: an editor and `tsc` check the pages with them.
//!
//! | schema | type |
//! | --- | --- |
//! | of a message | `<Name>Body` for its body and `<Name>Message` for the whole, where the name is that of the schema in CamelCase |
//! | `$defs` | one type each. Two with the same content share one; with another content the schema's name stands before its own |
//! | object | its members; one that is not required has `?`. Without members: `Record<string, T>` |
//! | `enum`, `const`, `oneOf`, `anyOf`, several types | a union |
//! | `allOf` | an intersection |
//! | array | `T[]`, or a tuple where the items or their number are given |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The file of the pages with these types.
pub const TYPES_FILE: &str = "src/screens/web/messages.d.ts";

const HEAD: &str = "// Made from config/schema by `flagfall schema --typescript`. Do not edit.\n\n";

/// Returns the text of [`TYPES_FILE`].
pub fn typescript() -> String {
    let mut names: Vec<&str> = super::names().collect();
    names.sort_unstable();
    let mut known: BTreeMap<String, Value> = BTreeMap::new();
    let (mut written, mut types) = (BTreeSet::new(), Vec::new());
    for name in names {
        let Some(schema) = super::schema(name) else { continue };
        let definitions = schema["$defs"].as_object().cloned().unwrap_or_default();
        let prefix = camel_case(name);
        let own: BTreeMap<&str, String> = definitions
            .iter()
            .map(|(name, definition)| {
                let plain = without_descriptions(definition);
                let same = *known.entry(name.clone()).or_insert_with(|| plain.clone()) == plain;
                (name.as_str(), if same { name.clone() } else { format!("{prefix}{name}") })
            })
            .collect();
        let reader = Reader { own: &own };
        for (name, definition) in &definitions {
            let name = &own[name.as_str()];
            if written.insert(name.clone()) {
                types.push(reader.declaration(name, definition));
            }
        }
        types.push(reader.message(&prefix, &schema));
    }
    format!("{HEAD}{}", types.join("\n"))
}

/// Writes the types of one schema.
struct Reader<'a> {
    /// The names of the types that its `$defs` have in the file.
    own: &'a BTreeMap<&'a str, String>,
}

impl Reader<'_> {
    fn declaration(&self, name: &str, schema: &Value) -> String {
        format!("{}export type {name} = {};\n", comment(schema, ""), self.of(schema, ""))
    }

    /// The body of a message, and the whole message.
    fn message(&self, name: &str, schema: &Value) -> String {
        let mut header = schema.clone();
        let members = header["properties"].as_object_mut();
        let body = members.and_then(|members| members.remove("body")).unwrap_or_default();
        let whole = self.members(&header, "");
        let whole = whole.strip_suffix('}').unwrap_or(&whole);
        format!(
            "{}export type {name}Body = {};\n\nexport type {name}Message = {whole}  body: {name}Body;\n}};\n",
            comment(schema, ""),
            self.of(&body, "")
        )
    }

    fn of(&self, schema: &Value, indent: &str) -> String {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().unwrap_or_default();
            let name = self.own.get(name).map_or(name, String::as_str);
            return self.with_members(schema, indent, name.to_owned());
        }
        if let Some(value) = schema.get("const") {
            return value.to_string();
        }
        if let Some(values) = schema["enum"].as_array() {
            return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
        }
        if let Some(some) = schema["oneOf"].as_array().or(schema["anyOf"].as_array()) {
            let mut union: Vec<String> = Vec::new();
            for one in some.iter().map(|one| self.of(one, indent)) {
                let one = if one.contains('&') { format!("({one})") } else { one };
                if !union.contains(&one) {
                    union.push(one);
                }
            }
            return self.with_members(schema, indent, union.join(" | "));
        }
        if let Some(all) = schema["allOf"].as_array() {
            return all.iter().map(|one| self.of(one, indent)).collect::<Vec<_>>().join(" & ");
        }
        let of_kind = |kind: &str| self.of_kind(kind, schema, indent);
        match &schema["type"] {
            Value::String(kind) => of_kind(kind),
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).map(of_kind).collect::<Vec<_>>().join(" | "),
            _ if schema.get("properties").is_some() => of_kind("object"),
            _ => "unknown".to_owned(),
        }
    }

    fn of_kind(&self, kind: &str, schema: &Value, indent: &str) -> String {
        match kind {
            "integer" | "number" => "number".to_owned(),
            "string" | "boolean" | "null" => kind.to_owned(),
            "array" => {
                if let Some(items) = schema["prefixItems"].as_array() {
                    let items: Vec<String> = items.iter().map(|one| self.of(one, indent)).collect();
                    return format!("[{}]", items.join(", "));
                }
                let item = self.of(&schema["items"], indent);
                if schema["minItems"] == 2 && schema["maxItems"] == 2 {
                    format!("[{item}, {item}]")
                } else if item.contains(" | ") || item.contains(" & ") {
                    format!("({item})[]")
                } else {
                    format!("{item}[]")
                }
            }
            "object" if schema.get("properties").is_none() && schema["additionalProperties"].is_object() => {
                format!("Record<string, {}>", self.of(&schema["additionalProperties"], indent))
            }
            "object" => self.members(schema, indent),
            _ => "unknown".to_owned(),
        }
    }

    /// A type that may have members of its own beside it.
    fn with_members(&self, schema: &Value, indent: &str, other: String) -> String {
        if schema.get("properties").is_none() {
            return other;
        }
        let other = if other.contains('|') { format!("({other})") } else { other };
        format!("{} & {other}", self.members(schema, indent))
    }

    fn members(&self, schema: &Value, indent: &str) -> String {
        let deeper = format!("{indent}  ");
        let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let none = Map::new();
        let members = schema["properties"].as_object().unwrap_or(&none).iter();
        let lines: String = members
            .map(|(name, one)| {
                let sign = if required.contains(&name.as_str()) { "" } else { "?" };
                let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                let key = if plain { name.clone() } else { format!("{name:?}") };
                format!("{}{deeper}{key}{sign}: {};\n", comment(one, &deeper), self.of(one, &deeper))
            })
            .collect();
        if lines.is_empty() { "{}".to_owned() } else { format!("{{\n{lines}{indent}}}") }
    }
}

fn comment(schema: &Value, indent: &str) -> String {
    let Some(text) = schema["description"].as_str() else { return String::new() };
    format!("{indent}/** {} */\n", text.replace('\n', " ").replace("*/", "* /"))
}

/// `board.state.live` is `BoardStateLive`.
fn camel_case(name: &str) -> String {
    let word = |word: &str| word.chars().take(1).map(|first| first.to_ascii_uppercase()).chain(word.chars().skip(1)).collect();
    name.split(['.', '-']).map(word).collect::<Vec<String>>().concat()
}

fn without_descriptions(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, _)| *name != "description");
            kept.map(|(name, value)| (name.clone(), without_descriptions(value))).collect()
        }
        Value::Array(items) => items.iter().map(without_descriptions).collect(),
        other => other.clone(),
    }
}
