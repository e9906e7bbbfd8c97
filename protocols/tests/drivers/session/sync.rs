//! Recovery after lost bytes, and impossible fields.

use std::time::Duration;

use flagfall_protocols::driver::Output;
use flagfall_protocols::event::{Anomaly, Battery, DeviceEvent, Identity, Text};
use flagfall_protocols::square::{Placement, Reading, ResultPiece, Square};

use super::board::*;
use crate::common::{Rig, anomalies, events, ms};

#[test]
fn the_framing_keeps_the_six_rules_of_resynchronisation() {
    use Anomaly::{BadLength, StrayByte, Truncated, UnknownMessage};
    // Each case has the bytes before a field update that must be read, and the anomalies with their ranges.
    type Counted = (Anomaly, u64, u64);
    let table: [(&str, &[u8], &[Counted]); 12] = [
        ("outside a message", &[0x00, 0x7f], &[(StrayByte, 0, 1), (StrayByte, 1, 2)]),
        ("broken off in the data", &[0x8d, 0, 10, 1, 2], &[(Truncated, 0, 5)]),
        ("broken off in the header", &[0x8d], &[(Truncated, 0, 1)]),
        ("broken off after one length byte", &[0x86, 0], &[(Truncated, 0, 2)]),
        ("too short for its id", &[0x86, 0, 66], &[(BadLength, 0, 3)]),
        ("below the header", &[0x8f, 0, 2], &[(BadLength, 0, 3)]),
        ("field of six", &[0x8e, 0, 6, 1], &[(BadLength, 0, 3), (StrayByte, 3, 4)]),
        ("longer than the longest log", &[0x8f, 0x3e, 0x04], &[(BadLength, 0, 3)]),
        ("unknown id", &[0x9f, 0, 6, 1, 2, 3], &[(UnknownMessage, 0, 6)]),
        ("unknown id without data", &[0xfe, 0, 3], &[(UnknownMessage, 0, 3)]),
        ("unknown id with the longest length", &[0xfe, 0x7f, 0x7f, 1, 2], &[(Truncated, 0, 5)]),
        ("serial number of another length", &[0x91, 0, 9], &[(BadLength, 0, 3)]),
    ];
    for (name, bytes, expected) in table {
        let mut rig = Rig::dgt();
        rig.bytes(bytes);
        rig.bytes(LIFT_E2);
        let counted: Vec<Counted> = rig
            .log
            .iter()
            .filter_map(|(_, output)| match output {
                Output::Anomaly { anomaly, bytes, .. } => Some((*anomaly, bytes.start, bytes.end)),
                _ => None,
            })
            .collect();
        assert_eq!(counted, expected, "{name}");
        assert_eq!(events(&rig.log).len(), 1, "{name}");
    }
}

#[test]
fn a_stalled_message_is_given_up_after_half_a_second_and_a_log_after_fifteen() {
    for (bytes, stalls) in [(&CLOCK[..4], 1500), (&[0x8f, 0x3e, 0x03, 0x7f], 16_000), (&[0x9f, 0, 100, 1], 1500)] {
        let mut rig = Rig::dgt();
        rig.until(ms(1000));
        rig.bytes(bytes);
        rig.until(ms(stalls - 1));
        assert_eq!(anomalies(&rig.log), []);
        rig.until(ms(stalls));
        assert_eq!(anomalies(&rig.log), [Anomaly::Stalled]);
        assert_eq!(rig.driver.deadline(), None);
    }
    // Every further byte of a message extends its time limit.
    let mut rig = Rig::dgt();
    for &byte in CLOCK {
        rig.bytes(&[byte]);
        rig.advance(Duration::from_millis(499));
    }
    assert_eq!((anomalies(&rig.log).len(), events(&rig.log).len()), (0, 1));
}

#[test]
fn lost_bytes_ask_for_one_new_dump() {
    let mut line = Line::settled();
    for n in 0..100 {
        line.run(3000 + 50 * n);
        line.send_from_device(&[0x8e, 0, 0x8e, 0, 5, 0x34, 0]);
    }
    line.run(9500);
    let times = line.times_of(ASK_BOARD);
    assert!((3..=4).contains(&times.len()) && times.windows(2).all(|pair| pair[1] - pair[0] >= 2000), "{times:?}");
    assert_eq!(line.times_of(ASK_CLOCK).len(), times.len());
}

