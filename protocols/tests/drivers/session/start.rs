//! Start-up, retries, keep-alive, silence.

use std::time::Duration;

use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::event::{Anomaly, DeviceEvent, Identity, Text};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::board::*;
use crate::common::{Rig, anomalies, events, ms, sent};

fn responding(events: &[DeviceEvent]) -> usize {
    events.iter().filter(|&&event| event == DeviceEvent::Responding).count()
}

#[test]
fn the_start_up_has_the_order_and_the_gaps_of_the_readme() {
    let mut line = Line::up(healthy);
    line.run(1600);
    let expected: [(u64, &[u8]); 8] = [
        (500, RESET),
        (700, ASK_VERSION),
        (800, ASK_LONG),
        (900, ASK_SERIAL),
        (1000, NICE),
        (1100, ASK_BOARD),
        (1200, ASK_CLOCK_VERSION),
        (1300, ASK_BATTERY),
    ];
    assert_eq!(sent(&line.rig.log), expected.map(|(at, bytes)| (at, bytes.to_vec())));
    assert_eq!(
        events(&line.rig.log),
        [
            DeviceEvent::Responding,
            DeviceEvent::Identity(Identity::Firmware(1, 2)),
            DeviceEvent::Identity(Identity::LongSerial(Text::new(b"3000147740"))),
            DeviceEvent::Identity(Identity::Serial(Text::new(b"01025"))),
            DeviceEvent::Frame(Placement::initial()),
            DeviceEvent::Identity(Identity::ClockFirmware(2, 0)),
        ]
    );
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn a_board_that_was_just_identified_starts_without_the_wait() {
    let mut line = Line::taken_over(healthy);
    line.run(650);
    let asked: Vec<(u64, Vec<u8>)> = sent(&line.rig.log);
    let expected: [(u64, &[u8]); 6] =
        [(0, RESET), (200, ASK_VERSION), (300, ASK_LONG), (400, ASK_SERIAL), (500, NICE), (600, ASK_BOARD)];
    assert_eq!(asked, expected.map(|(at, bytes)| (at, bytes.to_vec())));
    // If this board is silent, the session handles it as a board whose port was just opened.
    let mut line = Line::taken_over(|_, _| Vec::new());
    line.run(20_000);
    let resets = line.times_of(RESET);
    assert_eq!(resets[0], 0);
    assert_eq!(line.times_of(ASK_VERSION)[..2], [200, 2200], "{resets:?}");
}

#[test]
fn a_quiet_line_is_asked_and_the_serial_number_is_reported_once() {
    let mut line = Line::up(healthy);
    line.run(20_000);
    let times = line.times_of(ASK_SERIAL);
    // The question comes 1.2 s after the answer, which takes 30 ms.
    assert!(times.windows(2).skip(1).all(|pair| pair[1] - pair[0] == 1230), "{times:?}");
    assert!(times.len() >= 15);
    let reported = events(&line.rig.log);
    assert_eq!(reported.iter().filter(|event| matches!(event, DeviceEvent::Identity(Identity::Serial(_)))).count(), 1);
    assert_eq!(line.times_of(ASK_VERSION).len(), 1);
    assert_eq!(line.times_of(ASK_CLOCK_VERSION).len(), 1);
}

#[test]
fn a_line_that_is_not_quiet_is_not_asked() {
    let mut line = Line::up(healthy);
    line.run(2000);
    for second in 0..10 {
        line.run(3000 + 1000 * second);
        line.send_from_device(&[0x8e, 0x00, 0x05, 0x34, 0x00]);
    }
    let times = line.times_of(ASK_SERIAL);
    assert_eq!(times.iter().filter(|time| (3000..13_200).contains(*time)).count(), 0, "{times:?}");
    line.run(20_000);
    assert_eq!(line.times_of(ASK_SERIAL)[times.len()], 13_200);
}

#[test]
fn never_two_commands_within_the_gap() {
    let mut line = Line::up(healthy);
    line.run(3000);
    for command in [DeviceCommand::ReadBoard, DeviceCommand::ReadClock, DeviceCommand::ReadBattery, DeviceCommand::ReadBoard] {
        line.rig.command(command);
    }
    line.run(6000);
    assert!(line.received.windows(2).all(|pair| pair[1].0.since(pair[0].0) >= Duration::from_millis(100)), "{:?}", line.received);
    assert_eq!(line.times_of(ASK_BOARD).len(), 2, "a question that waits already is not asked twice");
    assert_eq!(line.times_of(ASK_BATTERY).len(), 2, "at the start and now");
}

#[test]
fn asks_a_dead_board_for_its_version_every_two_seconds_for_ever() {
    let mut line = Line::up(silent);
    line.run(60_000);
    let times = line.times_of(ASK_VERSION);
    assert_eq!(times, (0..30).map(|n| 700 + 2000 * n).collect::<Vec<_>>());
    assert_eq!(events(&line.rig.log), [], "silence is reported only of a board that had answered");
    assert_eq!(line.times_of(ASK_SERIAL).len(), 1, "no keep-alive before the first answer");
    assert_eq!(line.times_of(ASK_BOARD).len(), 1);
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried; 29]);
}

