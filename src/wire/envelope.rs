//! The flat header of every message, and what the sink adds to it (`wire/README.md#2`).
//!
//! A station says what happened and when on its own time line; which node it was, how often the journal was opened and what
//! time that is for people is added by whoever sends. So payloads in the journal do not depend on the wall clock.

use std::fmt::Write as _;

use flagfall_protocols::time::Instant;
use serde::Serialize;

use super::time::{Anchor, TimeSource};

/// Version of the schema.
pub const VERSION: &str = "1.0";

/// What the sink knows and the station does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// This machine's name.
    pub node: String,
    /// How often the journal was opened.
    pub boot: u64,
    /// What time it is.
    pub anchor: Anchor,
}

/// Where the station's header ends and its time begins: nothing within a JSON string looks like this, since a quotation mark
/// there has a backslash before it.
const TIME: &str = ",\"t\":{\"us\":";

/// The payload of a station with the sink's additions: `node`, `boot` and, for the moment that the payload names, `t.utc`,
/// `t.sync`, `t.err_ms`. What has no such moment (an empty payload, which deletes) is given back as it is.
pub fn add_stamp(payload: &str, stamp: &Stamp) -> String {
    let Some((head, tail)) = payload.split_once(TIME) else { return payload.to_owned() };
    let digits = tail.bytes().take_while(u8::is_ascii_digit).count();
    let (us, rest) = tail.split_at(digits);
    let Ok(at) = us.parse().map(Instant) else { return payload.to_owned() };
    let mut out = String::with_capacity(payload.len() + 128);
    // Writing to a String does not fail, and a name is something JSON can say.
    let _ = write!(out, "{head},\"node\":{},\"boot\":{}", serde_json::to_string(&stamp.node).unwrap_or_default(), stamp.boot);
    let Anchor { sync, err_ms, .. } = stamp.anchor;
    let _ = write!(out, "{TIME}{us},\"utc\":\"{}\",\"sync\":\"{}\"", stamp.anchor.utc_at(at), sync.name());
    if let Some(err_ms) = err_ms {
        let _ = write!(out, ",\"err_ms\":{err_ms}");
    }
    out.push_str(rest);
    out
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

/// A message that no station makes: `node.status`, `device.status`, `cmd.reply`, ... `id` is a command's in its answer. Without
/// `at` it says no time: a will is written long before it is sent.
pub fn make_message(kind: &str, id: Option<&str>, stamp: &Stamp, at: Option<Instant>, body: &impl Serialize) -> String {
    let Anchor { sync, err_ms, .. } = stamp.anchor;
    let t = at.map(|at| Time { us: at.0, utc: stamp.anchor.utc_at(at).to_string(), sync, err_ms });
    let envelope = Envelope { v: VERSION, r#type: kind, id, node: &stamp.node, boot: stamp.boot, t, body };
    // Plain structs of numbers, text and lists: there is nothing in them that JSON cannot say.
    serde_json::to_string(&envelope).unwrap_or_default()
}
