//! Scenarios 58, 59, 72, 73, 79: the set-up of a game, and positions that are no game of this board.

use flagfall::wire::outcome::GameResult;
use flagfall::wire::state::Stage;

use crate::scene::{Outcome, Scene};

const INITIAL: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

#[test]
fn s058_the_board_turned_round() {
    let mut scene = Scene::five_and_five().rotated();
    scene.act("run").wait(1.0).game("e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1g1 g8f6");
    let outcome = scene.end();
    outcome.expect("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6", &[]);
    assert!(outcome.state().rotated);
    assert_eq!(outcome.pressed(), 8);
}

#[test]
fn s059_king_and_queen_exchanged() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w kq - 0 1";
    let mut scene = Scene::five_and_five().standing(fen);
    scene.act("run").wait(2.0);
    let outcome = scene.run();
    assert_eq!(outcome.alarms(), ["wrong_set_up"]);
    assert_eq!(outcome.state().alarms[0].squares, ["d1", "e1"]);
    scene.game("e2e4 e7e5 e1e3 d7d6").end().expect("e4 e5 Qe3 d6", &["wrong_set_up"]);
}

fn swept_off(scene: &mut Scene) {
    scene.act("board 8/8/8/8/8/8/8/8").wait(3.0);
    for half in ["8/8/8/8/8/8/PPPPPPPP/RNBQKBNR", "8/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", INITIAL] {
        scene.act(&format!("board {half}")).wait(2.0);
    }
    scene.act("set left 0:05:05 right 0:05:05").wait(5.0);
    scene.assume(&format!("{INITIAL} w KQkq - 0 1"));
}

#[test]
fn s072_swept_off_and_set_up_again() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").act("stop").wait(1.0);
    scene.command(r#"{"verb":"declare-result","result":"1-0"}"#).wait(1.0);
    let over = scene.run();
    assert_eq!((over.state().stage, over.state().result), (Stage::Over, Some(GameResult::WhiteWins)));
    swept_off(&mut scene);
    let armed = scene.run();
    assert_eq!((armed.state().stage, armed.state().game_no, armed.sans()), (Stage::Armed, 2, String::new()));
    let outcome = scene.act("run").wait(1.0).game("d2d4 d7d5").end();
    outcome.expect("d4 d5", &[]);
    assert_eq!((outcome.state().game_no, sure_moves(&outcome)), (2, 4));
}

/// The number of sure moves that were published, of all games.
fn sure_moves(outcome: &Outcome) -> usize {
    let told = |topic: &str| topic.contains("/arbiter/") && topic.ends_with("/move");
    outcome.messages.iter().filter(|message| message.number > 0 && told(&message.topic)).count()
}

#[test]
fn s073_the_next_game_is_set_up_early() {
    let mut scene = Scene::running();
    scene.game("e2e4 e7e5").act("stop").wait(1.0);
    swept_off(&mut scene);
    let armed = scene.run();
    assert_eq!((armed.state().stage, armed.state().game_no, armed.audit("left_open")), (Stage::Armed, 2, 1));
    let outcome = scene.act("run").wait(1.0).game("d2d4 d7d5").end();
    outcome.expect("d4 d5", &["result_missing"]);
    assert_eq!(outcome.state().result, None);
}

/// The alarms that are allowed if a board shows another game after its link was lost.
const OF_A_GAP: [&str; 5] = ["board_lost", "clock_lost", "link_gap", "unreachable", "pieces_displaced"];

#[test]
fn s079_the_cables_of_two_boards_are_swapped() {
    let games = [("e2e4 e7e5", "e4 e5"), ("d2d4 d7d5 c2c4 e7e6", "d4 d5 c4 e6")];
    let boards = ["rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR", "rnbqkbnr/ppp2ppp/4p3/3p4/2PP4/8/PP2PPPP/RNBQKBNR"];
    for ((moves, sans), other) in games.into_iter().zip([boards[1], boards[0]]) {
        let mut scene = Scene::running();
        scene.game(moves).link(false).wait(1.0).act(&format!("board {other}")).wait(1.0).link(true).wait(9.0);
        scene.run().allow(sans, &["position_differs"], &OF_A_GAP);
        // The other game goes on.
        scene.hands("lift g1 | 0.4 place f3 | 0.5 press left").wait(2.0);
        scene.hands("lift b8 | 0.4 place c6 | 0.5 press right").wait(8.0);
        scene.run().allow(sans, &["position_differs"], &OF_A_GAP);
    }
}
