//! Tests of the log that the board keeps.

use flagfall_protocols::driver::{DeviceCommand, Output};
use flagfall_protocols::event::{Anomaly, ClockSide, DeviceEvent, LogEntry};
use flagfall_protocols::square::{Color, Piece, Reading, Role, Square};
use flagfall_protocols::time::ClockTime;

use super::board::*;
use crate::common::{Rig, anomalies, events};

fn log(tags: &[u8]) -> Vec<u8> {
    let total = tags.len() + 3;
    [&[0x8f, (total >> 7) as u8, (total & 0x7f) as u8], tags].concat()
}

fn entries(events: Vec<DeviceEvent>) -> Vec<LogEntry> {
    events
        .into_iter()
        .filter_map(|event| match event {
            DeviceEvent::Log(entry) => Some(entry),
            _ => None,
        })
        .collect()
}

#[test]
fn entries_are_reported_in_order_and_padding_is_not() {
    let mut rig = Rig::dgt();
    rig.bytes(&log(&[0x7f, 0x7f, 0x6a, 0x6f, 0x40, 0x34, 0x51, 0x24, 0x70, 0x04, 0x55, 0x6e, 0x6b, 0x40, 0x00]));
    let pawn = Reading::Piece(Piece::new(Color::White, Role::Pawn));
    let square = |name| Square::parse(name).expect("a square");
    assert_eq!(
        entries(events(&rig.log)),
        [
            LogEntry::PowerUp,
            LogEntry::InitialPosition { rotated: false },
            LogEntry::Square { square: square("e2"), reading: Reading::Empty, quick: false },
            LogEntry::Square { square: square("e4"), reading: pawn, quick: true },
            LogEntry::Press { side: ClockSide::Left, time: ClockTime::hms(0, 4, 55) },
            LogEntry::Downloaded,
            LogEntry::End,
        ]
    );
    assert_eq!(anomalies(&rig.log), []);
    let Some((_, Output::Event { bytes, .. })) = rig.log.get(4) else { panic!() };
    assert_eq!((bytes.start, bytes.end), (11, 14), "the press names its three bytes");
}

#[test]
fn unknown_tags_are_skipped_and_counted() {
    // Tags, entries reported, unknown bytes.
    let table: [(&str, &[u8], usize, usize); 7] = [
        ("time-delay records", &[0x11, 0x20, 0x6b], 1, 2),
        ("watchdog with an argument", &[0x7c, 0x03, 0x6b], 2, 0),
        ("watchdog without one", &[0x7c, 0x40, 0x34, 0x6b], 3, 0),
        ("tail of an overwritten time", &[0x55, 0x40, 0x34, 0x6b], 2, 1),
        ("square above 63", &[0x41, 0x41, 0x00, 0x6b], 2, 1),
        ("minutes above 59", &[0x70, 0x60, 0x00, 0x00, 0x6b], 2, 1),
        ("reserved", &[0x7d, 0x7e, 0x6b], 3, 0),
    ];
    for (name, tags, reported, unknown) in table {
        let mut rig = Rig::dgt();
        rig.bytes(&log(tags));
        assert_eq!(anomalies(&rig.log), vec![Anomaly::UnknownLogTag; unknown], "{name}");
        assert_eq!(entries(events(&rig.log)).len(), reported, "{name}");
    }
}

#[test]
fn a_log_without_end_is_closed_and_counted() {
    for tags in [&[][..], &[0x6a], &[0x40, 0x34], &[0x70, 0x04]] {
        let mut rig = Rig::dgt();
        rig.bytes(&log(tags));
        assert_eq!(anomalies(&rig.log).last(), Some(&Anomaly::LogTruncated), "{tags:x?}");
        assert_eq!(entries(events(&rig.log)).last(), Some(&LogEntry::End), "{tags:x?}");
    }
}

/// The whole log takes 8.3 s at 9600 baud. The session asks nothing meanwhile and does not report silence.
#[test]
fn reading_the_whole_log_is_no_silence() {
    let mut line = Line::settled();
    let mut tags = vec![0x7f; 7935];
    tags.push(0x6b);
    let bytes = log(&tags);
    assert_eq!(bytes[..3], [0x8f, 0x3e, 0x03]);
    line.rig.command(DeviceCommand::ReadLog);
    line.run(3100);
    let first = line.times_of(ASK_LOG)[0];
    for (n, piece) in bytes.chunks(100).enumerate() {
        line.run(first + 105 * (n as u64 + 1));
        line.send_from_device(piece);
    }
    let after: Vec<_> = line.received.iter().filter(|(at, _)| at.micros() / 1000 > first).collect();
    assert!(after.is_empty(), "{after:?}");
    line.run(30_000);
    assert_eq!(entries(events(&line.rig.log)), [LogEntry::End]);
    assert!(!events(&line.rig.log).contains(&DeviceEvent::Silent));
    assert_eq!(anomalies(&line.rig.log), []);
    assert!(line.times_of(ASK_SERIAL).len() > 12, "the keep-alive goes on");
}

#[test]
fn a_log_that_never_comes_is_closed_and_the_session_goes_on() {
    let mut line = Line::settled();
    line.rig.command(DeviceCommand::ReadLog);
    line.rig.command(DeviceCommand::ReadBattery);
    line.run(30_000);
    assert_eq!(anomalies(&line.rig.log), [Anomaly::LogTruncated]);
    assert_eq!(entries(events(&line.rig.log)), [LogEntry::End]);
    assert_eq!(line.times_of(&[0x4c]), [23_000], "the waiting question is asked then");
    assert!(!events(&line.rig.log).contains(&DeviceEvent::Silent));
}

#[test]
fn a_log_broken_off_is_closed_at_once() {
    let mut line = Line::settled();
    line.rig.command(DeviceCommand::ReadLog);
    line.run(3200);
    line.send_from_device(&log(&[0x7f; 50])[..20]);
    line.send_from_device(LIFT_E2);
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Truncated, Anomaly::LogTruncated]);
    assert_eq!(entries(events(&line.rig.log)), [LogEntry::End]);
}

#[test]
fn a_log_without_a_question_is_read_and_counted() {
    let mut line = Line::settled();
    line.send_from_device(&log(&[0x6a, 0x6b]));
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Unasked]);
    assert_eq!(entries(events(&line.rig.log)), [LogEntry::PowerUp, LogEntry::End]);
}

#[test]
fn a_stalled_message_while_the_log_is_awaited_sends_nothing() {
    let mut line = Line::settled();
    line.rig.command(DeviceCommand::ReadLog);
    line.rig.command(DeviceCommand::ReadBattery);
    line.run(3500);
    let received = line.received.len();
    line.send_from_device(&LIFT_E2[..3]);
    line.run(10_000);
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Stalled]);
    assert_eq!(line.received.len(), received, "the line is busy");
}
