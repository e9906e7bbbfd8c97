//! Scenarios 81, 88-93, 95, 96, 105, 106: settings and actions of the clock that are no presses.

use flagfall_hardware::emulator::clock_model::{Change, ClockSettings, Method, Model, Period};
use flagfall_protocols::event::Anomaly;
use flagfall_protocols::time::ClockTime;

use crate::scene::Scene;

fn fischer(seconds: u32, additional: u32) -> ClockSettings {
    ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(seconds * 1000), ClockTime(additional * 1000))
}

fn by_count(moves: u32) -> ClockSettings {
    let period = |seconds: u32, moves| Period { time: ClockTime(seconds * 1000), additional: ClockTime(2000), moves };
    ClockSettings {
        periods: vec![period(120, Some(moves)), period(300, None)],
        change: Change::ByMoveCount,
        ..ClockSettings::new(Model::Xl, Method::Fischer, ClockTime(0), ClockTime(0))
    }
}

const BY_COUNT: &str = "40/120+2:300+2";

#[test]
fn s088_a_period_added_at_the_press_of_move_40() {
    let mut scene = Scene::new(by_count(40), BY_COUNT);
    scene.act("run").shuffle(79, 0.8);
    let outcome = scene.wait(2.0).run();
    let state = outcome.state();
    assert_eq!((state.period.white, state.period.black), (2, 1));
    assert_eq!((outcome.pressed(), state.flags.len()), (79, 0));
    assert_eq!(outcome.alarms(), [""; 0]);
}

#[test]
fn s089_the_clock_counts_otherwise() {
    let mut scene = Scene::new(by_count(39), BY_COUNT);
    scene.act("run").shuffle(78, 0.8);
    let outcome = scene.wait(2.0).run();
    assert_eq!(outcome.alarms(), ["clock_count_differs(white)", "clock_count_differs(black)"]);
    let outcome = scene.wait(600.0).run();
    assert_eq!(outcome.row(), "10", "findings on time are undecided");
}

#[test]
fn s090_another_option_than_configured() {
    let mut scene = Scene::new(fischer(5400, 0), "5400+30");
    scene.act("run").play("e2e4", 3.0).play("e7e5", 3.0).play("g1f3", 3.0).play("b8c6", 3.0);
    let outcome = scene.wait(2.0).run();
    assert_eq!(outcome.alarms(), ["clock_setting_differs"]);
    let mut other = Scene::new(fischer(3600, 30), "5400+30");
    other.act("run").wait(3.0);
    assert_eq!(other.run().alarms(), ["clock_setting_differs"], "seen in the times at the start");
}

#[test]
fn s091_every_method_shows_its_presses() {
    for (method, control) in
        [(Method::Bronstein, "300b5"), (Method::UsDelay, "300d5"), (Method::TimeOnly, "300"), (Method::Fischer, "300+5")]
    {
        let additional = if method == Method::TimeOnly { 0 } else { 5000 };
        let clock = ClockSettings::new(Model::Generic, method, ClockTime(300_000), ClockTime(additional));
        let mut scene = Scene::new(clock, control);
        scene.act("run").shuffle(12, 1.0).shuffle(6, 9.0);
        let outcome = scene.wait(4.0).run();
        assert_eq!((outcome.moves().len(), outcome.pressed()), (18, 18), "{control}");
        assert_eq!(outcome.alarms(), [""; 0], "{control}: no link alarm while a delay runs");
    }
}

#[test]
fn s092_started_on_the_wrong_side() {
    let mut scene = Scene::new(fischer(300, 5), "300+5");
    scene.act("press left").wait(1.0).act("run").wait(6.0).act("stop").wait(2.0);
    scene.act("press right").wait(1.0).act("run").wait(1.0).play("e2e4", 1.0).play("e7e5", 1.0);
    let outcome = scene.wait(2.0).run();
    assert_eq!(outcome.alarms(), ["wrong_clock_running(black)"]);
    assert!(outcome.state().alarms.is_empty(), "and cured");
    assert_eq!((outcome.moves().len(), outcome.pressed()), (2, 2));
    assert_eq!(outcome.audit("press_out_of_turn"), 0, "none of it was a press");
}

#[test]
fn s093_black_starts_whites_clock() {
    let mut scene = Scene::new(fischer(300, 5), "300+5");
    scene.act("press left").wait(1.0).act("run").wait(0.7).act("press right").wait(2.0);
    scene.play("e2e4", 1.0).play("e7e5", 1.0);
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.alarms(), [""; 0], "not 7.5.3");
    assert_eq!(outcome.moves(), ["e2e4", "e7e5"]);
}

