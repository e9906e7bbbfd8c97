//! Reads a command from MQTT topic and payload. The bytes are untrusted, so every field is checked.

use flagfall_protocols::time::Instant;
use serde_json::{Map, Value};

use super::types::{Expect, Fault, Submission, UnusedTime};
use crate::config::Role;
use crate::system_clock::Utc;
use crate::wire::finding::FindingKey;
use crate::wire::reply::{Code, ReplyTo};
use crate::wire::time::{Anchor, TimeSource};
use crate::wire::topics::{CommandTopic, may_reply};

/// The largest length of the payload of a command, in bytes.
pub const MAX_PAYLOAD: usize = 64 << 10;
/// The largest length of the id of a command, in bytes.
const MAX_ID: usize = 64;
/// The largest length of a reason, a game or another short text, in bytes.
const MAX_TEXT: usize = 1000;
/// The largest nesting depth of a JSON body. No command needs more than two levels, and the journal entry that contains the body
/// must stay readable.
const MAX_DEPTH: usize = 16;
/// The largest length of `corr`, the text by which the sender recognises the answer, in bytes.
const MAX_CORR: usize = 128;
/// The largest difference between two synchronised clocks, in microseconds. A time that is later than now by more is wrong.
const CLOCK_ERROR_US: i64 = 2_000_000;

/// Reads a command that arrived at `at`. Unknown fields are ignored. A known field with an illegal value, or an unreadable
/// payload, is a fault in the submission, so that it can be answered, recorded and audited like any other command.
///
/// A sender may say how its clock is synchronised, `"sync":"ntp"` (`wire/README.md#5`). If not, the age of the command is not
/// known.
pub fn read(
    root: &str,
    topic: &CommandTopic<'_>,
    payload: &[u8],
    role: Option<Role>,
    at: Instant,
    anchor: &Anchor,
) -> Submission {
    let mut submission = Submission {
        actor: topic.user.to_owned(),
        role,
        verb: topic.verb.to_owned(),
        id: String::new(),
        issued: None,
        age_ms: None,
        expect: Expect::default(),
        observed_at: None,
        observed_us: None,
        observed_unused: None,
        reason: None,
        body: Value::Null,
        reply: ReplyTo::default(),
        checksum: None,
        fault: None,
    };
    submission.fault = match parse_object(payload) {
        Ok(mut fields) => {
            // The fields that an answer needs come first.
            let addressed = read_address(&mut submission, root, &fields);
            match role {
                Some(_) => addressed.and_then(|()| read_content(&mut submission, &mut fields, at, anchor)).err(),
                // It is refused in any case, and its content must not fill the record.
                None => addressed.err(),
            }
        }
        Err(fault) => Some(fault),
    };
    submission
}

fn invalid(message: &str) -> Fault {
    Fault::new(Code::Invalid, message)
}

fn parse_object(payload: &[u8]) -> Result<Map<String, Value>, Fault> {
    if payload.len() > MAX_PAYLOAD {
        return Err(invalid("the payload is longer than 64 KiB"));
    }
    match serde_json::from_slice(payload) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(invalid("the payload is not a JSON object")),
        Err(error) => Err(invalid(&format!("the payload is not valid JSON (line {}, column {})", error.line(), error.column()))),
    }
}

/// Reads a text field; `null` counts as missing.
fn text_field<'a>(fields: &'a Map<String, Value>, key: &str, max: usize) -> Result<Option<&'a str>, Fault> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.len() <= max && !text.chars().any(char::is_control) => Ok(Some(text)),
        Some(Value::String(_)) => Err(invalid(&format!("{key} is longer than {max} bytes or contains control characters"))),
        Some(_) => Err(invalid(&format!("{key} is not a text"))),
    }
}

fn time_field(fields: &Map<String, Value>, key: &str) -> Result<Option<(String, Utc)>, Fault> {
    let Some(text) = text_field(fields, key, MAX_TEXT)? else { return Ok(None) };
    let utc = Utc::parse(text).ok_or_else(|| invalid(&format!("{key} is not a time like 2026-11-21T13:02:11.412Z")))?;
    Ok(Some((text.to_owned(), utc)))
}

fn read_address(submission: &mut Submission, root: &str, fields: &Map<String, Value>) -> Result<(), Fault> {
    let fits = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'-');
    let id = text_field(fields, "id", MAX_TEXT)?.filter(|id| (1..=MAX_ID).contains(&id.len()) && id.bytes().all(fits));
    submission.id = id.ok_or_else(|| invalid("the id must have 1 to 64 characters of A-Z, a-z, 0-9 and . _ : -"))?.to_owned();
    submission.reply.corr = text_field(fields, "corr", MAX_CORR)?.map(str::to_owned);
    let topic = text_field(fields, "reply_to", MAX_TEXT)?;
    if topic.is_some_and(|topic| !may_reply(root, &submission.actor, topic)) {
        return Err(invalid("reply_to must lie below reply/<user>/ of the sender"));
    }
    submission.reply.topic = topic.map(str::to_owned);
    Ok(())
}

