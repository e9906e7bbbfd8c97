//! DGT3000 BLE Gateway: text both ways, its vectors, and the session in simulated time.

mod common;

use common::answering::{Line, healthy, losing, often, silent};
use common::{Rig, anomalies, events, ms, shared};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::dgt3000_gateway::INFO;
use flagfall_protocols::drivers::dgt3000_gateway::framing::{Framed, Framing, MAX_MESSAGE};
use flagfall_protocols::drivers::dgt3000_gateway::host::{GET_TIME, HostCommand, ID, Order, Setting};
use flagfall_protocols::drivers::dgt3000_gateway::json::{Members, NotJson, Value as Json};
use flagfall_protocols::drivers::dgt3000_gateway::message::{Message, Outcome, Refused};
use flagfall_protocols::event::{Anomaly, ClockButton, ClockReading, ClockSide, DeviceEvent};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The one message of these bytes.
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

/// Names and values of an object, nested ones in brackets.
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
fn json_is_read() {
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
fn braces_are_counted_and_lost_ones_do_not_matter_for_long() {
    let ok = |text: &str| Ok(text.to_owned());
    assert_eq!(framed(b"{\"a\":1}\r\n{\"b\":{\"c\":\"}\\\"{\"}}"), [ok("{\"a\":1}"), ok("{\"b\":{\"c\":\"}\\\"{\"}}")]);
    assert_eq!(framed(b"x{\"a\":1}"), [Err((Anomaly::StrayByte, 0, 1)), ok("{\"a\":1}")]);
    // The end is lost: within a number, a name, a text, a nested object.
    for half in ["{\"a\":1", "{\"a", "{\"a\":\"x", "{\"a\":{\"b\":1}", "{", "{\"a\":\"x\\\""] {
        let all = format!("{half}{{\"c\":2}}");
        assert_eq!(framed(all.as_bytes()), [Err((Anomaly::Truncated, 0, half.len() as u64)), ok("{\"c\":2}")], "{half}");
    }
    // Behind a colon the next one is taken for its value, and the one after that is found again.
    assert_eq!(framed(b"{\"a\":{\"c\":2}{\"d\":3}"), [Err((Anomaly::Truncated, 0, 12)), ok("{\"d\":3}")]);
    // Too long.
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

/// Times as the gateway tells them, in seconds.
fn data([left, right]: [u32; 2]) -> String {
    let hms = |side: &str, s: u32| {
        format!("\"{side}Hours\":{},\"{side}Minutes\":{},\"{side}Seconds\":{}", s / 3600, s / 60 % 60, s % 60)
    };
    format!("{{{},{}}}", hms("left", left), hms("right", right))
}

fn update(times: [u32; 2]) -> Vec<u8> {
    format!("{{\"type\":\"timeUpdate\",\"timestamp\":1,\"data\":{}}}", data(times)).into_bytes()
}

fn button(name: &str, stamp: u32, repeat: bool) -> Vec<u8> {
    let data = format!("{{\"button\":\"{name}\",\"buttonCode\":0,\"isRepeat\":{repeat}}}");
    format!("{{\"type\":\"buttonEvent\",\"timestamp\":{stamp},\"data\":{data}}}").into_bytes()
}

fn connected(is: bool) -> Vec<u8> {
    format!("{{\"type\":\"connectionStatus\",\"timestamp\":1,\"data\":{{\"connected\":{is},\"configured\":{is}}}}}").into_bytes()
}

/// A gateway that shows this time at the left and five minutes at the right.
fn answers<const LEFT: u32>(command: &[u8]) -> Option<Vec<u8>> {
    let times = data([LEFT, 300]);
    let answer = format!("{{\"type\":\"command_response\",\"id\":\"{ID}\",\"status\":\"success\",\"result\":{times}}}");
    (command == GET_TIME).then(|| answer.into_bytes())
}

/// Times in seconds, whether it runs, which lever is up, whether it is a baseline.
fn short(reading: &ClockReading) -> ([u32; 2], bool, ClockSide, bool) {
    assert_eq!((reading.turn, reading.battery_low, reading.resolution_ms), (None, false, 1000));
    for face in [reading.left, reading.right] {
        assert_eq!((face.flag_blocked, face.flag_shown, face.adds_time), (false, false, false));
    }
    let seconds = [reading.left, reading.right].map(|face| face.time.millis() / 1000);
    (seconds, reading.running, reading.lever_up, reading.baseline)
}

fn readings(events: &[DeviceEvent]) -> Vec<([u32; 2], bool, ClockSide, bool)> {
    events.iter().filter_map(|event| if let DeviceEvent::Clock(reading) = event { Some(short(reading)) } else { None }).collect()
}

use ClockSide::{Left, Right};

#[test]
fn asks_for_the_times_and_tells_what_is_new() {
    let mut line = Line::up(&INFO, healthy(answers::<300>));
    line.run(10_000);
    assert!(line.heard.iter().all(|(_, command)| command == GET_TIME));
    assert!((9..=10).contains(&line.heard.len()), "{:?}", line.heard.len());
    let told = line.told();
    assert_eq!(told[0], DeviceEvent::Responding);
    assert_eq!(readings(&told), [([300, 300], false, Left, true)]);
    line.rig.command(DeviceCommand::ReadClock);
    line.run(10_900);
    assert_eq!(readings(&line.told()).len(), 2, "what is wanted is told again");
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn a_falling_time_runs_and_one_that_is_the_same_for_two_seconds_stands() {
    let mut rig = Rig::new(&INFO);
    for (at, times, expected) in [
        (1000, [300, 300], Some(false)),
        (2000, [299, 300], Some(true)),
        (3000, [299, 300], None),
        (3999, [299, 300], None),
        (4000, [299, 300], Some(false)),
        (5000, [299, 299], Some(true)),
        // It is set: nothing is known of running.
        (6000, [600, 600], Some(true)),
        (7000, [600, 600], Some(false)),
        // A time that rises may run up or be set.
        (8000, [601, 600], Some(false)),
        (9000, [600, 600], Some(true)),
    ] {
        rig.until(ms(at));
        rig.bytes(&update(times));
        let told = readings(&events(&rig.take().into_iter().collect::<Vec<_>>()));
        assert_eq!(told.iter().map(|reading| reading.1).collect::<Vec<_>>(), expected.into_iter().collect::<Vec<_>>(), "{at}");
    }
}

#[test]
fn the_lever_is_told_at_once_with_the_last_times() {
    let mut rig = Rig::new(&INFO);
    // Without times there is no reading, but the lever is known.
    rig.bytes(&button("lever_right", 5, false));
    assert_eq!(events(&rig.take()), []);
    rig.bytes(&update([300, 300]));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Left, true)]);
    rig.bytes(&button("lever_left", 9, false));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Right, false)]);
    rig.bytes(&button("lever_right", 20, false));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Left, false)]);
    // The same movement again: the stamp shows it.
    rig.bytes(&button("lever_right", 20, false));
    assert_eq!(events(&rig.take()), []);
    // One between was lost.
    rig.bytes(&button("lever_right", 30, false));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Right, true), ([300, 300], false, Left, false)]);
}

