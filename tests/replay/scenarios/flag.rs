//! Scenarios 50, 83-87, 97, 98, 104: a flag falls.

use flagfall::wire::flag;
use flagfall_game::FlagPath;
use flagfall_game::laws::outcome::{Outcome, Phase};
use flagfall_hardware::emulator::clock_model::{Change, ClockSettings, Method, Model, Period};
use flagfall_protocols::time::ClockTime;

use crate::scene::Scene;

/// Two periods: 40 moves in two minutes, five minutes for the rest.
const CONTROL: &str = "40/120:300";

fn two_periods(model: Model, change: Change) -> ClockSettings {
    let period = |seconds: u32, moves| Period { time: ClockTime(seconds * 1000), additional: ClockTime(0), moves };
    ClockSettings {
        periods: vec![period(120, Some(40)), period(300, None)],
        change,
        ..ClockSettings::new(model, Method::TimeOnly, ClockTime(0), ClockTime(0))
    }
}

/// One period with 10 seconds a move, on a clock that freezes at zero or does not.
fn one_period(freeze: bool) -> ClockSettings {
    ClockSettings { freeze, ..ClockSettings::new(Model::Generic, Method::Fischer, ClockTime(20_000), ClockTime(10_000)) }
}

/// A clock that adds the period at zero, and one that counts moves and stops at zero if moves are missing.
fn both() -> [ClockSettings; 2] {
    [two_periods(Model::Dgt3000, Change::AtZero), two_periods(Model::Xl, Change::ByMoveCount)]
}

#[test]
fn s083_move_40_made_and_answered_but_not_pressed() {
    for clock in both() {
        let mut scene = Scene::new(clock, CONTROL);
        scene.act("run").shuffle(78, 0.8);
        for _ in 0..2 {
            let next = scene.next_quiet();
            scene.wait(0.8).make(&next);
        }
        let outcome = scene.wait(90.0).run();
        let finding = outcome.finding();
        assert_eq!((finding.flag, finding.completed, finding.required), (Some("white"), Some(39), Some(40)));
        assert_eq!((finding.row, finding.phase, finding.last_period), ("16", Phase::Made, Some(false)));
        assert_eq!(finding.alternatives.iter().map(|a| a.row).collect::<Vec<_>>(), ["14", "15"]);
        assert!(finding.conditional, "no player or arbiter has observed the fall yet");
        assert_eq!(outcome.moves().len(), 78, "the 40th moves are not sure");
    }
}

#[test]
fn s084_the_next_move_completes_the_fortieth() {
    for clock in both() {
        let mut scene = Scene::new(clock, CONTROL);
        scene.act("run").shuffle(78, 0.8);
        for _ in 0..3 {
            let next = scene.next_quiet();
            scene.wait(1.5).make(&next);
        }
        let outcome = scene.wait(90.0).run();
        let finding = outcome.finding();
        assert_eq!((finding.flag, finding.completed, finding.row), (Some("white"), Some(40), "12"));
        assert_eq!(finding.outcome, Outcome::GameGoesOn);
    }
}

#[test]
fn s085_a_move_and_a_lever_after_a_freeze() {
    let mut scene = Scene::new(one_period(true), "20+10");
    scene.act("run").play("d2d4", 2.0).play("d7d5", 2.0).wait(60.0);
    scene.make("e2e4").press(true);
    let outcome = scene.wait(5.0).run();
    assert_eq!(outcome.moves(), ["d2d4", "d7d5"]);
    let pending = &outcome.state().pending;
    assert_eq!((pending.len(), pending[0].uci.to_string(), pending[0].after_flag), (1, "e2e4".to_owned(), true));
    assert_eq!(outcome.state().completed.white, Some(1));
    assert_eq!(outcome.finding().path, Some(FlagPath::Blocked));
    assert_eq!(outcome.alarms(), ["flag(white)"]);
}

#[test]
fn s086_an_increment_after_the_fall_takes_no_flag_back() {
    let mut scene = Scene::new(one_period(false), "20+10");
    scene.act("run").play("d2d4", 2.0).play("d7d5", 2.0).wait(60.0).play("e2e4", 0.5).play("d5e4", 1.0);
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.moves(), ["d2d4", "d7d5", "e2e4", "d5e4"]);
    let state = outcome.state();
    assert_eq!(state.flags.len(), 1);
    assert_eq!((state.flags[0].side, state.flags[0].path, state.flags[0].period), ("white", flag::FlagPath::RunningAtZero, 1));
    assert_eq!(state.period.white, 1, "no period was added");
    assert!(state.moves[2].after_flag && !state.moves[1].after_flag);
    assert_eq!(outcome.finding().completed, Some(1), "a move that was completed after the fall does not count");
    assert_eq!(outcome.alarms(), ["flag(white)"]);
}

#[test]
fn s087_a_period_added_at_zero_is_no_defence() {
    let mut scene = Scene::new(two_periods(Model::Dgt3000, Change::AtZero), CONTROL);
    scene.act("run").shuffle(78, 0.8);
    let outcome = scene.wait(90.0).run();
    let state = outcome.state();
    assert_eq!((state.flags.len(), state.flags[0].path, state.flags[0].period), (1, flag::FlagPath::PeriodAtZero, 1));
    assert_eq!((state.period.white, state.period.black), (2, 2));
    assert!(state.clock.white_ms > Some(200_000), "the clock shows the next period");
    assert_eq!((outcome.finding().completed, outcome.finding().row), (Some(39), "16"));
    assert_eq!(outcome.alarms(), ["flag(white)"]);
}

