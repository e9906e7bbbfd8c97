//! Scenarios 34-36: men that are knocked over (7.4).

use crate::scene::Scene;

const NEIGHBOUR: &str = "4k3/7p/8/8/1P6/8/7P/R3K3 w - - 0 1";

#[test]
fn s034_a_neighbour_is_knocked_over_and_put_back() {
    let mut scene = Scene::from(NEIGHBOUR);
    scene.hands("lift a1 | 0.4 place a4 ; lift b4 ; drop | 3.0 place b4 P | 0.5 press left").end().expect("Ra4", &[]);
}

#[test]
fn s035_put_back_in_the_opponents_time() {
    let mut scene = Scene::from(NEIGHBOUR);
    scene.hands("lift a1 | 0.4 place a4 ; lift b4 ; drop | 0.5 press left | 3.0 place b4 P").end().expect("Ra4", &[]);
}

#[test]
fn s035_left_lying_for_more_than_five_seconds() {
    let mut scene = Scene::from(NEIGHBOUR);
    scene.hands("lift a1 | 0.4 place a4 ; lift b4 ; drop | 0.5 press left | 8.0 place b4 P");
    let outcome = scene.end();
    outcome.expect("Ra4", &["position_differs"]);
    assert!(outcome.state().alarms.is_empty(), "and cured");
}

#[test]
fn s036_several_are_knocked_over() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").wait(1.0);
    scene.hands("lift c2 ; drop ; lift d1 ; drop | lift f1 ; drop | 3.0 stop");
    scene.hands("5.0 place d1 Q | 2.0 place c2 P | 2.0 place f1 B | 2.0 run").wait(1.0);
    scene.run().expect("e4 e5", &["pieces_displaced"]);
    let outcome = scene.game("g1f3 b8c6").end();
    outcome.expect("e4 e5 Nf3 Nc6", &["pieces_displaced"]);
    assert!(outcome.state().alarms.is_empty(), "the game follows the board again");
}

/// Men that fall stand up on other squares, to which they could have moved.
#[test]
fn s036_several_are_knocked_over_and_come_to_stand_elsewhere() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").wait(1.0);
    scene.hands("lift c2 ; drop ; place c3 P ; lift d1 ; drop | lift f1 ; drop ; place d3 B | lift g1 ; drop | 3.0 stop");
    scene.hands("4.0 place d1 Q | 2.0 lift c3 | place c2 | 2.0 lift d3 | place f1 | 1.0 place g1 N | 2.0 run").wait(1.0);
    scene.run().expect("e4 e5", &["pieces_displaced"]);
    let outcome = scene.game("g1f3 b8c6").end();
    outcome.expect("e4 e5 Nf3 Nc6", &["pieces_displaced"]);
    assert!(outcome.state().alarms.is_empty(), "the game follows the board again");
}

/// A displaced king is in a hand for a moment when it is put back.
#[test]
fn s036_a_king_is_put_back() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").wait(1.0);
    scene.hands("lift e8 | 0.3 place d6 | 15.0 lift d6 | 1.0 place e8");
    scene.game("g1f3").end().expect("e4 e5 Nf3", &["position_differs"]);
}
