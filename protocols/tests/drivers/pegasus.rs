//! DGT Pegasus: its bytes in both directions, and the session in simulated time.

use std::time::Duration;

use crate::common::answering::{Line, healthy, losing, often, silent};
use crate::common::{Rig, anomalies, events, ms, sent};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::drivers::dgt_pegasus::host::{HostCommand, HostDecoder, Query};
use flagfall_protocols::drivers::dgt_pegasus::{INFO, code};
use flagfall_protocols::event::{Anomaly, Battery, DeviceEvent, Identity, Text};
use flagfall_protocols::square::{Placement, Reading, Square};
use proptest::prelude::*;

const START: &str = "????????/????????/8/8/8/8/????????/????????";
const E4: &str = "????????/????????/8/8/4?3/8/????1???/????????";

fn dump(fen: &str) -> Vec<u8> {
    let placement = Placement::parse(fen).expect("a placement");
    let mut codes = [0; 64];
    for square in Square::all() {
        codes[usize::from(squares::index(square))] = code(placement.get(square));
    }
    let mut bytes = Vec::new();
    BoardMessage::Board(&codes).encode(&mut bytes);
    bytes
}

fn shows(fen: &str) -> DeviceEvent {
    DeviceEvent::Frame(Placement::parse(fen).expect("a placement"))
}

fn answer(command: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match command {
        [0x4d] => BoardMessage::Version { major: 1, minor: 0 }.encode(&mut bytes),
        [0x47] => BoardMessage::Trademark(b"a board\r\nsecond line").encode(&mut bytes),
        [0x42] => return Some(dump(START)),
        [0x45] => BoardMessage::Serial(b"01234").encode(&mut bytes),
        [0x55] => BoardMessage::LongSerial(b"P000001234").encode(&mut bytes),
        [0x4c] => bytes.extend([0xa0, 0, 12, 88, 0, 0, 0, 0, 0, 0, 0, 2]),
        _ => return None,
    }
    Some(bytes)
}

#[test]
fn the_start_up_sets_the_mode_before_it_asks_for_the_squares() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(2000);
    let asked = [0x4d, 0x47, 0x44, 0x42, 0x45, 0x55, 0x4c];
    let expected: Vec<_> = (0u64..).zip(asked).map(|(n, byte)| (300 + 100 * n, vec![byte])).collect();
    assert_eq!(line.received, expected);
    assert_eq!(
        line.reported(),
        [
            DeviceEvent::Responding,
            DeviceEvent::Identity(Identity::Firmware(1, 0)),
            DeviceEvent::Identity(Identity::Trademark(Text::new(b"a board"))),
            shows(START),
            DeviceEvent::Identity(Identity::Serial(Text::new(b"01234"))),
            DeviceEvent::Identity(Identity::LongSerial(Text::new(b"P000001234"))),
            DeviceEvent::Battery(Battery { percent: 88, minutes_left: None, charging: false }),
        ]
    );
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn the_squares_are_asked_for_slowly_and_reported_when_they_differ() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(60_000);
    let times = line.times_of(&[0x42]);
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 5030), "{times:?}");
    assert_eq!(line.count(shows(START)), 1);
    assert_eq!(line.times_of(&[0x44]).len(), 1);
    // Both changes are reported when they arrive, so the next picture is not reported.
    line.manner = healthy(|command| if command == [0x42] { Some(dump(E4)) } else { answer(command) });
    line.send_from_device(&[0x8e, 0, 5, 0x34, 0, 0x8e, 0, 5, 0x24, 1]);
    line.run(70_000);
    assert_eq!((line.count(shows(E4)), line.times_of(&[0x44]).len()), (0, 1));
    // The notification of a change was lost: the picture repairs it, and the mode is set again.
    line.manner = healthy(answer);
    line.run(80_000);
    assert_eq!((line.count(shows(START)), line.times_of(&[0x44]).len()), (2, 2));
}

#[test]
fn after_lost_bytes_the_squares_are_asked_for_soon() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(20_000);
    let before = line.times_of(&[0x42]);
    let last = *before.last().expect("asked");
    line.run(last + 2500);
    line.send_from_device(&[0x8e, 0, 5, 0x34, 0x8e, 0, 5, 0x24, 1]);
    line.run(last + 2600);
    assert_eq!(line.times_of(&[0x42]).len(), before.len() + 1);
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Truncated]);
}

#[test]
fn a_lost_answer_is_asked_for_again() {
    for lost in [&[0x4d][..], &[0x47], &[0x42], &[0x45], &[0x55], &[0x4c]] {
        let mut line = Line::up(&INFO, losing(answer, lost));
        line.run(6000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{lost:x?}");
        assert_eq!(line.count(shows(START)), 1, "{lost:x?}");
        assert_eq!(line.count(DeviceEvent::Identity(Identity::Serial(Text::new(b"01234")))), 1, "{lost:x?}");
        assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried], "{lost:x?}");
    }
}

