//! Says in a sentence what is wrong with the body of a command, by the schema of its verb.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The fields that the program itself adds to a body. A sender does not know them.
const ADDED: [&str; 5] = ["verb", "observed_at", "finding", "game_no", "by_organiser"];
/// The largest length of a sender's word that an answer repeats, in letters.
const MAX_WORD: usize = 40;

/// Returns a sentence about the first problem of this body, which contains its verb. `T` is the enum of the commands.
pub(super) fn explain_body<T: JsonSchema>(body: &Map<String, Value>) -> String {
    let mut generator = SchemaSettings::draft2020_12().for_deserialize().into_generator();
    let commands = T::json_schema(&mut generator).to_value();
    let definitions = generator.take_definitions(true);
    let mut variants = commands.get("oneOf").and_then(Value::as_array).into_iter().flatten();
    let variant = variants.find(|variant| body.get("verb") == Some(&variant["properties"]["verb"]["const"]));
    let problem = variant.and_then(|variant| problem_of_fields("the body", body, variant, &definitions));
    problem.unwrap_or_else(|| "the body does not fit the command".to_owned())
}

fn problem_of_fields(
    place: &str,
    fields: &Map<String, Value>,
    schema: &Value,
    definitions: &Map<String, Value>,
) -> Option<String> {
    let known = schema.get("properties").and_then(Value::as_object)?;
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    if let Some(unknown) = fields.keys().find(|field| closed && !known.contains_key(*field)) {
        let names: Vec<&str> = known.keys().map(String::as_str).filter(|name| !ADDED.contains(name)).collect();
        let may = if names.is_empty() { "it must be empty".to_owned() } else { format!("it may have {}", names.join(", ")) };
        return Some(format!("{place} has the unknown field {}: {may}", shortened(unknown)));
    }
    let mut required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    if let Some(missing) = required.find(|name| !fields.contains_key(*name)) {
        return Some(format!("{place} needs the field {missing}"));
    }
    known.iter().find_map(|(name, schema)| problem_of_value(name, fields.get(name)?, schema, definitions))
}

/// Returns what the value must be, if it is something else.
fn problem_of_value(name: &str, value: &Value, schema: &Value, definitions: &Map<String, Value>) -> Option<String> {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let definition = definitions.get(reference.strip_prefix("#/$defs/")?)?;
        return problem_of_value(name, value, definition, definitions);
    }
    if let Some(either) = schema.get("anyOf").and_then(Value::as_array) {
        let problems: Option<Vec<String>> =
            either.iter().map(|schema| problem_of_value(name, value, schema, definitions)).collect();
        return problems?.into_iter().next();
    }
    let words = allowed_words(schema);
    if !words.is_empty() {
        let fits = value.as_str().is_some_and(|word| words.contains(&word));
        return (!fits).then(|| format!("{name} must be {}", words.join(" or ")));
    }
    if let (Some(fields), true) = (value.as_object(), schema.get("properties").is_some()) {
        return problem_of_fields(name, fields, schema, definitions);
    }
    let types: Vec<&str> = match schema.get("type")? {
        Value::String(only) => vec![only.as_str()],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let [least, most] = range(schema);
    let fits = |kind: &&str| match *kind {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "object" => value.is_object(),
        "integer" => value.as_i64().is_some_and(|number| (least..=most).contains(&number)),
        _ => true,
    };
    if types.iter().any(fits) {
        return None;
    }
    let expected = match types.iter().find(|kind| **kind != "null") {
        Some(&"boolean") => "true or false".to_owned(),
        Some(&"string") => "a text".to_owned(),
        Some(&"integer") if most == i64::MAX => format!("a whole number of at least {least}"),
        Some(&"integer") => format!("a whole number from {least} to {most}"),
        _ => "an object".to_owned(),
    };
    Some(format!("{name} must be {expected}"))
}

/// The words of which a value must be one; none if the schema is about something else.
fn allowed_words(schema: &Value) -> Vec<&str> {
    let each = |key: &str| schema.get(key).and_then(Value::as_array).into_iter().flatten();
    let of_variants = each("oneOf").filter_map(|variant| variant.get("const"));
    schema.get("const").into_iter().chain(each("enum")).chain(of_variants).filter_map(Value::as_str).collect()
}

/// The least and the largest number that the schema allows.
fn range(schema: &Value) -> [i64; 2] {
    let [least, most] = match schema.get("format").and_then(Value::as_str) {
        Some("uint32") => [0, i64::from(u32::MAX)],
        Some("int32") => [i64::from(i32::MIN), i64::from(i32::MAX)],
        Some("uint64") => [0, i64::MAX],
        _ => [i64::MIN, i64::MAX],
    };
    [schema.get("minimum").and_then(Value::as_i64).map_or(least, |minimum| minimum.max(least)), most]
}

/// A word of the sender, not longer than an answer can repeat it.
fn shortened(word: &str) -> String {
    word.chars().take(MAX_WORD).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::explain_body;
    use crate::wire::command::{Command, DaemonAction};

    fn explain(body: &Value) -> String {
        explain_body::<Command>(body.as_object().expect("an object"))
    }

    #[test]
    fn each_problem_has_a_sentence() {
        for (body, sentence) in [
            (json!({"verb": "take-back"}), "the body needs the field plies"),
            (json!({"verb": "take-back", "plies": "1"}), "plies must be a whole number from 0 to 4294967295"),
            (json!({"verb": "take-back", "plies": 0.5}), "plies must be a whole number from 0 to 4294967295"),
            (json!({"verb": "take-back", "plies": 1, "and": 1}), "the body has the unknown field and: it may have plies"),
            (json!({"verb": "stop-clocks", "now": true}), "the body has the unknown field now: it must be empty"),
            (json!({"verb": "claim", "flag": "both"}), "flag must be white or black"),
            (json!({"verb": "claim", "flag": "white", "period": 0}), "period must be a whole number from 1 to 4294967295"),
            (json!({"verb": "set-move-count", "completed": 3}), "completed must be an object"),
            (json!({"verb": "set-move-count", "completed": {"white": 3}}), "completed needs the field black"),
            (json!({"verb": "penalty", "side": "white", "counts": "yes"}), "counts must be true or false"),
            (json!({"verb": "penalty", "side": "white", "seconds": 120}), "seconds must be an object"),
            (json!({"verb": "start-game", "fen": 5}), "fen must be a text"),
            (json!({"verb": "declare-result", "result": "2-0"}), "result must be 1-0 or 0-1 or 1/2-1/2 or *"),
        ] {
            assert_eq!(explain(&body), sentence, "{body}");
        }
        let resync = json!({"verb": "resync", "from": 1, "audience": "all"});
        let sentence = explain_body::<DaemonAction>(resync.as_object().expect("an object"));
        assert_eq!(sentence, "audience must be arbiter or live or public");
    }
}