#[test]
fn s087_forty_moves_and_the_period_at_zero_cost_nothing() {
    let mut scene = Scene::new(two_periods(Model::Dgt3000, Change::AtZero), CONTROL);
    scene.act("run").shuffle(80, 0.8);
    let outcome = scene.wait(90.0).run();
    assert_eq!((outcome.finding().completed, outcome.row()), (Some(40), "12"));
}

#[test]
fn s097_a_mate_stands_when_the_clock_is_left_running() {
    for freeze in [true, false] {
        let mut scene = Scene::new(one_period(freeze), "20+10");
        scene.act("run");
        for uci in ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"] {
            scene.play(uci, 1.0);
        }
        let outcome = scene.wait(80.0).run();
        assert_eq!(outcome.moves().last().map(String::as_str), Some("h5f7"));
        assert_eq!(outcome.alarms(), ["flag_after_end(black)"]);
        assert!(outcome.station.game().findings().is_empty(), "the game was over");
        assert!(outcome.state().flags[0].after_end);
    }
}

#[test]
fn s050_a_mate_that_is_not_pressed_stands_at_the_flag() {
    let mut scene = Scene::new(one_period(true), "20+10");
    scene.act("run");
    for uci in ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6"] {
        scene.play(uci, 1.0);
    }
    scene.wait(1.0).make("h5f7");
    let outcome = scene.wait(80.0).run();
    assert_eq!(outcome.moves().last().map(String::as_str), Some("h5f7"));
    assert_eq!(outcome.alarms(), ["flag_after_end(white)"], "6.2.1.1: no press is needed");
}

#[test]
fn s098_nothing_moves_for_very_long_before_the_flag() {
    let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime::hms(1, 0, 0), ClockTime(30_000));
    let mut scene = Scene::new(clock, "3600+30");
    scene.act("run").play("e2e4", 2.0).play("e7e5", 2.0);
    let outcome = scene.wait(4000.0).run();
    let finding = outcome.finding();
    assert_eq!((finding.row, finding.outcome), ("9", Outcome::ResultNotEntered));
    assert_eq!(finding.alternatives[0].row, "16", "the alternative if the game had not ended");
}

#[test]
fn s098_kings_in_the_centre_before_the_flag() {
    let mut scene = Scene::new(one_period(true), "20+10");
    scene.act("run").play("e2e4", 1.0).play("e7e5", 1.0);
    for motion in ["lift e1", "place d4", "lift e8", "place d5"] {
        scene.wait(0.4).act(motion);
    }
    let outcome = scene.wait(60.0).run();
    assert_eq!(outcome.row(), "9");
    assert_eq!(outcome.moves(), ["e2e4", "e7e5"], "the gesture is no move");
    assert_eq!(outcome.state().hints.len(), 1);
}

#[test]
fn s104_the_next_game_begins_while_the_old_result_is_missing() {
    for freeze in [true, false] {
        let mut scene = Scene::new(one_period(freeze), "20+10");
        scene.act("run").play("e2e4", 1.0).play("e7e5", 1.0).wait(60.0).act("stop").wait(1.0);
        scene.act("board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").wait(1.0);
        scene.act("set left 0:00:30 right 0:00:30").act("flagsign off left").wait(7.0).act("run").wait(1.0);
        scene.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").play("d2d4", 1.0).play("d7d5", 1.0);
        let outcome = scene.wait(2.0).run();
        assert_eq!(outcome.state().game_no, 2, "freeze {freeze}");
        assert_eq!(outcome.moves(), ["d2d4", "d7d5"], "freeze {freeze}");
        assert!(outcome.state().flags.is_empty(), "a flag is never carried over");
        assert_eq!(outcome.alarms(), ["result_missing"]);
        assert_eq!(outcome.audit("left_open"), 1);
    }
}

#[test]
fn a_bare_king_cannot_win_on_time() {
    for (fen, row, outcome) in [
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "15", Outcome::Draw),
        ("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1", "16", Outcome::Undecided),
    ] {
        let mut scene = Scene::new(one_period(true), "20+10").standing(fen);
        scene.act("run");
        let outcome_of = scene.wait(60.0).run();
        assert_eq!((outcome_of.row(), outcome_of.finding().outcome), (row, outcome), "{fen}");
    }
}

#[test]
fn an_observed_fall_is_conditional_no_longer() {
    let mut scene = Scene::new(one_period(false), "20+10");
    scene.act("run").play("d2d4", 2.0).play("d7d5", 2.0).wait(60.0);
    scene.command(r#"{"verb":"claim","flag":"white"}"#).play("e2e4", 1.0).play("d5e4", 1.0);
    let outcome = scene.wait(3.0).run();
    let finding = outcome.finding();
    assert!(!finding.conditional && finding.observed_at.is_some());
    assert!(finding.position.starts_with("rnbqkbnr/ppp1pppp/8/3p4/3P4/"), "moves made after it do not count (6.8)");
    assert_eq!(outcome.moves().len(), 4, "they are still recorded");
}
