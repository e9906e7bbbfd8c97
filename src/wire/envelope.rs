//! Makes the flat header of messages, and adds the fields that only the sender knows (`wire/README.md#2`).
//!
//! A station reports what happened, with the time of its journal. The sender adds the name of the node, the number of its starts
//! and the time for people (UTC). Therefore payloads in the journal do not depend on the wall clock.

use std::fmt::Write as _;

use flagfall_protocols::time::Instant;
use serde::Serialize;

use super::time::{Anchor, TimeSource};

/// The version of the schemas.
pub const VERSION: &str = "1.3";

/// Whether two payloads differ in nothing but the minor version of their schema.
pub fn is_same_but_version(one: &str, other: &str) -> bool {
    fn rest(payload: &str) -> Option<&str> {
        payload.strip_prefix(r#"{"v":"1."#)?.split_once('"').map(|(_minor, rest)| rest)
    }
    one == other || rest(one).is_some_and(|rest_of_one| Some(rest_of_one) == rest(other))
}

/// The fields that the sender adds, which the station does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The name of this node.
    pub node: String,
    /// How often the node was started.
    pub boot: u64,
    /// A pair of a time of the journal and the time for people, from which other times follow.
    pub anchor: Anchor,
}

/// The text with which the time begins in the header that a station makes. No JSON string can contain it, since a quotation mark
/// in a string has a backslash before it.
const TIME: &str = ",\"t\":{\"us\":";

/// Adds the sender's fields to the payload of a station: `node`, `boot` and, for the time in the payload, `t.utc`, `t.sync` and
/// `t.err_ms`. A payload without a time (an empty payload, which deletes) is returned unchanged.
pub fn add_stamp(payload: &str, stamp: &Stamp) -> String {
    let Some((head, tail)) = payload.split_once(TIME) else { return payload.to_owned() };
    let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
    let (us, rest) = tail.split_at(digits);
    let Ok(at) = us.parse().map(Instant) else { return payload.to_owned() };
    let mut out = String::with_capacity(payload.len() + 128);
    // Writing to a String does not fail, and JSON can represent every name.
    let _ = write!(out, "{head},\"node\":{},\"boot\":{}", serde_json::to_string(&stamp.node).unwrap_or_default(), stamp.boot);
    let Anchor { sync, err_ms, .. } = stamp.anchor;
    let _ = write!(out, "{TIME}{us},\"utc\":\"{}\",\"sync\":\"{}\"", stamp.anchor.utc_at(at), sync.name());
    if let Some(err_ms) = err_ms {
        let _ = write!(out, ",\"err_ms\":{err_ms}");
    }
    out.push_str(rest);
    out
}

/// Adds to a state that its node serves this board no more. Returns none for a payload that says so already or is no state.
pub fn withdraw(payload: &str) -> Option<String> {
    // No JSON string can contain this, since a quotation mark in a string has a backslash before it.
    const BODY: &str = "\"body\":{";
    const WITHDRAWN: &str = "\"withdrawn\":true";
    let (head, rest) = payload.split_once(BODY)?;
    let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
    if rest.starts_with(WITHDRAWN) { None } else { Some(format!("{head}{BODY}{WITHDRAWN}{comma}{rest}")) }
}

#[derive(Serialize)]
struct Time {
    us: u64,
    utc: String,
    sync: TimeSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    err_ms: Option<u32>,
}

#[derive(Serialize)]
struct Envelope<'a, T> {
    v: &'static str,
    r#type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    node: &'a str,
    boot: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<Time>,
    body: &'a T,
}

/// Makes a message that does not come from a station: `node.status`, `device.status`, `cmd.reply` and others. In a reply `id` is
/// the id of the command. Without `at` the message has no time: a will is written long before it is sent.
pub fn make_message(kind: &str, id: Option<&str>, stamp: &Stamp, at: Option<Instant>, body: &impl Serialize) -> String {
    let Anchor { sync, err_ms, .. } = stamp.anchor;
    let t = at.map(|at| Time { us: at.0, utc: stamp.anchor.utc_at(at).to_string(), sync, err_ms });
    let envelope = Envelope { v: VERSION, r#type: kind, id, node: &stamp.node, boot: stamp.boot, t, body };
    // The structs hold numbers, text and lists only, which JSON can represent, so this does not fail.
    serde_json::to_string(&envelope).unwrap_or_default()
}