/// A dump has the right length and one wrong code: the next dump corrects the square.
#[test]
fn a_square_that_cannot_be_read_in_a_dump_is_asked_for_again() {
    let mut line = Line::settled();
    line.run(5000);
    let before = line.times_of(ASK_BOARD).len();
    let mut bytes = dump();
    bytes[3 + 63] = 0x40;
    line.send_from_device(&bytes);
    line.run(8000);
    assert_eq!(line.times_of(ASK_BOARD).len(), before + 1);
}

#[test]
fn impossible_fields_are_counted() {
    let mut rig = Rig::dgt();
    rig.bytes(&[0x8e, 0, 5, 64, 0]);
    assert_eq!((anomalies(&rig.take()), events(&rig.log)), (vec![Anomaly::BadField], vec![]));
    rig.bytes(&[0x8e, 0, 5, 0, 0x21]);
    let a8 = Square::parse("a8").expect("a square");
    assert_eq!(events(&rig.log), [DeviceEvent::Square { square: a8, reading: Reading::Unreadable }]);
    assert_eq!(anomalies(&rig.take()), [Anomaly::BadField]);
    let mut bytes = dump();
    bytes[3 + 63] = 0x40;
    rig.bytes(&bytes);
    let Some((_, Output::Anomaly { anomaly: Anomaly::BadField, bytes: at, .. })) = rig.log.first() else { panic!() };
    assert_eq!((at.start, at.end), (10 + 66, 10 + 67), "the byte itself");
    let mut expected = Placement::initial();
    expected.set(Square::parse("h1").expect("a square"), Reading::Unreadable);
    assert_eq!(events(&rig.take()), [DeviceEvent::Frame(expected)]);
    rig.bytes(&[0xa0, 0, 12, 101, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![Anomaly::BadField], vec![]));
}

#[test]
fn the_other_replies_are_read() {
    let d5 = Square::parse("d5").expect("a square");
    let minutes = |minutes_left, charging| DeviceEvent::Battery(Battery { percent: 88, minutes_left, charging });
    let mut trademark = vec![0x92, 0, 3 + 14];
    trademark.extend(b"Maker\r\nsecond\n");
    let table: [(Vec<u8>, DeviceEvent); 8] = [
        (vec![0x90, 0, 5, 8, 1], DeviceEvent::Identity(Identity::BusAddress(1025))),
        (b"\x91\x00\x0c00137 1.0".to_vec(), DeviceEvent::Identity(Identity::Serial(Text::new(b"00137")))),
        (trademark, DeviceEvent::Identity(Identity::Trademark(Text::new(b"Maker")))),
        (vec![0x93, 0, 5, 1, 0x50], DeviceEvent::Identity(Identity::Firmware(1, 80))),
        (vec![0x96, 0, 5, 1, 0], DeviceEvent::Identity(Identity::Hardware(1, 0))),
        (vec![0xa0, 0, 12, 88, 2, 5, 0, 0, 0, 0, 0, 1], minutes(Some(125), true)),
        (vec![0xa0, 0, 12, 88, 0x7f, 0x7f, 0, 0, 0, 0, 0, 2], minutes(None, false)),
        (vec![0x8e, 0, 5, 0x1b, 0x0d], DeviceEvent::Square { square: d5, reading: Reading::ResultPiece(ResultPiece::Draw) }),
    ];
    for (bytes, event) in table {
        let mut rig = Rig::dgt();
        rig.bytes(&bytes);
        assert_eq!((events(&rig.log), anomalies(&rig.log)), (vec![event], vec![]));
    }
    let mut large = vec![0x86, 0, 103];
    large.extend([0; 100]);
    for bytes in [large, vec![0xa4, 0, 4, 1], vec![0xa5, 0, 4, 1], vec![0xa3, 0, 5, 1, 2]] {
        let mut rig = Rig::dgt();
        rig.bytes(&bytes);
        assert_eq!((events(&rig.log), anomalies(&rig.log)), (vec![], vec![Anomaly::Unasked]));
    }
}
