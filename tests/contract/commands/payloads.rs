//! Payloads: valid and invalid values.

use flagfall::arbiter::{Code, MAX_PAYLOAD, Recorded, Verdict, read};
use flagfall::config::Role;
use flagfall::wire::time::TimeSource;
use flagfall::wire::topics::{CommandTopic, TopicError, may_reply, parse_command};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Record, print};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::commands::body;
use crate::commands::command_rig::{CommandRig, setup};

/// A valid payload with another value for this key.
fn with(rig: &CommandRig, key: &str, value: Value) -> String {
    let mut payload: Value = serde_json::from_str(&rig.ask("take-back", "a", body("take-back"))).expect("JSON");
    payload[key] = value;
    payload.to_string()
}

#[test]
fn illegal_values_are_refused_and_unknown_fields_are_not() {
    let long = "x".repeat(1001);
    for (key, value, code) in [
        ("new", json!({"of": "1.7"}), Code::Ok),
        ("v", json!("1.7"), Code::Ok),
        ("v", json!("2.0"), Code::Unsupported),
        ("v", json!("1"), Code::Invalid),
        ("v", json!("1.x"), Code::Invalid),
        ("v", json!("+1.0"), Code::Invalid),
        ("v", json!(1.0), Code::Invalid),
        ("v", Value::Null, Code::Invalid),
        ("type", json!("cmd.start-game"), Code::Invalid),
        ("type", json!("take-back"), Code::Invalid),
        ("id", json!(""), Code::Invalid),
        ("id", json!("a b"), Code::Invalid),
        ("id", json!("a".repeat(65)), Code::Invalid),
        ("id", json!(7), Code::Invalid),
        ("id", json!("A.b_c:d-9"), Code::Ok),
        ("issued", json!("yesterday"), Code::Invalid),
        ("issued", json!("2026-11-21T13:00:00.000Z"), Code::Ok),
        ("observed_at", json!(12), Code::Invalid),
        ("sync", json!("sundial"), Code::Invalid),
        ("reason", json!("seen by the arbiter"), Code::Ok),
        ("reason", json!("a\nb"), Code::Invalid),
        ("reason", json!("a\u{7f}b"), Code::Invalid),
        ("reason", json!(long), Code::Invalid),
        ("expect", json!([]), Code::Invalid),
        ("expect", json!({"game": "g", "rev": -1}), Code::Invalid),
        ("expect", json!({"game": "g", "rev": 4_294_967_296u64}), Code::Invalid),
        ("expect", json!({"game": 5, "rev": 1}), Code::Invalid),
        ("expect", json!({"game": "g", "rev": 1, "finding": 3}), Code::Invalid),
        ("expect", json!({"game": "g", "rev": 1, "finding": {"id": 1}}), Code::Invalid),
        ("expect", json!({"game": "g", "rev": 1, "finding": {"id": 0, "revision": 1}}), Code::Invalid),
        ("expect", json!({"game": "g", "rev": 1, "finding": {"id": 1, "revision": -1}}), Code::Invalid),
        ("reply_to", json!("flagfall/1/reply/anna/tablet"), Code::Ok),
        ("reply_to", json!("flagfall/1/reply/bob/tablet"), Code::Invalid),
        ("reply_to", json!("flagfall/1/live/replay/1/1/state"), Code::Invalid),
        ("corr", json!("7"), Code::Ok),
        ("corr", json!(7), Code::Invalid),
        ("body", json!([]), Code::Invalid),
        ("body", Value::Null, Code::Invalid),
        ("body", json!({"plies": 1, "verb": "start-game"}), Code::Invalid),
        ("body", json!({"plies": 1, "and": 1}), Code::Invalid),
        ("body", json!({"plies": "1"}), Code::Invalid),
        ("body", json!({"plies": 99}), Code::Invalid),
        ("body", json!({"plies": 1, "deep": nested(16)}), Code::Invalid),
        ("body", json!({"plies": 1, "deep": nested(120)}), Code::Invalid),
    ] {
        let mut rig = CommandRig::playing();
        let before = rig.digest();
        let payload = with(&rig, key, value);
        let replies = rig.send(Some(Role::Chief), "take-back", &payload);
        assert_eq!(replies.last().expect("an answer").code, code, "{payload}: {replies:?}");
        assert_eq!(rig.digest() == before, code != Code::Ok, "{payload}");
        assert_eq!(rig.one_audit(&payload)["code"], json!(code.name()));
    }
}

