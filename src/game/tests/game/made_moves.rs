//! What was made when a flag fell stays made, whatever is lifted later (4.7, 6.8, 6.9).

use flagfall_game::input::{Command, Input};
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::outcome::{GameResult, Outcome, Phase};
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Square};
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;
use crate::desk::event::PLAIN;

/// With Kxd3 Black has a bare king.
const KXD3: &str = "k7/8/8/8/8/3p4/3K3P/8 w - - 0 40";
/// The same with a king's move to a centre square.
const KXE4: &str = "k7/8/8/8/4p3/3K4/7P/8 w - - 0 40";

fn put(desk: &mut Desk, square: &str, letter: char) {
    let reading = Piece::from_letter(letter).map_or(Reading::Empty, Reading::Piece);
    desk.square(Square::parse(square).expect("a square"), reading).wait(0.3);
}

fn lift(desk: &mut Desk, square: &str) {
    put(desk, square, '-');
}

/// What the finding rests on.
fn facts(desk: &Desk) -> (u32, &'static str, Outcome, Phase, Option<String>, String) {
    let Finding { id, row, outcome, phase, made, position, .. } = desk.found();
    (id, row, outcome, phase, made, position)
}

/// White makes a capture that leaves a bare king, does not press, and his flag falls.
fn made_at_the_flag(fen: &str, uci: &str, stands: f64) -> Desk {
    let mut desk = PLAIN.desk(fen);
    desk.wait(2.0).make(uci).wait(stands).flag(ClockSide::Left);
    assert_eq!((desk.row(), desk.found().phase), (("15", Outcome::Draw), Phase::Made), "{uci} after {stands} s");
    desk
}

#[test]
fn no_lifted_piece_and_no_cleared_board_revises_a_finding() {
    for (fen, uci, stands) in [(KXD3, "d2d3", 0.3), (KXD3, "d2d3", 12.0), (KXE4, "d3e4", 3.0)] {
        for observed in [false, true] {
            let mut desk = made_at_the_flag(fen, uci, stands);
            if observed {
                desk.wait(1.0).call(Color::White);
            }
            desk.wait(25.0);
            let (before, revision) = (facts(&desk), desk.key().revision);
            lift(&mut desk, &uci[2..]);
            desk.wait(30.0);
            lift(&mut desk, "h2");
            desk.wait(5.0).frame(Placement::EMPTY).wait(70.0);
            assert_eq!((facts(&desk), desk.key().revision), (before.clone(), revision), "{uci} {stands} {observed}: cleared");
            let finding = desk.key();
            desk.sign("anna", Command::Confirm { finding }).wait(1.0);
            assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::Draw)), "{uci} {stands} {observed}");
            assert_eq!(facts(&desk), before, "{uci} {stands} {observed}: confirmed");
            assert_eq!(
                (before.3, before.4.as_deref(), desk.moves().last()),
                (Phase::Made, Some(&*san(uci)), Some(&uci.to_owned()))
            );
        }
    }
}

fn san(uci: &str) -> String {
    format!("1. Kx{}", &uci[2..])
}

#[test]
fn what_was_lifted_before_the_flag_was_made_too() {
    let mut desk = PLAIN.desk(KXD3);
    desk.wait(2.0).make("d2d3").wait(5.0);
    lift(&mut desk, "d3");
    desk.wait(0.5).flag(ClockSide::Left);
    assert_eq!((desk.row(), desk.found().phase), (("15", Outcome::Draw), Phase::Made));
    // A man that only passed its square has made no move there.
    let mut passing = PLAIN.desk(KXD3);
    passing.wait(2.0).make("d2d3").wait(0.5);
    lift(&mut passing, "d3");
    passing.wait(0.5).flag(ClockSide::Left);
    assert_eq!((passing.row(), passing.found().phase), (("14", Outcome::BlackWins), Phase::Touched));
    put(&mut passing, "d2", 'K');
    put(&mut passing, "d3", 'p');
    passing.wait(30.0);
    assert_eq!(passing.found().phase, Phase::Touched, "so it was when the flag fell");
}

#[test]
fn another_move_in_its_place_is_none_and_a_further_one_is() {
    for observed in [false, true] {
        let mut desk = made_at_the_flag(KXD3, "d2d3", 1.0);
        if observed {
            desk.wait(2.0).call(Color::White);
        }
        desk.wait(5.0);
        let before = facts(&desk);
        lift(&mut desk, "d3");
        put(&mut desk, "d3", 'p');
        put(&mut desk, "e2", 'K');
        desk.wait(20.0);
        assert_eq!(facts(&desk), before, "{observed}: Ke2 is tried instead");
        lift(&mut desk, "e2");
        put(&mut desk, "d3", 'K');
        lift(&mut desk, "a8");
        put(&mut desk, "b7", 'k');
        desk.wait(5.0);
        let (after, further) = (facts(&desk), "8/1k6/8/8/8/3K4/7P/8 w - - 1 41");
        assert_eq!(after.5 == further, !observed, "{after:?}: Kb7 was made before anybody observed the flag");
        assert_eq!(after.4.as_deref(), Some(if observed { "1. Kxd3" } else { "Kb7" }));
    }
}

