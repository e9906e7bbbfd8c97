//! The behaviour of each clock at zero, at a press and in a pause: `dgt/clock.md#1`, `dgt/clock.md#2` and `dgt/clock.md#5.1`,
//! row by row.

use std::time::Duration;

use flagfall_hardware::emulator::clock::Clock;
use flagfall_hardware::emulator::clock_model::{Change, ClockSettings, Method, Model, Period};
use flagfall_protocols::event::ClockSide::{self, Left, Right};
use flagfall_protocols::time::{ClockTime, Instant};

const ALL: [Model; 5] = [Model::Xl, Model::Dgt3000, Model::Dgt2010, Model::Dgt2500, Model::Generic];

fn time(minutes: u32, seconds: u32) -> ClockTime {
    ClockTime::hms(0, minutes, seconds)
}

fn settings(model: Model, method: Method, main: ClockTime, additional: u32) -> ClockSettings {
    ClockSettings::new(model, method, main, time(0, additional))
}

fn clock(settings: ClockSettings) -> Clock {
    Clock::new(settings, Instant::ZERO)
}

fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

/// Returns `left right running`, with `#` for a blocked time and `*` for a flag, like a cell of the table.
fn shown(clock: &Clock) -> String {
    let reading = clock.reading();
    let face = |side: ClockSide| {
        let face = reading.face(side);
        let marks = [(face.flag_blocked, "#"), (face.flag_shown, "*")];
        let marks: String = marks.iter().filter(|(set, _)| *set).map(|(_, mark)| *mark).collect();
        format!("{}{marks}", face.time)
    };
    format!("{} {} {}", face(Left), face(Right), if reading.running { "runs" } else { "stands" })
}

fn status(clock: &Clock) -> (bool, ClockSide, Option<ClockSide>) {
    let reading = clock.reading();
    (reading.running, reading.lever_up, reading.turn)
}

#[test]
fn models_freeze_at_zero_as_documented() {
    for (model, method, freezes) in [
        (Model::Xl, Method::TimeOnly, false),
        (Model::Xl, Method::Fischer, true),
        (Model::Dgt3000, Method::TimeOnly, false),
        (Model::Dgt3000, Method::Fischer, true),
        (Model::Dgt3000, Method::Bronstein, true),
        (Model::Dgt2010, Method::TimeOnly, true),
        (Model::Dgt2010, Method::Fischer, true),
        (Model::Dgt2500, Method::TimeOnly, true),
        (Model::Dgt2500, Method::Fischer, true),
    ] {
        assert_eq!(settings(model, method, time(5, 0), 0).freeze, freezes, "{model:?} {method:?}");
    }
}