/// Nested lists.
fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |inner, _| json!([inner]))
}

#[test]
fn no_body_is_nested_so_deep_that_its_record_cannot_be_read() {
    for depth in [14, 15, 16, 100, 122, 123, 124, 125, 126, 127, 128, 1000] {
        never_a_panic(
            with(&CommandRig::playing(), "body", nested(0))
                .replace("\"body\":1", &format!("\"body\":{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth)))
                .as_bytes(),
        );
    }
}

#[test]
fn the_text_of_a_stranger_is_not_kept() {
    let mut rig = CommandRig::playing();
    let mut payload: Value = serde_json::from_str(&rig.ask("take-back", "a", body("take-back"))).expect("JSON");
    (payload["reason"], payload["body"]) = (json!("because"), json!({"pad": "x".repeat(60_000)}));
    rig.send_as("screen-1", None, "take-back", &payload.to_string());
    let (_, record) = rig.records.last().expect("a record");
    assert!(record.len() < 500 && !record.contains("because"), "{record}");
    let audit = rig.one_audit("a stranger");
    assert!(["reason", "expect", "body", "observed_us"].iter().all(|field| audit.get(field).is_none()), "{audit}");
}

#[test]
fn an_invalid_payload_is_answered_and_audited_too() {
    let huge = format!("{{\"id\":\"a\",\"pad\":\"{}\"}}", "x".repeat(MAX_PAYLOAD));
    let deep = "[".repeat(100_000);
    for payload in ["", "null", "[]", "{", "{\"id\":\"a\"}", "{\"id\":\"a\",\"body\":1e999}", huge.as_str(), &deep[..60_000]] {
        let mut rig = CommandRig::playing();
        let replies = rig.send(Some(Role::Chief), "take-back", payload);
        assert_eq!((replies.len(), replies[0].code), (1, Code::Invalid), "{:.50}", payload);
        rig.one_audit(payload);
    }
}

#[test]
fn age_counts_only_between_clocks_that_agree() {
    for (ours, theirs, seconds, expired) in [
        (TimeSource::Ntp, json!("ntp"), 11, true),
        (TimeSource::Ntp, json!("ntp"), 9, false),
        (TimeSource::Ntp, json!("gps"), 3600, true),
        (TimeSource::Ntp, json!("ntp"), -3600, false),
        (TimeSource::Ntp, json!("rtc"), 3600, false),
        (TimeSource::Ntp, Value::Null, 3600, false),
        (TimeSource::None, json!("ntp"), 3600, false),
    ] {
        let mut rig = CommandRig::playing();
        rig.anchor.sync = ours;
        let issued = rig.anchor.utc_at(rig.now).after_micros(-seconds * 1_000_000);
        let mut payload: Value = serde_json::from_str(&with(&rig, "issued", json!(issued.to_string()))).expect("JSON");
        payload["sync"] = theirs;
        let code = rig.send(Some(Role::Arbiter), "take-back", &payload.to_string()).last().expect("an answer").code;
        assert_eq!(code, if expired { Code::Expired } else { Code::Ok }, "{payload}");
    }
}

#[test]
fn when_a_flag_was_seen_becomes_journal_time() {
    for (theirs, skew, known) in [
        // If both clocks agree, the time in the command is used.
        (json!("ntp"), 0, true),
        // The tablet's clock is an hour late, but the time between observation and command is right.
        (Value::Null, -3_600, true),
        (Value::Null, 0, false),
    ] {
        let mut rig = CommandRig::flag_fallen();
        rig.now = Instant(rig.now.0 + 5_000_000);
        let seen = rig.now.0 - 2_000_000;
        let text = |at: u64| rig.anchor.utc_at(Instant(at)).after_micros(skew * 1_000_000).to_string();
        let mut payload: Value = serde_json::from_str(&rig.ask("claim", "a", body("claim"))).expect("JSON");
        payload["observed_at"] = json!(text(seen));
        payload["sync"] = theirs.clone();
        if known {
            payload["issued"] = json!(text(rig.now.0));
        }
        let topic = CommandTopic { user: "anna", event: "replay", round: "1", board: "1", verb: "claim" };
        let bytes = payload.to_string();
        let submission = read("flagfall", &topic, bytes.as_bytes(), Some(Role::Arbiter), rig.now, &rig.anchor);
        // The time is written in milliseconds.
        assert_eq!(submission.observed_us.map(|us| us.abs_diff(seen) < 1000), known.then_some(true), "{payload}");
        let recorded = rig.station.admit(submission, &setup());
        assert!(matches!(recorded.verdict, Verdict::Admitted(_)), "{recorded:?}");
        assert_eq!(rig.take(&recorded).last().expect("an answer").code, Code::Ok);
        let audit = rig.one_audit("claim");
        assert_eq!(audit["observed_at"], payload["observed_at"]);
    }
}

#[test]
fn topics_are_taken_apart() {
    let parse = |topic: &'static str| parse_command("flag/fall", topic);
    let right = CommandTopic { user: "anna@x", event: "e", round: "1", board: "b-2", verb: "take-back" };
    assert_eq!(parse("flag/fall/1/cmd/anna@x/e/1/b-2/take-back"), Ok(right));
    for (topic, error) in [
        ("other/1/cmd/a/e/1/b/v", TopicError::Foreign),
        ("flag/fall/2/cmd/a/e/1/b/v", TopicError::Foreign),
        ("flag/fall/1/live/a/e/1/b/v", TopicError::NotACommand),
        ("flag/fall/1/cmd/a/e/1/b", TopicError::Levels),
        ("flag/fall/1/cmd/a/e/1/b/v/w", TopicError::Levels),
        ("flag/fall/1/cmd//e/1/b/v", TopicError::Id("user")),
        ("flag/fall/1/cmd/a b/e/1/b/v", TopicError::Id("user")),
        ("flag/fall/1/cmd/a/E/1/b/v", TopicError::Id("event")),
        ("flag/fall/1/cmd/a/e/1/b/+", TopicError::Id("verb")),
    ] {
        assert_eq!(parse(topic), Err(error), "{topic}");
    }
    assert!(may_reply("f", "a", "f/1/reply/a/x"));
    for topic in ["f/1/reply/a/", "f/1/reply/ab/x", "f/1/reply/a/x/y", "f/1/reply/a/#", "f/1/live/a/x", "g/1/reply/a/x"] {
        assert!(!may_reply("f", "a", topic), "{topic}");
    }
}

/// Any JSON, which often has our own keys.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,20}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof![Just("1.0"), Just("cmd.take-back"), Just("a"), Just("2026-11-21T13:00:00Z"), Just("ntp")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let key = prop_oneof![
            Just("v"),
            Just("type"),
            Just("id"),
            Just("issued"),
            Just("expect"),
            Just("observed_at"),
            Just("reason"),
            Just("body"),
            Just("reply_to"),
            Just("corr"),
            Just("sync"),
            Just("game"),
            Just("rev"),
            Just("plies"),
            Just("other"),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..12)
                .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())),
        ]
    })
}

