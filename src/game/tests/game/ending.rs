//! The end of a game: analysis, gestures, the next set-up, and things that only look like them.

use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::square::{Piece, Placement, Reading, Square};

use crate::desk::Desk;

/// Scenario 74 to its end: the initial position comes again by legal moves, and stands.
#[test]
fn knights_back_at_home_are_no_new_game() {
    let mut desk = Desk::started("300");
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"] {
        desk.play(uci);
    }
    desk.wait(8.0);
    desk.clock.running = false;
    desk.report().wait(20.0);
    assert_eq!((desk.game.number(), desk.moves().len(), desk.alarms().len()), (1, 4, 0));
    desk.clock.running = true;
    desk.report().play("e2e4");
    assert_eq!((desk.game.number(), desk.moves().len()), (1, 5));
}

/// The last knight is at home, but its move was not pressed before the clocks were stopped.
#[test]
fn knights_back_at_home_before_the_last_press_are_no_new_game() {
    let mut desk = Desk::started("300");
    desk.play("g1f3").play("g8f6").play("f3g1").make("f6g8").wait(1.0);
    desk.clock.running = false;
    desk.report().wait(20.0);
    assert_eq!((desk.game.number(), desk.moves().len(), desk.state().pending.len()), (1, 3, 1));
}

#[test]
fn no_move_is_read_after_the_end() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").command(Command::DeclareResult { result: GameResult::Draw });
    desk.out.clear();
    for uci in ["g1f3", "b8c6", "f1b5", "a7a6"] {
        desk.play(uci);
    }
    desk.wait(10.0);
    assert_eq!((desk.moves().len(), desk.state().pending.len(), desk.state().stage), (2, 0, GamePhase::Over));
    assert!(!desk.out.iter().any(|effect| matches!(effect, Effect::Move(_) | Effect::LiveMove { .. } | Effect::Alert(_))));
}

/// Scenarios 69 and 70: the same movement, with and without a press.
#[test]
fn a_king_on_e4_is_a_move_if_it_is_pressed() {
    let fen = "4k3/4p3/8/8/8/4K3/4P3/8 w - - 0 1";
    let mut desk = Desk::started("300").with_position(fen);
    desk.play("e3e4").wait(1.0);
    assert_eq!((desk.moves(), desk.state().hints.len()), (vec!["e3e4".to_owned()], 0));
    let mut desk = Desk::started("300").with_position(fen);
    desk.clock.running = false;
    desk.report().wait(2.0).make("e3e4").wait(3.0);
    desk.frame(Placement::parse("8/4p3/8/3k4/4K3/8/4P3/8").expect("a placement")).wait(5.0);
    let state = desk.state();
    assert_eq!((desk.moves(), state.pending.len(), state.hints.len(), state.stage), (vec![], 0, 1, GamePhase::Over));
    assert_eq!(state.hints[0].result, GameResult::WhiteWins);
}

/// Scenario 73 on a board that is turned for the next game.
#[test]
fn the_next_game_may_stand_the_other_way_round() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.clock.running = false;
    desk.report().frame(Placement::initial().rotated()).wait(7.0);
    let state = desk.state();
    assert_eq!((state.game_no, state.rotated, state.stage), (2, true, GamePhase::Armed));
    assert_eq!(desk.alarms(), ["ResultMissing"]);
}

/// Resignation before the press: the last move was made, and later moves on the board are analysis.
#[test]
fn a_result_keeps_the_move_that_stood_when_the_clocks_stopped() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").make("g1f3").wait(2.0);
    desk.clock.running = false;
    desk.report().wait(3.0).make("b8c6").wait(3.0);
    desk.command(Command::DeclareResult { result: GameResult::WhiteWins });
    assert_eq!(desk.moves(), ["e2e4", "e7e5", "g1f3"]);
    let state = desk.state();
    assert_eq!((state.moves[2].completed, state.completed.white), (None, Some(1)), "the move was made but not completed");
    assert_eq!(desk.game.live_plies(), 3);
}

/// Without a clock, a king that passes a centre square while the other king stands on one shows no result.
#[test]
fn a_king_passes_the_centre_without_a_clock() {
    let mut desk = Desk::new("").with_position("8/4k3/8/8/4K3/8/4P3/8 b - - 0 1");
    for (square, man) in [("e7", None), ("d5", Some('k')), ("d5", None), ("d6", Some('k'))] {
        let reading = man.map_or(Reading::Empty, |man| Reading::Piece(Piece::from_letter(man).expect("a king")));
        desk.wait(0.3).square(Square::parse(square).expect("a square"), reading);
    }
    desk.wait(5.0);
    assert_eq!((desk.moves(), desk.state().stage), (vec!["e7d6".to_owned()], GamePhase::Playing));
    for (square, man) in [("d6", None), ("d5", Some('k'))] {
        let reading = man.map_or(Reading::Empty, |man| Reading::Piece(Piece::from_letter(man).expect("a king")));
        desk.wait(0.3).square(Square::parse(square).expect("a square"), reading);
    }
    assert_eq!(desk.wait(1.5).state().stage, GamePhase::Playing);
    assert_eq!(desk.wait(1.0).state().stage, GamePhase::Over, "the king stays there");
}