/// Both sides use up ten seconds: the first falls and presses, and then the second falls too.
#[test]
fn the_last_period_is_used_up() {
    let additional = |method| if method == Method::TimeOnly { 0 } else { 2 };
    // Each row has model, method and freeze; then the clock after the first fall, after the flagged side's press, and after the
    // second fall.
    let no_freeze = ["0:00:00* 0:00:10 runs", "0:00:00* 0:00:10 runs", "0:00:00* 0:00:00* runs"];
    let one_flag = ["0:00:00* 0:00:10 runs", "0:00:00* 0:00:10 runs", "0:00:00* 0:00:00 runs"];
    let frozen = ["0:00:00# 0:00:10 stands"; 3];
    let frozen_plus = ["0:00:00# 0:00:12 stands"; 3];
    let plus = ["0:00:00* 0:00:12 runs", "0:00:02* 0:00:12 runs", "0:00:02* 0:00:00* runs"];
    let plus_one_flag = ["0:00:00* 0:00:12 runs", "0:00:02* 0:00:12 runs", "0:00:02* 0:00:00 runs"];
    for (model, method, freeze, cells) in [
        (Model::Dgt3000, Method::TimeOnly, false, one_flag),
        (Model::Dgt3000, Method::Fischer, true, frozen_plus),
        (Model::Dgt3000, Method::Fischer, false, plus_one_flag),
        (Model::Xl, Method::TimeOnly, false, no_freeze),
        (Model::Xl, Method::Fischer, true, frozen_plus),
        (Model::Dgt2010, Method::TimeOnly, true, frozen),
        (Model::Dgt2010, Method::Fischer, true, frozen_plus),
        (Model::Dgt2500, Method::TimeOnly, true, frozen),
        (Model::Dgt2500, Method::TimeOnly, false, no_freeze),
        (Model::Dgt2500, Method::Fischer, true, frozen_plus),
        (Model::Dgt2500, Method::Fischer, false, plus),
        (Model::Generic, Method::TimeOnly, true, frozen),
        (Model::Generic, Method::Fischer, false, plus),
    ] {
        let name = format!("{model:?} {method:?} freeze {freeze}");
        let mut clock = clock(ClockSettings { freeze, ..settings(model, method, time(0, 10), additional(method)) });
        clock.run();
        let fall = if method == Method::Fischer { 12_000 } else { 10_000 };
        clock.advance(at(fall - 1));
        let other = if method == Method::Fischer { "0:00:12" } else { "0:00:10" };
        assert_eq!(shown(&clock), format!("0:00:01 {other} runs"), "{name}, before");
        clock.advance(at(fall));
        assert_eq!(shown(&clock), cells[0], "{name}, first");
        clock.advance(at(fall + 4_000));
        assert_eq!(shown(&clock), cells[0], "{name}, first, later");
        clock.press(Left);
        assert_eq!(shown(&clock), cells[1], "{name}, press");
        clock.advance(at(fall + 4_000 + 12_000));
        assert_eq!(shown(&clock), cells[2], "{name}, second");
    }
}

#[test]
fn a_frozen_clock_is_stopped_for_good() {
    let mut clock = clock(settings(Model::Dgt3000, Method::Fischer, time(0, 3), 2));
    clock.run();
    clock.advance(at(60_000));
    assert_eq!(shown(&clock), "0:00:00# 0:00:05 stands");
    clock.press(Left);
    clock.run();
    clock.advance(at(70_000));
    assert_eq!(shown(&clock), "0:00:00# 0:00:05 stands");
    assert_eq!(status(&clock), (false, Right, Some(Left)), "only the lever has moved");
    clock.flag_sign_off(Left);
    assert_eq!(shown(&clock), "0:00:00# 0:00:05 stands", "the sign is not the block");
}

#[test]
fn the_period_changes_at_zero() {
    for model in ALL {
        for (freeze, after) in [(true, "0:00:00# 0:01:04 stands"), (false, "0:00:00* 0:01:04 runs")] {
            let mut settings = ClockSettings { freeze, ..settings(model, Method::TimeOnly, time(0, 5), 0) };
            settings.periods = vec![
                Period { time: time(0, 5), additional: ClockTime(0), moves: Some(40) },
                Period { time: time(1, 0), additional: ClockTime(0), moves: None },
            ];
            settings.change = Change::AtZero;
            let mut clock = clock(settings);
            clock.run();
            clock.advance(at(1_000));
            clock.press(Left);
            clock.advance(at(2_000));
            clock.press(Right);
            clock.advance(at(6_000));
            assert_eq!(shown(&clock), "0:01:00* 0:01:04 runs", "{model:?}: both get it, the first shows a flag");
            clock.stop();
            clock.advance(at(305_999));
            assert_eq!(shown(&clock), "0:01:00* 0:01:04 stands", "{model:?}");
            clock.advance(at(306_000));
            assert_eq!(shown(&clock), "0:01:00 0:01:04 stands", "{model:?}: the sign went off");
            clock.run();
            clock.advance(at(366_000));
            assert_eq!(shown(&clock), after, "{model:?}: there is no third period");
        }
    }
}

#[test]
fn periods_without_moves_change_at_zero_whatever_is_set() {
    let mut settings = settings(Model::Dgt3000, Method::TimeOnly, time(0, 5), 0);
    settings.periods.push(Period { time: time(1, 0), additional: ClockTime(0), moves: None });
    let mut clock = clock(settings);
    clock.run();
    clock.advance(at(5_000));
    assert_eq!(shown(&clock), "0:01:00* 0:01:05 runs");
}

