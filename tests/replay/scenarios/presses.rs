//! Scenarios 44-48: illegal moves, pressed and not; scenarios 42 and 43 are among the irregular presses.

use flagfall::wire::alarm::AlertBody;

use crate::scene::Scene;
use crate::scene::outcome::word;

#[test]
fn s044_pressed_and_then_corrected() {
    let mut scene = Scene::running();
    scene.hands("lift f1 | 0.4 place b5 | 0.5 press left").wait(3.0);
    scene.hands("stop | 1.0 lift b5 | 0.5 place f1 | 1.0 press right | 1.0 run").wait(1.0).game("e2e4");
    let outcome = scene.end();
    outcome.expect("e4", &["illegal_move(white)"]);
    let alarm = AlertBody::from(&outcome.station.game().alarms()[0]);
    assert_eq!(
        (alarm.squares.as_slice(), word(&alarm.status).as_str()),
        (&["f1".to_owned(), "b5".to_owned()][..], "corrected_on_board")
    );
    assert!(outcome.audit("illegal_move") >= 2, "the record keeps it, and its correction");
}

#[test]
fn s045_corrected_before_the_press() {
    let mut scene = Scene::running();
    scene.hands("lift f1 | 0.4 place b5 | 1.0 lift b5 | 0.4 place f1 | 0.5 lift e2 | 0.4 place e4 | 0.5 press left");
    scene.end().expect("e4", &[]);
}

#[test]
fn s046_a_king_left_in_check() {
    let mut scene = Scene::from("4r1k1/7p/8/8/8/8/4B2P/4K3 w - - 0 1");
    let outcome = scene.hands("lift e2 | 0.4 place d3 | 0.5 press left").end();
    outcome.expect("", &["illegal_move(white)"]);
    assert_eq!(outcome.state().alarms[0].squares, ["e2", "d3"]);
}

#[test]
fn s047_an_own_man_is_captured() {
    let outcome = Scene::running().hands("lift e2 ; drop | 0.3 lift g1 | 0.4 place e2 | 0.5 press left").end();
    outcome.expect("", &["illegal_move(white)"]);
    assert_eq!(outcome.state().alarms[0].squares, ["g1", "e2"]);
}

#[test]
fn s048_two_moves_in_a_row() {
    let mut scene = Scene::running();
    scene.game("e2e4").hands("1.0 lift d2 | 0.4 place d4 | 0.5 press left");
    let outcome = scene.end();
    outcome.expect("e4", &["moved_by_wrong_side(white)"]);
    let outcome = scene.hands("lift d4 | 0.4 place d2").game("e7e5").end();
    outcome.expect("e4 e5", &["moved_by_wrong_side(white)"]);
    assert!(outcome.state().alarms.is_empty(), "and cured");
}
