//! Millennium boards: their text in both directions, and the session in simulated time.

use std::time::Duration;

use crate::common::answering::{Line, healthy, losing, often, silent};
use crate::common::{Rig, anomalies, events, ms, sent};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::chesslink::INFO;
use flagfall_protocols::drivers::chesslink::framing::{Framed, Framing, Speaker, with_parity};
use flagfall_protocols::drivers::chesslink::host::HostCommand;
use flagfall_protocols::drivers::chesslink::message::{Message, letters, placement, square};
use flagfall_protocols::event::{Anomaly, DeviceEvent, Identity};
use flagfall_protocols::square::Placement;
use proptest::prelude::*;

const V: &[u8] = b"\xd6\xb5\xb6";
const R: &[u8] = b"\x52\xb0\x32\xb5\xb0";
const S: &[u8] = b"\xd3\xb5\xb3";
const R01: &[u8] = b"\x52\xb0\x31\xb5\xb3";
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR";

fn frame(fen: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message::Board(&letters(&Placement::parse(fen).expect("a placement"))).encode(&mut bytes);
    bytes
}

fn shows(fen: &str) -> DeviceEvent {
    DeviceEvent::Frame(Placement::parse(fen).expect("a placement"))
}

fn setting(address: u8, value: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    Message::Setting { address, value }.encode(&mut bytes);
    bytes
}

/// A board that reports changes by itself.
fn on_change(command: &[u8]) -> Option<Vec<u8>> {
    match command {
        V => Some(b"v010374".to_vec()),
        R => Some(setting(2, 3)),
        R01 => Some(setting(1, 20)),
        S => Some(frame(START)),
        _ => None,
    }
}

/// A board that reports only when it is asked.
fn when_asked(command: &[u8]) -> Option<Vec<u8>> {
    if command == R { Some(setting(2, 1)) } else { on_change(command) }
}

fn decode(speaker: Speaker, bytes: &[u8]) -> Option<Vec<u8>> {
    let mut framing = Framing::new(speaker);
    let (last, rest) = bytes.split_last()?;
    if rest.iter().any(|byte| framing.push(*byte).is_some()) {
        return None;
    }
    match framing.push(*last)? {
        Framed::Message { text, .. } => Some(text.to_vec()),
        Framed::Anomaly { .. } => None,
    }
}

#[test]
fn squares_begin_at_h1() {
    let names: Vec<_> = [0, 1, 7, 8, 63].map(|index| square(index).expect("below 64").to_string()).into();
    assert_eq!(names, ["h1", "g1", "a1", "h2", "a8"]);
    assert_eq!(square(64), None);
}

proptest! {
    #[test]
    fn boards_read_what_boards_write(address: u8, value: u8, cells in proptest::collection::vec(0usize..13, 64), parity: bool) {
        let mut squares = [0; 64];
        squares.iter_mut().zip(&cells).for_each(|(square, cell)| *square = b".PNBRQKpnbrqk"[*cell]);
        for message in [
            Message::Version { major: address, minor: value },
            Message::Setting { address, value },
            Message::Written { address, value },
            Message::Board(&squares),
            Message::Lit,
            Message::Unlit,
        ] {
            let mut bytes = Vec::new();
            message.encode(&mut bytes);
            if parity {
                bytes.iter_mut().for_each(|byte| *byte = with_parity(*byte));
            }
            let text = decode(Speaker::Board, &bytes).expect("a message");
            prop_assert_eq!(Message::decode(&text), Some(message));
        }
        prop_assert_eq!(placement(&squares).map(|placement| letters(&placement)), Some(squares));
    }

    #[test]
    fn hosts_read_what_hosts_write(address: u8, value: u8, digits in proptest::collection::vec(0usize..16, 164)) {
        let mut lights = [0; 164];
        lights.iter_mut().zip(&digits).for_each(|(light, digit)| *light = b"0123456789ABCDEF"[*digit]);
        for command in [
            HostCommand::Version,
            HostCommand::Board,
            HostCommand::Read { address },
            HostCommand::Write { address, value },
            HostCommand::Lights(&lights),
            HostCommand::LightsOut,
            HostCommand::Reset,
            HostCommand::Other(b"I00"),
            HostCommand::Other(b"G"),
        ] {
            let mut bytes = Vec::new();
            command.encode(&mut bytes);
            prop_assert!(bytes.iter().all(|byte| byte.count_ones() % 2 == 1), "odd parity");
            let text = decode(Speaker::Host, &bytes).expect("a command");
            prop_assert_eq!(HostCommand::decode(&text), Some(command));
        }
    }

    /// Every byte belongs to one message or one anomaly, and a good message after any noise and silence is read.
    #[test]
    fn every_byte_belongs_to_a_message_or_an_anomaly(noise in proptest::collection::vec(prop_oneof![any::<u8>(), Just(b's'), Just(b'r'), Just(b'B'), Just(b'.')], 0..300)) {
        for speaker in [Speaker::Board, Speaker::Host] {
            let (mut framing, mut covered) = (Framing::new(speaker), 0);
            for byte in &noise {
                if let Some(Framed::Message { at, .. } | Framed::Anomaly { at, .. }) = framing.push(*byte) {
                    prop_assert!(at.start == covered && at.end > at.start);
                    covered = at.end;
                }
            }
            let held = framing.stall();
            prop_assert_eq!(held.is_some(), covered < noise.len() as u64);
        }
    }
}

