//! The rules for clock readings and acknowledgements, and the questions that they cause.

use flagfall_protocols::drivers::dgt::clock::{ClockMessage, ClockReport, RawFace, Status};
use flagfall_protocols::event::{Anomaly, ClockButton, ClockFace, ClockReading, ClockSide, DeviceEvent, Identity};
use flagfall_protocols::time::ClockTime;

use super::board::*;
use crate::common::{Rig, anomalies, events};

const STOPPED: u8 = 0x08;
const RUNNING: u8 = 0x09;

/// Returns a clock message with these seconds on the right and the left.
fn shows(right: u32, left: u32, status: u8) -> Vec<u8> {
    let face = |seconds: u32| RawFace::new(ClockFace { time: ClockTime(seconds * 1000), ..ClockFace::default() });
    let report = ClockReport { right: face(right), left: face(left), status: Status(status) };
    message(&ClockMessage::Report(report).encode())
}

fn message(seven: &[u8; 7]) -> Vec<u8> {
    [&[0x8d, 0, 10], &seven[..]].concat()
}

fn readings(rig: &Rig) -> Vec<ClockReading> {
    events(&rig.log)
        .into_iter()
        .filter_map(|event| match event {
            DeviceEvent::Clock(reading) => Some(reading),
            _ => None,
        })
        .collect()
}

#[test]
fn a_recorded_flag_fall_is_read() {
    let mut rig = Rig::dgt();
    rig.bytes(&message(&[0x20, 0x00, 0x01, 0x20, 0x00, 0x16, 0x13]));
    rig.bytes(&message(&[0x30, 0x00, 0x00, 0x20, 0x00, 0x16, 0x12]));
    let [before, after] = readings(&rig)[..] else { panic!("two reports") };
    assert!(before.baseline && !after.baseline);
    assert!(before.running && !after.running);
    assert_eq!((before.right.time, before.right.flag_blocked), (ClockTime(1000), false));
    assert_eq!((after.right.time, after.right.flag_blocked, after.right.flag_shown), (ClockTime(0), true, false));
    assert_eq!((after.left.time, after.left.flag_blocked, after.left.adds_time), (ClockTime(16_000), false, true));
    assert_eq!((after.lever_up, after.turn), (ClockSide::Right, Some(ClockSide::Right)));
    assert_eq!(after.resolution_ms, 1000);
}

#[test]
fn every_bit_of_the_status_is_read() {
    for status in 1..0x40u8 {
        let mut rig = Rig::dgt();
        rig.bytes(&shows(300, 300, status));
        if status & 0x20 != 0 {
            assert_eq!(events(&rig.log), [DeviceEvent::ClockAbsent]);
            continue;
        }
        let [reading] = readings(&rig)[..] else { panic!("one report") };
        assert_eq!(reading.running, status & 0x01 != 0);
        assert_eq!(reading.lever_up == ClockSide::Right, status & 0x02 != 0);
        assert_eq!(reading.battery_low, status & 0x04 != 0);
        let turn = match status & 0x18 {
            0x08 => Some(ClockSide::Left),
            0x10 => Some(ClockSide::Right),
            _ => None,
        };
        assert_eq!(reading.turn, turn);
    }
}

#[test]
fn impossible_times_are_counted_and_not_reported() {
    let table: [([u8; 7], Anomaly); 7] = [
        ([0; 7], Anomaly::ClockNull),
        ([0x0c, 0x08, 0x08, 0, 0, 0, 0], Anomaly::ClockIllegal),
        ([0, 0x7a, 0, 0, 5, 0, 9], Anomaly::ClockIllegal),
        ([0, 0x60, 0, 0, 5, 0, 9], Anomaly::ClockIllegal),
        ([0, 0, 0x5a, 0, 5, 0, 9], Anomaly::ClockIllegal),
        ([0, 0, 0, 0x0b, 5, 0, 9], Anomaly::ClockIllegal),
        ([0, 0, 0, 0, 5, 0x60, 9], Anomaly::ClockIllegal),
    ];
    for (seven, anomaly) in table {
        let mut rig = Rig::dgt();
        rig.bytes(&message(&seven));
        assert_eq!((anomalies(&rig.log), events(&rig.log)), (vec![anomaly], vec![]), "{seven:x?}");
        rig.bytes(CLOCK);
        assert!(readings(&rig)[0].baseline, "the first reading is a baseline");
    }
}

