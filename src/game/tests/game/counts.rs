//! The effect of a later record on the moves completed before a flag, and the facts that it must not change.

use flagfall_game::input::Command;
use flagfall_game::laws::outcome::Outcome;
use flagfall_game::pair::Pair;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;

const LATE: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 40";

/// White has made 39 moves, makes and presses this move, and then his flag falls.
fn move_40(uci: &str) -> Desk {
    let mut desk = Desk::started("40/5400:1800").with_position(LATE);
    count(&mut desk, 39, 39);
    desk.play(uci).wait(2.0);
    white_flag(&mut desk);
    desk
}

fn count(desk: &mut Desk, white: u32, black: u32) {
    desk.command(Command::SetMoveCount { completed: Pair { white, black } }).wait(0.2);
}

fn white_flag(desk: &mut Desk) {
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    desk.report().wait(1.0);
}

fn correct(desk: &mut Desk, plies: u32, uci: &str) {
    desk.command(Command::CorrectMove { plies, uci: uci.to_owned() }).wait(0.2);
}

fn found(desk: &Desk) -> (&'static str, Option<u32>) {
    let last = desk.game.findings().last().expect("a finding");
    (last.row, last.completed)
}

#[test]
fn a_corrected_move_keeps_the_times_of_the_one_it_replaces() {
    let mut desk = move_40("e2e3");
    assert_eq!(found(&desk), ("12", Some(40)));
    let before = desk.state().moves.pop().expect("a move");
    correct(&mut desk, 0, "e2e4");
    let after = desk.state().moves.pop().expect("a move");
    assert_eq!(found(&desk), ("12", Some(40)), "it is the same move, which was misread");
    assert_eq!((before.made, before.pressed, before.completed), (after.made, after.pressed, after.completed));
}

#[test]
fn a_corrected_earlier_move_leaves_the_count_at_the_flag() {
    let mut desk = Desk::started("40/5400:1800").with_position(LATE);
    count(&mut desk, 38, 38);
    desk.play("e2e3").play("e7e5").play("d2d4").wait(2.0);
    white_flag(&mut desk);
    assert_eq!(found(&desk), ("12", Some(40)));
    correct(&mut desk, 0, "e2e4");
    assert_eq!(found(&desk), ("12", Some(40)));
}

#[test]
fn an_entered_count_covers_a_move_entered_after_the_flag() {
    let mut desk = Desk::started("40/5400:1800").with_position(LATE);
    count(&mut desk, 39, 39);
    desk.wait(2.0);
    white_flag(&mut desk);
    let (row, completed) = found(&desk);
    assert!(row != "12" && completed == Some(39));
    correct(&mut desk, 0, "e2e4");
    assert_eq!(found(&desk).0, "13", "the time of its completion is not known");
    count(&mut desk, 40, 39);
    assert_eq!(found(&desk), ("12", Some(40)));
}

#[test]
fn a_mate_misread_and_corrected_is_dated_when_it_was_made() {
    let mut desk = Desk::started("300").with_position("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    desk.play("a1a7").wait(3.0);
    desk.clock.right.time = ClockTime(0);
    desk.clock.right.flag_shown = true;
    desk.report().command(Command::Claim { flag: Color::Black, period: None, observed_at: None }).wait(2.0);
    correct(&mut desk, 0, "a1a8");
    let last = desk.game.findings().last().expect("a finding");
    assert_eq!((last.row, last.outcome), ("1", Outcome::WhiteWins));
}

#[test]
fn the_scoresheets_may_have_fewer_moves_than_the_record() {
    let mut desk = move_40("e2e4");
    count(&mut desk, 39, 39);
    assert_eq!(desk.state().completed.white, Some(39));
    assert_eq!(found(&desk).1, Some(39));
    count(&mut desk, 0, 0);
    assert_eq!(desk.state().completed.white, Some(0));
}

/// The press and the flag both fall in a gap of the clock's reports.
#[test]
fn an_unseen_press_may_have_come_after_the_flag() {
    let mut desk = Desk::started("40/5400:1800").with_position(LATE);
    count(&mut desk, 39, 39);
    desk.wait(1.0).make("e2e4").wait(0.3);
    desk.now = flagfall_protocols::time::Instant(desk.now.0 + 3_000_000);
    desk.clock.baseline = true;
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    desk.clock.lever_up = ClockSide::Right;
    desk.report().wait(4.0);
    assert_eq!(desk.moves(), ["e2e4"]);
    let last = desk.game.findings().last().expect("a finding");
    assert_eq!((last.row, last.outcome, last.unknown.contains(&"order_of_press_and_flag")), ("13", Outcome::Undecided, true));
}
