//! Scenarios 12, 19, 23, 42-44, 99-101, 107, 108: presses that complete no legal move.

use flagfall::wire::alarm::AlarmStatus;
use flagfall_game::laws::outcome::Outcome;
use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_protocols::drivers;
use flagfall_protocols::time::ClockTime;

use crate::scenarios::reports::Reports;
use crate::scene::Scene;

fn scene() -> Scene {
    let clock = ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime(300_000), ClockTime(5_000));
    let mut scene = Scene::new(clock, "300+5");
    scene.act("run").wait(1.0);
    scene
}

#[test]
fn s042_pressed_without_a_move() {
    let outcome = scene().press(true).wait(3.0).run();
    assert_eq!(outcome.alarms(), ["pressed_without_move(white)"]);
    assert!(outcome.moves().is_empty());
}

#[test]
fn s043_lifted_put_back_and_pressed() {
    let outcome = scene().act("lift g1").wait(0.8).act("place g1").wait(0.5).press(true).wait(3.0).run();
    assert_eq!(outcome.alarms(), ["pressed_without_move(white)"]);
    assert!(outcome.moves().is_empty());
}

#[test]
fn s101_an_illegal_move_is_restored_by_the_arbiter() {
    let mut scene = scene();
    scene.act("move f1 b5").wait(1.0).press(true).wait(3.0);
    let outcome = scene.run();
    assert_eq!(outcome.alarms(), ["illegal_move(white)"]);
    assert_eq!(outcome.state().alarms[0].squares, ["f1", "b5"]);
    scene.act("stop").wait(1.0).act("move b5 f1").wait(1.0).act("press right").wait(0.5);
    scene.act("set left 0:05:00 right 0:07:00").wait(1.0);
    assert_eq!(scene.run().state().alarms[0].status, AlarmStatus::CorrectedOnBoard, "only the arbiter closes it");
    scene.command(r#"{"verb":"acknowledge-alert","alarm":1}"#).act("run").play("e2e4", 1.0).play("e7e5", 1.0);
    let outcome = scene.wait(2.0).run();
    assert_eq!(outcome.moves(), ["e2e4", "e7e5"]);
    assert_eq!(outcome.state().alarms, []);
    assert_eq!((outcome.state().completed.white, outcome.state().completed.black), (Some(1), Some(1)));
    assert_eq!(outcome.audit("press_out_of_turn"), 0, "moving the lever in the pause was no press");
    assert_eq!(outcome.alarms(), ["illegal_move(white)"]);
}

#[test]
fn s107_pressed_back_without_a_move() {
    let outcome = scene().act("press left").wait(0.6).act("press right").wait(3.0).run();
    assert_eq!(outcome.alarms(), [""; 0], "there are only facts");
    assert_eq!(outcome.audit("pressed_back"), 1);
    assert!(outcome.moves().is_empty());
}

#[test]
fn s108_mate_by_an_illegal_move() {
    let mut scene = scene();
    scene.play("e2e4", 1.0).play("e7e5", 1.0).play("f1c4", 1.0).play("b8c6", 1.0);
    scene.act("lift f7").wait(0.3).act("drop").act("move d1 f7").wait(1.0).press(true);
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.alarms(), ["illegal_move(white)"]);
    assert_eq!(outcome.moves().len(), 4);
    assert_eq!(outcome.state().ending, None, "not the end of the game");
}

#[test]
fn s019_castling_pressed_without_the_rook() {
    let mut scene = scene();
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5"] {
        scene.play(uci, 1.0);
    }
    scene.act("move e1 g1").wait(0.8).press(true);
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.alarms(), ["illegal_move(white)"]);
    scene.act("move h1 f1");
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.moves().len(), 6, "not committed by itself");
    assert_eq!(outcome.state().pending[0].san.to_string(), "O-O", "but it is pending");
}

#[test]
fn s023_a_pawn_left_on_the_last_rank() {
    let mut scene = scene().standing("4k3/P7/8/8/8/8/8/4K3 w - - 0 1");
    scene.act("move a7 a8").wait(0.8).press(true);
    let outcome = scene.wait(3.0).run();
    assert_eq!(outcome.alarms(), ["joined_in_progress", "promotion_not_replaced(white)"]);
}

