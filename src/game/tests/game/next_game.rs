//! A flag that awaits its ruling, and men that are set up again.

use flagfall_game::decision::Ruling;
use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Color, Placement};
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;

/// White's flag fell after two moves, the clock was stopped at zero, and the men are set up again.
fn set_up_again() -> Desk {
    let mut desk = flagged();
    desk.clock.running = false;
    desk.report().wait(0.5).frame(Placement::initial()).wait(10.0);
    desk.assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    desk
}

fn flagged() -> Desk {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.clock.left.time = ClockTime(1000);
    desk.report().wait(0.5);
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    desk.report();
    desk
}

fn set_clock(desk: &mut Desk) {
    for face in [&mut desk.clock.left, &mut desk.clock.right] {
        (face.time, face.flag_shown) = (ClockTime(300_000), false);
    }
}

fn play_on(desk: &mut Desk) {
    desk.play("d2d4").play("d7d5").wait(2.0);
    assert_eq!((desk.game.number(), desk.moves()), (2, vec!["d2d4".to_owned(), "d7d5".to_owned()]));
    assert!(desk.state().flags.is_empty());
}

#[test]
fn the_flag_stays_while_the_clock_stands_at_zero() {
    let mut desk = set_up_again();
    desk.wait(600.0);
    assert_eq!((desk.game.number(), desk.state().flags.len()), (1, 1));
    desk.command(Command::Claim { flag: Color::White, period: None, observed_at: None });
    assert_eq!((desk.refused(), desk.game.findings()[0].conditional), (0, false));
    desk.out.clear();
    desk.command(Command::DeclareResult { result: GameResult::BlackWins });
    assert_eq!((desk.refused(), desk.game.number(), desk.state().stage), (0, 1, GamePhase::Over));
    assert_eq!(desk.game.result(), Some(GameResult::BlackWins), "the result is published before the next game begins");
    set_clock(desk.report().wait(2.0));
    assert_eq!(desk.game.number(), 2, "nothing awaits a ruling any more");
    desk.report();
    desk.clock.running = true;
    desk.report();
    play_on(&mut desk);
}

#[test]
fn a_clock_that_is_set_again_begins_the_next_game() {
    let mut desk = set_up_again();
    set_clock(&mut desk);
    desk.report();
    assert_eq!((desk.game.number(), desk.state().stage), (2, GamePhase::Armed));
    assert_eq!(desk.alarms(), ["ResultMissing"]);
    desk.clock.running = true;
    desk.report();
    play_on(&mut desk);
}

