//! Scenarios 76-78: boards that only know whether a square is occupied.

use std::time::Duration;

use flagfall::publish::states;
use flagfall::wire::alarm::AlertBody;
use flagfall_game::alarm::AlarmStatus;
use flagfall_game::game::Game;
use flagfall_protocols::driver::Timing;

use crate::scenarios::reports::Reports;
use crate::scene::outcome::{alarms_of, sans_of};

/// A board that is polled every 50 ms, whose clock reports a press within a second.
const TIMING: Timing = Timing { scan: Duration::from_millis(50), press_delay: Duration::from_secs(1), in_turn: false };
/// The queen can capture on d5 and on h5.
const TWO_CAPTURES: &str = "4k3/p7/8/3p3p/8/8/P7/3QK3 w - - 0 1";

fn game_after(fen: &str, reports: &str) -> Game {
    Reports::occupancy(fen).report(reports).game(TIMING)
}

#[track_caller]
fn expect(game: &Game, moves: &str, alarms: &[&str]) {
    assert_eq!((sans_of(game).as_str(), alarms_of(game)), (moves, alarms.iter().map(|alarm| alarm.to_string()).collect()));
}

#[test]
fn s076_the_captured_square_was_touched() {
    expect(&game_after(TWO_CAPTURES, "d1:0 | d5:0 | d5:1 | WP"), "Qxd5", &[]);
    expect(&game_after(TWO_CAPTURES, "d1:0 | h5:0 | h5:1 | WP"), "Qxh5+", &[]);
    expect(&game_after(TWO_CAPTURES, "d5:0 | d1:0 | d5:1 | WP"), "Qxd5", &[]);
    expect(&game_after(TWO_CAPTURES, "d1:0 | d2:1 | WP"), "Qd2", &[]);
}

#[test]
fn s077_no_target_was_ever_empty() {
    let game = game_after(TWO_CAPTURES, "d1:0 | 0.6 WP");
    expect(&game, "", &["ambiguous"]);
    let alarm = AlertBody::from(&game.alarms()[0]);
    assert_eq!((game.alarms()[0].status, alarm.squares), (AlarmStatus::Open, vec!["d5".to_owned(), "h5".to_owned()]));
    // Only a queen on d5 can go back to d1 and leave d5 empty.
    let game = game_after(TWO_CAPTURES, "d1:0 | 0.6 WP | 2.0 e8:0 | e7:1 | 0.6 BP | 2.0 d5:0 | d1:1 | 0.6 WP");
    expect(&game, "Qxd5 Ke7 Qd1", &["ambiguous"]);
    assert_eq!(game.alarms()[0].status, AlarmStatus::Cured, "later moves decide it");
}

#[test]
fn s078_nobody_knows_the_piece() {
    let game = game_after("8/4P3/k7/7p/7P/8/8/4K3 w - - 0 1", "e7:0 | 0.8 e8:1 | 0.6 WP");
    assert_eq!(sans_of(&game), "e8=Q");
    let state = serde_json::to_string(&states::arbiter_state(&game)).expect("JSON");
    assert!(state.contains("promotion_unconfirmed"), "{state}");
    let alarms: Vec<String> = alarms_of(&game).into_iter().filter(|alarm| alarm != "promotion_unconfirmed").collect();
    assert_eq!(alarms, [""; 0]);
}

#[test]
fn an_illegal_capture_is_no_move_to_a_dead_square() {
    // The pawn on a3 takes the knight beside it. All that the board shows is that it has left its square.
    let game = game_after(
        "4k3/7p/8/8/8/Pn6/8/4K3 w - - 0 1",
        "a3:0 | 0.6 WP | 4.0 e8:0 | e7:1 | 0.6 BP | 2.0 e1:0 | f1:1 | 0.6 WP | 3.0 h7:0 | h6:1 | 0.6 BP",
    );
    assert_eq!(sans_of(&game), "");
    assert!(alarms_of(&game).contains(&"illegal_move(white)".to_owned()), "{:?}", alarms_of(&game));
}