/// The claimant has stopped the clock; the move on the scoresheet is not played (9.2.1).
#[test]
fn s099_a_claim_of_threefold_repetition() {
    let mut scene = scene();
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1"] {
        scene.play(uci, 1.0);
    }
    scene.wait(1.0).act("stop");
    let outcome = scene.wait(20.0).run();
    assert_eq!((outcome.moves().len(), outcome.alarms(), outcome.audit("stopped")), (7, vec![], 1));
    assert!(outcome.station.game().findings().is_empty(), "a repetition is not published (11.12)");
    use flagfall_game::laws::claim::Ground::Repetition;
    use flagfall_game::laws::claims::Checked;
    use flagfall_protocols::square::Color::Black;
    let check = |intended| outcome.station.game().check_claim(Black, Repetition, intended);
    assert_eq!((check(Some("f6g8")), check(None)), (Ok(Checked::Correct), Ok(Checked::Incorrect)));
}

#[test]
fn s100_the_second_illegal_move_and_then_the_opponents_flag() {
    let mut scene = scene();
    for _ in 0..2 {
        scene.act("move f1 b5").wait(1.0).press(true).wait(3.0);
        scene.act("stop").wait(1.0).act("move b5 f1").wait(1.0).act("press right").wait(0.5).act("run").wait(1.0);
    }
    scene.act("move f1 b5").wait(1.0).press(true);
    let outcome = scene.wait(400.0).run();
    let finding = outcome.finding();
    assert_eq!((finding.flag, finding.row, finding.outcome), (Some("black"), "7a", Outcome::Undecided));
    assert_eq!(finding.alternatives.iter().map(|other| other.row).collect::<Vec<_>>(), ["7a", "7b"]);
    assert!(finding.unknown.contains(&"illegal_move_ruling"), "until an arbiter has ruled on them: {finding:?}");
}

/// Black's queen captures like a knight and is recaptured at once. The board shows all of that, so Black's pawn did not capture on c4
/// instead of the queen.
#[test]
fn s099_the_man_of_an_illegal_move_is_captured() {
    let illegal = "c4:- | 0.3 d6:- | 0.28 c4:q | 0.21 BP | 1.36 c4:P | 0.03 d3:- | 0.2 WP";
    let reply = "1.12 c4:- | 0.19 b5:- | 0.03 c4:p | 0.66 BP";
    let reports = Reports::from("4k3/8/3q4/1p6/2P5/3P4/8/4K3 b - - 0 1").report(illegal).report(reply).wait(4.0);
    let outcome = reports.run_at_dgt_board();
    outcome.allow("", &["illegal_move(black)"], &["position_differs"]);
    let after = outcome.state().after_illegal_move.expect("what was played after it");
    assert_eq!(after.moves.iter().map(|mv| mv.san.to_string()).collect::<Vec<_>>(), ["dxc4", "bxc4"]);
}

/// Without a clock an illegal move is answered, and its man goes on to a square to which it could have moved. The answer was not to that.
#[test]
fn s099_without_a_clock_a_man_goes_on_from_an_illegal_move_that_was_answered() {
    let reports = "d8:- | 0.3 g3:q | 3.0 a2:- | 0.3 a3:P | 2.0 g5:q | 0.15 g3:-";
    let outcome = Reports::from("3qk3/8/8/8/8/8/P7/2K5 b - - 0 1").report(reports).wait(6.0).without_clock().run_at_dgt_board();
    assert_eq!((outcome.sans().as_str(), outcome.alarms()), ("", vec!["position_differs".to_owned()]));
}

/// A bishop that the board cannot identify captures on h6 illegally. It is not the pawn that the board identified there.
#[test]
fn s099_a_man_that_is_not_identified_makes_an_illegal_capture() {
    let reports = "h6:- | 0.25 f3:- | 0.5 h6:1 | 0.75 b8:- | 0.25 c6:n";
    let reports = Reports::from("1n2k3/8/7p/8/8/5B2/8/4K3 w - - 0 1").report(reports).wait(6.0).without_clock();
    let game = reports.game(drivers::find("certabo").expect("registered").timing);
    assert_eq!((game.moves().count(), game.pending().count()), (0, 0));
}
