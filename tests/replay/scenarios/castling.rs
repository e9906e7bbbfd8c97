//! Scenarios 14-18, 20, 103: castling in every order of king and rook; scenario 19 is among the irregular presses.

use crate::scene::Scene;

const OPENING: &str = "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5";
const OPENED: &str = "e4 e5 Nf3 Nc6 Bc4 Bc5";

/// Both players may castle, and White is to move.
fn opened() -> Scene {
    let mut scene = Scene::running();
    scene.game(OPENING);
    scene
}

#[test]
fn s014_the_king_first() {
    let outcome = opened().hands("lift e1 | 0.3 place g1 | 0.4 lift h1 | 0.3 place f1 | 0.4 press left").end();
    outcome.expect(&format!("{OPENED} O-O"), &[]).nothing_of_the_hands();
}

#[test]
fn s015_the_rook_first() {
    let outcome = opened().hands("lift h1 | 0.3 place f1 | 0.4 lift e1 | 0.3 place g1 | 0.4 press left").end();
    outcome.expect(&format!("{OPENED} O-O"), &[]);
    assert_eq!((outcome.fact("rook_first"), outcome.fact("two_hands")), (1, 0), "4.4.2");
}

#[test]
fn s016_the_rook_first_and_the_opponent_lifts_early() {
    let mut scene = opened();
    scene.hands(
        "lift h1 | 0.3 place f1 | 0.4 lift e1 | lift d7 ; drop | place g1 | 0.4 press left | 0.3 place d6 p | 0.5 press right",
    );
    scene.end().expect(&format!("{OPENED} O-O d6"), &[]);
}

/// The knight stands on its new square before the king has moved.
#[test]
fn the_rook_first_and_a_whole_reply_before_the_king() {
    let mut scene = opened();
    scene.hands(
        "lift h1 | 0.3 place f1 | 0.4 lift g8 | 0.3 place f6 | 0.6 lift e1 | 0.3 place g1 | 0.4 press left | 0.5 press right",
    );
    scene.end().expect(&format!("{OPENED} O-O Nf6"), &[]);
}

#[test]
fn the_king_first_and_a_whole_reply_before_the_rook() {
    let mut scene = opened();
    scene.hands(
        "lift e1 | 0.3 place g1 | 0.4 lift g8 | 0.3 place f6 | 0.6 lift h1 | 0.3 place f1 | 0.4 press left | 0.5 press right",
    );
    scene.end().expect(&format!("{OPENED} O-O Nf6"), &[]);
}

#[test]
fn s017_with_two_hands() {
    let outcome = opened().hands("lift e1 ; lift h1 | 0.5 place f1 ; place g1 | 0.4 press left").end();
    outcome.expect(&format!("{OPENED} O-O"), &[]);
    assert_eq!(outcome.fact("two_hands"), 1, "7.5.4");
}

#[test]
fn s018_the_rook_alone() {
    let mut scene = opened();
    let outcome = scene.hands("lift h1 | 0.3 place f1 | 0.4 press left").end();
    outcome.expect(&format!("{OPENED} Rf1"), &[]);
    assert_eq!(outcome.fact("rook_first"), 0, "it is not castling");
    scene.played("h1f1").game("g8f6").end().expect(&format!("{OPENED} Rf1 Nf6"), &[]);
}

#[test]
fn s020_the_king_has_moved_before() {
    let mut scene = opened();
    scene.game("e1e2 a7a6 e2e1 a6a5");
    scene.hands("lift e1 | 0.3 place g1 | 0.4 lift h1 | 0.3 place f1 | 0.4 press left");
    let outcome = scene.end();
    outcome.expect(&format!("{OPENED} Ke2 a6 Ke1 a5"), &["illegal_move(white)"]);
    assert_eq!(outcome.state().alarms[0].squares, ["e1", "f1", "g1", "h1"]);
}

/// Placements of king and rook, and hand motions for castling.
const CHESS960: [(&str, &str); 3] = [
    ("5K1R", "lift f1 | 6.0 lift h1 | 0.4 place f1 | 0.3 place g1 K | 0.4 press left"),
    ("4KR2", "lift e1 | 0.4 place g1 | 0.4 press left"),
    ("6KR", "lift h1 | 0.4 place f1 | 0.4 press left"),
];

#[test]
fn s103_castling_from_other_squares() {
    for (home, motions) in CHESS960 {
        let placement = format!("4k3/pppppppp/8/8/8/8/PPPPPPPP/{home}");
        let mut scene = Scene::five_and_five().standing(&format!("{placement} w - - 0 1"));
        scene.config.chess960 = true;
        let rook = if home == "4KR2" { "F" } else { "H" };
        let outcome = scene.begin(&format!("{placement} w {rook} - 0 1")).hands(motions).end();
        outcome.allow("O-O", &[], if home == "5K1R" { &["piece_in_hand(white)"] } else { &[] });
    }
}
