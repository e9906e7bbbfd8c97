//! DGT3000 BLE Gateway: the session in simulated time, and its reports of clock and lever.

use crate::common::answering::{Line, healthy, losing, often, silent};
use crate::common::{Rig, anomalies, events, ms};
use flagfall_protocols::driver::{DeviceCommand, Input};
use flagfall_protocols::drivers::dgt3000_gateway::INFO;
use flagfall_protocols::drivers::dgt3000_gateway::host::{GET_TIME, ID};
use flagfall_protocols::event::{Anomaly, ClockButton, ClockReading, ClockSide, DeviceEvent};
use flagfall_protocols::time::Instant;

use ClockSide::{Left, Right};

/// Formats times as the gateway sends them, in seconds.
fn data([left, right]: [u32; 2]) -> String {
    let hms = |side: &str, s: u32| {
        format!("\"{side}Hours\":{},\"{side}Minutes\":{},\"{side}Seconds\":{}", s / 3600, s / 60 % 60, s % 60)
    };
    format!("{{{},{}}}", hms("left", left), hms("right", right))
}

fn update(times: [u32; 2]) -> Vec<u8> {
    stamped(1, times)
}

fn stamped(stamp: u64, times: [u32; 2]) -> Vec<u8> {
    format!("{{\"type\":\"timeUpdate\",\"timestamp\":{stamp},\"data\":{}}}", data(times)).into_bytes()
}

fn button(name: &str, stamp: u32, repeat: bool) -> Vec<u8> {
    let data = format!("{{\"button\":\"{name}\",\"buttonCode\":0,\"isRepeat\":{repeat}}}");
    format!("{{\"type\":\"buttonEvent\",\"timestamp\":{stamp},\"data\":{data}}}").into_bytes()
}

fn connected(is: bool) -> Vec<u8> {
    format!("{{\"type\":\"connectionStatus\",\"timestamp\":1,\"data\":{{\"connected\":{is},\"configured\":{is}}}}}").into_bytes()
}

/// A gateway whose clock shows this time on the left and five minutes on the right.
fn answers<const LEFT: u32>(command: &[u8]) -> Option<Vec<u8>> {
    let times = data([LEFT, 300]);
    let answer = format!("{{\"type\":\"command_response\",\"id\":\"{ID}\",\"status\":\"success\",\"result\":{times}}}");
    (command == GET_TIME).then(|| answer.into_bytes())
}

/// Returns the times in seconds, whether the clock runs, which lever is up, and whether the reading is a baseline.
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

#[test]
fn the_session_asks_for_the_times_and_reports_changes() {
    let mut line = Line::up(&INFO, healthy(answers::<300>));
    line.run(10_000);
    assert!(line.received.iter().all(|(_, command)| command == GET_TIME));
    assert!((9..=10).contains(&line.received.len()), "{:?}", line.received.len());
    let reported = line.reported();
    assert_eq!(reported[0], DeviceEvent::Responding);
    assert_eq!(readings(&reported), [([300, 300], false, Left, true)]);
    line.rig.command(DeviceCommand::ReadClock);
    line.run(10_900);
    assert_eq!(readings(&line.reported()).len(), 2, "a command reports the times again");
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn a_falling_time_runs_and_an_equal_time_for_two_seconds_is_stopped() {
    let mut rig = Rig::new(&INFO);
    for (at, times, expected) in [
        (1000, [300, 300], Some(false)),
        (2000, [299, 300], Some(true)),
        (3000, [299, 300], None),
        (3999, [299, 300], None),
        (4000, [299, 300], Some(false)),
        (5000, [299, 299], Some(true)),
        // The clock is being set: the driver does not know whether it runs.
        (6000, [600, 600], Some(true)),
        (7000, [600, 600], Some(false)),
        // A rising time may be a clock that counts up or one that is being set.
        (8000, [601, 600], Some(false)),
        (9000, [600, 600], Some(true)),
    ] {
        rig.until(ms(at));
        rig.bytes(&stamped(at, times));
        let reported = readings(&events(&rig.take().into_iter().collect::<Vec<_>>()));
        assert_eq!(
            reported.iter().map(|reading| reading.1).collect::<Vec<_>>(),
            expected.into_iter().collect::<Vec<_>>(),
            "{at}"
        );
    }
}

#[test]
fn the_lever_is_reported_at_once_with_the_last_times() {
    let mut rig = Rig::new(&INFO);
    // Without times there is no reading, but the driver keeps the lever.
    rig.bytes(&button("lever_right", 5, false));
    assert_eq!(events(&rig.take()), []);
    rig.bytes(&update([300, 300]));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Left, true)]);
    rig.bytes(&button("lever_left", 9, false));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Right, false)]);
    rig.bytes(&button("lever_right", 20, false));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Left, false)]);
    // The same movement comes again; its time stamp shows it.
    rig.bytes(&button("lever_right", 20, false));
    assert_eq!(events(&rig.take()), []);
    // One movement between them was lost.
    rig.bytes(&button("lever_right", 30, false));
    assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Right, true), ([300, 300], false, Left, false)]);
}

