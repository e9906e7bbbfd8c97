//! HoS board: bytes of both forms, its vectors, and its reports of silence and of the clock.

use crate::common::{Rig, anomalies, events, ms, sent, shared};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::hos::framing::{Form, Framed, Framing, Message};
use flagfall_protocols::drivers::hos::host::HostCommand;
use flagfall_protocols::drivers::hos::{INFO, code, codes, placement, reading};
use flagfall_protocols::drivers::hos_usb;
use flagfall_protocols::event::{Anomaly, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::square::{Placement, Square};
use flagfall_protocols::time::{ClockTime, Instant};
use serde_json::{Value, json};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

#[test]
fn every_vector_both_ways() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let mut seen = [0; 2];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        if vector["device"] != "hos-eboard" {
            continue;
        }
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        let mut wanted = vector["meaning"].clone();
        let note = wanted.as_object_mut().expect("an object").remove("note");
        let mut again = Vec::new();
        let read = if vector["dir"] == "host->device" {
            seen[0] += 1;
            let command = HostCommand::decode(&bytes).expect("a command");
            command.encode(&mut again);
            assert_eq!(hex(&again), hex(&bytes), "{line}");
            of_host(command)
        } else {
            seen[1] += 1;
            // One vector is only the body of a report.
            let report = if note == Some(json!("body without the report id")) { [&[0], &bytes[..]].concat() } else { bytes };
            let form = if report[0] == 0 { Form::Cable } else { Form::Radio };
            let [Ok(message)] = framed(form, &report)[..] else { panic!("{line}") };
            message.encode(&mut again);
            assert_eq!(hex(&again), hex(&report), "{line}");
            of_board(message, &report)
        };
        assert_eq!(read, wanted, "{line}");
    }
    assert_eq!(seen, [4, 4]);
}

fn of_host(command: HostCommand) -> Value {
    let name = match command {
        HostCommand::ClockStop => "clock_stop",
        HostCommand::ClockReset => "clock_reset",
        HostCommand::ClockStartLeft => "clock_start_left",
        HostCommand::ClockStartRight => "clock_start_right",
        other => panic!("{other:?}"),
    };
    json!({ "type": name })
}

fn of_board(message: Message, report: &[u8]) -> Value {
    if let Message::Board(raw) = message {
        let shown = placement(&raw).expect("known codes");
        assert_eq!(codes(&shown), raw);
        return json!({"type": "board", "fen": shown.to_string()});
    }
    let reading = clock(report);
    let mut value = json!({"type": "clock", "left": reading.left.time.to_string(), "right": reading.right.time.to_string(),
                           "running": reading.running});
    if let Some(side) = reading.turn {
        value["side"] = json!(if side == ClockSide::Left { "left" } else { "right" });
    }
    value
}

/// Returns the reading of a clock report.
fn clock(report: &[u8]) -> ClockReading {
    let mut rig = Rig::new(&hos_usb::INFO);
    rig.bytes(report);
    assert_eq!(anomalies(&rig.log), []);
    let [DeviceEvent::Clock(reading)] = events(&rig.log)[..] else { panic!("{:?}", rig.log) };
    reading
}

fn framed(form: Form, bytes: &[u8]) -> Vec<Result<Message, (Anomaly, u64, u64)>> {
    let mut framing = Framing::new(form);
    let found = bytes.iter().filter_map(|byte| framing.push(*byte));
    let plain = |framed| match framed {
        Framed::Message { message, .. } => Ok(message),
        Framed::Anomaly { anomaly, at } => Err((anomaly, at.start, at.end)),
    };
    found.map(plain).collect()
}

fn board(fen: &str) -> Message {
    Message::Board(codes(&Placement::parse(fen).expect("a placement")))
}

fn text(fen: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    board(fen).encode_text(&mut bytes);
    bytes
}

fn shows(fen: &str) -> DeviceEvent {
    DeviceEvent::Frame(Placement::parse(fen).expect("a placement"))
}

#[test]
fn codes_are_pieces() {
    assert!((0..=12).all(|one| code(reading(one).expect("listed")) == one));
    assert!((13..=255).all(|one| reading(one).is_none()));
}

fn report(fen: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    board(fen).encode(&mut bytes);
    bytes
}

#[test]
fn consecutive_messages_are_read() {
    let texts = [text(START), text(E4).to_ascii_lowercase(), [b"00", &text(START)[..]].concat()].concat();
    assert_eq!(framed(Form::Radio, &texts), [START, E4, START].map(|fen| Ok(board(fen))));
    let clock = Message::Clock([0, 1, 2, 0, 3, 4]);
    let reports = [report(START), vec![0x00, 0xff, 0xca, 0, 1, 2, 0, 3, 4], report(E4)].concat();
    assert_eq!(framed(Form::Cable, &reports), [Ok(board(START)), Ok(clock), Ok(board(E4))]);
}

#[test]
fn the_framing_recovers_after_lost_bytes() {
    let good = text(START);
    for (broken, anomaly) in [
        (&b"43,"[..], Anomaly::BadLength),
        (b",", Anomaly::BadLength),
        (b"x", Anomaly::StrayByte),
        (b"43x", Anomaly::StrayByte),
        // After this byte the digits of a text would be valid codes of pieces.
        (&[0x00], Anomaly::StrayByte),
        (b"4325\x00", Anomaly::StrayByte),
        (&[b'1'; 67], Anomaly::BadLength),
    ] {
        let all = [broken, &good].concat();
        assert_eq!(framed(Form::Radio, &all), [Err((anomaly, 0, broken.len() as u64)), Ok(board(START))], "{broken:x?}");
    }
    for (broken, anomaly) in [(&[0x43][..], Anomaly::StrayByte), (&[0x00, 0xff, 0x11], Anomaly::UnknownMessage)] {
        let all = [broken, &report(START)].concat();
        assert_eq!(framed(Form::Cable, &all), [Err((anomaly, 0, broken.len() as u64)), Ok(board(START))], "{broken:x?}");
    }
    assert_eq!(framed(Form::Radio, b"FFCA00043B000500,"), [Ok(Message::OtherText)]);
}