#[test]
fn the_period_changes_by_move_count() {
    let mut settings = settings(Model::Xl, Method::Fischer, time(10, 0), 30);
    settings.periods = vec![
        Period { time: time(10, 0), additional: time(0, 30), moves: Some(2) },
        Period { time: time(30, 0), additional: time(0, 30), moves: None },
    ];
    let mut clock = clock(settings);
    clock.run();
    let mut cells = Vec::new();
    for ply in 1..=6 {
        clock.advance(at(ply * 1_000));
        clock.press(if ply % 2 == 1 { Left } else { Right });
        cells.push(shown(&clock));
    }
    assert_eq!(
        cells,
        [
            "0:10:59 0:10:30 runs",
            "0:10:59 0:10:59 runs",
            "0:41:28 0:10:59 runs",
            "0:41:28 0:41:28 runs",
            "0:41:57 0:41:28 runs",
            "0:41:57 0:41:57 runs",
        ],
        "30:30 more at the press of move 2, no flag, and only once"
    );
}

#[test]
fn a_flag_before_the_required_move_is_a_flag() {
    let mut settings = ClockSettings { freeze: true, ..settings(Model::Xl, Method::TimeOnly, time(0, 5), 0) };
    settings.periods = vec![
        Period { time: time(0, 5), additional: ClockTime(0), moves: Some(40) },
        Period { time: time(1, 0), additional: ClockTime(0), moves: None },
    ];
    let mut clock = clock(settings);
    clock.run();
    clock.advance(at(5_000));
    assert_eq!(shown(&clock), "0:00:00# 0:00:05 stands");
}

#[test]
fn methods_add_time_at_the_press() {
    // Each row has the seconds that White uses, then the left time at the press and 3 s into White's next turn. Black uses no
    // time.
    for (method, start, used, pressed, later) in [
        (Method::TimeOnly, "0:03:00", 10, "0:02:50", "0:02:47"),
        (Method::Fischer, "0:03:02", 10, "0:02:54", "0:02:51"),
        (Method::Fischer, "0:03:02", 1, "0:03:03", "0:03:00"),
        (Method::Bronstein, "0:03:00", 10, "0:02:52", "0:02:49"),
        (Method::Bronstein, "0:03:00", 1, "0:03:00", "0:02:57"),
        (Method::UsDelay, "0:03:00", 10, "0:02:52", "0:02:51"),
        (Method::UsDelay, "0:03:00", 1, "0:03:00", "0:02:59"),
    ] {
        let additional = if method == Method::TimeOnly { 0 } else { 2 };
        let mut clock = clock(settings(Model::Generic, method, time(3, 0), additional));
        let left = |clock: &Clock| clock.reading().left.time.to_string();
        assert_eq!(left(&clock), start, "{method:?}");
        clock.run();
        clock.advance(at(used * 1_000));
        clock.press(Left);
        assert_eq!(left(&clock), pressed, "{method:?} {used}");
        assert_eq!(status(&clock), (true, Right, Some(Right)), "turn and time change together");
        clock.press(Right);
        clock.advance(at((used + 3) * 1_000));
        assert_eq!(left(&clock), later, "{method:?} {used}");
        assert_eq!(clock.reading().left.adds_time, method != Method::TimeOnly);
    }
}

#[test]
fn a_us_delay_keeps_a_side_from_falling() {
    let mut clock = clock(settings(Model::Dgt2500, Method::UsDelay, time(0, 1), 5));
    clock.run();
    clock.advance(at(5_000));
    assert_eq!(shown(&clock), "0:00:01 0:00:01 runs");
    clock.stop();
    clock.advance(at(9_000));
    clock.run();
    clock.advance(at(9_999));
    assert_eq!(shown(&clock), "0:00:01 0:00:01 runs", "the pause does not give the delay again, nor use it up");
    clock.advance(at(10_000));
    assert_eq!(shown(&clock), "0:00:00# 0:00:01 stands");
}

