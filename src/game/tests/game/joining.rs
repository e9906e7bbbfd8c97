//! A game that is joined in progress, and a game that goes on while the board is not seen.

use std::time::Duration;

use flagfall_game::FlagPath;
use flagfall_game::alarm::AlarmKind;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::{Command, Input};
use flagfall_game::laws::outcome::Outcome;
use flagfall_game::pair::Pair;
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Color, Piece, Placement, Reading, Square};
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;

#[test]
fn a_flag_without_a_game_gives_no_finding() {
    let mut desk = Desk::new("300");
    desk.clock.left.flag_blocked = true;
    desk.clock.left.time = ClockTime(0);
    desk.report().wait(2.0);
    assert_eq!(desk.alarms(), ["Flag(white)"]);
    assert!(desk.game.findings().is_empty(), "without a position there is no finding");
}

#[test]
fn a_flag_that_was_up_when_the_game_is_joined_stays() {
    let mut desk = Desk::new("300");
    desk.clock.left.flag_shown = true;
    desk.clock.left.time = ClockTime(0);
    desk.clock.running = true;
    desk.clock.lever_up = ClockSide::Right;
    desk.report();
    desk.frame(Placement::parse("4k3/4q3/8/8/8/8/4Q3/4K3").expect("a placement")).wait(3.0);
    let state = desk.state();
    assert_eq!((state.stage, state.flags.len(), state.flags[0].path), (GamePhase::Playing, 1, FlagPath::OnConnect));
    assert_eq!(desk.game.findings()[0].row, "16");
    assert!(state.alarms.iter().any(|alarm| alarm.side == Some(Color::White)), "{:?}", desk.alarms());
}

#[test]
fn a_game_joined_after_the_first_move_is_no_wrong_set_up() {
    for (uci, lever) in [("e2e4", ClockSide::Right), ("g1f3", ClockSide::Right), ("g1f3", ClockSide::Left)] {
        let mut desk = Desk::new("300");
        desk.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let mv = uci.parse::<shakmaty::uci::UciMove>().expect("UCI").to_move(&desk.position).expect("legal");
        shakmaty::Position::play_unchecked(&mut desk.position, mv);
        let standing = desk.standing();
        desk.frame(standing);
        desk.clock.running = true;
        desk.clock.lever_up = lever;
        desk.report().wait(3.0);
        if lever == ClockSide::Left {
            desk.press(0);
        }
        desk.play("d7d5").wait(1.0);
        assert_eq!((desk.moves(), desk.alarms()), (vec![uci.to_owned(), "d7d5".to_owned()], vec![]), "{uci} {lever:?}");
        assert_eq!((desk.state().completed.white, desk.state().completed.black), (Some(1), Some(1)));
    }
}

