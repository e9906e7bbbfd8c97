//! Scenarios 28-30, 32, 33: men touched and put back, and what is known of it (4.2, 4.3).

use crate::scene::Scene;

#[test]
fn s028_touched_in_the_own_time() {
    let mut scene = Scene::running();
    let outcome = scene.hands("lift g1 | 0.8 place g1").end();
    outcome.expect("", &[]);
    assert_eq!(outcome.fact("touched"), 1, "4.3");
    scene.game("e2e4").end().expect("e4", &[]);
}

#[test]
fn s029_adjusted_in_the_opponents_time() {
    let mut scene = Scene::running();
    scene.game("b1c3");
    scene.hands("lift c3 | 1.0 place c3").end().expect("Nc3", &[]);
    scene.game("e7e5").end().expect("Nc3 e5", &[]);
}

#[test]
fn s030_adjusted_while_the_opponent_moves() {
    let mut scene = Scene::running();
    scene.game("b1c3").wait(1.0);
    let outcome = scene.hands("lift c3 ; drop | lift e7 | place e5 | place c3 N | 0.4 press right").end();
    outcome.expect("Nc3 e5", &[]);
    let mut scene = Scene::running();
    scene.game("b1c3").wait(1.0);
    let outcome = scene.hands("lift c3 ; drop | lift e7 | place e5 | 0.4 press right | 0.8 place c3 N").end();
    outcome.expect("Nc3 e5", &[]);
}

#[test]
fn s032_another_square_before_the_press() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5");
    let outcome = scene.hands("lift f1 | 0.4 place d3 | 0.9 lift d3 | 0.4 place e2 | 0.5 press left").end();
    outcome.expect("e4 e5 Be2", &[]);
    assert_eq!(outcome.fact("stood"), 1, "how long it stood on d3 is for the arbiter (4.7)");
}

#[test]
fn s033_another_man_touched_first() {
    let outcome = Scene::running().hands("lift b1 | 0.6 place b1 | 0.5 lift g1 | 0.4 place f3 | 0.5 press left").end();
    outcome.expect("Nf3", &[]);
    assert_eq!(outcome.fact("touched"), 1, "b1 (4.3)");
}
