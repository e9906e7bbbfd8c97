//! iChessOne: its bytes in both directions, its vectors, and the session in simulated time.

use crate::common::answering::{Line, healthy, losing, often, silent};
use crate::common::{Rig, anomalies, events, ms, shared};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::ichessone::framing::{Framed, Framing, Message};
use flagfall_protocols::drivers::ichessone::host::{HostCommand, HostDecoder, Query};
use flagfall_protocols::drivers::ichessone::{INFO, code, codes, placement, reading};
use flagfall_protocols::event::{Anomaly, Battery, DeviceEvent};
use flagfall_protocols::square::{Placement, Square};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn every_vector_both_ways() {
    let Some(text) = shared("protocols/ble-vectors.jsonl") else { return };
    let mut seen = [0; 2];
    for line in text.lines() {
        let vector: Value = serde_json::from_str(line).expect("a JSON line");
        if vector["device"] != "ichessone" {
            continue;
        }
        let bytes = unhex(vector["hex"].as_str().expect("hex")).expect("hex");
        let mut again = Vec::new();
        let read = if vector["dir"] == "host->device" {
            seen[0] += 1;
            let mut decoder = HostDecoder::default();
            let commands: Vec<_> = bytes.iter().filter_map(|byte| decoder.push(*byte)).collect();
            let [command] = commands[..] else { panic!("{commands:?}") };
            command.encode(&mut again);
            of_host(command)
        } else {
            seen[1] += 1;
            let mut framing = Framing::default();
            let found: Vec<_> = bytes.iter().filter_map(|byte| framing.push(*byte)).collect();
            let [Framed::Message { message, .. }] = found[..] else { panic!("{found:?}") };
            message.encode(&mut again);
            let mut rig = Rig::new(&INFO);
            rig.bytes(&bytes);
            assert_eq!((events(&rig.log).len(), anomalies(&rig.log).len()), (1, 0), "{line}");
            of_board(message, vector["meaning"]["reversed"] == true)
        };
        assert_eq!(read, vector["meaning"], "{line}");
        assert_eq!(hex(&again), hex(&bytes), "{line}");
    }
    assert_eq!(seen, [5, 7]);
}

fn of_host(command: HostCommand) -> Value {
    match command {
        HostCommand::Query(Query::Updates) => json!({"type": "start_updates"}),
        HostCommand::Query(Query::Board) => json!({"type": "get_board"}),
        HostCommand::Query(Query::Battery) => json!({"type": "get_battery"}),
        HostCommand::Lights(ranks) => {
            let lit = |square: &Square| ranks[usize::from(7 - square.rank())] >> square.file() & 1 == 1;
            let squares: Vec<_> = Square::all().filter(lit).map(|square| square.to_string()).collect();
            json!({"type": "leds", "squares": squares})
        }
        HostCommand::Unknown(byte) => panic!("{byte:x}"),
    }
}

fn of_board(message: Message, reversed: bool) -> Value {
    match message {
        Message::Board(raw) => {
            let shown = placement(&raw).expect("known codes");
            assert_eq!(codes(&shown), raw);
            if reversed {
                json!({"type": "board", "fen": shown.rotated().to_string(), "reversed": true})
            } else {
                json!({"type": "board", "fen": shown.to_string()})
            }
        }
        Message::Battery { flag, percent } => json!({"type": "battery", "percent": percent, "charging": flag == 1}),
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

fn board(fen: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message::Board(codes(&Placement::parse(fen).expect("a placement"))).encode(&mut bytes);
    bytes
}

fn shows(fen: &str) -> DeviceEvent {
    DeviceEvent::Frame(Placement::parse(fen).expect("a placement"))
}

const CHARGED: DeviceEvent = DeviceEvent::Battery(Battery { percent: 88, minutes_left: None, charging: false });

fn answer(command: &[u8]) -> Option<Vec<u8>> {
    match command {
        b"RB" => Some(vec![0x3d, 0x62, 0, 88]),
        b"RP" => Some(board(START)),
        _ => None,
    }
}

#[test]
fn codes_are_pieces() {
    assert!((0..=12).all(|one| code(reading(one).expect("listed")) == one));
    assert!((13..=255).all(|one| reading(one).is_none()));
}

fn framed(bytes: &[u8]) -> Vec<Result<Message, (Anomaly, u64, u64)>> {
    let mut framing = Framing::default();
    let found = bytes.iter().filter_map(|byte| framing.push(*byte));
    let plain = |framed| match framed {
        Framed::Message { message, .. } => Ok(message),
        Framed::Anomaly { anomaly, at } => Err((anomaly, at.start, at.end)),
    };
    found.map(plain).collect()
}

#[test]
fn the_framing_recovers_after_lost_bytes() {
    let battery = Message::Battery { flag: 0, percent: 9 };
    let good = [0x3d, 0x62, 0, 9];
    for (broken, anomaly) in [
        (&[0x3d][..], Anomaly::Truncated),
        (&[0x3d, 0x70, 0x11], Anomaly::Truncated),
        (&[0x3d, 0x62], Anomaly::Truncated),
        (&[0x3d, 0x99], Anomaly::UnknownMessage),
        (&[0x3d, 0x62, 2], Anomaly::BadField),
        (&[0x70], Anomaly::StrayByte),
    ] {
        let all = [broken, &good].concat();
        assert_eq!(framed(&all), [Err((anomaly, 0, broken.len() as u64)), Ok(battery)], "{broken:x?}");
    }
    // This percentage has the value of a first byte.
    assert_eq!(framed(&[0x3d, 0x62, 1, 0x3d, 0x3d, 0x62, 0, 9]), [Ok(Message::Battery { flag: 1, percent: 61 }), Ok(battery)]);
    // When a picture lost bytes, only that picture is lost.
    let mut bytes = board(START);
    bytes.truncate(30);
    bytes.extend(board(E4));
    let found = framed(&bytes);
    assert!(found[0] == Err((Anomaly::Truncated, 0, 30)) && found[1].is_ok() && found.len() == 2, "{found:?}");
}

#[test]
fn an_impossible_piece_makes_a_picture_doubtful() {
    let mut bytes = board(START);
    bytes[20] = 0xd0;
    let mut rig = Rig::new(&INFO);
    rig.bytes(&bytes);
    rig.bytes(&[0x3d, 0x62, 0, 101]);
    assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![Anomaly::BadField; 2], vec![]));
}

