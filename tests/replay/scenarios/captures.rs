//! Scenarios 8-13: captures and en passant.

use flagfall_protocols::drivers;

use crate::scenarios::reports::Reports;
use crate::scene::Scene;
use crate::scene::outcome::word;

fn attacked() -> Scene {
    let mut scene = Scene::running();
    scene.game("e2e4 d7d5");
    scene
}

const ATTACKED: &str = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
const PASSED: &str = "4k3/7p/8/3pP3/8/8/7P/4K3 w - d6 0 1";

#[test]
fn s008_the_captured_man_first() {
    Reports::from(ATTACKED).report("d5:- | e4:- | d5:P | WP").run_at_dgt_board().expect("exd5", &[]);
    let outcome = attacked().hands("lift d5 ; drop | 0.3 lift e4 | 0.3 place d5 | 0.4 press left").end();
    outcome.expect("e4 d5 exd5", &[]).nothing_of_the_hands();
}

#[test]
fn s009_the_target_is_never_empty() {
    Reports::from(ATTACKED).report("d5:P | e4:- | WP").run_at_dgt_board().expect("exd5", &[]);
    attacked().hands("lift e4 | 0.3 place d5 | 0.4 press left").end().expect("e4 d5 exd5", &[]);
}

#[test]
fn s010_the_capturing_man_first() {
    Reports::from(ATTACKED).report("e4:- | d5:- | d5:P | WP").run_at_dgt_board().expect("exd5", &[]);
    attacked().hands("lift e4 | 0.6 lift d5 ; drop | 0.3 place d5 | 0.4 press left").end().expect("e4 d5 exd5", &[]);
}

#[test]
fn s011_in_passing_the_pawn_goes_late() {
    Scene::from(PASSED).hands("lift e5 | place d6 | 1.5 lift d5 ; drop | 0.5 press left").end().expect("exd6", &[]);
}

#[test]
fn s012_in_passing_pressed_and_put_right_in_time() {
    let outcome = Scene::from(PASSED).hands("lift e5 | place d6 | 0.4 press left | 1.0 lift d5 ; drop").end();
    // The move is made a second after the press, so the check of times in `expect` does not hold here.
    assert_eq!((outcome.sans().as_str(), outcome.alarms(), outcome.state().pending), ("exd6", vec![], vec![]));
    assert_eq!((outcome.pressed(), outcome.how(0).as_str()), (1, "press"));
}

#[test]
fn s012_in_passing_pressed_too_soon() {
    let mut scene = Scene::from(PASSED);
    scene.hands("lift e5 | place d6 | 0.4 press left").wait(3.5);
    let outcome = scene.run();
    assert_eq!((outcome.sans().as_str(), outcome.alarms()), ("", vec!["illegal_move(white)".to_owned()]));
    assert_eq!(outcome.state().alarms[0].squares, ["e5", "d6"], "the squares of the move");
    let outcome = scene.hands("lift d5 ; drop").end();
    assert_eq!((outcome.sans().as_str(), outcome.alarms()), ("", vec!["illegal_move(white)".to_owned()]));
    let state = outcome.state();
    assert_eq!(word(&state.alarms[0].status), "corrected_on_board", "the ruling is still missing");
    assert_eq!(
        state.pending.iter().map(|ply| ply.san.to_string()).collect::<Vec<_>>(),
        ["exd6"],
        "the move is pending, not committed"
    );
}

#[test]
fn s013_in_passing_the_pawn_goes_first() {
    Scene::from(PASSED).hands("lift d5 ; drop | lift e5 | place d6 | 0.4 press left").end().expect("exd6", &[]);
    Reports::from(PASSED).report("d5:- | e5:- | d6:P | WP").run_at_dgt_board().expect("exd6", &[]);
}

/// White's pawn stood on e4, or on e3, while no scan saw it: both stories end in the same position.
#[test]
fn a_double_step_that_is_captured_before_a_scan() {
    let fen = "4k3/7p/8/8/5p2/8/4P2P/4K3 w - - 0 1";
    let outcome = Reports::from(fen).report("e2:- ; f4:- ; e3:p | 0.05 WP | 0.4 BP").run_at_dgt_board();
    assert_eq!(outcome.alarms(), ["ambiguous"]);
    assert_eq!(outcome.state().alarms[0].squares, ["e2", "e3", "e4"]);
    assert_eq!((outcome.state().moves.len(), outcome.pressed()), (2, 2));
    // A scan that saw the pawn on e4 decides.
    Reports::from(fen)
        .report("e2:- ; e4:P | 0.3 e4:- ; f4:- ; e3:p | 0.05 WP | 0.4 BP")
        .run_at_dgt_board()
        .expect("e4 fxe3", &[]);
}

/// A board without a clock reports once a second. Two captures on c3 are made between its reports, and the bishop has gone on before one of
/// them shows it there.
#[test]
fn without_a_clock_captures_are_made_between_the_reports() {
    let changes = "b4:- | 0.01 c3:- | 1.0 b2:- | 1.0 e5:- | 0.01 d4:p | 1.0 d2:B";
    let reports = Reports::from("4k3/8/8/4p3/1p1P4/2P5/1B6/4K3 b - - 0 1").report(changes).wait(8.0).without_clock();
    let game = reports.game(drivers::find("chesslink").expect("registered").timing);
    let told: Vec<String> = game.moves().map(|mv| mv.uci.to_string()).collect();
    assert_eq!((told.join(" ").as_str(), game.pending().count()), ("b4c3 b2c3 e5d4 c3d2", 0));
}