#[test]
fn the_clock_may_be_set_before_the_pieces() {
    let mut desk = flagged();
    desk.clock.running = false;
    desk.report().wait(0.5);
    set_clock(&mut desk);
    desk.report().wait(20.0);
    assert_eq!(desk.game.number(), 1, "the flag's position still stands");
    desk.frame(Placement::initial()).assume("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    // The players are quick: they wait less than five seconds.
    desk.wait(1.0).clock.running = true;
    desk.report();
    play_on(&mut desk);
}

/// The clock is set and started between two reports, and White's first move comes before the second report.
#[test]
fn a_move_before_the_clock_is_heard_is_not_lost() {
    for first in ["d2d4", "g1f3"] {
        let mut desk = set_up_again();
        desk.make(first);
        set_clock(&mut desk);
        desk.clock.running = true;
        desk.report().press(0).play("d7d5").wait(2.0);
        assert_eq!((desk.game.number(), desk.moves()), (2, vec![first.to_owned(), "d7d5".to_owned()]));
    }
}

/// A clock that is switched off before it is set does not begin a game. If it stays off, the first move does.
#[test]
fn without_a_clock_the_first_move_begins_the_game() {
    let mut desk = set_up_again();
    desk.device(DeviceEvent::ClockAbsent).wait(60.0);
    assert_eq!(desk.game.number(), 1);
    let mut back = set_up_again();
    back.device(DeviceEvent::ClockAbsent).wait(60.0);
    set_clock(&mut back);
    back.clock.baseline = true;
    back.report();
    assert_eq!(back.game.number(), 2);
    desk.make("d2d4").wait(1.0).make("d7d5").wait(1.0).make("c2c4").wait(60.0);
    let played: Vec<String> = desk.game.live_moves().map(|played| played.uci.to_string()).collect();
    assert_eq!((desk.game.number(), played.join(" ")), (2, "d2d4 d7d5 c2c4".to_owned()));
}

/// The period's time that a clock adds by itself is not set by hand.
#[test]
fn a_period_added_at_zero_is_no_new_setting() {
    let mut desk = Desk::started("40/300:300");
    desk.play("e2e4").play("e7e5");
    desk.clock.left.time = ClockTime(1000);
    desk.report().wait(0.5);
    desk.clock.left.time = ClockTime(300_000);
    desk.clock.right.time = ClockTime(desk.clock.right.time.0 + 300_000);
    desk.clock.left.flag_shown = true;
    desk.report().wait(2.0).clock.running = false;
    desk.report().frame(Placement::initial()).wait(30.0);
    assert_eq!((desk.game.number(), desk.state().flags.len()), (1, 1));
}

#[test]
fn a_flag_without_effect_delays_nothing() {
    let mut desk = Desk::started("1/300:300");
    desk.play("e2e4").play("e7e5");
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    desk.report().wait(0.5).clock.running = false;
    desk.report().frame(Placement::initial()).wait(7.0);
    assert_eq!(desk.game.number(), 2);
}

fn rulings(desk: &Desk) -> usize {
    desk.out.iter().filter(|effect| matches!(effect, Effect::Ruling)).count()
}

#[test]
fn a_flag_taken_back_has_no_ruling() {
    let mut desk = flagged();
    assert!(rulings(&desk) > 0 && matches!(desk.game.ruling(), Some((1, Ruling::Finding { decision: None, .. }))));
    desk.out.clear();
    let back = Command::SetClockRecord { time_control: None, additional_time: None, flag_taken_back: Some(Color::White) };
    desk.command(back);
    assert_eq!((rulings(&desk), desk.game.ruling()), (1, None));
}

#[test]
fn a_ruling_has_the_decision() {
    let mut desk = flagged();
    desk.wait(1.0).out.clear();
    desk.command(Command::DeclareResult { result: GameResult::BlackWins });
    let at = desk.now;
    let Some((1, Ruling::Finding { decision: Some(decision), finding })) = desk.game.ruling() else { panic!("no decision") };
    assert_eq!((rulings(&desk), decision.result, decision.at, finding.flag), (1, GameResult::BlackWins, at, Some("white")));
    desk.out.clear();
    desk.command(Command::DeclareResult { result: GameResult::Open });
    assert_eq!(rulings(&desk), 1);
    assert!(matches!(desk.game.ruling(), Some((1, Ruling::Finding { decision: None, .. }))));
    let mut drawn = Desk::started("300");
    drawn.play("e2e4").command(Command::DeclareResult { result: GameResult::Draw });
    assert!(rulings(&drawn) == 1 && matches!(drawn.game.ruling(), Some((1, Ruling::Decision { .. }))));
    drawn.command(Command::DeclareResult { result: GameResult::Open });
    assert_eq!((rulings(&drawn), drawn.game.ruling()), (2, None));
}

#[test]
fn the_old_ruling_goes_with_the_first_move() {
    let mut desk = set_up_again();
    set_clock(&mut desk);
    desk.out.clear();
    desk.report().wait(5.0).clock.running = true;
    desk.report();
    assert_eq!((desk.game.number(), rulings(&desk)), (2, 0));
    assert!(matches!(desk.game.ruling(), Some((1, Ruling::Finding { .. }))), "it is still the ruling of the game before");
    desk.make("d2d4");
    assert_eq!((rulings(&desk), desk.game.ruling()), (1, None));
}

/// A resignation without a ruling is not lost with its game, and the next game does not begin in the step that rejects it.
#[test]
fn a_resignation_delays_the_next_game_like_a_flag() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").command(Command::Resign { side: Color::White });
    desk.clock.running = false;
    desk.report().wait(0.5).frame(Placement::initial()).wait(60.0);
    assert_eq!((desk.refused(), desk.game.number()), (0, 1));
    let found = desk.game.findings()[0].clone();
    let finding = flagfall_game::laws::finding::FindingKey { id: found.id, revision: found.revision };
    desk.command(Command::Reject { finding });
    assert_eq!((desk.refused(), desk.game.number()), (0, 1), "the next game does not begin in the same step");
    desk.wait(10.0);
    assert_eq!(desk.game.number(), 2);
}

/// Board and clock are connected when a clock runs already, or before.
fn connected(late: bool) -> Desk {
    let mut desk = Desk::new("300");
    desk.frame(Placement::initial());
    if !late {
        desk.report();
    }
    desk.clock.running = true;
    desk.report().play("g1f3").play("g8f6");
    desk
}

fn stop(desk: &mut Desk) {
    desk.clock.running = false;
    desk.wait(3.0).report().wait(3.0);
}

/// Makes a move and does not press.
fn try_out(desk: &mut Desk, uci: &str) {
    desk.make(uci).wait(3.0);
}

/// What is done after the clocks were stopped is no move, also if nobody saw how they were started.
#[test]
fn after_a_clock_that_was_started_unseen_is_stopped_no_move_is_made() {
    for late in [false, true] {
        let mut home = connected(late);
        stop(&mut home);
        for uci in ["f3g1", "f6g8"] {
            try_out(&mut home, uci);
        }
        home.wait(20.0);
        assert_eq!((home.game.number(), home.moves()), (2, vec![]), "{late}");
        set_clock(&mut home);
        home.report().wait(5.0).clock.running = true;
        home.report();
        play_on(&mut home);

        let mut analysis = connected(late);
        try_out(analysis.wait(1.0), "b1c3");
        stop(&mut analysis);
        try_out(&mut analysis, "b8c6");
        analysis.command(Command::DeclareResult { result: GameResult::Draw }).wait(1.0);
        assert_eq!(analysis.moves(), ["g1f3", "g8f6", "b1c3"], "{late}: analysed");
    }
}

/// A clock that somebody forgot to stop begins no game, and the next start is compared with the time control.
#[test]
fn a_clock_that_was_left_running_is_none_of_the_game() {
    let mut desk = Desk::new("600");
    desk.frame(Placement::initial()).wait(5.0).clock.running = true;
    desk.report().wait(5.0).clock.running = false;
    desk.report().wait(5.0);
    assert_eq!((desk.game.number(), desk.state().stage, desk.alarms()), (1, GamePhase::Armed, vec![]));
    desk.clock.running = true;
    desk.report().wait(1.0);
    assert_eq!(desk.alarms(), ["ClockSettingDiffers"]);
}
