//! Scenarios 21, 22, 24-27: promotion; scenario 23 is among the irregular presses, 78 among the boards that see no pieces.

use crate::scenarios::reports::Reports;
use crate::scene::Scene;

const PAWN: &str = "8/4P3/k7/7p/7P/8/8/4K3 w - - 0 1";

#[test]
fn s021_the_queen_is_put_on_the_square() {
    let outcome = Scene::from(PAWN).hands("lift e7 ; drop | 0.6 place e8 Q | 0.5 press left").end();
    outcome.expect("e8=Q", &[]).nothing_of_the_hands();
    Reports::from(PAWN).report("e7:- | e8:Q | WP").run_at_dgt_board().expect("e8=Q", &[]);
    Reports::from(PAWN).report("e8:Q | e7:- | WP").run_at_dgt_board().expect("e8=Q", &[]);
}

#[test]
fn s022_the_pawn_first() {
    Scene::from(PAWN)
        .hands("lift e7 | place e8 | 2.0 lift e8 ; drop | 0.5 place e8 Q | 0.5 press left")
        .end()
        .expect("e8=Q", &[]);
    Reports::from(PAWN).report("e7:- | e8:P | 2.0 e8:- | e8:Q | WP").run_at_dgt_board().expect("e8=Q", &[]);
}

#[test]
fn s024_an_inverted_rook_is_a_rook() {
    Scene::from(PAWN).hands("lift e7 ; drop | 0.6 place e8 R | 0.5 press left").end().expect("e8=R", &[]);
}

#[test]
fn s025_with_a_capture() {
    let fen = "3r4/4P3/k7/7p/7P/8/8/4K3 w - - 0 1";
    let mut scene = Scene::from(fen);
    scene.hands("lift d8 ; drop | 0.4 lift e7 ; drop | 0.5 place d8 Q | 0.5 press left").end().expect("exd8=Q", &[]);
    Reports::from(fen).report("d8:- | e7:- | d8:Q | WP").run_at_dgt_board().expect("exd8=Q", &[]);
    Reports::from(fen).report("e7:- | d8:P | d8:- | d8:Q | WP").run_at_dgt_board().expect("exd8=Q", &[]);
}

#[test]
fn s026_a_knight() {
    Scene::from(PAWN).hands("lift e7 ; drop | 0.6 place e8 N | 0.5 press left").end().expect("e8=N", &[]);
}

#[test]
fn s027_the_queen_is_fetched_slowly() {
    let outcome = Scene::from(PAWN).hands("lift e7 ; drop | 8.0 place e8 Q | 0.5 press left").end();
    outcome.allow("e8=Q", &[], &["piece_in_hand(white)"]);
    assert!(outcome.state().alarms.is_empty(), "no alarm stays open");
}