#[test]
fn seconds_are_rounded_up() {
    let mut clock = clock(settings(Model::Dgt3000, Method::Fischer, time(3, 0), 2));
    clock.run();
    for (millis, expected) in [(1, "0:03:02"), (999, "0:03:02"), (1_000, "0:03:01"), (1_001, "0:03:01"), (2_000, "0:03:00")] {
        clock.advance(at(millis));
        assert_eq!(clock.reading().left.time.to_string(), expected, "{millis}");
    }
}

#[test]
fn the_lever_and_the_turn() {
    for (left_is_white, before) in [(true, (false, Left, Some(Left))), (false, (false, Right, Some(Right)))] {
        let clock = clock(ClockSettings { left_is_white, ..settings(Model::Dgt3000, Method::Fischer, time(5, 0), 5) });
        assert_eq!(status(&clock), before, "White's lever is up before the start");
    }
    let mut clock = clock(settings(Model::Dgt3000, Method::Fischer, time(5, 0), 5));
    clock.press(Left);
    assert_eq!(status(&clock), (false, Right, Some(Right)), "before the start the turn follows the lever");
    clock.press(Right);
    clock.run();
    assert_eq!(status(&clock), (true, Left, Some(Left)));
    clock.press(Right);
    assert_eq!(status(&clock), (true, Left, Some(Left)), "that lever is down already");
    clock.advance(at(1_000));
    clock.press(Left);
    clock.stop();
    clock.press(Right);
    assert_eq!(status(&clock), (false, Left, Some(Right)), "in a pause only the lever bit moves");
    assert_eq!(shown(&clock), "0:05:09 0:05:05 stands", "and no time is added");
    clock.run();
    assert_eq!(status(&clock), (true, Left, Some(Left)));
    assert_eq!(shown(&clock), "0:05:09 0:05:05 runs");
}

#[test]
fn the_arbiter_sets_times() {
    let mut clock = clock(settings(Model::Dgt3000, Method::Fischer, time(0, 3), 2));
    clock.run();
    assert!(!clock.set(time(1, 0), time(2, 0)), "not while it runs");
    clock.advance(at(5_000));
    assert_eq!(shown(&clock), "0:00:00# 0:00:05 stands");
    assert!(clock.set(time(1, 0), time(2, 0)));
    clock.run();
    clock.advance(at(6_000));
    assert_eq!(shown(&clock), "0:00:59 0:02:00 runs");
    clock.stop();
    assert!(clock.set(ClockTime::hms(9, 59, 59), ClockTime(u32::MAX)));
    assert_eq!(shown(&clock), "9:59:59 9:59:59 stands", "no more than a clock can show");
}

#[test]
fn a_corrected_flag_is_no_longer_the_first() {
    let mut clock = clock(settings(Model::Dgt3000, Method::TimeOnly, time(0, 3), 0));
    clock.run();
    clock.advance(at(5_000));
    clock.stop();
    assert!(clock.set(time(0, 5), time(0, 3)));
    clock.run();
    clock.press(Left);
    clock.advance(at(8_000));
    assert_eq!(shown(&clock), "0:00:05 0:00:00* runs", "now the right side is the first");
    clock.press(Right);
    clock.advance(at(20_000));
    assert_eq!(shown(&clock), "0:00:00 0:00:00* runs");
}

#[test]
fn small_time_steps_give_the_same_clock_as_large_ones() {
    let mut once = clock(settings(Model::Dgt3000, Method::TimeOnly, time(5, 0), 0));
    let mut often = once.clone();
    once.run();
    often.run();
    let end = Instant(123_456_789);
    once.advance(end);
    let mut moment = Instant::ZERO;
    while moment < end {
        moment = moment.after(Duration::from_micros(777)).min(end);
        often.advance(moment);
    }
    assert_eq!(once.reading(), often.reading());
    once.advance(Instant(299_999_999));
    often.advance(Instant(299_999_999));
    assert_eq!((shown(&once), shown(&often)), ("0:00:01 0:05:00 runs".into(), "0:00:01 0:05:00 runs".into()));
    once.advance(Instant(300_000_000));
    assert_eq!(shown(&once), "0:00:00* 0:05:00 runs");
}
