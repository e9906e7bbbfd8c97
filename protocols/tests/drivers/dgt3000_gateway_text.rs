//! DGT3000 BLE Gateway: its text in both directions, and its vectors.

use crate::common::{Rig, anomalies, shared};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::drivers::dgt3000_gateway::INFO;
use flagfall_protocols::drivers::dgt3000_gateway::framing::{Framed, Framing, MAX_MESSAGE};
use flagfall_protocols::drivers::dgt3000_gateway::host::{GET_TIME, HostCommand, ID, Order, Setting};
use flagfall_protocols::drivers::dgt3000_gateway::json::{Members, NotJson, Value as Json};
use flagfall_protocols::drivers::dgt3000_gateway::message::{Message, Outcome, Refused};
use flagfall_protocols::event::Anomaly;
use proptest::prelude::*;
use serde_json::{Value, json};

/// Returns the only message of these bytes.
fn whole(bytes: &[u8]) -> Vec<u8> {
    let mut framing = Framing::default();
    let (last, rest) = bytes.split_last().expect("bytes");
    rest.iter().for_each(|byte| assert_eq!(framing.push(*byte), None));
    let Some(Framed::Message { text, .. }) = framing.push(*last) else { panic!("no message") };
    text.to_vec()
}

#[test]
fn every_vector_both_ways() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let mut seen = [0; 2];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        if vector["device"] != "dgt3000-ble-gateway" {
            continue;
        }
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        let text = whole(&bytes);
        let mut again = Vec::new();
        let read = if vector["dir"] == "host->device" {
            seen[0] += 1;
            let command = HostCommand::decode(&text).expect("a command");
            command.encode(&mut again);
            of_host(&command)
        } else {
            seen[1] += 1;
            let message = Message::decode(&text).expect("a message");
            message.encode(&mut again);
            let mut rig = Rig::new(&INFO);
            rig.bytes(&bytes);
            assert_eq!(anomalies(&rig.log).len(), usize::from(vector["meaning"]["type"] == "command_response"), "not our id");
            of_gateway(&message)
        };
        assert_eq!(read, vector["meaning"], "{line}");
        assert_eq!(hex(&again), hex(&bytes), "{line}");
    }
    assert_eq!(seen, [4, 3]);
}

fn of_host(command: &HostCommand) -> Value {
    let mut value = json!({"id": command.id, "command": command.name()});
    match command.order {
        Order::SetTime { left, right } => {
            value["params"] = json!({
                "leftMode": left.mode, "leftHours": left.hours, "leftMinutes": left.minutes, "leftSeconds": left.seconds,
                "rightMode": right.mode, "rightHours": right.hours, "rightMinutes": right.minutes, "rightSeconds": right.seconds,
            });
        }
        Order::Run { left, right } => value["params"] = json!({"leftMode": left, "rightMode": right}),
        Order::Stop | Order::GetTime => {}
        ref other => panic!("{other:?}"),
    }
    value
}

