//! An illegal move and then a flag (7.5, rows 7a and 7b), from the reports of board and clock and the arbiter's entries.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::{Kind, Outcome, Recommended};
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Color, Placement};

use crate::desk::Desk;
use crate::desk::event::{BLACK_BARE, Event, OPEN, PLAIN};

const RULING: [&str; 1] = ["illegal_move_ruling"];

/// White presses without a move (7.5.3). The clock is pressed back later.
fn press_without_move(desk: &mut Desk) -> u32 {
    desk.wait(2.0).press(0).wait(3.0).press(0).wait(1.0);
    let alarm = desk.game.alarms().iter().rfind(|alarm| alarm.kind == AlarmKind::PressedWithoutMove).expect("an alarm");
    assert_eq!(alarm.side, Some(Color::White));
    alarm.id
}

fn ruled(desk: &mut Desk, alarm: u32, counts: bool) {
    desk.sign("anna", Command::Penalty { side: Color::White, seconds: None, alarm: Some(alarm), counts: Some(counts) });
    assert_eq!(desk.refused(), 0);
    desk.wait(1.0);
}

/// Adds two minutes for this player, set by hand while the clocks stand.
fn two_minutes(desk: &mut Desk, side: ClockSide) {
    desk.clock.running = false;
    desk.report().wait(1.0).face(side).time.0 += 120_000;
    desk.report().wait(1.0).clock.running = true;
    desk.report().wait(1.0);
}

fn outcomes(desk: &Desk) -> Vec<(&'static str, Outcome)> {
    desk.found().alternatives.iter().map(|it| (it.row, it.outcome)).collect()
}

fn count_two(desk: &mut Desk) {
    for _ in 0..2 {
        let alarm = press_without_move(desk);
        ruled(desk, alarm, true);
    }
}

#[test]
fn an_illegal_move_without_a_ruling() {
    for (fen, on_time) in [(BLACK_BARE, ("15", Outcome::Draw)), (OPEN, ("14", Outcome::BlackWins))] {
        let mut desk = PLAIN.desk(fen);
        press_without_move(&mut desk);
        desk.flag(ClockSide::Left);
        let either = [("7b", Outcome::GameGoesOn), on_time];
        assert_eq!((desk.row(), outcomes(&desk)), (("7b", Outcome::Undecided), either.to_vec()), "{fen}");
        let found = desk.found();
        assert_eq!((found.kind, found.flag, found.conditional), (Kind::FlagFall, Some("white"), true));
        assert_eq!(found.unknown, RULING);
        assert_eq!(found.recommended, [Recommended::AddTime { side: "black", seconds: 120 }]);
        desk.wait(1.0).call(Color::White);
        assert_eq!((desk.row(), desk.found().conditional), (("7b", Outcome::Undecided), false), "{fen}: observed");
        let finding = desk.key();
        desk.sign("anna", Command::Confirm { finding });
        assert_eq!((desk.refused(), desk.game.result()), (1, None), "{fen}: there is nothing to confirm");
    }
}

/// An illegal move of the men, and not only of the clock (7.5.1): the position before it counts.
#[test]
fn an_illegal_move_stands_on_the_board() {
    let mut desk = PLAIN.desk(OPEN);
    desk.wait(2.0).frame(Placement::parse("r3k3/4p3/8/4P3/8/8/8/R3K3").expect("a placement")).wait(1.0).press(0).wait(3.0);
    assert!(desk.alarms().contains(&"IllegalMove(white)".to_owned()), "{:?}", desk.alarms());
    desk.frame(Placement::parse("r3k3/4p3/8/8/8/8/4P3/R3K3").expect("a placement")).wait(2.0);
    desk.flag(ClockSide::Right).call(Color::Black);
    let either = [("7b", Outcome::GameGoesOn), ("14", Outcome::WhiteWins)];
    assert_eq!((desk.row(), outcomes(&desk)), (("7b", Outcome::Undecided), either.to_vec()));
    assert_eq!((desk.found().position.as_str(), desk.found().unknown), (OPEN, RULING.to_vec()));
}