#[test]
fn s095_the_clock_is_replaced() {
    let mut scene = Scene::new(fischer(300, 5), "300+5");
    scene.act("run").shuffle(6, 1.0).act("stop").wait(1.0).act("replace").wait(10.0);
    scene.act("set left 0:04:50 right 0:04:40").wait(1.0);
    scene.command(r#"{"verb":"set-clock-record"}"#).command(r#"{"verb":"set-move-count","completed":{"white":3,"black":3}}"#);
    scene.act("run").shuffle(2, 1.0);
    let outcome = scene.wait(2.0).run();
    assert_eq!((outcome.moves().len(), outcome.pressed(), outcome.state().flags.len()), (8, 8, 0));
    assert_eq!(outcome.alarms(), ["clock_lost"]);
    assert!(outcome.state().alarms.is_empty(), "and cured");
    assert_eq!((outcome.state().completed.white, outcome.state().completed.black), (Some(4), Some(4)));
}

#[test]
fn s096_one_impossible_jump_in_a_pause() {
    let mut scene = Scene::new(fischer(300, 5), "300+5");
    scene.act("run").shuffle(4, 1.0).act("stop").wait(2.0).act("set left 1:05:30 right 0:04:00");
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.state().clock.white_ms, Some(3_930_000), "the driver asks again at once, and the time is accepted");
    assert_eq!(outcome.station.anomalies().get(&Anomaly::ClockJump), Some(&1));
    assert_eq!((outcome.moves().len(), outcome.alarms().len()), (4, 0), "no press is inferred");
}

#[test]
fn s106_the_daemon_joins_in_mid_game() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
    let period = |seconds: u32, moves| Period { time: ClockTime(seconds * 1000), additional: ClockTime(0), moves };
    let clock = ClockSettings {
        periods: vec![period(60, Some(40)), period(300, None)],
        change: Change::AtZero,
        ..ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(0), ClockTime(0))
    };
    let mut scene = Scene::new(clock, "40/60:300").standing(fen);
    scene.now = 1.0;
    scene.act("press left").wait(0.2).act("run").wait(9.0).play("g8f6", 1.0).play("e1g1", 1.0);
    let outcome = scene.run();
    assert_eq!(outcome.moves(), ["g8f6", "e1g1"], "the position is followed");
    assert_eq!(outcome.state().completed.white, None);
    assert_eq!(outcome.alarms(), ["joined_in_progress"]);
    let outcome = scene.wait(80.0).run();
    assert_eq!((outcome.finding().flag, outcome.row(), outcome.finding().completed), (Some("black"), "13", None));
    scene.command(r#"{"verb":"set-move-count","completed":{"white":40,"black":40}}"#);
    let outcome = scene.wait(1.0).run();
    assert_eq!((outcome.row(), outcome.finding().completed), ("12", Some(40)));
}

#[test]
fn s081_left_and_right_of_the_clock_exchanged() {
    let clock = ClockSettings { left_is_white: false, ..fischer(300, 5) };
    let mut scene = Scene::new(clock, "300+5");
    scene.act("run");
    for (ply, uci) in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"].into_iter().enumerate() {
        scene.wait(1.0).make(uci).press(ply % 2 == 1);
    }
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.moves().len(), 6);
    assert_eq!(outcome.state().completed.black, Some(3));
    assert!(outcome.alarms().contains(&"clock_sides_exchanged".to_owned()), "it follows from the first three presses");
    assert_eq!(outcome.state().moves[5].how, Some(flagfall::wire::moves::How::Press));
}

#[test]
fn s105_additional_time_is_granted() {
    let clock = ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(120_000), ClockTime(0));
    let mut scene = Scene::new(clock, "120");
    scene.act("run").shuffle(6, 1.0).act("stop").wait(2.0);
    scene.act("set left 0:01:50 right 0:03:50").act("additional 0:00:05").wait(1.0);
    scene.command(r#"{"verb":"set-clock-record","additional_time":5}"#).act("run").shuffle(8, 1.0);
    let outcome = scene.wait(2.0).run();
    assert_eq!((outcome.moves().len(), outcome.pressed()), (14, 14), "additional time from here on");
    assert_eq!(outcome.alarms(), [""; 0]);
    let mut unrecorded =
        Scene::new(ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime(120_000), ClockTime(0)), "120");
    unrecorded.act("run").shuffle(6, 1.0).act("stop").wait(2.0).act("additional 0:00:05").act("run").shuffle(4, 1.0);
    assert_eq!(unrecorded.run().alarms(), ["clock_setting_differs"], "without the arbiter's record there is an alarm");
}

/// The board shows a man on two squares for a moment: the move is understood only when it has stood for a while, and the alarm comes
/// then.
#[test]
fn s092_the_first_move_without_a_clock_is_understood_late() {
    let mut scene = Scene::five_and_five();
    scene.hands("1.0 misread d4 P 0.35 | 0.05 lift c2 | 0.25 place c4 | 0.2 press left").wait(3.5);
    assert_eq!(scene.run().alarms(), ["clock_not_started"]);
}