#[test]
fn a_lost_byte_costs_one_message() {
    for lost in 0..67 {
        let mut rig = Rig::new(&INFO);
        let mut bytes = frame(START);
        bytes.remove(lost);
        rig.bytes(&bytes);
        rig.bytes(&frame(E4));
        rig.bytes(b"v010374");
        assert_eq!(events(&rig.log), [shows(E4), DeviceEvent::Identity(Identity::Firmware(1, 3))], "{lost}");
        assert!(!anomalies(&rig.log).is_empty(), "{lost}");
    }
}

#[test]
fn a_flipped_bit_is_found() {
    for at in 0..67 {
        for bit in 0..7 {
            let mut bytes = frame(START);
            bytes[at] ^= 1 << bit;
            let mut rig = Rig::new(&INFO);
            rig.bytes(&bytes);
            rig.advance(Duration::from_secs(1));
            assert_eq!(events(&rig.log), [], "byte {at} bit {bit}");
            rig.bytes(&frame(E4));
            assert_eq!(events(&rig.log), [shows(E4)], "byte {at} bit {bit}");
        }
    }
}

#[test]
fn starts_with_version_setting_and_squares() {
    let mut line = Line::up(&INFO, healthy(on_change));
    line.run(900);
    assert_eq!(line.received, [(500, V.to_vec()), (600, R.to_vec()), (700, S.to_vec()), (800, R01.to_vec())]);
    let firmware = DeviceEvent::Identity(Identity::Firmware(1, 3));
    assert_eq!(line.reported(), [DeviceEvent::Responding, firmware, delay_us(2 * 40_960 + 25_000), shows(START)]);
    assert_eq!(anomalies(&line.rig.log), []);
}

const fn delay_us(micros: u64) -> DeviceEvent {
    DeviceEvent::Delay(Duration::from_micros(micros))
}

#[test]
fn the_settings_give_the_delay_of_changes() {
    for (reports, steps, delay) in [
        (0, 20, 2 * 20 * 2048 + 25_000),
        (1, 20, 20 * 2048 + 150_000),
        (2, 50, 50 * 2048 + 150_000),
        (4, 20, 3 * 20 * 2048 + 25_000),
        (7, 255, 6 * 255 * 2048 + 25_000),
        (3, 0, 2 * 15 * 2048 + 25_000),
    ] {
        let answer = move |command: &[u8]| match command {
            R => Some(setting(2, reports)),
            R01 => Some(setting(1, steps)),
            _ => on_change(command),
        };
        let soon = |bytes| vec![(Duration::from_millis(30), bytes)];
        let manner = Box::new(move |_, command: &[u8]| answer(command).map(soon).unwrap_or_default());
        let mut line = Line::up(&INFO, manner);
        line.run(5000);
        let reported = line.reported();
        let last = reported.iter().rfind(|event| matches!(event, DeviceEvent::Delay(_)));
        assert_eq!(last, Some(&delay_us(delay)), "reports {reports}, scan {steps}");
        assert!(reported.iter().filter(|event| matches!(event, DeviceEvent::Delay(_))).count() <= 2);
    }
}

#[test]
fn the_scan_setting_decides_how_often_the_board_is_asked() {
    for (answer, step) in [(on_change as fn(&[u8]) -> Option<Vec<u8>>, 1030), (when_asked, 130)] {
        let mut line = Line::up(&INFO, healthy(answer));
        line.run(20_000);
        let times = line.times_of(S);
        assert!(times.windows(2).skip(1).all(|pair| pair[1] - pair[0] == step), "{times:?}");
        assert!(times.len() as u64 >= 19_000 / step);
        assert_eq!(line.count(shows(START)), 1, "the same picture is reported once");
        assert_eq!(line.times_of(V).len(), 1);
    }
}