#[test]
fn an_illegal_move_that_was_ruled_to_be_none_has_no_effect() {
    for (flag, side, row) in
        [(ClockSide::Left, Color::White, ("15", Outcome::Draw)), (ClockSide::Right, Color::Black, ("14", Outcome::WhiteWins))]
    {
        let mut desk = PLAIN.desk(BLACK_BARE);
        let alarm = press_without_move(&mut desk);
        ruled(&mut desk, alarm, false);
        desk.flag(flag).call(side);
        assert_eq!((desk.row(), outcomes(&desk)), (row, vec![]), "{side:?}");
    }
}

/// A counted illegal move of the same player does not change his opponent's win on time.
#[test]
fn the_offenders_own_flag() {
    let mut desk = PLAIN.desk(OPEN);
    let alarm = press_without_move(&mut desk);
    ruled(&mut desk, alarm, true);
    desk.flag(ClockSide::Left).call(Color::White);
    assert_eq!((desk.row(), outcomes(&desk)), (("14", Outcome::BlackWins), vec![]));
}

/// The opponent's time may have expired because nobody gave him the two minutes (7.5.5).
#[test]
fn the_opponents_flag_without_the_time_due_to_him() {
    let fallen = |two_hands: bool, added: Option<ClockSide>| {
        let mut desk = PLAIN.desk(OPEN);
        if two_hands {
            desk.wait(2.0).sign("anna", Command::Penalty { side: Color::White, seconds: None, alarm: None, counts: Some(true) });
        } else {
            let alarm = press_without_move(&mut desk);
            ruled(&mut desk, alarm, true);
        }
        if let Some(side) = added {
            two_minutes(&mut desk, side);
        }
        desk.flag(ClockSide::Right).call(Color::Black);
        desk
    };
    for (two_hands, wrong) in [(false, None), (false, Some(ClockSide::Left)), (true, None), (true, Some(ClockSide::Left))] {
        let mut desk = fallen(two_hands, wrong);
        assert_eq!(
            (desk.row(), desk.found().unknown),
            (("7b", Outcome::Undecided), vec!["penalty_time"]),
            "{two_hands} {wrong:?}"
        );
        assert_eq!(outcomes(&desk), [("7b", Outcome::GameGoesOn), ("14", Outcome::WhiteWins)]);
        assert_eq!(desk.found().recommended, [Recommended::AddTime { side: "black", seconds: 120 }]);
        let finding = desk.key();
        desk.sign("anna", Command::Confirm { finding });
        assert_eq!((desk.refused(), desk.game.result()), (1, None));
    }
    for two_hands in [false, true] {
        let desk = fallen(two_hands, Some(ClockSide::Right));
        assert_eq!((desk.row(), outcomes(&desk)), (("14", Outcome::WhiteWins), vec![]), "{two_hands}");
    }
}

/// Time that ran off while the clock was not heard was not removed by hand.
#[test]
fn the_time_was_added_and_then_the_clock_was_not_heard_for_a_while() {
    for away in [false, true] {
        let mut desk = PLAIN.desk(OPEN);
        let alarm = press_without_move(&mut desk);
        ruled(&mut desk, alarm, true);
        two_minutes(&mut desk, ClockSide::Right);
        desk.play("e1d1");
        if away {
            desk.device(DeviceEvent::ClockAbsent).clock.running = false;
            desk.wait(20.0).clock.running = true;
            desk.face(ClockSide::Right).time.0 -= 20_000;
            desk.clock.baseline = true;
            desk.report();
        } else {
            desk.wait(20.0);
        }
        desk.flag(ClockSide::Right).call(Color::Black);
        assert_eq!((desk.row(), outcomes(&desk)), (("14", Outcome::WhiteWins), vec![]), "{away}");
    }
}