#[test]
fn a_board_switched_on_later_gets_the_whole_start_up() {
    let mut line = Line::up(silent);
    line.run(5000);
    line.manner = healthy;
    line.run(8000);
    let late: Vec<_> = line.received.iter().filter(|(at, _)| *at > ms(6700)).map(|(_, bytes)| bytes.as_slice()).collect();
    assert_eq!(late[..5], [ASK_LONG, ASK_SERIAL, NICE, ASK_BOARD, ASK_CLOCK_VERSION]);
    assert_eq!(responding(&events(&line.rig.log)), 1);
    assert!(events(&line.rig.log).contains(&DeviceEvent::Frame(Placement::initial())));
}

#[test]
fn a_lost_answer_is_asked_for_again() {
    for lost in [ASK_VERSION, ASK_BOARD, ASK_CLOCK_VERSION, ASK_LONG, ASK_SERIAL] {
        let mut line = Line::up(healthy);
        line.run(600);
        // The board receives everything, but its first answer to one question is lost.
        line.manner = match lost {
            ASK_VERSION => |n, c| if n < 7 && c == ASK_VERSION { silent(n, c) } else { healthy(n, c) },
            ASK_BOARD => |n, c| if n < 7 && c == ASK_BOARD { silent(n, c) } else { healthy(n, c) },
            ASK_CLOCK_VERSION => |n, c| if n < 7 && c == ASK_CLOCK_VERSION { silent(n, c) } else { healthy(n, c) },
            ASK_LONG => |n, c| if n < 7 && c == ASK_LONG { silent(n, c) } else { healthy(n, c) },
            _ => |n, c| if n < 7 && c == ASK_SERIAL { silent(n, c) } else { healthy(n, c) },
        };
        line.run(6000);
        let reported = events(&line.rig.log);
        assert_eq!(responding(&reported), 1);
        for wanted in [
            DeviceEvent::Identity(Identity::Firmware(1, 2)),
            DeviceEvent::Identity(Identity::Serial(Text::new(b"01025"))),
            DeviceEvent::Frame(Placement::initial()),
            DeviceEvent::Identity(Identity::ClockFirmware(2, 0)),
        ] {
            assert!(reported.contains(&wanted), "{lost:x?}: {wanted:?} is missing");
        }
        let retried = anomalies(&line.rig.log).len();
        assert_eq!(retried, usize::from(![ASK_LONG, ASK_SERIAL].contains(&lost)), "{lost:x?}");
    }
}

#[test]
fn late_and_doubled_answers_do_no_harm() {
    let late: Manner = |n, c| healthy(n, c).into_iter().map(|(_, bytes)| (Duration::from_millis(900), bytes)).collect();
    let doubled: Manner = |n, c| [healthy(n, c), healthy(n, c)].concat();
    for manner in [late, doubled] {
        let mut line = Line::up(manner);
        line.run(30_000);
        let reported = events(&line.rig.log);
        assert_eq!((responding(&reported), reported.contains(&DeviceEvent::Silent)), (1, false));
        assert_eq!(line.times_of(ASK_VERSION).len(), 1);
        assert_eq!(anomalies(&line.rig.log), []);
    }
    // The answer comes after the question was repeated.
    let mut line = Line::up(|n, c| healthy(n, c).into_iter().map(|(_, bytes)| (Duration::from_millis(2500), bytes)).collect());
    line.run(60_000);
    let reported = events(&line.rig.log);
    assert_eq!((responding(&reported), reported.contains(&DeviceEvent::Silent)), (1, false));
    assert_eq!(line.times_of(ASK_VERSION).len(), 2);
}

