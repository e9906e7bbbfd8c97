//! The observers of a flag: the device if the event names it as an observer (6.8), only players if the rules say so (US Chess
//! 13C1; club point 10; B6 of the older print).

use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::Outcome;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;

use crate::desk::event::{AUTOMATIC, BLACK_BARE, Event, FIDE, OPEN, PLAIN};

const FOR_PLAYERS: [&str; 3] = ["us-chess", "club-speed", "fide-print-old+rapid"];

#[test]
fn a_device_that_is_named_observes_the_fall_when_it_is_shown() {
    for rulebook in FIDE.into_iter().chain(["material-only"]) {
        for observer in [false, true] {
            let mut desk = Event { rulebook, observer, ..PLAIN }.desk(BLACK_BARE);
            desk.flag(ClockSide::Left);
            let found = desk.found();
            let seen = desk.state().flags[0].observed_at;
            assert_eq!((seen.is_some(), found.conditional), (observer, !observer), "{rulebook} {observer}");
            assert_eq!((found.outcome, desk.game.result()), (Outcome::Draw, None), "{rulebook} {observer}");
        }
    }
}

#[test]
fn a_device_is_no_player() {
    for rulebook in FOR_PLAYERS {
        let mut desk = Event { rulebook, observer: true, ..PLAIN }.desk(OPEN);
        desk.flag(ClockSide::Left).wait(20.0);
        let found = desk.found();
        assert_eq!(desk.state().flags[0].observed_at, None, "{rulebook}");
        assert!(found.conditional, "{rulebook}: {found:?}");
        // A player calls the flag and stops the clocks.
        desk.clock.running = false;
        desk.report().call(Color::White);
        let found = desk.found();
        assert_eq!((found.conditional, found.observed_at), (false, Some(desk.now.0)), "{rulebook}: a player's call counts");
    }
}

/// The same with automatic rulings: nobody has called the flag.
#[test]
fn where_players_call_flags_nothing_is_decided_before_a_call() {
    for rulebook in FOR_PLAYERS {
        let mut desk = Event { rulebook, ..AUTOMATIC }.desk(OPEN);
        desk.flag(ClockSide::Left).wait(20.0);
        assert_eq!((desk.game.result(), desk.audited().len()), (None, 0), "{rulebook}");
        desk.clock.running = false;
        desk.report().call(Color::White);
        assert_eq!(desk.game.result(), Some(GameResult::BlackWins), "{rulebook}: {:?}", desk.found());
        assert_eq!(desk.audited()[0].by.as_deref(), Some("automatic"), "{rulebook}");
    }
}

/// An observation of an arbiter, before or after the clock shows the flag, is the arbiter's own.
#[test]
fn a_device_does_not_observe_for_the_arbiter() {
    let mut desk = Event { observer: true, ..PLAIN }.desk(BLACK_BARE);
    desk.wait(2.0).call(Color::White);
    let (seen, found) = (desk.now.0, desk.found());
    assert_eq!(found.observed_at, Some(seen));
    assert!(found.evidence.iter().any(|evidence| evidence.starts_with("cmd:anna-")), "{:?}", found.evidence);
    desk.wait(3.0).flag(ClockSide::Left);
    assert_eq!((desk.state().flags.len(), desk.found().observed_at), (1, Some(seen)), "it is the same flag");
}

/// A flag that falls after the end of the game is observed by nobody, and needs no observer.
#[test]
fn after_the_end_nothing_is_observed() {
    let mut desk = AUTOMATIC.desk("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1");
    desk.play("a1a8").wait(3.0).flag(ClockSide::Right);
    assert!(desk.state().flags[0].after_end && desk.state().flags[0].observed_at.is_none());
    assert_eq!((desk.game.findings().len(), desk.audited().len()), (0, 0));
}