#[test]
fn the_start_up_asks_for_the_battery_and_sets_the_mode_before_it_asks_for_the_squares() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(2000);
    assert_eq!(line.received, [(300, b"RB".to_vec()), (400, b"CPIRQ".to_vec()), (500, b"RP".to_vec())]);
    assert_eq!(line.reported(), [DeviceEvent::Responding, CHARGED, shows(START)]);
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn a_board_that_never_answers_gets_only_the_first_question() {
    let mut line = Line::up(&INFO, silent());
    line.run(20_000);
    assert!(line.received.len() > 10 && line.received.iter().all(|(_, command)| command == b"RB"));
    assert_eq!(line.reported(), []);
}

#[test]
fn changed_pictures_are_reported_and_a_lost_report_sets_the_mode_again() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(60_000);
    assert_eq!((line.count(shows(START)), line.times_of(b"CPIRQ").len()), (1, 1));
    assert!(line.times_of(b"RP").len() >= 11);
    line.manner = healthy(|command| if command == b"RP" { Some(board(E4)) } else { answer(command) });
    line.send_from_device(&board(E4));
    line.run(70_000);
    assert_eq!((line.count(shows(E4)), line.times_of(b"CPIRQ").len()), (1, 1));
    // The board sends no change, but the squares differ when they are asked for.
    line.manner = healthy(answer);
    line.run(80_000);
    assert_eq!((line.count(shows(START)), line.times_of(b"CPIRQ").len()), (2, 2));
    line.rig.command(DeviceCommand::ReadBoard);
    line.rig.command(DeviceCommand::ReadBattery);
    line.run(81_000);
    assert_eq!((line.count(shows(START)), line.count(CHARGED)), (3, 2));
}

#[test]
fn lost_late_and_doubled_answers_do_no_harm() {
    for lost in [&b"RB"[..], b"RP"] {
        let mut line = Line::up(&INFO, losing(answer, lost));
        line.run(6000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(shows(START))), (1, 1), "{lost:x?}");
        assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried], "{lost:x?}");
    }
    for delays in [&[900][..], &[30, 30], &[30, 900]] {
        let mut line = Line::up(&INFO, often(answer, delays));
        line.run(30_000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{delays:?}");
        assert_eq!(line.count(shows(START)), 1, "{delays:?}");
    }
}

#[test]
fn silence_is_reported_and_the_board_comes_back() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(5000);
    line.manner = silent();
    line.run(30_000);
    assert_eq!(line.count(DeviceEvent::Silent), 1);
    line.manner = healthy(answer);
    line.run(40_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(shows(START)), line.times_of(b"CPIRQ").len()), (2, 2, 2));
}

#[test]
fn half_a_message_is_given_up_after_silence_and_forgotten_with_the_link() {
    let mut rig = Rig::new(&INFO);
    rig.bytes(&[0x3d, 0x70, 0]);
    rig.until(ms(600));
    assert_eq!(anomalies(&rig.take()), [Anomaly::Stalled]);
    rig.bytes(&[0x3d, 0x70, 0]);
    rig.feed(ms(700), Input::LinkDown);
    rig.bytes(&board(E4));
    assert_eq!((events(&rig.log), anomalies(&rig.log)), (vec![shows(E4)], vec![]));
}

#[test]
fn commands_are_read_in_one_piece_and_among_noise() {
    let read = |bytes: &[u8]| {
        let mut decoder = HostDecoder::default();
        bytes.iter().filter_map(|byte| decoder.push(*byte)).collect::<Vec<_>>()
    };
    let all = [Query::Battery, Query::Updates, Query::Board].map(HostCommand::Query);
    assert_eq!(read(b"RBCPIRQRP"), all);
    assert_eq!(read(b"zRCPIRQ"), [HostCommand::Unknown(b'z'), HostCommand::Unknown(b'R'), HostCommand::Query(Query::Updates)]);
}

proptest! {
    #[test]
    fn lights_are_read_as_they_were_written(ranks in any::<[u8; 8]>()) {
        let mut bytes = Vec::new();
        HostCommand::Lights(ranks).encode(&mut bytes);
        let mut decoder = HostDecoder::default();
        let read: Vec<_> = bytes.iter().filter_map(|byte| decoder.push(*byte)).collect();
        prop_assert_eq!(read, vec![HostCommand::Lights(ranks)]);
    }

    #[test]
    fn every_byte_is_accounted_for(bytes in proptest::collection::vec(prop_oneof![Just(0x3d), Just(0x70), Just(0x62), any::<u8>()], 0..200)) {
        let mut framing = Framing::default();
        let mut covered = 0;
        for byte in &bytes {
            if let Some(Framed::Message { at, .. } | Framed::Anomaly { at, .. }) = framing.push(*byte) {
                prop_assert_eq!(at.start, covered);
                covered = at.end;
            }
        }
        if let Some(Framed::Anomaly { at, .. }) = framing.stall() {
            prop_assert_eq!(at.start, covered);
            covered = at.end;
        }
        prop_assert_eq!(covered, bytes.len() as u64);
    }
}