#[test]
fn impossible_values_are_counted() {
    let mut bad = text(START);
    bad[5] = b'F';
    for (info, bytes, anomaly) in [
        (&INFO, &bad[..], Anomaly::BadField),
        (&INFO, b"FFCA,", Anomaly::UnknownMessage),
        (&hos_usb::INFO, &[0x00, 0xff, 0xca, 0, 60, 0, 0, 0, 0], Anomaly::ClockIllegal),
        (&hos_usb::INFO, &[0x00, 0xff, 0xca, 0, 0, 0, 0, 0, 60], Anomaly::ClockIllegal),
    ] {
        let mut rig = Rig::new(info);
        rig.bytes(bytes);
        assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![anomaly], vec![]), "{bytes:x?}");
    }
}

#[test]
fn over_bluetooth_there_is_no_clock() {
    let mut rig = Rig::new(&INFO);
    rig.bytes(&[0x00, 0xff, 0xca, 0, 4, 59, 0, 5, 0x80]);
    assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![Anomaly::StrayByte; 9], vec![]));
}

#[test]
fn the_clock_is_reported_when_it_differs() {
    let mut rig = Rig::new(&hos_usb::INFO);
    let report = |seconds: u8, last: u8| [0x00, 0xff, 0xca, 1, 4, seconds, 0, 5, last];
    for bytes in [report(59, 0x80), report(59, 0x80), report(58, 0x80), report(58, 0xc0), report(58, 0x40)] {
        rig.bytes(&bytes);
    }
    rig.command(DeviceCommand::ReadClock);
    rig.bytes(&report(58, 0x40));
    let reported: Vec<_> = events(&rig.log)
        .into_iter()
        .map(|event| {
            let DeviceEvent::Clock(reading) = event else { panic!("{event:?}") };
            assert!(!reading.left.flag_shown && !reading.right.flag_blocked && !reading.left.adds_time);
            (reading.left.time, reading.running, reading.lever_up, reading.turn, reading.baseline)
        })
        .collect();
    use ClockSide::{Left, Right};
    let (one, two) = (ClockTime::hms(1, 4, 59), ClockTime::hms(1, 4, 58));
    let stands = (two, false, Right, None, false);
    let expected = [
        (one, true, Left, Some(Left), true),
        (two, true, Left, Some(Left), false),
        (two, true, Right, Some(Right), false),
        stands,
        stands,
    ];
    assert_eq!(reported, expected);
}

/// Returns the events of one minute for a board that sends its squares at these times, in milliseconds.
fn events_after(times: &[(u64, &str)]) -> Vec<DeviceEvent> {
    let mut rig = Rig::new(&INFO);
    rig.feed(Instant::ZERO, Input::LinkUp);
    for (at, fen) in times {
        rig.until(ms(*at));
        rig.bytes(&text(fen));
    }
    rig.until(ms(60_000));
    assert_eq!((sent(&rig.log), anomalies(&rig.log)), (vec![], vec![]));
    events(&rig.log)
}

#[test]
fn silence_is_reported_only_for_a_board_that_repeats_its_state() {
    let all = [(100, START), (4000, START), (8000, START), (12_000, START)];
    assert_eq!(events_after(&all), [DeviceEvent::Responding, shows(START), DeviceEvent::Silent]);
    assert_eq!(events_after(&all[..3]), [DeviceEvent::Responding, shows(START)]);
    // This board sends only changes.
    assert_eq!(
        events_after(&[(100, START), (4000, E4), (8000, START), (9000, E4)])[..2],
        [DeviceEvent::Responding, shows(START)]
    );
    assert!(!events_after(&[(100, START), (4000, E4), (8000, START), (9000, E4)]).contains(&DeviceEvent::Silent));
    // This board repeats its squares too slowly.
    assert!(!events_after(&[(100, START), (6000, START), (12_000, START), (18_000, START)]).contains(&DeviceEvent::Silent));
    // This board comes back.
    let back = [&all[..], &[(30_000, START)]].concat();
    let alive = [DeviceEvent::Responding, shows(START)];
    assert_eq!(events_after(&back), [&alive[..], &[DeviceEvent::Silent], &alive].concat());
}

#[test]
fn a_command_reports_the_state_again() {
    let mut rig = Rig::new(&INFO);
    rig.bytes(&text(START));
    rig.command(DeviceCommand::ReadBoard);
    rig.bytes(&text(START));
    rig.bytes(&text(START));
    assert_eq!(events(&rig.log), [shows(START), shows(START)]);
}

#[test]
fn commands_are_read_as_they_were_written() {
    let lights = Square::all().map(HostCommand::Light);
    let others = [HostCommand::ClockSet([0, 5, 0, 0, 4, 59, 3]), HostCommand::LightsOut, HostCommand::ClockStop];
    for command in lights.chain(others) {
        let mut bytes = Vec::new();
        command.encode(&mut bytes);
        assert_eq!(HostCommand::decode(&bytes), Some(command));
    }
    for bad in [&[][..], &[0x00], &[0x00, 99], &[0x00, 164], &[0x00, 0xae, 1], &[0x01, 0xaf]] {
        assert_eq!(HostCommand::decode(bad), None, "{bad:x?}");
    }
}