fn never_a_panic(payload: &[u8]) {
    let rig = CommandRig::playing();
    let topic = CommandTopic { user: "anna", event: "replay", round: "1", board: "1", verb: "take-back" };
    let submission = read("flagfall", &topic, payload, Some(Role::Chief), rig.now, &rig.anchor);
    let recorded = rig.station.admit(submission, &setup());
    let json = recorded.to_json();
    let mut line = String::new();
    print(&Record { seq: 1, at: rig.now, body: Body::Cmd(&json) }, &mut line).expect("a line of a journal");
    assert_eq!(serde_json::from_str::<Recorded>(&json).expect("readable"), recorded);
    let mut rig = rig;
    let replies = rig.take(&recorded);
    assert!(!replies.is_empty());
    for message in &rig.messages {
        assert!(!message.payload.chars().any(|c| c.is_control()), "{}", message.payload);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_is_a_command_or_refused(payload in anything()) {
        never_a_panic(payload.to_string().as_bytes());
    }

    #[test]
    fn any_change_of_a_command_is_a_command_or_refused(key in "(v|type|id|issued|expect|observed_at|reason|body|corr)", value in anything()) {
        never_a_panic(with(&CommandRig::playing(), &key, value).as_bytes());
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        never_a_panic(&bytes);
    }
}
