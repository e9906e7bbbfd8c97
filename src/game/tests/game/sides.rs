//! The configured side of White's clock is a claim like any other: presses can contradict it, and then a flag is nobody's for certain.

use flagfall_game::alarm::{Alarm, AlarmKind, Class};
use flagfall_game::clock::control::TimeControl;
use flagfall_game::config::{GameConfig, Rulings};
use flagfall_game::game::Game;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::{GameResult, Outcome};
use flagfall_protocols::event::ClockSide;

use crate::desk::{Desk, TIMING};

/// White's clock is the left one, and this side is configured. Certain findings are decided.
fn configured(white_clock: ClockSide) -> Desk {
    let config = GameConfig {
        time_control: Some(TimeControl::parse("300").expect("a time control")),
        rulings: Rulings::Automatic,
        observer: true,
        white_clock: Some(white_clock),
        ..GameConfig::default()
    };
    let mut desk = Desk::new("300");
    desk.game = Game::new(config, TIMING);
    desk.start();
    desk
}

fn alarm(desk: &Desk) -> Option<u32> {
    desk.state().alarms.iter().find(|alarm| alarm.kind == AlarmKind::ClockSidesDiffer).map(|alarm| alarm.id)
}

/// Twelve plies, and White's flag, on the left side, falls.
fn white_flagged(white_clock: ClockSide) -> Desk {
    let mut desk = configured(white_clock);
    for uci in ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "c2c3", "g8f6", "d2d3", "d7d6", "b1d2", "c8g4"] {
        desk.play(uci);
    }
    desk.flag(ClockSide::Left).settle().settle();
    desk
}

fn outcomes(desk: &Desk) -> Vec<Outcome> {
    desk.found().alternatives.iter().map(|it| it.outcome).collect()
}

#[test]
fn three_presses_contradict_the_configured_side() {
    let mut desk = configured(ClockSide::Right);
    desk.play("e2e4").play("e7e5");
    assert_eq!(alarm(&desk), None);
    desk.play("g1f3");
    assert!(alarm(&desk).is_some());
    assert_eq!(AlarmKind::ClockSidesDiffer.class(), Class::Loud);
    assert_eq!(desk.moves().first().map(String::as_str), Some("e2e4"), "the moves are followed");
    let mut right = configured(ClockSide::Left);
    right.play("e2e4").play("e7e5").play("g1f3").play("b8c6");
    assert_eq!(alarm(&right), None);
}

#[test]
fn no_flag_is_ruled_on_while_the_sides_are_doubtful() {
    let mut desk = white_flagged(ClockSide::Right);
    let found = desk.found();
    assert_eq!((found.outcome, found.row, desk.game.result()), (Outcome::Undecided, "10", None), "{found:?}");
    assert!(found.unknown.contains(&"clock_sides"), "{found:?}");
    assert_eq!(outcomes(&desk)[0], Outcome::BlackWins, "{found:?}");
    // By the configured side, Black's first press came without a move. An arbiter deals with it: then both outcomes are clear.
    let seemed = |alarm: &&Alarm| alarm.kind == AlarmKind::PressedWithoutMove;
    for alarm in desk.state().alarms.iter().filter(seemed).map(|alarm| alarm.id) {
        desk.sign("anna", Command::AcknowledgeAlert { alarm }).settle().settle();
    }
    assert_eq!(outcomes(&desk), [Outcome::BlackWins, Outcome::WhiteWins], "{:?}", desk.found());
    let finding = desk.key();
    desk.sign("anna", Command::Confirm { finding });
    assert_eq!((desk.refused(), desk.game.result()), (1, None), "an arbiter must say which");
    // The arbiter sees that left and right are exchanged.
    desk.sign("anna", Command::SwapSides).settle().settle();
    assert_eq!((alarm(&desk), desk.found().flag), (None, Some("white")));
    assert_eq!((desk.found().outcome, desk.game.result()), (Outcome::BlackWins, Some(GameResult::BlackWins)));
}

/// To acknowledge the alarm means that the configured side is right.
#[test]
fn an_arbiter_may_say_that_the_key_is_right() {
    let mut desk = white_flagged(ClockSide::Right);
    let alarm = alarm(&desk).expect("the alarm");
    desk.sign("anna", Command::AcknowledgeAlert { alarm }).settle().settle();
    let found = desk.found();
    assert_eq!((found.flag, found.unknown.contains(&"clock_sides")), (Some("black"), false), "{found:?}");
}

/// Before the third press it is not certain either.
#[test]
fn one_contradiction_is_enough_for_doubt() {
    let mut desk = configured(ClockSide::Right);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left).settle().settle();
    assert_eq!((alarm(&desk), desk.found().outcome, desk.game.result()), (None, Outcome::Undecided, None));
    assert!(desk.found().unknown.contains(&"clock_sides"));
}

#[test]
fn a_side_that_is_configured_rightly_changes_nothing() {
    let desk = white_flagged(ClockSide::Left);
    let found = desk.found();
    assert_eq!((found.flag, found.outcome, found.alternatives.len()), (Some("white"), Outcome::BlackWins, 0), "{found:?}");
    assert_eq!(desk.game.result(), Some(GameResult::BlackWins));
}

/// Each move has the press of its own player once an arbiter has exchanged the sides, as if they had been right from the beginning. The first
/// press belonged to no move, and is not remembered for so long.
#[test]
fn presses_belong_to_the_moves_of_their_players_after_a_swap() {
    let [mut swapped, mut right] = [ClockSide::Right, ClockSide::Left].map(white_flagged);
    let presses = |desk: &Desk| -> Vec<_> {
        desk.game.moves().map(|played| (played.uci.to_string(), played.how, played.pressed, played.completed)).collect()
    };
    // White presses after his flag, without a move.
    for desk in [&mut swapped, &mut right] {
        desk.press(0).settle();
    }
    assert_ne!(presses(&swapped)[1..], presses(&right)[1..]);
    swapped.sign("anna", Command::SwapSides).settle().settle();
    assert_eq!(presses(&swapped)[1..], presses(&right)[1..]);
    // The moves that come now have theirs.
    swapped.play("d1b3").play("e8g8");
    assert!(swapped.game.moves().skip(1).all(|played| played.pressed.is_some()), "{:?}", presses(&swapped));
}