#[test]
fn a_wrong_set_up_is_still_named() {
    let mut desk = Desk::new("300");
    desk.frame(Placement::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR").expect("a placement"));
    desk.clock.running = true;
    desk.report().wait(3.0);
    assert_eq!(desk.alarms(), ["WrongSetUp"]);
}

/// Bishop and knight are exchanged on one wing, of one side or of both, and nobody notices. The first move is made at once when the
/// clock is started, before, or without a clock.
#[test]
fn men_exchanged_in_the_set_up_are_named_from_the_start() {
    for (placement, wrong) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR", "b1 c1"),
        ("rnbqknbr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR", "b1 c1 f8 g8"),
        ("nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "a8 b8"),
    ] {
        for clock in ["started first", "started with the first press", "none"] {
            let mut desk = Desk::new("300");
            desk.assume(&format!("{placement} w - - 0 1"));
            let standing = desk.standing();
            desk.frame(standing).wait(4.0);
            assert_eq!((desk.state().stage, desk.alarms()), (GamePhase::AwaitingSetUp, vec![]));
            desk.clock.running = clock == "started first";
            if desk.clock.running {
                desk.report();
            }
            desk.make("e2e4");
            if clock != "none" {
                desk.clock.running = true;
                desk.press(0);
            }
            desk.make("d7d5");
            if clock != "none" {
                desk.press(0);
            }
            desk.make("e4d5").wait(3.0);
            let state = desk.state();
            assert_eq!(desk.moves()[..2], ["e2e4", "d7d5"], "{placement} {clock}");
            let named: Vec<_> = state.alarms.iter().filter(|alarm| alarm.kind == AlarmKind::WrongSetUp).collect();
            let squares: Vec<_> = named[0].set_up.iter().map(|wrong| wrong.square.to_string()).collect();
            assert_eq!((named.len(), squares.join(" ")), (1, wrong.to_owned()), "{placement} {clock}");
            assert!(state.alarms.iter().all(|alarm| alarm.kind != AlarmKind::JoinedInProgress), "{placement} {clock}");
            assert!(state.completed.white.is_some() && state.completed.black.is_some(), "{placement} {clock}");
        }
    }
}

/// The men of a mate or a stalemate stay while a clock runs: no game is joined, and the next one is set up as usual.
#[test]
fn a_game_that_is_over_is_not_joined() {
    const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR";
    for (placement, lever) in [(MATE, ClockSide::Left), (MATE, ClockSide::Right), ("7k/5Q2/6K1/8/8/8/8/8", ClockSide::Right)] {
        let mut desk = Desk::new("300");
        desk.clock.running = true;
        desk.clock.lever_up = lever;
        desk.report();
        desk.frame(Placement::parse(placement).expect("a placement")).wait(10.0);
        assert_eq!((desk.state().stage, desk.alarms()), (GamePhase::AwaitingSetUp, vec![]), "{placement} {lever:?}");
        desk.clock.running = false;
        (desk.clock.left.time, desk.clock.right.time) = (ClockTime(300_000), ClockTime(300_000));
        desk.report();
        desk.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let standing = desk.standing();
        desk.frame(standing).wait(10.0);
        desk.clock.running = true;
        desk.clock.lever_up = ClockSide::Left;
        desk.report().play("d2d4").wait(1.0);
        assert_eq!((desk.moves(), desk.alarms()), (vec!["d2d4".to_owned()], vec![]), "{placement} {lever:?}");
    }
}

/// The mistake is put right before the game.
#[test]
fn a_set_up_that_is_put_right_in_time_is_none() {
    let mut desk = Desk::new("300");
    desk.frame(Placement::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR").expect("a placement")).wait(10.0);
    desk.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let standing = desk.standing();
    desk.frame(standing).wait(2.0);
    desk.clock.running = true;
    desk.report().play("e2e4").play("d7d5").wait(1.0);
    assert_eq!((desk.moves(), desk.alarms()), (vec!["e2e4".to_owned(), "d7d5".to_owned()], vec![]));
}

/// There is no sensor under a1, so the board never shows the rook. The game begins nevertheless, and the first move may come
/// before or after the clock is started.
#[test]
fn a_man_that_is_not_seen_from_the_start() {
    for clock_first in [true, false] {
        let mut desk = Desk::new("300");
        desk.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        desk.frame(Placement::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR").expect("a placement")).wait(3.5);
        assert_eq!((desk.state().stage, desk.alarms()), (GamePhase::Armed, vec![]));
        if clock_first {
            desk.clock.running = true;
            desk.report();
        }
        desk.make("e2e4");
        desk.clock.running = true;
        desk.press(0);
        desk.play("d7d5").wait(1.0);
        assert_eq!(desk.moves(), ["e2e4", "d7d5"], "{clock_first}");
        assert!(desk.alarms().contains(&"WrongSetUp".to_owned()), "{:?}", desk.alarms());
        assert_eq!((desk.state().completed.white, desk.state().completed.black), (Some(1), Some(1)));
    }
}

/// The last man of a set-up comes late.
#[test]
fn a_man_that_is_put_late() {
    let mut desk = Desk::new("300");
    desk.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    desk.frame(Placement::parse("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR").expect("a placement")).wait(10.0);
    desk.square(Square::parse("a1").expect("a1"), Reading::Piece(Piece::from_letter('R').expect("a rook"))).wait(5.0);
    desk.clock.running = true;
    desk.report().play("e2e4").play("d7d5").wait(1.0);
    assert_eq!((desk.moves(), desk.alarms()), (vec!["e2e4".to_owned(), "d7d5".to_owned()], vec![]));
}

#[test]
fn a_move_made_in_a_gap_was_made_at_any_time_in_it() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").wait(2.0);
    let lost = desk.now;
    desk.feed(Input::Link { up: false }).wait(20.0);
    let uci = "e7e5".parse::<shakmaty::uci::UciMove>().expect("UCI").to_move(&desk.position).expect("legal");
    shakmaty::Position::play_unchecked(&mut desk.position, uci);
    desk.feed(Input::Link { up: true }).wait(1.0).device(DeviceEvent::Responding);
    let standing = desk.standing();
    desk.clock.baseline = true;
    desk.clock.lever_up = ClockSide::Left;
    desk.frame(standing).report().wait(3.0);
    let state = desk.state();
    assert_eq!(desk.moves(), ["e2e4", "e7e5"]);
    assert!(state.moves[1].made.earliest <= lost, "{:?} lost {lost:?}", state.moves[1].made);
    desk.play("g1f3").wait(1.0);
    let made = desk.state().moves[2].made;
    assert!(made.latest.0 - made.earliest.0 <= 500_000, "and then the board is seen again: {made:?}");
}

#[test]
fn late_presses_at_the_start_do_not_exchange_the_sides() {
    let mut desk = Desk::started("300");
    // Each press is heard when the next move stands already.
    desk.wait(0.4).make("e2e4");
    for uci in ["e7e5", "g1f3", "b8c6"] {
        desk.make(uci).press(0);
    }
    desk.wait(0.2).press(0);
    desk.wait(3.0);
    assert_eq!(desk.moves(), ["e2e4", "e7e5", "g1f3", "b8c6"]);
    assert_eq!(desk.alarms(), [""; 0]);
}

/// Black's queen slides from d8 to a5 and was last seen on d6.
fn cut_off_while_a_queen_slides() -> Desk {
    let mut desk = Desk::new("300").with_position("3qk3/8/8/8/8/8/8/4K2R b - - 0 1");
    desk.clock.lever_up = ClockSide::Right;
    desk.report();
    desk.clock.running = true;
    desk.report().wait(1.0);
    desk.square(Square::parse("d8").expect("d8"), Reading::Empty).wait(0.2);
    desk.square(Square::parse("d6").expect("d6"), Reading::Piece(Piece::from_letter('q').expect("a queen"))).wait(0.05);
    desk.feed(Input::Link { up: false });
    desk.assume("4k3/8/8/q7/8/8/8/4K2R w - - 1 2");
    desk
}

#[test]
fn a_piece_on_its_way_when_the_board_was_lost_has_not_made_a_move() {
    // The time without the board, and whether the clock is heard before the board reports its squares.
    for (away, clock_first) in [(0.5, true), (0.5, false), (20.0, true), (20.0, false)] {
        let mut desk = cut_off_while_a_queen_slides();
        desk.now = desk.now.after(Duration::from_secs_f64(away));
        desk.feed(Input::Link { up: true });
        let standing = desk.standing();
        if clock_first {
            desk.press(0).wait(4.0).frame(standing);
        } else {
            desk.frame(standing).press(0);
        }
        desk.wait(4.0);
        assert_eq!(desk.moves(), ["d8a5"], "away {away} s, clock first: {clock_first}: {:?}", desk.alarms());
        desk.play("e1e2").wait(2.0);
        assert_eq!(desk.moves(), ["d8a5", "e1e2"]);
    }
}

/// Kings and queens, and White's clock runs. After `stands` seconds White's queen goes from e2 to b3, which is no move of a queen.
fn illegal_move_after_join(stands: f64) -> Desk {
    let mut desk = Desk::new("300");
    desk.clock.running = true;
    desk.report();
    desk.frame(Placement::parse("4k3/4q3/8/8/8/8/4Q3/4K3").expect("a placement")).wait(stands);
    let queen = Reading::Piece(Piece::from_letter('Q').expect("a queen"));
    desk.square(Square::parse("e2").expect("e2"), Reading::Empty).wait(0.3);
    desk.square(Square::parse("b3").expect("b3"), queen).wait(0.3).press(0).wait(4.0);
    desk
}

/// A position that has stood is no move under way. Before that the queen may have come from another square.
#[test]
fn an_illegal_move_is_named_once_the_joined_position_has_stood() {
    for (stands, named) in [(10.0, true), (2.0, false)] {
        let desk = illegal_move_after_join(stands);
        assert_eq!(desk.alarms().contains(&"IllegalMove(white)".to_owned()), named, "{stands}: {:?}", desk.alarms());
    }
}

/// Both players move within half a second. Black's pawn is in his hand when the board is first seen, or just before it is. It stands
/// on b5 for one scan, and White captures it there before Black's press is heard.
#[test]
fn a_man_that_was_in_a_hand_when_the_game_was_joined_can_be_captured_at_once() {
    // The seconds before each report, the square, and the man on it; a press has no square.
    let hands = [
        (0.2, "b7", '-'),
        (0.06, "b5", 'p'),
        (0.22, "b5", '-'),
        (0.06, "c3", '-'),
        (0.03, "", '-'),
        (0.13, "b5", 'N'),
        (0.27, "", '-'),
        (0.1, "d8", '-'),
        (0.03, "e7", 'q'),
        (0.26, "", '-'),
    ];
    for first in ["3qk3/pp5p/5n2/8/8/2N5/P6P/3Q2K1", "3qk3/p6p/5n2/8/8/2N5/P6P/3Q2K1"] {
        let mut desk = Desk::new("300");
        (desk.clock.running, desk.clock.lever_up) = (true, ClockSide::Right);
        desk.report().wait(0.1).frame(Placement::parse(first).expect("a placement"));
        for (seconds, square, man) in hands {
            desk.wait(seconds);
            match Square::parse(square) {
                Some(square) => desk.square(square, Piece::from_letter(man).map_or(Reading::Empty, Reading::Piece)),
                None => desk.press(0),
            };
        }
        desk.wait(2.0);
        let sans: Vec<String> = desk.state().moves.iter().map(|played| played.san.to_string()).collect();
        assert_eq!(sans, ["Nxb5", "Qe7"], "{first}");
    }
}

/// Kings and pawns at move 45, a clock in its second period, and White's flag.
fn joined_at_move_45(white: u32) -> Desk {
    let mut desk = Desk::new("40/5400+30:1800+30");
    desk.clock.running = true;
    desk.report();
    desk.frame(Placement::parse("4k3/4p3/8/8/8/8/4P3/4K3").expect("a placement")).wait(3.0);
    desk.command(Command::SetMoveCount { completed: Pair { white, black: white } }).wait(1.0);
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    desk.report().wait(1.0);
    desk
}

#[test]
fn the_flag_of_a_period_that_nobody_knows_is_undecided() {
    let mut desk = joined_at_move_45(45);
    let found = &desk.game.findings()[0];
    assert_eq!((found.outcome, found.last_period, found.completed), (Outcome::Undecided, None, Some(45)));
    desk.command(Command::Claim { flag: Color::White, period: Some(2), observed_at: None }).wait(1.0);
    let found = &desk.game.findings()[0];
    assert_eq!((found.last_period, desk.state().flags.len()), (Some(true), 1), "the arbiter says which: {found:?}");
    let few = joined_at_move_45(20);
    assert_eq!(few.game.findings()[0].last_period, Some(false), "no second period without 40 moves");
}

#[test]
fn a_period_added_in_a_gap_leaves_its_flag_open() {
    // Whether the next period's time is there when the clock is heard again.
    for added in [true, false] {
        let mut desk = Desk::started("2/300:1800");
        desk.play("e2e4").play("e7e5").wait(0.6).make("g1f3").wait(0.2);
        desk.feed(Input::Link { up: false }).wait(0.0);
        desk.now = desk.now.after(Duration::from_secs(20));
        desk.clock.baseline = true;
        desk.clock.lever_up = ClockSide::Right;
        if added {
            desk.clock.left.time.0 += 1_790_000;
        }
        desk.feed(Input::Link { up: true }).device(DeviceEvent::Responding);
        let standing = desk.standing();
        desk.frame(standing).report().wait(3.0);
        desk.play("g8f6").wait(1.0);
        desk.clock.left.time = ClockTime(0);
        desk.clock.left.flag_shown = true;
        desk.report().wait(1.0);
        let found = &desk.game.findings()[0];
        let expected = if added { (Outcome::Undecided, None) } else { (Outcome::GameGoesOn, Some(false)) };
        assert_eq!((found.outcome, found.last_period), expected, "{found:?}");
    }
}

/// Before it is heard a clock may have added the time of a further period.
#[test]
fn a_clock_that_is_first_heard_after_moves_is_in_a_period_that_nobody_knows() {
    for (first_heard_after, known) in [(0, Some(false)), (2, None)] {
        let mut desk = Desk::new("1/300:300");
        desk.frame(Placement::initial());
        for (made, uci) in ["e2e4", "e7e5", "g1f3", "b8c6"].into_iter().enumerate() {
            if made == first_heard_after {
                desk.clock.running = true;
                desk.report();
            }
            desk.wait(0.6).make(uci).wait(2.0);
            if made >= first_heard_after {
                desk.press(0);
            }
        }
        desk.wait(1.0).fall(ClockSide::Left).wait(3.0);
        let found = &desk.game.findings()[0];
        assert_eq!((found.completed, found.last_period), (Some(2), known), "after {first_heard_after}: {found:?}");
    }
}