#[test]
fn the_first_lever_message_corrects_an_assumption() {
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
fn until_the_lever_moves_it_is_up_where_the_time_falls() {
    for (steps, what) in [
        (&[([300, 299], Some(([300, 299], true, Right, false)))][..], "the right side thinks"),
        (&[([299, 300], Some(([299, 300], true, Left, false)))], "the left side thinks"),
        (
            &[([300, 299], Some(([300, 299], true, Right, false))), ([299, 299], Some(([299, 299], true, Left, true)))],
            "the assumption was wrong, or the lever message was lost: no press is reported",
        ),
        (&[([299, 299], Some(([299, 299], true, Left, false)))], "both fell: the running side is unknown"),
    ] {
        let mut rig = Rig::new(&INFO);
        rig.bytes(&update([300, 300]));
        assert_eq!(readings(&events(&rig.take())), [([300, 300], false, Left, true)]);
        for (second, (times, expected)) in (1..).zip(steps) {
            rig.until(ms(second * 1000));
            rig.bytes(&update(*times));
            assert_eq!(readings(&events(&rig.take())), Vec::from_iter(*expected), "{what}");
        }
    }
    // The first fall shows which side runs, and the next press belongs to that side.
    let mut rig = Rig::new(&INFO);
    rig.bytes(&update([300, 300]));
    rig.bytes(&update([300, 299]));
    rig.take();
    rig.bytes(&button("lever_right", 7, false));
    assert_eq!(readings(&events(&rig.take())), [([300, 299], true, Left, false)]);
    // Once the lever is known, a late fall of a time does not change it.
    rig.bytes(&update([300, 298]));
    assert_eq!(readings(&events(&rig.take())), [([300, 298], true, Left, false)]);
}

#[test]
fn buttons_are_reported_once() {
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
fn an_absent_clock_is_reported_and_its_remembered_times_are_not() {
    let mut line = Line::up(&INFO, healthy(answers::<300>));
    line.run(1500);
    line.send_from_device(&connected(false));
    line.send_from_device(&connected(false));
    line.run(5000);
    let reported = line.reported();
    assert_eq!(reported.iter().filter(|event| **event == DeviceEvent::ClockAbsent).count(), 1);
    assert_eq!(readings(&reported).len(), 1);
    line.send_from_device(&connected(true));
    line.run(7000);
    assert_eq!(readings(&line.reported()), [([300, 300], false, Left, true); 2]);
    // An error message reports the same, and times end it.
    line.send_from_device(br#"{"type":"error","timestamp":1,"data":{"errorCode":1003,"errorMessage":"x"}}"#);
    line.send_from_device(&update([299, 300]));
    assert_eq!(readings(&line.reported()).last(), Some(&([299, 300], false, Left, true)));
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
fn the_clone_that_answers_ok_is_understood() {
    let mut line = Line::up(&INFO, healthy(|_| Some(br#"{"type":"response","status":"ok"}"#.to_vec())));
    line.run(2000);
    line.send_from_device(&update([60, 61]));
    line.run(10_000);
    assert_eq!(line.count(DeviceEvent::Responding), 1);
    assert_eq!(readings(&line.reported()), [([60, 61], false, Left, true)]);
    assert_eq!(anomalies(&line.rig.log), []);
}

#[test]
fn lost_late_and_doubled_answers_do_no_harm() {
    let mut line = Line::up(&INFO, losing(answers::<300>, GET_TIME));
    line.run(6000);
    assert_eq!((line.count(DeviceEvent::Responding), readings(&line.reported()).len()), (1, 1));
    assert_eq!(anomalies(&line.rig.log), [Anomaly::Retried]);
    for delays in [&[900][..], &[30, 30], &[30, 900]] {
        let mut line = Line::up(&INFO, often(answers::<300>, delays));
        line.run(30_000);
        assert_eq!((line.count(DeviceEvent::Responding), line.count(DeviceEvent::Silent)), (1, 0), "{delays:?}");
        assert_eq!(readings(&line.reported()).len(), 1, "{delays:?}");
    }
}

#[test]
fn the_silence_and_the_return_of_a_gateway_are_reported() {
    let mut line = Line::up(&INFO, healthy(answers::<300>));
    line.run(5000);
    line.manner = silent();
    line.run(20_000);
    assert_eq!(line.count(DeviceEvent::Silent), 1);
    line.manner = healthy(answers::<200>);
    line.run(30_000);
    assert_eq!(line.count(DeviceEvent::Responding), 2);
    assert_eq!(readings(&line.reported()), [([300, 300], false, Left, true), ([200, 300], false, Left, true)]);
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

/// Returns by how many milliseconds the readings of a message were late.
fn late(rig: &mut Rig, at: u64, message: &[u8]) -> Vec<u128> {
    rig.until(ms(at));
    rig.take();
    rig.bytes(message);
    let late = |event: &DeviceEvent| if let DeviceEvent::Clock(reading) = event { Some(reading.late.as_millis()) } else { None };
    events(&rig.take()).iter().filter_map(late).collect()
}

#[test]
fn the_delay_of_a_message_is_reported_with_its_reading() {
    let mut rig = Rig::new(&INFO);
    rig.feed(Instant::ZERO, Input::LinkUp);
    assert_eq!(late(&mut rig, 1_000, &stamped(61_000, [300, 300])), [0]);
    assert_eq!(late(&mut rig, 2_010, &stamped(62_000, [299, 300])), [10]);
    // The radio delayed both movements.
    assert_eq!(late(&mut rig, 4_000, &button("lever_left", 62_700, false)), [1_300]);
    assert_eq!(late(&mut rig, 4_000, &button("lever_right", 63_400, false)), [600]);
    rig.feed(ms(5_000), Input::LinkDown);
    rig.feed(ms(6_000), Input::LinkUp);
    assert_eq!(late(&mut rig, 7_000, &stamped(100, [298, 300])), [0], "it may be another gateway");
}

/// A time fell at 2 s by the gateway's time stamps. The messages that arrive later in one piece were written in time, or at an
/// unknown time.
#[test]
fn a_clock_whose_messages_are_late_keeps_running() {
    let running = |rig: &mut Rig| readings(&events(&rig.take())).iter().map(|reading| reading.1).collect::<Vec<_>>();
    let mut rig = Rig::new(&INFO);
    rig.feed(Instant::ZERO, Input::LinkUp);
    rig.until(ms(1_000));
    rig.bytes(&answers::<300>(GET_TIME).expect("an answer"));
    rig.bytes(&stamped(61_000, [300, 300]));
    rig.until(ms(2_000));
    rig.bytes(&stamped(62_000, [299, 300]));
    rig.bytes(&answers::<299>(GET_TIME).expect("an answer"));
    rig.until(ms(4_900));
    assert_eq!(running(&mut rig), [false, true]);
    // The first message was asked for in time, the second was not asked for.
    for _ in 0..2 {
        rig.bytes(&answers::<299>(GET_TIME).expect("an answer"));
    }
    rig.bytes(&button("lever_left", 63_200, false));
    assert_eq!(running(&mut rig), [true], "the lever");
    // A question and its answer now show that the clock is stopped.
    for at in [5_500, 6_600, 7_700] {
        rig.until(ms(at));
        rig.bytes(&answers::<299>(GET_TIME).expect("an answer"));
    }
    assert_eq!(running(&mut rig), [false]);
}
