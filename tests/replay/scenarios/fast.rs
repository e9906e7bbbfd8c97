//! Scenarios 37-41, 65: moves faster than the scan, and presses that come late, together or not at all.

use crate::scenarios::reports::Reports;
use crate::scene::Scene;

#[test]
fn s037_taken_back_half_a_second_later() {
    let fen = "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
    Reports::from(fen)
        .report("d5:P | 0.05 e4:- | 0.15 WP | 0.2 d8:- | 0.15 d5:q | 0.15 BP")
        .run_at_dgt_board()
        .expect("exd5 Qxd5", &[]);
    // This is the order of the scenario: the queen's new square comes before her old one.
    Reports::from(fen)
        .report("d5:P | 0.05 e4:- | 0.15 WP | 0.3 d5:q | 0.05 d8:- | 0.15 BP")
        .run_at_dgt_board()
        .expect("exd5 Qxd5", &[]);
    for phase in [0.0, 0.05, 0.1, 0.15, 0.2] {
        let mut scene = Scene::running().scan_phase(phase);
        scene.game("e2e4 d7d5");
        scene.hands("lift d5 ; drop ; lift e4 | 0.2 place d5 | 0.1 press left | 0.15 lift d8 | 0.15 lift d5 ; drop ; place d5");
        scene.hands("0.2 press right").end().expect("e4 d5 exd5 Qxd5", &[]);
    }
}

#[test]
fn s038_the_position_between_is_never_seen() {
    let fen = "4k3/7p/8/1p6/8/P7/7P/4K3 b - - 0 1";
    Reports::from(fen).report("b5:- | 0.1 a3:- | 0.1 BP | 0.05 b4:P | 0.4 WP").run_at_dgt_board().expect("b4 axb4", &[]);
}

#[test]
fn s039_the_opponent_lifts_before_the_press() {
    Reports::new().report("e2:- | e4:P | e7:- | WP | e5:p | BP").run_at_dgt_board().expect("e4 e5", &[]);
    let outcome = Scene::running().hands("lift e2 | place e4 | lift e7 | 0.1 press left | place e5 | 0.5 press right").end();
    outcome.expect("e4 e5", &[]);
    assert_eq!(outcome.pressed(), 2);
}

#[test]
fn s040_the_reply_stands_before_the_press_is_heard() {
    let moved = Reports::new().report("e2:- | e4:P | 0.2 e7:-");
    let pressed = moved.now();
    let outcome = moved.report("0.2 e5:p | 0.4 WP | 0.4 BP").run_at_dgt_board();
    outcome.expect("e4 e5", &[]);
    assert_eq!(outcome.pressed(), 2);
    let [earliest, latest] = outcome.state().moves[0].pressed_at.expect("a press");
    assert!(earliest <= pressed.0 && pressed.0 <= latest && latest - earliest >= 600_000, "the time of the press is uncertain");
}

#[test]
fn s041_a_forgotten_press() {
    let mut scene = Scene::running();
    scene.make("e2e4").wait(1.5).make("e7e5").wait(1.5).play("g1f3", 0.0);
    let outcome = scene.end();
    outcome.expect("e4 e5 Nf3", &[]);
    let moves = outcome.state().moves;
    assert_eq!((outcome.how(0).as_str(), outcome.how(2).as_str(), outcome.pressed()), ("next_move", "press", 1));
    let completed = moves[0].completed_at.expect("6.2.1.2");
    assert!(completed[0] <= moves[2].made_at[1] && moves[2].made_at[0] <= completed[1], "completed when Nf3 was made");
    Reports::new().report("e2:- | e4:P | 2.0 e7:- | e5:p | 2.0 g1:- | f3:N | WP").run_at_dgt_board().expect("e4 e5 Nf3", &[]);
}

/// The clock tells both presses at once when the board shows three moves. They belong to the first two of them: the third was not
/// pressed yet, so White's pawn only pauses on c3.
#[test]
fn s065_both_presses_are_reported_when_the_next_move_stands() {
    let moved = "f2:- | f4:P | 0.4 WP | 0.2 c7:- | 0.03 c5:p | 0.04 f4:- | 0.137 e7:- | 0.03 e6:p | 0.03 f5:P | 0.08 BP ; WP";
    let paused = "0.01 c2:- | 0.19 c3:P | 0.21 BP | 0.25 c3:- | 0.2 c4:P | 0.3 WP";
    Reports::new().report(moved).report(paused).run_at_dgt_board().expect("f4 c5 f5 e6 c4", &[]);
}

#[test]
fn s065_five_seconds_are_reported_at_once() {
    let reports = "e2:- | e4:P | 0.5 WP | 0.5 e7:- | e5:p | 0.5 BP | 0.5 g1:- | f3:N | 0.5 WP | 0.5 b8:- | c6:n | 0.5 BP";
    let outcome = Reports::new().hold().report(reports).release().run_at_dgt_board();
    outcome.expect("e4 e5 Nf3 Nc6", &[]);
    assert_eq!(outcome.pressed(), 4);
}

/// Between two questions to the bus the clock was pressed four times: its answer shows only that White's time runs.
#[test]
fn s065_the_clock_reports_no_press() {
    let reports = "e2:- | e4:P | 0.5 WP | 0.5 e7:- | e5:p | 0.5 BP | 0.5 g1:- | f3:N | 0.5 WP | 0.5 b8:- | c6:n | 0.5 BP";
    let outcome = Reports::new().hold().report(reports).release_with_the_last_of_the_clock().run_at_dgt_board();
    let state = outcome.state();
    let played: Vec<String> = state.moves.iter().chain(&state.pending).map(|played| played.san.to_string()).collect();
    assert_eq!(
        (played.join(" ").as_str(), outcome.alarms()),
        ("e4 e5 Nf3 Nc6", vec![]),
        "all moves are made, although not all are completed"
    );
}
