//! Scenarios 28-30, 32, 33: men that are touched and put back, and the facts about it (4.2, 4.3).

use crate::scenarios::reports::Reports;
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
    assert_eq!(outcome.fact("stood"), 1, "the arbiter decides about the time on d3 (4.7)");
}

#[test]
fn s033_another_man_touched_first() {
    let outcome = Scene::running().hands("lift b1 | 0.6 place b1 | 0.5 lift g1 | 0.4 place f3 | 0.5 press left").end();
    outcome.expect("Nf3", &[]);
    assert_eq!(outcome.fact("touched"), 1, "b1 (4.3)");
}

/// Two pawns of one side are lifted, and the clock is pressed to and fro: White's pawn, which could have captured one and been captured
/// by the other, has not left its square. White's press is called illegal, as always when a pawn is off the board for long.
#[test]
fn two_men_lifted_are_no_exchange_while_the_third_stands() {
    let fen = "4k3/7p/4p3/5p2/6P1/8/7P/4K3 w - - 0 1";
    for (back, alarms) in [(1.0, &[][..]), (3.0, &["illegal_move(white)"]), (3.5, &["illegal_move(white)"])] {
        let reports =
            Reports::from(fen).report("e6:- | 0.9 WP | 0.15 f5:- | 0.1 BP | 0.25 f5:p").wait(back).report("e6:p").wait(3.0);
        reports.report("h2:- | h3:P | 0.5 WP").run_at_dgt_board().expect("h3", alarms);
    }
    let mut scene = Scene::from(fen);
    scene.hands("lift e6 | 0.9 press left | 0.15 lift f5 | 0.1 press right | 0.25 place f5 p | 3.0 place e6 p");
    scene.end().expect("", &["illegal_move(white)"]);
}

/// Here White's pawn captured and was captured, and its square is the last or the last but one in the scan.
#[test]
fn an_exchange_is_believed_when_the_first_square_is_empty() {
    let fen = "4k3/7p/4p3/5p2/6P1/8/7P/4K3 w - - 0 1";
    let outcome = Reports::from(fen).report("e6:- | 0.1 WP | 0.05 f5:- | 0.05 BP | 0.05 g4:- | 0.2 f5:p").run_at_dgt_board();
    outcome.expect("gxf5 exf5", &[]);
    let outcome = Reports::from(fen).report("e6:- | 0.1 WP | 0.05 f5:- | 0.05 BP | 0.05 f5:p | 0.05 g4:-").run_at_dgt_board();
    outcome.expect("gxf5 exf5", &[]);
}
