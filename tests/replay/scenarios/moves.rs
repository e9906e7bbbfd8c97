//! Scenarios 1-7, 31, 74, 75: plain moves, slides, and positions that come again.

use flagfall_game::laws::claim::Ground::Repetition;
use flagfall_game::laws::claims::Checked;
use flagfall_protocols::square::Color::White;

use crate::scenarios::reports::Reports;
use crate::scene::Scene;

#[test]
fn s001_lifted_and_put_down() {
    let outcome = Scene::running().hands("lift e2 | place e4 | 0.5 press left").end();
    outcome.expect("e4", &[]).nothing_of_the_hands();
    let played = &outcome.state().moves[0];
    assert!(played.made_at[1] <= played.pressed_at.expect("a press")[1], "made before pressed");
    assert_eq!((outcome.how(0).as_str(), outcome.pressed()), ("press", 1));
    Reports::new().report("e2:- | e4:P | WP").run_at_dgt_board().expect("e4", &[]);
}

#[test]
fn s002_the_new_square_is_reported_first() {
    Reports::new().report("e4:P | e2:- | WP").run_at_dgt_board().expect("e4", &[]).nothing_of_the_hands();
    Reports::new().report("e4:P ; e2:- | WP").run_at_dgt_board().expect("e4", &[]);
}

#[test]
fn s003_both_squares_in_one_scan() {
    Reports::new().report("~e4:P ; dump | ~e2:- ; dump | WP").run_at_dgt_board().expect("e4", &[]);
}

#[test]
fn s004_slid_through() {
    Reports::new().report("e3:P | e2:- | e4:P | e3:- | WP").run_at_dgt_board().expect("e4", &[]);
    Reports::new().report("e3:P | 0.05 e2:- | 0.05 e4:P | 0.05 e3:- | 0.1 WP").run_at_dgt_board().expect("e4", &[]);
    for phase in [0.0, 0.05, 0.1, 0.15, 0.2] {
        Scene::running().scan_phase(phase).hands("slide e2 e4 0.3 | 0.6 press left").end().expect("e4", &[]);
    }
}

#[test]
fn s005_slid_with_a_pause() {
    Reports::new().report("e2:- | e3:P | 0.8 e4:P | e3:- | WP").run_at_dgt_board().expect("e4", &[]);
    for phase in [0.0, 0.05, 0.1, 0.15, 0.2] {
        let mut scene = Scene::running().scan_phase(phase);
        scene.hands("slide e2 e3 0.1 | 0.9 slide e3 e4 0.1 | 0.4 press left").end().expect("e4", &[]);
    }
}

#[test]
fn s006_slid_and_pressed_where_it_stopped() {
    Reports::new().report("e2:- | e3:P | WP").run_at_dgt_board().expect("e3", &[]);
    Scene::running().hands("slide e2 e3 0.1 | 0.9 press left").end().expect("e3", &[]);
}

#[test]
fn s007_a_long_slide_of_a_rook() {
    let fen = "r3k3/7p/8/8/8/8/7P/R3K3 w - - 0 1";
    let slide = "a2:R | a1:- | a3:R | a2:- | a5:R | a3:- | a6:R | a5:- | a8:R | a6:- | WP";
    Reports::from(fen).report(slide).run_at_dgt_board().expect("Rxa8+", &[]);
    Scene::from(fen).hands("slide a1 a8 1.2 | 1.7 press left").end().expect("Rxa8+", &[]);
}

#[test]
fn s031_put_in_the_middle_of_its_square_after_the_press() {
    let mut scene = Scene::running();
    scene.hands("lift e2 | place e4 | 0.5 press left | 0.8 lift e4 | 0.7 place e4").played("e2e4").wait(2.0);
    scene.run().expect("e4", &[]);
    scene.game("e7e5").end().expect("e4 e5", &[]);
}

#[test]
fn s074_a_quick_repetition() {
    let mut scene = Scene::running();
    for (index, uci) in ["g1f3", "g8f6", "f3g1", "f6g8", "g1f3", "g8f6", "f3g1", "f6g8"].into_iter().enumerate() {
        let press = if index % 2 == 0 { "left" } else { "right" };
        scene.hands(&format!("0.5 lift {} | 0.3 place {} | 0.4 press {press}", &uci[..2], &uci[2..]));
        if index == 3 {
            let twice = scene.run();
            assert_eq!(twice.station.game().check_claim(White, Repetition, None), Ok(Checked::Incorrect));
        }
    }
    let outcome = scene.end();
    outcome.expect("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8", &[]);
    assert_eq!(outcome.pressed(), 8);
    assert_eq!(outcome.station.game().check_claim(White, Repetition, None), Ok(Checked::Correct), "the third time (9.2.2)");
}

/// After the eighth ply the board shows the same position as after the fourth, and later the initial position.
#[test]
fn s075_an_earlier_position_by_other_moves() {
    let mut scene = Scene::running();
    scene.game("g1f3 g8f6 b1c3 b8c6 c3b1 c6b8 b1c3 b8c6").wait(8.0);
    let there = "Nf3 Nf6 Nc3 Nc6 Nb1 Nb8 Nc3 Nc6";
    scene.run().expect(there, &[]);
    scene.game("f3g1 f6g8 c3b1 c6b8").wait(8.0);
    let outcome = scene.game("e2e4 e7e5").end();
    outcome.expect(&format!("{there} Ng1 Ng8 Nb1 Nb8 e4 e5"), &[]);
    assert_eq!((outcome.audit("revision"), outcome.state().game_no), (0, 1), "nothing is taken back");
}

/// Two pawns pause on the squares that they pass, at the same time. Two presses belong to two moves.
#[test]
fn two_slides_at_the_same_time_are_two_moves() {
    let mut scene = Scene::running();
    scene.hands("lift d2 ; drop | 0.1 place d3 P | 0.5 lift g7 ; drop | 0.1 place g6 p | 0.3 lift d3 ; drop | 0.1 place d4 P");
    scene.hands("0.2 press left | 0.3 lift g6 ; drop | 0.1 place g5 p | 0.2 press right");
    scene.end().expect("d4 g5", &[]);
}