#[test]
fn a_board_that_reports_every_scan_is_not_asked() {
    let mut line = Line::up(&INFO, healthy(when_asked));
    line.run(2000);
    let before = line.received.len();
    for step in 0..200 {
        line.run(2020 + 41 * step);
        line.send_from_device(&frame(if step < 100 { START } else { E4 }));
    }
    assert_eq!(line.received[before..].len(), 0, "{:?}", &line.received[before..]);
    assert_eq!((line.count(shows(START)), line.count(shows(E4))), (1, 1));
}

#[test]
fn a_command_reports_the_same_picture_again() {
    let mut line = Line::up(&INFO, healthy(on_change));
    line.run(2000);
    for command in [DeviceCommand::ReadBoard, DeviceCommand::ReadClock, DeviceCommand::ReadBattery, DeviceCommand::ReadLog] {
        line.rig.command(command);
    }
    line.run(2500);
    assert_eq!(line.count(shows(START)), 2);
}

#[test]
fn a_lost_answer_is_asked_for_again() {
    for lost in [V, R, S, R01] {
        let mut line = Line::up(&INFO, losing(on_change, lost));
        line.run(6000);
        assert_eq!(line.count(DeviceEvent::Responding), 1);
        assert_eq!(line.count(DeviceEvent::Silent), 0);
        assert_eq!((line.count(shows(START)), line.count(DeviceEvent::Identity(Identity::Firmware(1, 3)))), (1, 1), "{lost:x?}");
        assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried], "{lost:x?}");
    }
}

#[test]
fn late_and_doubled_answers_do_no_harm() {
    for delays in [&[900][..], &[30, 30], &[30, 900]] {
        let mut line = Line::up(&INFO, often(on_change, delays));
        line.run(30_000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{delays:?}");
        assert_eq!((line.count(shows(START)), line.times_of(V).len()), (1, 1), "{delays:?}");
        assert_eq!(anomalies(&line.rig.log), [], "{delays:?}");
    }
}

#[test]
fn a_question_without_answer_is_given_up() {
    let mut line = Line::up(&INFO, healthy(|command| (command == S).then(|| frame(START))));
    line.run(60_000);
    assert_eq!([V, R, R01].map(|question| line.times_of(question).len()), [3, 3, 3]);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0));
    assert!(line.times_of(S).len() > 400, "the driver asks often, because the board does not report by itself");
}

#[test]
fn a_silent_board_is_asked_for_ever_and_started_when_it_answers() {
    let mut line = Line::up(&INFO, silent());
    line.run(60_000);
    assert_eq!(line.times_of(V), (0..30).map(|n| 500 + 2000 * n).collect::<Vec<_>>());
    assert_eq!(line.reported(), []);
    line.manner = healthy(on_change);
    line.run(64_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(shows(START))), (1, 1));
    assert_eq!(line.times_of(R).len(), 2, "the whole start-up again");
}

#[test]
fn silence_is_reported_and_the_start_up_begins_again() {
    let mut line = Line::up(&INFO, healthy(on_change));
    line.run(5000);
    line.manner = silent();
    line.run(15_000);
    assert_eq!(line.count(DeviceEvent::Silent), 1);
    line.manner = healthy(on_change);
    line.run(20_000);
    assert_eq!(line.count(DeviceEvent::Responding), 2);
    assert_eq!(line.count(shows(START)), 2, "the position is reported again after silence");
}

#[test]
fn two_missed_answers_are_no_silence() {
    let mut line = Line::up(&INFO, healthy(on_change));
    line.run(5000);
    let answers = healthy(on_change);
    line.manner = Box::new(move |count, command| if count % 3 == 2 { answers(count, command) } else { Vec::new() });
    line.run(60_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0));
    assert!(anomalies(&line.rig.log).len() > 20);
}

#[test]
fn a_frame_with_unknown_squares_is_skipped_and_counted_once() {
    let mut unknown = letters(&Placement::initial());
    unknown[12] = b'?';
    let mut bytes = Vec::new();
    Message::Board(&unknown).encode(&mut bytes);
    let mut rig = Rig::new(&INFO);
    for _ in 0..5 {
        rig.bytes(&bytes);
    }
    assert_eq!((events(&rig.log), anomalies(&rig.log)), (vec![], vec![Anomaly::BadField]));
}

#[test]
fn a_passive_driver_asks_nothing_and_link_down_ends_every_question() {
    let mut rig = Rig::new(&INFO);
    rig.command(DeviceCommand::ReadBoard);
    rig.bytes(&frame(START)[..20]);
    rig.advance(Duration::from_secs(60));
    assert_eq!(sent(&rig.log), []);
    assert_eq!(anomalies(&rig.log), [Anomaly::Stalled]);
    rig.feed(ms(61_000), Input::LinkUp);
    rig.feed(ms(61_100), Input::LinkDown);
    assert_eq!(rig.driver.deadline(), None);
}