#[test]
fn the_first_movement_puts_right_what_was_only_assumed() {
    for (first, expected) in [
        ("lever_left", vec![([300, 300], false, Right, false)]),
        ("lever_right", vec![([300, 300], false, Right, true), ([300, 300], false, Left, false)]),
    ] {
        let mut rig = Rig::new(&INFO);
        rig.bytes(&update([300, 300]));
        rig.take();
        rig.bytes(&button(first, 7, false));
        assert_eq!(readings(&events(&rig.take())), expected, "{first}");
    }
}

#[test]
fn buttons_are_told_once() {
    let mut rig = Rig::new(&INFO);
    let names = ["back", "minus", "play_pause", "plus", "forward", "on_off_press", "on_off_release"];
    for name in names {
        rig.bytes(&button(name, 1, false));
        rig.bytes(&button(name, 2, true));
    }
    let buttons = [ClockButton::Back, ClockButton::Minus, ClockButton::RunPause, ClockButton::Plus, ClockButton::Ok];
    assert_eq!(events(&rig.log), buttons.map(DeviceEvent::ClockButton));
    assert_eq!(anomalies(&rig.take()), []);
    rig.bytes(&button("unknown", 1, false));
    assert_eq!(anomalies(&rig.log), [Anomaly::BadField]);
}