#[test]
fn a_missing_clock_is_reported_once_and_comes_back_as_a_baseline() {
    let mut rig = Rig::dgt();
    for seven in [CLOCK, &message(&[0, 0, 0, 0, 0, 0, 0x20]), &message(&[9, 9, 9, 9, 9, 9, 0x20]), CLOCK, CLOCK] {
        rig.bytes(seven);
    }
    let reported: Vec<_> = readings(&rig).iter().map(|reading| reading.baseline).collect();
    assert_eq!(reported, [true, true, false]);
    assert_eq!(events(&rig.log).iter().filter(|&&event| event == DeviceEvent::ClockAbsent).count(), 1);
    assert_eq!(anomalies(&rig.log), []);
}

#[test]
fn a_rise_of_more_than_an_hour_must_be_repeated() {
    // Each case lists the seconds on the right, in order, and whether each is reported. The left time does not change.
    let table: [(&str, &[(u32, bool)]); 6] = [
        ("an hour is believed", &[(300, true), (3900, true)]),
        ("more is not", &[(300, true), (3901, false), (299, true)]),
        ("repeated", &[(300, true), (4000, false), (4000, true), (3999, true)]),
        ("repeated while it runs", &[(300, true), (4000, false), (3999, true)]),
        ("another one is no repetition", &[(300, true), (4000, false), (9000, false), (9000, true)]),
        ("a good one between", &[(300, true), (4000, false), (299, true), (4000, false), (4000, true)]),
    ];
    for (name, steps) in table {
        let mut rig = Rig::dgt();
        for &(seconds, reported) in steps {
            rig.take();
            rig.bytes(&shows(seconds, 100, STOPPED));
            assert_eq!(readings(&rig).len(), usize::from(reported), "{name}: {seconds}");
            assert_eq!(anomalies(&rig.log), if reported { vec![] } else { vec![Anomaly::ClockJump] }, "{name}: {seconds}");
        }
    }
}

#[test]
fn a_stopped_clock_is_asked_at_once_to_repeat_a_jump() {
    let mut line = Line::settled();
    line.send_from_device(&shows(300, 300, STOPPED));
    line.run(3500);
    line.received.clear();
    line.send_from_device(&shows(300, 7200, STOPPED));
    line.manner = |n, c| if c == ASK_CLOCK { vec![(SOON, shows(300, 7200, STOPPED))] } else { healthy(n, c) };
    line.run(3900);
    assert_eq!(line.times_of(ASK_CLOCK), [3500]);
    assert_eq!(readings(&line.rig).last().map(|reading| reading.left.time), Some(ClockTime::hms(2, 0, 0)));
}

#[test]
fn a_clock_with_wild_times_is_not_asked_without_end() {
    let mut line = Line::settled();
    line.send_from_device(&shows(300, 300, STOPPED));
    line.manner = |n, c| match c {
        ASK_CLOCK => vec![(SOON, shows(300, 5000 + 500 * (n as u32 % 50), STOPPED))],
        _ => healthy(n, c),
    };
    line.send_from_device(&shows(300, 35_000, STOPPED));
    line.run(13_000);
    assert!(line.times_of(ASK_CLOCK).len() <= 11, "{:?}", line.times_of(ASK_CLOCK));
}

#[test]
fn eight_hours_are_reported_and_counted() {
    let mut rig = Rig::dgt();
    rig.bytes(&shows(8 * 3600, 300, STOPPED));
    assert_eq!(anomalies(&rig.log), [Anomaly::ClockEightHours]);
    assert_eq!(readings(&rig)[0].right.time, ClockTime::hms(8, 0, 0));
}

