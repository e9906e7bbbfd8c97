//! Reads the calls of clients and writes the messages to them (`livechess/README.md#1`).

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The largest message of a client, in bytes.
pub(super) const MAX_MESSAGE: usize = 64 << 10;
/// The longest id, in bytes.
const MAX_ID: usize = 64;

/// A call of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call<'a> {
    /// The client's id of the call as JSON, with the type that it had.
    pub(super) id: &'a str,
    /// What is called.
    pub(super) call: String,
    /// The parameter as JSON; none if it is null or missing.
    pub(super) param: Option<&'a str>,
}

/// A call that cannot be read: the id to which the error belongs, and what is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadCall<'a>(pub(super) &'a str, pub(super) String);

#[derive(Deserialize)]
struct Incoming<'a> {
    call: Option<String>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    param: Option<&'a RawValue>,
}

/// Reads a message of a client.
pub(super) fn read(text: &str) -> Result<Call<'_>, BadCall<'_>> {
    if text.len() > MAX_MESSAGE {
        return Err(BadCall(NULL, format!("the message has {} bytes, the limit is {MAX_MESSAGE}", text.len())));
    }
    let incoming: Incoming<'_> =
        serde_json::from_str(text).map_err(|error| BadCall(NULL, format!("this is no call: {error}")))?;
    let id = id(incoming.id)?;
    let call = incoming.call.ok_or_else(|| BadCall(id, "there is no `call`".to_owned()))?;
    Ok(Call { id, call, param: incoming.param.map(RawValue::get) })
}

/// The id that clients get if they gave none.
pub(super) const NULL: &str = "null";

/// The text of an id, which is a number or a short string. Answers repeat it, so every client must be able to read it: `1e999` and half
/// of a surrogate pair are JSON, but no values.
fn id(id: Option<&RawValue>) -> Result<&str, BadCall<'_>> {
    let text = id.map_or(NULL, RawValue::get);
    let is_value = || serde_json::from_str(text).is_ok_and(|id: Value| !id.is_object() && !id.is_array());
    match text.len() <= MAX_ID && is_value() {
        true => Ok(text),
        false => Err(BadCall(NULL, "`id` must be a number".to_owned())),
    }
}

/// Reads a value inside the parameter of a call.
///
/// # Errors
/// What is wrong with it, for the client.
pub(super) fn param<'a, T: Deserialize<'a>>(param: Option<&'a str>) -> Result<T, String> {
    serde_json::from_str(param.unwrap_or("{}")).map_err(|error| format!("`param`: {error}"))
}

/// The id in a parameter, as [`read`] returns the one of the call.
pub(super) fn id_of(raw: Option<&RawValue>) -> Result<&str, String> {
    id(raw).map_err(|BadCall(_, message)| message)
}

/// Writes the answer to a call. `now_ms` is in milliseconds since 1970.
pub(super) fn answer(id: &str, param: &impl Serialize, now_ms: i64) -> String {
    message("call", id, param, now_ms)
}

/// Writes a message of a feed.
pub(super) fn feed(id: &str, param: &impl Serialize, now_ms: i64) -> String {
    message("feed", id, param, now_ms)
}

/// Writes an error.
pub(super) fn error(id: &str, text: &str, now_ms: i64) -> String {
    #[derive(Serialize)]
    struct Failure<'a> {
        message: &'a str,
        stacktrace: &'a str,
    }
    message("error", id, &Failure { message: text, stacktrace: "" }, now_ms)
}

fn message(response: &str, id: &str, param: &impl Serialize, now_ms: i64) -> String {
    // Texts, numbers and lists of them can always be written.
    let param = serde_json::to_string(param).unwrap_or_else(|_| NULL.to_owned());
    format!(r#"{{"response":"{response}","id":{id},"param":{param},"time":{now_ms}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_keep_their_type() {
        for (text, id) in [
            (r#"{"id":1,"call":"eboards"}"#, "1"),
            (r#"{"call":"eboards","id":"1","param":null}"#, "\"1\""),
            (r#"{"call":"eboards","id":12345678901234567890123}"#, "12345678901234567890123"),
            (r#"{"call":"eboards"}"#, "null"),
        ] {
            assert_eq!(read(text), Ok(Call { id, call: "eboards".to_owned(), param: None }), "{text}");
        }
        assert_eq!(answer("\"1\"", &(), 5), r#"{"response":"call","id":"1","param":null,"time":5}"#);
        let text = r#"{"response":"error","id":9,"param":{"message":"no","stacktrace":""},"time":5}"#;
        assert_eq!(error("9", "no", 5), text);
    }

    #[test]
    fn bad_messages_are_errors() {
        let long = format!(r#"{{"id":1,"call":"{}"}}"#, "x".repeat(MAX_MESSAGE));
        let long_id = format!(r#"{{"call":"x","id":"{}"}}"#, "x".repeat(MAX_ID));
        for (text, id) in [
            ("", "null"),
            ("[]", "null"),
            ("\u{0}", "null"),
            (r#"{"id":7}"#, "7"),
            (r#"{"id":7,"call":5}"#, "null"),
            (r#"{"id":{},"call":"x"}"#, "null"),
            (r#"{"id":1e999,"call":"x"}"#, "null"),
            (r#"{"id":"\ud800","call":"x"}"#, "null"),
            (&long, "null"),
            (&long_id, "null"),
        ] {
            assert_eq!(read(text).map_err(|bad| bad.0), Err(id), "{text:.60}");
        }
    }
}