fn of_gateway(message: &Message<'_>) -> Value {
    match *message {
        Message::Time { stamp, times } => {
            let [[lh, lm, ls], [rh, rm, rs]] = [times.left, times.right];
            let data = json!({"leftHours": lh, "leftMinutes": lm, "leftSeconds": ls,
                              "rightHours": rh, "rightMinutes": rm, "rightSeconds": rs});
            json!({"type": "timeUpdate", "timestamp": stamp, "data": data})
        }
        Message::Button { stamp, button, code, repeat, count } => {
            let name = button.expect("known").name();
            let data = json!({"button": name, "buttonCode": code, "isRepeat": repeat, "repeatCount": count});
            json!({"type": "buttonEvent", "timestamp": stamp, "data": data})
        }
        Message::Response { id, outcome: Outcome::Done(None) } => {
            let id: String = id.expect("an id").letters().collect();
            json!({"type": "command_response", "id": id, "status": "success"})
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the names and values of an object; nested ones are in brackets.
fn members(text: &str) -> Result<Vec<String>, NotJson> {
    let show = |value: Json<'_>| match value {
        Json::Text(text) => format!("'{}'", text.letters().collect::<String>()),
        Json::Number(number) => number.to_string(),
        Json::Bool(is) => is.to_string(),
        Json::Object => "{".to_owned(),
        Json::Other => "?".to_owned(),
    };
    Members::new(text.as_bytes())
        .map(|member| member.map(|m| format!("{}{}={}", m.depth, m.name.letters().collect::<String>(), show(m.value))))
        .collect()
}

#[test]
fn json_texts_are_parsed() {
    let good: [(&str, &[&str]); 8] = [
        ("{}", &[]),
        (" { \"a\" : 1 , \"b\" : { } } ", &["1a=1", "1b={"]),
        (r#"{"a":{"b":{"c":-7}},"d":true}"#, &["1a={", "2b={", "3c=-7", "1d=true"]),
        (r#"{"a":"x\"\\\/\n\u00e9"}"#, &["1a='x\"\\/\né'"]),
        (r#"{"\u0061":"\ud83d\ude00\ud83dz"}"#, &["1a='😀\u{fffd}z'"]),
        (r#"{"a":1.5,"b":1e3,"c":null,"d":99999999999999999999}"#, &["1a=?", "1b=?", "1c=?", "1d=?"]),
        (r#"{"a":0,"b":false}"#, &["1a=0", "1b=false"]),
        (r#"{"a":"}{"}"#, &["1a='}{'"]),
    ];
    for (text, expected) in good {
        assert_eq!(members(text), Ok(expected.iter().map(|&text| text.to_owned()).collect()), "{text}");
    }
    for bad in [
        "",
        "{",
        "}",
        "{}}",
        "{}{}",
        "[]",
        "1",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\":1,}",
        "{,}",
        "{\"a\":1 \"b\":2}",
        "{a:1}",
        "{\"a\":01}",
        "{\"a\":-}",
        "{\"a\":1.}",
        "{\"a\":tru}",
        "{\"a\":[1]}",
        "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":\"b",
        "{\"a\":{\"b\":{\"c\":{\"d\":1}}}}",
    ] {
        assert_eq!(members(bad), Err(NotJson), "{bad}");
    }
    assert!(Members::new(b"{\"\xff\":1}").any(|member| member.is_err()));
}

fn framed(bytes: &[u8]) -> Vec<Result<String, (Anomaly, u64, u64)>> {
    let mut framing = Framing::default();
    let mut found = Vec::new();
    for &byte in bytes {
        match framing.push(byte) {
            Some(Framed::Message { text, .. }) => found.push(Ok(String::from_utf8_lossy(text).into_owned())),
            Some(Framed::Anomaly { anomaly, at }) => found.push(Err((anomaly, at.start, at.end))),
            None => {}
        }
    }
    found
}

#[test]
fn the_framing_counts_braces_and_recovers_from_lost_ones() {
    let ok = |text: &str| Ok(text.to_owned());
    assert_eq!(framed(b"{\"a\":1}\r\n{\"b\":{\"c\":\"}\\\"{\"}}"), [ok("{\"a\":1}"), ok("{\"b\":{\"c\":\"}\\\"{\"}}")]);
    assert_eq!(framed(b"x{\"a\":1}"), [Err((Anomaly::StrayByte, 0, 1)), ok("{\"a\":1}")]);
    // The end of a message is lost: within a number, a name, a text, a nested object.
    for half in ["{\"a\":1", "{\"a", "{\"a\":\"x", "{\"a\":{\"b\":1}", "{", "{\"a\":\"x\\\""] {
        let all = format!("{half}{{\"c\":2}}");
        assert_eq!(framed(all.as_bytes()), [Err((Anomaly::Truncated, 0, half.len() as u64)), ok("{\"c\":2}")], "{half}");
    }
    // After a colon the next message is read as the value, and the message after that is found again.
    assert_eq!(framed(b"{\"a\":{\"c\":2}{\"d\":3}"), [Err((Anomaly::Truncated, 0, 12)), ok("{\"d\":3}")]);
    // The message is too long.
    let long = format!("{{\"a\":\"{}", "x".repeat(MAX_MESSAGE));
    assert_eq!(framed(long.as_bytes())[0], Err((Anomaly::BadLength, 0, MAX_MESSAGE as u64 + 1)));
}

#[test]
fn texts_may_hold_braces() {
    for text in ["{\"a\":\"{\"}", "{\"a\":\"{\",\"b\":\"}\"}", "{\"a\":\"{\\\"b\"}", "{\"{\":1}"] {
        assert_eq!(framed(text.as_bytes()), [Ok(text.to_owned())], "{text}");
    }
}

#[test]
fn odd_messages_are_refused() {
    for (text, refused) in [
        ("{\"type\":1}", Refused::Field),
        ("{\"x\":\"timeUpdate\"}", Refused::Field),
        ("{\"type\":\"hello\"}", Refused::Unknown),
        ("{\"type\":\"timeUpdate\",\"timestamp\":1,\"data\":{\"leftHours\":1}}", Refused::Field),
        ("{\"type\":\"error\",\"timestamp\":1,\"data\":{\"errorCode\":70000}}", Refused::Field),
        ("{\"type\":\"connectionStatus\",\"timestamp\":-1,\"data\":{\"connected\":true,\"configured\":true}}", Refused::Field),
        ("{\"type\":\"command_response\",\"id\":\"1\",\"status\":\"perhaps\"}", Refused::Field),
        ("{\"type\":\"timeUpdate\"", Refused::NotJson),
    ] {
        assert_eq!(Message::decode(text.as_bytes()), Err(refused), "{text}");
    }
    let odd = HostCommand::decode(br#"{"id":"1","command":"setTime","params":{"leftMode":3}}"#).expect("JSON with an id");
    assert_eq!(odd.order, Order::Unknown);
    assert_eq!(HostCommand::decode(br#"{"command":"stop"}"#), None);
    assert_eq!(HostCommand::decode(br#"{"id":"12345678901234567890123456789012","command":"stop"}"#), None);
    let get = HostCommand::decode(GET_TIME).expect("a command");
    assert_eq!(get, HostCommand { id: ID.to_owned(), order: Order::GetTime });
}

proptest! {
    #[test]
    fn commands_are_read_as_they_were_written(id in "\\PC{0,31}", text in "[ -~]{0,11}", n in 0..6usize, left in (0..3u8, 0..10u8, 0..60u8, 0..60u8)) {
        let (mode, hours, minutes, seconds) = left;
        let left = Setting { mode, hours, minutes, seconds };
        let order = [
            Order::GetTime, Order::Stop, Order::EndDisplay, Order::DisplayText(text),
            Order::Run { left: mode, right: 1 }, Order::SetTime { left, right: Setting::default() },
        ][n].clone();
        let command = HostCommand { id, order };
        let mut bytes = Vec::new();
        command.encode(&mut bytes);
        prop_assert_eq!(HostCommand::decode(&whole(&bytes)), Some(command));
    }
}