#[test]
fn late_and_doubled_answers_do_no_harm() {
    for delays in [&[900][..], &[30, 30], &[30, 900]] {
        let mut line = Line::up(&INFO, often(answer, delays));
        line.run(30_000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{delays:?}");
        assert_eq!((line.count(shows(START)), line.times_of(&[0x4d]).len()), (1, 1), "{delays:?}");
        assert_eq!(anomalies(&line.rig.log), [], "{delays:?}");
    }
}

#[test]
fn silence_is_reported_and_the_start_up_begins_again() {
    let mut line = Line::up(&INFO, silent());
    line.run(10_000);
    assert_eq!((line.reported(), line.times_of(&[0x4d]).len()), (vec![], 10));
    line.manner = healthy(answer);
    line.run(20_000);
    assert_eq!(line.times_of(&[0x44]).len(), 1, "the mode is set once the board is known to be a Pegasus");
    line.manner = silent();
    line.run(40_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 1));
    line.manner = healthy(answer);
    line.run(50_000);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(shows(START))), (2, 2));
}

#[test]
fn unanswered_questions_are_no_silence_before_the_time_limit() {
    let mut line = Line::up(&INFO, healthy(|command| if command == [0x4d] { answer(command) } else { None }));
    line.run(3300);
    assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "received at 0.33 s");
    line.run(5000);
    assert_eq!(line.count(DeviceEvent::Silent), 1);
}

#[test]
fn commands_send_the_questions_that_the_board_knows() {
    let mut line = Line::up(&INFO, healthy(answer));
    line.run(3000);
    for command in [DeviceCommand::ReadBoard, DeviceCommand::ReadBattery, DeviceCommand::ReadClock, DeviceCommand::ReadLog] {
        line.rig.command(command);
    }
    line.run(4000);
    assert_eq!(line.received[7..], [(3000, vec![0x42]), (3100, vec![0x4c])]);
    assert_eq!(line.count(shows(START)), 2, "a picture that was asked for is reported though it is the same");
}

#[test]
fn unknown_codes_are_counted_and_read_as_a_piece() {
    let mut rig = Rig::new(&INFO);
    let mut bytes = dump(START);
    (bytes[3 + 20], bytes[3 + 21]) = (0x7f, 0x05);
    rig.bytes(&bytes);
    rig.bytes(&[0x8e, 0, 5, 0x34, 0x09]);
    rig.bytes(&[0x8e, 0, 5, 0x40, 0x01]);
    let e2 = DeviceEvent::Square { square: Square::parse("e2").expect("a square"), reading: Reading::Occupied };
    assert_eq!(events(&rig.log), [shows("????????/????????/5?2/8/8/8/????????/????????"), e2]);
    assert_eq!(anomalies(&rig.log), [Anomaly::BadField; 3]);
}

#[test]
fn a_passive_driver_asks_nothing_and_link_down_ends_every_question() {
    let mut rig = Rig::new(&INFO);
    rig.command(DeviceCommand::ReadBoard);
    rig.bytes(&dump(START)[..20]);
    rig.advance(Duration::from_secs(60));
    assert_eq!(sent(&rig.log), []);
    assert_eq!(anomalies(&rig.log), [Anomaly::Stalled]);
    rig.feed(ms(61_000), Input::LinkUp);
    rig.feed(ms(61_100), Input::LinkDown);
    assert_eq!(rig.driver.deadline(), None);
}

proptest! {
    #[test]
    fn hosts_are_read_as_they_write(squares in proptest::collection::vec(0u8..64, 0..65), speed in 1u8..8, repeat in 0u8..0x80, intensity in 0u8..5) {
        let mut commands: Vec<_> = Query::ALL.into_iter().map(HostCommand::Query).collect();
        commands.extend([HostCommand::LightsOut, HostCommand::DeveloperKey, HostCommand::Unknown(0x43)]);
        commands.push(HostCommand::Lights { speed, repeat, intensity, squares });
        let mut bytes = Vec::new();
        commands.iter().for_each(|command| command.encode(&mut bytes));
        let mut decoder = HostDecoder::default();
        let read: Vec<_> = bytes.iter().filter_map(|byte| decoder.push(*byte)).collect();
        prop_assert_eq!(read, commands);
    }

    #[test]
    fn any_host_is_read(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        let mut decoder = HostDecoder::default();
        bytes.iter().for_each(|byte| drop(decoder.push(*byte)));
    }
}