#[test]
fn buttons_are_reported() {
    use ClockButton::{Back, Minus, Ok, Plus, RunPause};
    for (third, fourth, button) in
        [(0x05, 0x31, Back), (0x21, 0x34, Minus), (0x11, 0x33, RunPause), (0x09, 0x32, Plus), (0x41, 0x35, Ok), (0x51, 0x35, Ok)]
    {
        let mut rig = Rig::dgt();
        rig.bytes(&message(&[0x0a, 0x10, 0x08, 0x20, third, fourth, 0]));
        assert_eq!(events(&rig.log), [DeviceEvent::ClockButton(button)]);
    }
}

#[test]
fn a_silent_clock_is_asked_slowly_without_end() {
    let mut line = Line::up(|n, c| if c == ASK_CLOCK_VERSION { Vec::new() } else { healthy(n, c) });
    line.run(60_000);
    let times = line.times_of(ASK_CLOCK_VERSION);
    let waits: Vec<_> = times.windows(2).map(|pair| (pair[1] - pair[0]) / 1000).collect();
    assert_eq!(waits[..3], [2, 2, 2]);
    assert!(waits.len() >= 7 && waits[3..].iter().all(|&wait| wait == 10), "{waits:?}");
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried; 3]);
    // The clock is switched on at last.
    line.manner = healthy;
    line.run(80_000);
    assert!(events(&line.rig.log).contains(&DeviceEvent::Identity(Identity::ClockFirmware(2, 0))));
    let asked = line.times_of(ASK_CLOCK_VERSION).len();
    line.run(120_000);
    assert_eq!(line.times_of(ASK_CLOCK_VERSION).len(), asked);
}

#[test]
fn a_failed_acknowledgement_repeats_the_question_once_at_once() {
    let mut line = Line::up(|n, c| match c {
        ASK_CLOCK_VERSION => vec![(SOON, message(&[0x0a, 0x20, 0, 0, 0, 0, 0]))],
        _ => healthy(n, c),
    });
    line.run(3200);
    let times = line.times_of(ASK_CLOCK_VERSION);
    assert_eq!(times.len(), 2, "{times:?}");
    assert!(times[1] - times[0] <= 200);
    assert_eq!(anomalies(&line.rig.log), [Anomaly::ClockRefused; 2]);
    line.run(30_000);
    assert!(line.times_of(ASK_CLOCK_VERSION).len() <= 16, "{:?}", line.times_of(ASK_CLOCK_VERSION));
}

#[test]
fn a_clock_that_comes_back_is_asked_for_its_version() {
    let mut line = Line::settled();
    line.send_from_device(CLOCK);
    line.send_from_device(&message(&[0, 0, 0, 0, 0, 0, 0x20]));
    line.run(5000);
    assert!(line.times_of(ASK_CLOCK_VERSION).is_empty());
    line.send_from_device(CLOCK);
    line.run(5500);
    assert_eq!(line.times_of(ASK_CLOCK_VERSION), [5000]);
    assert!(events(&line.rig.log).contains(&DeviceEvent::Identity(Identity::ClockFirmware(2, 0))));
}

#[test]
fn a_board_that_lost_its_mode_gets_it_again() {
    let mut line = Line::settled();
    line.send_from_device(&shows(300, 300, RUNNING));
    // The board was switched off and on for a moment: it answers, but it sends nothing by itself.
    line.manner = |n, c| if c == ASK_CLOCK { vec![(SOON, shows(300, 290, RUNNING))] } else { healthy(n, c) };
    line.run(8500);
    assert_eq!(line.times_of(ASK_CLOCK), [8000]);
    assert_eq!(line.times_of(NICE).len(), 1);
    assert_eq!(line.times_of(ASK_BOARD).len(), 1);
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried]);
}

#[test]
fn a_clock_in_a_delay_is_not_asked() {
    let mut line = Line::settled();
    line.send_from_device(&shows(300, 300, RUNNING));
    line.manner = |n, c| if c == ASK_CLOCK { vec![(SOON, shows(300, 300, RUNNING))] } else { healthy(n, c) };
    line.run(30_000);
    assert!(line.times_of(NICE).is_empty());
    assert_eq!(anomalies(&line.rig.log), []);
}