/// A decision that the game goes on stands too, and a press or a command is evidence.
#[test]
fn a_ruling_stands_and_a_command_changes_the_facts() {
    let mut desk = made_at_the_flag(KXD3, "d2d3", 3.0);
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).wait(2.0);
    lift(&mut desk, "d3");
    put(&mut desk, "d3", 'p');
    put(&mut desk, "d2", 'K');
    desk.wait(20.0);
    assert!(!desk.game.awaits_ruling(), "{:?}", desk.found());
    assert_eq!((desk.found().made.as_deref(), desk.game.findings().len()), (Some("1. Kxd3"), 1));
    let mut desk = made_at_the_flag(KXD3, "d2d3", 3.0);
    lift(&mut desk, "d3");
    desk.sign("anna", Command::SetPosition { fen: KXD3.to_owned() }).wait(1.0).settle();
    assert_eq!((desk.row(), desk.found().made), (("14", Outcome::BlackWins), None), "an arbiter says that it was not made");
}

/// The flag of a period whose moves are completed costs nothing: the moves after it are read as in any game. Here a bishop rests on its way.
#[test]
fn after_a_flag_that_costs_nothing_the_last_move_is_where_the_man_stands() {
    let mut desk = Desk::started("2/300:300");
    for uci in ["e2e4", "e7e5", "d2d3", "b8c6"] {
        desk.play(uci);
    }
    desk.fall(ClockSide::Left).wait(0.5);
    assert_eq!(desk.found().outcome, Outcome::GameGoesOn);
    (desk.clock.left.time, desk.clock.left.flag_shown) = (ClockTime(300_000), false);
    desk.report().wait(2.0).make("c1d2").wait(4.0);
    lift(&mut desk, "d2");
    put(&mut desk, "g5", 'B');
    desk.wait(3.0).command(Command::DeclareResult { result: GameResult::Draw });
    assert_eq!((desk.refused(), desk.moves().last().map(String::as_str)), (0, Some("c1g5")));
}

/// The clocks are stopped, by an arbiter or because the clock stops at a flag, and the men are set up for the next game.
#[test]
fn the_next_set_up_revises_no_finding_and_takes_no_move() {
    for observed in [false, true] {
        for cleared_first in [false, true] {
            let mut desk = made_at_the_flag(KXD3, "d2d3", 3.0);
            if observed {
                desk.wait(1.0).call(Color::White);
            }
            desk.clock.running = false;
            desk.report().wait(20.0);
            let before = facts(&desk);
            lift(&mut desk, "d3");
            if cleared_first {
                desk.frame(Placement::EMPTY).wait(5.0);
            }
            desk.frame(Placement::initial()).wait(30.0);
            assert_eq!(facts(&desk), before, "{observed} {cleared_first}");
            assert_eq!(desk.moves().last().map(String::as_str), Some("d2d3"), "{observed} {cleared_first}");
        }
    }
}

/// Black's king is lifted before White's pawn has stood for two seconds. The pawn stands on, and is lifted later.
#[test]
fn a_man_of_the_other_player_does_not_keep_a_move_from_being_made() {
    for (uci, black) in [("h2h4", "a8"), ("d2d3", "a8")] {
        let mut desk = PLAIN.desk(KXD3);
        desk.wait(2.0).make(uci).wait(0.3).flag(ClockSide::Left);
        lift(&mut desk, black);
        let before = facts(&desk);
        assert_eq!(before.3, Phase::Made, "{uci}");
        desk.wait(2.0);
        lift(&mut desk, &uci[2..]);
        desk.wait(0.3);
        put(&mut desk, black, 'k');
        desk.wait(30.0);
        assert_eq!(facts(&desk), before, "{uci}");
    }
}

/// The board answers no question when the flag falls, and reports its changes still. Whether moves are missing is open; what was made is not.
#[test]
fn a_board_that_does_not_answer_keeps_what_was_made() {
    for stands in [3.0, 12.0] {
        let mut desk = PLAIN.desk(KXD3);
        desk.wait(2.0).device(DeviceEvent::Silent).wait(5.0).make("d2d3").wait(stands).flag(ClockSide::Left);
        assert_eq!((desk.row(), desk.found().unknown), (("15", Outcome::Undecided), vec!["moves_missing"]), "{stands}");
        let before = facts(&desk);
        assert_eq!(before.3, Phase::Made, "{stands}");
        desk.wait(25.0);
        lift(&mut desk, "d3");
        desk.wait(30.0);
        lift(&mut desk, "h2");
        desk.wait(5.0).frame(Placement::EMPTY).wait(70.0);
        let after = facts(&desk);
        assert_eq!((after.3, after.4, after.5), (before.3, before.4, before.5), "{stands}: cleared");
    }
}

/// A move that was seen for a moment before the board was lost, and not after that, was not made.
#[test]
fn what_stood_while_the_board_was_lost_is_not_known() {
    let mut desk = PLAIN.desk(KXD3);
    desk.wait(2.0).make("d2d3").wait(0.5).feed(Input::Link { up: false }).wait(10.0).flag(ClockSide::Left);
    desk.feed(Input::Link { up: true }).device(DeviceEvent::Responding);
    desk.frame(Placement::parse("k7/8/8/8/8/3p4/3K3P/8").expect("a placement")).wait(30.0).settle();
    assert_eq!(desk.found().made, None, "{:?}", desk.found());
}
