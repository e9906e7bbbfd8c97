//! Findings beside which another outcome stands: a mate and the flag in one report, and an open offer at the flag.

use flagfall_game::input::Command;
use flagfall_game::laws::outcome::{GameResult, Outcome};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;
use crate::desk::event::{Event, OPEN, PLAIN};

fn outcomes(desk: &Desk) -> Vec<(&'static str, Outcome)> {
    desk.found().alternatives.iter().map(|it| (it.row, it.outcome)).collect()
}

/// White mates between two reports of the clock; the second one shows his flag.
fn mate_and_flag(fen: &str) -> Desk {
    let mut desk = PLAIN.desk(fen);
    desk.wait(2.0).face(ClockSide::Left).time = ClockTime(1000);
    desk.report().wait(0.1).make("a1a8").wait(0.1).show_flag(ClockSide::Left).wait(3.0).settle();
    desk
}

#[test]
fn a_mate_and_the_flag_in_one_report() {
    for (fen, other) in [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", ("14", Outcome::BlackWins)),
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", ("15", Outcome::Draw)),
    ] {
        let desk = mate_and_flag(fen);
        let found = desk.found();
        assert_eq!((desk.row(), found.contested), (("1", Outcome::WhiteWins), true), "{fen}: {found:?}");
        assert_eq!(outcomes(&desk), [other], "{fen}: by the position before the mate");
    }
}

#[test]
fn an_open_offer_at_the_flag() {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").wait(1.0);
    desk.sign("anna", Command::Offer { side: Color::White }).wait(1.0).flag(ClockSide::Left);
    assert_eq!((desk.row(), outcomes(&desk)), (("14", Outcome::BlackWins), vec![("5", Outcome::Draw)]));
    // Black accepted before the arbiter saw the flag (5.2.3).
    desk.sign("anna", Command::Accept { side: Color::Black }).wait(1.0);
    assert_eq!(desk.game.result(), Some(GameResult::Draw));
}

/// A move of the player who may accept refuses the offer (9.1.2.1).
#[test]
fn an_offer_that_was_refused_by_a_move_is_not_named() {
    for rulebook in ["fide-2023-standard", "fide-2023-blitz"] {
        let mut desk = Event { rulebook, ..PLAIN }.desk(OPEN);
        desk.play("e2e4").play("e7e5").wait(1.0).sign("anna", Command::Offer { side: Color::White }).wait(1.0);
        desk.play("a1b1").play("a8b8").wait(1.0).flag(ClockSide::Left);
        assert_eq!((desk.row(), outcomes(&desk)), (("14", Outcome::BlackWins), vec![]), "{rulebook}");
    }
}