#[test]
fn three_missed_answers_are_silence_and_restart_the_session() {
    let mut line = Line::settled();
    line.manner = silent;
    line.run(10_000);
    let reported: Vec<_> = line.rig.take();
    assert_eq!(events(&reported), [DeviceEvent::Silent]);
    let (at, _) = reported.iter().find(|(_, output)| format!("{output:?}").contains("Silent")).expect("reported");
    let keep_alives: Vec<_> = line.times_of(ASK_SERIAL).into_iter().filter(|&ms| Instant(ms * 1000) < *at).collect();
    assert_eq!(keep_alives.len(), 3, "three questions stayed without answer");
    assert_eq!(line.times_of(RESET), [at.micros() / 1000 + 500]);

    let mut line = Line::settled();
    line.manner = silent;
    line.run(10_000);
    line.manner = healthy;
    line.run(20_000);
    let reported = events(&line.rig.log);
    assert_eq!(reported[..3], [DeviceEvent::Silent, DeviceEvent::Responding, DeviceEvent::Identity(Identity::Firmware(1, 2))]);
    assert!(reported.contains(&DeviceEvent::Frame(Placement::initial())));
}

#[test]
fn two_missed_answers_or_any_other_message_are_no_silence() {
    let mut line = Line::settled();
    line.manner = |n, c| if n % 3 == 2 { healthy(n, c) } else { Vec::new() };
    line.run(30_000);
    assert!(!events(&line.rig.log).contains(&DeviceEvent::Silent));

    let mut line = Line::settled();
    line.manner = silent;
    for second in 3..30 {
        line.run(second * 1000 + 500);
        line.send_from_device(LIFT_E2);
    }
    assert!(!events(&line.rig.log).contains(&DeviceEvent::Silent));
}

#[test]
fn bytes_before_the_reset_are_read_and_bytes_in_the_window_after_it_are_not() {
    let mut line = Line::up(silent);
    line.run(100);
    line.send_from_device(LIFT_E2);
    assert_eq!(events(&line.rig.take()).len(), 1);
    line.run(500);
    // The rest of a message that began in the window counts as stray bytes.
    line.send_from_device(&CLOCK[..5]);
    line.run(699);
    line.send_from_device(&[LIFT_E2, &[1, 2, 3]].concat());
    assert_eq!((events(&line.rig.log), anomalies(&line.rig.log)), (vec![], vec![]));
    line.run(701);
    line.send_from_device(LIFT_E2);
    let (_, last) = line.rig.log.last().expect("reported").clone();
    let flagfall_protocols::driver::Output::Event { bytes, .. } = last else { panic!("{last:?}") };
    assert_eq!((bytes.start, bytes.end), (18, 23), "skipped bytes count in the range");
    assert_eq!(responding(&events(&line.rig.log)), 0, "a board that was left in an update mode has not answered");
}

#[test]
fn a_passive_driver_asks_nothing() {
    let mut rig = Rig::dgt();
    for command in [DeviceCommand::ReadBoard, DeviceCommand::ReadClock, DeviceCommand::ReadBattery, DeviceCommand::ReadLog] {
        rig.command(command);
    }
    for bytes in [VERSION, SERIAL, CLOCK, LIFT_E2, &dump(), &[0x8e, 0, 9], &[1]] {
        rig.bytes(bytes);
    }
    assert_eq!(rig.driver.deadline(), None);
    rig.advance(Duration::from_secs(60));
    assert_eq!(sent(&rig.log), []);
    assert_eq!(anomalies(&rig.log), [Anomaly::BadLength, Anomaly::StrayByte]);
    assert_eq!(events(&rig.log).len(), 5);
}

#[test]
fn a_link_that_goes_down_ends_every_question_and_keeps_the_count_of_bytes() {
    let mut line = Line::settled();
    line.rig.command(DeviceCommand::ReadBoard);
    line.send_from_device(&LIFT_E2[..2]);
    let at = line.rig.now;
    line.rig.feed(at, Input::LinkDown);
    assert_eq!(line.rig.driver.deadline(), None);
    line.rig.take();
    line.rig.feed(ms(5000), Input::LinkUp);
    line.rig.bytes(LIFT_E2);
    let (_, first) = line.rig.log.first().expect("reported").clone();
    let flagfall_protocols::driver::Output::Event { bytes, .. } = first else { panic!("{first:?}") };
    assert!(bytes.start > 100, "{bytes:?}");
    assert_eq!(anomalies(&line.rig.log), []);
}