#[test]
fn a_clock_that_is_away_is_told_and_what_the_gateway_remembers_of_it_is_not() {
    let mut line = Line::up(&INFO, healthy(answers::<300>));
    line.run(1500);
    line.say(&connected(false));
    line.say(&connected(false));
    line.run(5000);
    let told = line.told();
    assert_eq!(told.iter().filter(|event| **event == DeviceEvent::ClockAbsent).count(), 1);
    assert_eq!(readings(&told).len(), 1);
    line.say(&connected(true));
    line.run(7000);
    assert_eq!(readings(&line.told()), [([300, 300], false, Left, true); 2]);
    // The same by an error, and the times themselves end it.
    line.say(br#"{"type":"error","timestamp":1,"data":{"errorCode":1003,"errorMessage":"x"}}"#);
    line.say(&update([299, 300]));
    assert_eq!(readings(&line.told()).last(), Some(&([299, 300], false, Left, true)));
    assert_eq!(anomalies(&line.rig.log), [Anomaly::ClockRefused]);
}

#[test]
fn refusals_and_impossible_times_are_counted() {
    for (text, expected) in [
        (&br#"{"type":"error","timestamp":1,"data":{"errorCode":1000}}"#[..], Anomaly::ClockRefused),
        (br#"{"type":"command_response","id":"flagfall","status":"error","data":{"errorCode":1200}}"#, Anomaly::ClockRefused),
        (br#"{"type":"command_response","id":"x","status":"success"}"#, Anomaly::Unasked),
        (br#"{"type":"news"}"#, Anomaly::UnknownMessage),
        (b"{}", Anomaly::BadField),
        (b"{]}", Anomaly::BadField),
    ] {
        let mut rig = Rig::new(&INFO);
        rig.bytes(text);
        assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![expected], vec![]));
    }
    for times in
        ["\"leftHours\":10,\"leftMinutes\":0", "\"leftHours\":0,\"leftMinutes\":60", "\"leftHours\":300,\"leftMinutes\":-1"]
    {
        let rest = "\"leftSeconds\":0,\"rightHours\":0,\"rightMinutes\":0,\"rightSeconds\":0";
        let mut rig = Rig::new(&INFO);
        rig.bytes(format!("{{\"type\":\"timeUpdate\",\"timestamp\":1,\"data\":{{{times},{rest}}}}}").as_bytes());
        assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![Anomaly::ClockIllegal], vec![]), "{times}");
    }
}

#[test]
fn the_clone_that_says_ok_is_understood() {
    let mut line = Line::up(&INFO, healthy(|_| Some(br#"{"type":"response","status":"ok"}"#.to_vec())));
    line.run(2000);
    line.say(&update([60, 61]));
    line.run(10_000);
    assert_eq!(line.count(DeviceEvent::Responding), 1);
    assert_eq!(readings(&line.told()), [([60, 61], false, Left, true)]);
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn lost_late_and_doubled_answers_do_no_harm() {
    let mut line = Line::up(&INFO, losing(answers::<300>, GET_TIME));
    line.run(6000);
    assert_eq!((line.count(DeviceEvent::Responding), readings(&line.told()).len()), (1, 1));
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried]);
    for delays in [&[900][..], &[30, 30], &[30, 900]] {
        let mut line = Line::up(&INFO, often(answers::<300>, delays));
        line.run(30_000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{delays:?}");
        assert_eq!(readings(&line.told()).len(), 1, "{delays:?}");
    }
}

#[test]
fn a_gateway_that_falls_silent_is_told_and_comes_back() {
    let mut line = Line::up(&INFO, healthy(answers::<300>));
    line.run(5000);
    line.manner = silent();
    line.run(20_000);
    assert_eq!(line.count(DeviceEvent::Silent), 1);
    line.manner = healthy(answers::<200>);
    line.run(30_000);
    assert_eq!(line.count(DeviceEvent::Responding), 2);
    assert_eq!(readings(&line.told()), [([300, 300], false, Left, true), ([200, 300], false, Left, true)]);
}

#[test]
fn half_a_message_is_given_up_after_silence_and_forgotten_with_the_link() {
    let mut rig = Rig::new(&INFO);
    rig.bytes(b"{\"type\":");
    rig.until(ms(600));
    assert_eq!(anomalies(&rig.take()), [Anomaly::Stalled]);
    rig.bytes(b"{\"type\":");
    rig.feed(ms(700), Input::LinkDown);
    rig.bytes(&update([1, 2]));
    assert_eq!((readings(&events(&rig.log)).len(), anomalies(&rig.log).len()), (1, 0));
}