fn read_content(submission: &mut Submission, fields: &mut Map<String, Value>, at: Instant, anchor: &Anchor) -> Result<(), Fault> {
    check_version(fields)?;
    if text_field(fields, "type", MAX_TEXT)?.and_then(|kind| kind.strip_prefix("cmd.")) != Some(submission.verb.as_str()) {
        return Err(invalid("type must be cmd.<verb>, with the verb of the topic"));
    }
    let sync = match text_field(fields, "sync", MAX_TEXT)? {
        Some(name) => TimeSource::from_name(name).ok_or_else(|| invalid("sync must be ntp, ptp, gps, rtc or none"))?,
        None => TimeSource::None,
    };
    let both = sync.is_synchronised() && anchor.sync.is_synchronised();
    let issued = time_field(fields, "issued")?;
    let now = anchor.utc_at(at);
    submission.age_ms = issued.as_ref().filter(|_| both).map(|(_, issued)| now.0.saturating_sub(issued.0).max(0) as u64 / 1000);
    if let Some((text, seen)) = time_field(fields, "observed_at")? {
        submission.observed_at = Some(text);
        let sent = issued.as_ref().map(|(_, issued)| *issued);
        match observed_us(seen, if both { Some(now) } else { sent }, at) {
            Ok(us) => submission.observed_us = Some(us),
            Err(unused) => submission.observed_unused = Some(unused),
        }
    }
    submission.issued = issued.map(|(text, _)| text);
    submission.reason = text_field(fields, "reason", MAX_TEXT)?.map(str::to_owned);
    submission.expect = read_expect(fields)?;
    submission.body = match fields.remove("body") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(body @ Value::Object(_)) if is_flat(&body, MAX_DEPTH) => body,
        Some(Value::Object(_)) => return Err(invalid("the body is nested too deeply")),
        Some(_) => return Err(invalid("the body is not an object")),
    };
    Ok(())
}

/// Returns when the arbiter saw it, in microseconds since the journal began. `sent` is the time of `at` on the clock that showed
/// the time `seen`; none if that is not known. The time between seeing and sending is right on any clock that runs.
fn observed_us(seen: Utc, sent: Option<Utc>, at: Instant) -> Result<u64, UnusedTime> {
    let ago = sent.ok_or(UnusedTime::NotSynchronised)?.0.saturating_sub(seen.0);
    if ago < -CLOCK_ERROR_US {
        return Err(UnusedTime::InTheFuture);
    }
    at.0.checked_sub(ago.max(0) as u64).ok_or(UnusedTime::BeforeTheGame)
}

/// Whether no value lies deeper than `depth` levels. It recurses no deeper than the parser did.
fn is_flat(value: &Value, depth: usize) -> bool {
    let below = |value| depth > 0 && is_flat(value, depth - 1);
    match value {
        Value::Array(items) => items.iter().all(below),
        Value::Object(fields) => fields.values().all(below),
        _ => true,
    }
}

fn check_version(fields: &Map<String, Value>) -> Result<(), Fault> {
    let version = text_field(fields, "v", MAX_TEXT)?.and_then(|version| version.split_once('.'));
    let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse::<u32>().ok()).flatten();
    match version.map(|(major, minor)| (number(major), number(minor))) {
        Some((Some(1), Some(_))) => Ok(()),
        Some((Some(_), Some(_))) => Err(Fault::new(Code::Unsupported, "only version 1 of the messages is supported")),
        _ => Err(invalid("v must be <major>.<minor>")),
    }
}

fn read_expect(fields: &Map<String, Value>) -> Result<Expect, Fault> {
    let expect = match fields.get("expect") {
        None | Some(Value::Null) => return Ok(Expect::default()),
        Some(Value::Object(expect)) => expect,
        Some(_) => return Err(invalid("expect is not an object")),
    };
    let rev = match expect.get("rev") {
        None | Some(Value::Null) => None,
        Some(rev) => Some(small_number(Some(rev)).ok_or_else(|| invalid("expect.rev is not a revision"))?),
    };
    let finding = match expect.get("finding") {
        None | Some(Value::Null) => None,
        Some(finding) => {
            let part = |name| small_number(finding.get(name)).filter(|number| *number > 0);
            let key = part("id").zip(part("revision")).map(|(id, revision)| FindingKey { id, revision });
            Some(key.ok_or_else(|| invalid("expect.finding must have the id and the revision of a finding"))?)
        }
    };
    Ok(Expect { game: text_field(expect, "game", MAX_TEXT)?.map(str::to_owned), rev, finding })
}

fn small_number(number: Option<&Value>) -> Option<u32> {
    number?.as_u64().and_then(|number| u32::try_from(number).ok())
}