/// The second illegal move, counted before the fall, decides for either flag (7a). If the opponent cannot mate, it is a draw.
#[test]
fn the_second_one_decides_before_the_flag() {
    for (fen, outcome, result) in
        [(BLACK_BARE, Outcome::Draw, GameResult::Draw), (OPEN, Outcome::BlackWins, GameResult::BlackWins)]
    {
        for (flag, side) in [(ClockSide::Left, Color::White), (ClockSide::Right, Color::Black)] {
            let mut desk = PLAIN.desk(fen);
            count_two(&mut desk);
            desk.flag(flag);
            assert_eq!((desk.row(), outcomes(&desk)), (("7a", outcome), vec![]), "{fen} {flag:?}");
            assert!(desk.found().articles.contains(&"7.5.5") && !desk.found().contested, "{:?}", desk.found());
            desk.call(side);
            assert_eq!(desk.row(), ("7a", outcome), "{fen} {flag:?}: observed");
            let finding = desk.key();
            desk.sign("anna", Command::Confirm { finding });
            assert_eq!((desk.refused(), desk.game.result()), (0, Some(result)), "{fen} {flag:?}");
        }
    }
}

/// One illegal move is counted and one is open: row 7a holds if the open one counts, and otherwise the flag.
#[test]
fn the_second_one_is_still_open() {
    let mut desk = PLAIN.desk(BLACK_BARE);
    let alarm = press_without_move(&mut desk);
    ruled(&mut desk, alarm, true);
    two_minutes(&mut desk, ClockSide::Right);
    let second = press_without_move(&mut desk);
    desk.flag(ClockSide::Right).call(Color::Black);
    assert_eq!((desk.row(), desk.found().unknown), (("7a", Outcome::Undecided), RULING.to_vec()));
    assert!(outcomes(&desk).contains(&("7a", Outcome::Draw)), "{:?}", outcomes(&desk));
    ruled(&mut desk, second, true);
    assert_eq!((desk.settle().row(), outcomes(&desk)), (("7a", Outcome::Draw), vec![]));
    ruled(&mut desk, second, false);
    assert_eq!((desk.settle().row(), outcomes(&desk)), (("14", Outcome::WhiteWins), vec![]), "the arbiter corrects the ruling");
}

/// Completed after the expiry, it may decide only if nobody had observed the fall by then.
#[test]
fn the_second_one_after_the_expiry_is_open_or_too_late() {
    for observed in [false, true] {
        let mut desk = PLAIN.desk(OPEN);
        let alarm = press_without_move(&mut desk);
        ruled(&mut desk, alarm, true);
        two_minutes(&mut desk, ClockSide::Right);
        desk.flag(ClockSide::Right);
        if observed {
            desk.call(Color::Black);
        }
        desk.wait(2.0).sign("anna", Command::Penalty { side: Color::White, seconds: None, alarm: None, counts: Some(true) });
        desk.wait(1.0).call(Color::Black);
        if observed {
            assert_eq!((desk.row(), outcomes(&desk)), (("14", Outcome::WhiteWins), vec![]));
        } else {
            let either = [("7a", Outcome::BlackWins), ("14", Outcome::WhiteWins)];
            assert_eq!((desk.found().outcome, outcomes(&desk)), (Outcome::Undecided, either.to_vec()));
        }
    }
}

/// Without supervision an illegal move stands when the opponent has made his next move (A.5.2).
#[test]
fn the_opponents_next_move_lets_it_stand_in_rapid_chess() {
    for (rulebook, row) in [("fide-2023-rapid", "14"), ("fide-2023-blitz", "14"), ("fide-2023-standard", "7b")] {
        for replied in [false, true] {
            let mut desk = Event { rulebook, ..PLAIN }.desk(OPEN);
            press_without_move(&mut desk);
            desk.play("e1d1");
            if replied {
                desk.play("e8d8");
            }
            desk.flag(ClockSide::Left).call(Color::White);
            assert_eq!(desk.found().row, if replied { row } else { "7b" }, "{rulebook} {replied}: {:?}", desk.found());
        }
    }
}
