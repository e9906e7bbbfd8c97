//! Scenarios 51, 66-71: the end of a game, actions after it, and moves that are taken back.

use flagfall::wire::outcome::{Ending, GameResult};
use flagfall::wire::state::Stage;

use crate::scene::{Outcome, Scene};

#[test]
fn s051_stalemate_is_not_pressed() {
    let outcome = Scene::from("7k/5K2/8/6Q1/8/8/8/8 w - - 0 1").hands("lift g5 | 0.4 place g6").end();
    outcome.expect("Qg6", &[]);
    assert_eq!((outcome.how(0).as_str(), outcome.pressed()), ("game_end", 0));
    assert_eq!((outcome.state().ending, outcome.state().stage), (Some(Ending::Stalemate), Stage::Over));
}

#[test]
fn s066_taken_back_by_the_arbiter() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5").wait(1.0).act("stop").wait(2.0);
    scene.command(r#"{"verb":"take-back","plies":2}"#).wait(1.0);
    scene.hands("lift c5 | place f8 | lift c4 | place f1 | lift c6 | place b8 | lift f3 | place g1 | 2.0 run").wait(1.0);
    scene.assume("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 3").game("d2d4");
    let outcome = scene.end();
    outcome.expect("e4 e5 d4", &[]);
    assert_eq!(outcome.audit(r#""what":"revision""#), 1);
}

#[test]
fn s067_players_take_back_with_the_clock_running() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5 d2d4 e5d4").wait(1.0);
    scene.hands("lift d4 | 1.6 place e5 | 1.6 place d2 P").wait(8.0);
    let outcome = scene.run();
    outcome.expect("e4 e5 d4 exd4", &["position_differs"]);
    assert_eq!(outcome.audit(r#""what":"revision""#), 0, "the list is not cut");
}

#[test]
fn s067_players_of_a_casual_game_take_back() {
    let casual = || {
        let mut scene = Scene::running();
        scene.config.casual = true;
        scene
    };
    let mut scene = casual();
    scene.game("e2e4 e7e5 d2d4 e5d4").wait(1.0);
    scene.hands("lift d4 | 1.6 place e5 | 1.6 place d2 P").wait(8.0);
    let outcome = scene.run();
    outcome.expect("e4 e5", &[]);
    let cuts = |outcome: &Outcome| outcome.audit(r#""what":"revision","from_ply":3,"cause":"take_back","moves":[]"#);
    assert_eq!(cuts(&outcome), 1, "the list is cut once");
    // The game goes on from there.
    scene
        .assume("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
        .game("g1f3 b8c6")
        .end()
        .expect("e4 e5 Nf3 Nc6", &[]);
    // The clocks are stopped, and one move is taken back, which looks like a second move of the same side.
    let mut scene = casual();
    scene.game("e2e4 e7e5 g1f3").act("stop").wait(1.0).hands("lift f3 | 0.5 place g1").wait(6.0);
    let outcome = scene.run();
    outcome.expect("e4 e5", &[]);
    assert_eq!(cuts(&outcome), 1);
    // A man that is lifted for long and put back takes nothing back, and moves to and fro are moves.
    let mut scene = casual();
    scene.game("g1f3 g8f6").hands("0.5 lift f3 | 3.0 place f3").game("f3g1 f6g8");
    let outcome = scene.end();
    outcome.expect("Nf3 Nf6 Ng1 Ng8", &[]);
    assert_eq!(outcome.audit(r#""what":"revision""#), 0);
}

#[test]
fn s068_the_kings_show_the_result() {
    let mut scene = Scene::running();
    scene.game("g1f3 g8f6").hands("1.0 stop | 1.0 lift e1 | 0.5 place e4 | 0.8 lift e8 | 0.5 place d5");
    let outcome = scene.wait(8.0).run();
    outcome.expect("Nf3 Nf6", &["kings_in_centre(white)"]);
    let hints = outcome.state().hints;
    assert_eq!((hints.len(), hints[0].result, outcome.state().stage), (1, GameResult::WhiteWins, Stage::Over));
    assert!(outcome.shows("kings_in_centre"));
}

const ENDGAME: &str = "8/8/5k2/8/8/4K3/P6p/8 w - - 0 1";

#[test]
fn s069_a_gesture_that_looks_like_a_move() {
    let mut scene = Scene::from(ENDGAME);
    scene.hands("lift e3 | 0.4 place e4 | 2.0 lift f6 | 0.5 place d5").wait(25.0);
    let outcome = scene.run();
    outcome.expect("", &["kings_in_centre(white)"]);
    assert_eq!((outcome.state().hints.len(), outcome.state().stage), (1, Stage::Over));
    // The same happens after the clocks were stopped.
    let mut scene = Scene::from(ENDGAME);
    scene.hands("stop | 1.0 lift e3 | 0.4 place e4 | 2.0 lift f6 | 0.5 place d5").wait(10.0);
    scene.run().expect("", &["kings_in_centre(white)"]);
}

#[test]
fn s070_a_king_goes_to_the_centre_and_the_game_goes_on() {
    let mut scene = Scene::from(ENDGAME);
    scene.hands("lift e3 | 0.4 place e4 | 0.5 press left").played("e3e4").wait(2.0);
    scene.run().expect("Ke4", &[]);
    let outcome = scene.game("f6e6 a2a4").end();
    outcome.expect("Ke4 Ke6 a4", &[]);
    assert_eq!(outcome.state().hints.len(), 0);
}

#[test]
fn s071_analysis_after_the_game() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7").wait(2.0).act("stop").wait(2.0);
    // The players take two moves back and play others.
    scene.hands("lift f7 | place h5 | 0.8 place f7 p | 0.8 lift f6 | place g8 | 1.0 lift g7 | place g6 | 1.0 lift h5 | place f3");
    scene.hands("1.0 lift g8 | place f6 | 1.0 lift b1 | place c3 | 1.0 lift f8 | place g7").wait(6.0);
    let outcome = scene.run();
    outcome.expect("e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#", &[]);
    assert_eq!(outcome.state().stage, Stage::Over);
}

/// The clocks are stopped, and the men are put back without a sign. Some of them look like moves.
#[test]
fn men_that_are_put_back_after_the_clocks_were_stopped_make_no_moves() {
    for back in ["b5f1 c6b8 e4e2 f3g1 e5e7 a6a7", "f3g1 c6b8 b5f1 a6a7 e5e7 e4e2", "f3g1 c6b8 e4e2 e5e7 a6a7 b5f1"] {
        for seconds in [1.2, 2.5] {
            let mut scene = Scene::running();
            // The last move is not pressed, and its player resigns.
            scene.game("e2e4 e7e5 g1f3 b8c6 f1b5").make("a7a6").wait(1.0).act("stop").wait(3.0);
            for uci in back.split(' ') {
                scene.wait(seconds).act(&format!("move {} {}", &uci[..2], &uci[2..]));
            }
            let outcome = scene.wait(9.0).run();
            let all = "e4 e5 Nf3 Nc6 Bb5 a6";
            assert_eq!((outcome.shown_live(1).as_str(), outcome.shown_arbiter(1).as_str()), (all, all), "{back}, {seconds} s");
            assert_eq!((outcome.state().game_no, outcome.state().stage), (2, Stage::Armed), "{back}, {seconds} s");
        }
    }
}

/// The men go home by legal moves: each position on the way is explained. The last move before the stop was not pressed.
#[test]
fn men_that_go_home_by_legal_moves_after_the_clocks_were_stopped_make_no_moves() {
    for back in ["f3g1 f6g8 c3b1 c6b8", "c3b1 c6b8 f3g1 f6g8", "f3g1 c3b1 f6g8 c6b8", "c6b8 c3b1 f6g8 f3g1"] {
        let mut scene = Scene::running();
        scene.game("g1f3 g8f6 b1c3").make("b8c6").wait(1.0).act("stop").wait(3.0);
        for uci in back.split(' ') {
            scene.wait(2.5).act(&format!("move {} {}", &uci[..2], &uci[2..]));
        }
        let outcome = scene.wait(9.0).run();
        let all = "Nf3 Nf6 Nc3 Nc6";
        assert_eq!((outcome.shown_live(1).as_str(), outcome.shown_arbiter(1).as_str()), (all, all), "{back}");
        assert_eq!((outcome.state().game_no, outcome.state().stage), (2, Stage::Armed), "{back}");
    }
}

/// What happens meanwhile changes nothing: the board is not heard for a while, or somebody tries the clock.
#[test]
fn a_link_that_blinks_and_a_clock_that_is_tried_do_not_stop_the_clocks_anew() {
    for tried in [false, true] {
        let mut scene = Scene::running();
        scene.game("g1f3 g8f6 b1c3 b8c6").act("stop").wait(3.0);
        for (index, uci) in ["f3g1", "f6g8", "c3b1", "c6b8"].into_iter().enumerate() {
            scene.wait(2.5).act(&format!("move {} {}", &uci[..2], &uci[2..]));
            if index == 1 && tried {
                scene.wait(2.0).act("run").wait(1.5).act("stop");
            } else if index == 1 {
                let now = scene.now;
                scene.away(now + 1.0, 4.0).wait(6.0);
            }
        }
        let outcome = scene.wait(9.0).run();
        let all = "Nf3 Nf6 Nc3 Nc6";
        assert_eq!((outcome.shown_live(1).as_str(), outcome.shown_arbiter(1).as_str()), (all, all), "{tried}");
        assert_eq!((outcome.state().game_no, outcome.state().stage), (2, Stage::Armed), "{tried}");
    }
}

/// In a casual game the men are set up for the next one: no moves are taken back.
#[test]
fn the_next_set_up_takes_no_casual_game_back() {
    let mut scene = Scene::running();
    scene.config.casual = true;
    let all = "e4 e5 Nf3 Nc6 Bc4 Bc5";
    scene.game("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5").act("stop").wait(8.0);
    scene.act("board rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR").wait(12.0);
    let outcome = scene.run();
    assert_eq!((outcome.shown_live(1).as_str(), outcome.state().game_no), (all, 2));
}

/// The clocks are stopped for a while, and a move is made before they run again.
#[test]
fn a_move_while_the_clocks_are_stopped_stays_if_play_goes_on() {
    let mut scene = Scene::running();
    scene.game("g1f3 g8f6").act("stop").wait(2.0).make("b1c3").wait(3.0).act("run").wait(1.0).press(true).game("b8c6 c3b1");
    scene.end().expect("Nf3 Nf6 Nc3 Nc6 Nb1", &[]);
}

/// With a clock, a king passes a square of the centre, and the players correct what they have shown.
#[test]
fn a_shown_result_is_followed() {
    for (kings, shown) in [
        ("lift f6 | 0.4 place e5 | 1.0 lift e3 | 0.4 place e4 | 1.0 lift e4 | 0.3 place d4", [GameResult::BlackWins].as_slice()),
        ("lift e3 | 0.4 place e4 | 1.0 lift f6 | 0.5 place d5 | 6.0 lift d5 | 0.5 place e5", &[GameResult::Draw]),
        ("lift e3 | 0.4 place e4 | 1.0 lift f6 | 0.5 place d5 | 0.5 lift d5 | 0.5 place f6", &[]),
    ] {
        let mut scene = Scene::from(ENDGAME);
        scene.hands("1.0 stop").wait(2.0).hands(kings).wait(5.0);
        let outcome = scene.run();
        let hints: Vec<_> = outcome.state().hints.iter().map(|hint| hint.result).collect();
        assert_eq!((hints.as_slice(), outcome.sans().as_str()), (shown, ""), "{kings}");
    }
    // An arbiter has decided.
    let mut scene = Scene::from(ENDGAME);
    scene.hands("1.0 stop | 1.0 lift e3 | 0.4 place e4 | 1.0 lift f6 | 0.5 place d5").wait(4.0);
    scene.command(r#"{"verb":"declare-result","result":"1-0"}"#).wait(1.0).hands("lift d5 | 0.5 place e5").wait(5.0);
    let state = scene.run().state();
    assert_eq!((state.hints.len(), state.hints[0].result, state.result), (1, GameResult::WhiteWins, Some(GameResult::WhiteWins)));
}
