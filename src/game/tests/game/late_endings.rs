//! Moves that end the game without a press, before a flag (6.2.1.1, 9.6).

use flagfall_game::laws::outcome::Outcome;
use shakmaty::Color;

use crate::desk::Desk;

/// Only Black's knight must still go home for the initial position to stand for the fifth time.
fn before_the_fifth_time() -> Desk {
    let mut desk = Desk::started("300");
    for uci in ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(15) {
        desk.play(uci);
    }
    assert_eq!((desk.moves().len(), desk.turn()), (15, Color::Black));
    desk
}

/// The flag of the player whose clock runs falls. Returns the row and the outcome.
fn flag(desk: &mut Desk) -> (&'static str, Outcome) {
    let side = desk.clock.lever_up;
    desk.face(side).time.0 = 0;
    desk.face(side).flag_shown = true;
    desk.report().wait(0.5);
    let found = desk.game.findings().last().expect("a finding");
    (found.row, found.outcome)
}

#[test]
fn the_fifth_time_is_complete_without_a_press() {
    for stands in [0.6, 3.0] {
        let mut desk = before_the_fifth_time();
        desk.wait(0.5).make("f6g8").wait(stands);
        assert_eq!(flag(&mut desk), ("3", Outcome::Draw), "stands for {stands} s");
    }
}

#[test]
fn a_late_press_belongs_to_the_move_that_ended_the_game() {
    let mut desk = before_the_fifth_time();
    desk.wait(0.5).make("f6g8").wait(3.0).press(0).wait(1.0);
    let last = desk.state().moves.pop().expect("moves");
    assert!(last.uci.to_string() == "f6g8" && last.pressed.is_some(), "{last:?}");
}

#[test]
fn the_75th_move_is_complete_without_a_press() {
    let mut desk = Desk::started("300").with_position("4k3/r7/8/8/8/8/7R/4K3 w - - 149 100");
    desk.wait(1.0).make("h2h3").wait(0.6);
    assert_eq!(flag(&mut desk), ("3", Outcome::Draw));
}

#[test]
fn replies_that_become_sure_with_it_do_not_hide_it() {
    let mut desk = before_the_fifth_time();
    desk.wait(0.5).make("f6g8").make("e2e4").wait(0.1).make("e7e5").press(0).wait(2.0);
    assert_eq!(desk.moves().len(), 18);
    assert_eq!(flag(&mut desk), ("3", Outcome::Draw), "{:?}", desk.alarms());
}
