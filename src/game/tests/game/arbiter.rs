//! Arbiters' records in the middle of a game, and flags that fell before them.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::effect::Effect;
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::Outcome;
use flagfall_game::pair::Pair;
use flagfall_protocols::event::{ClockSide, DeviceEvent};
use flagfall_protocols::square::{Color, Placement};
use flagfall_protocols::time::{ClockTime, Instant};

use crate::desk::Desk;

#[test]
fn no_record_without_a_game() {
    for command in [
        Command::TakeBack { plies: 0 },
        Command::CorrectMove { plies: 0, uci: "e2e4".into() },
        Command::DeclareResult { result: GameResult::Open },
        Command::DeclareResult { result: GameResult::Draw },
        Command::SetMoveCount { completed: Pair { white: 1, black: 1 } },
    ] {
        let mut desk = Desk::new("300");
        desk.command(command.clone());
        assert_eq!((desk.state().stage, desk.refused()), (GamePhase::AwaitingSetUp, 1), "{command:?}");
    }
}

#[test]
fn a_move_count_that_no_game_has_is_refused() {
    let mut desk = Desk::started("40/300:300");
    desk.command(Command::SetMoveCount { completed: Pair { white: u32::MAX, black: u32::MAX } });
    assert_eq!(desk.refused(), 1);
    desk.play("e2e4").play("e7e5").wait(2.0);
    assert_eq!(desk.state().completed.white, Some(1));
}

#[test]
fn a_corrected_mate_is_no_mate() {
    let mut desk = Desk::started("300");
    for uci in ["f2f3", "e7e5", "g2g4", "d8h4"] {
        desk.play(uci);
    }
    assert_eq!(desk.wait(2.0).state().stage, GamePhase::Over);
    desk.command(Command::CorrectMove { plies: 3, uci: "d8g5".into() });
    assert_eq!((desk.state().stage, desk.state().ending), (GamePhase::Playing, None));
    desk.command(Command::CorrectMove { plies: 3, uci: "d8h4".into() });
    assert_eq!(desk.state().stage, GamePhase::Over, "a corrected move that mates ends the game");
}

#[test]
fn a_result_taken_back_brings_the_flag_back() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").command(Command::DeclareResult { result: GameResult::Draw });
    desk.fall(ClockSide::Left).wait(0.5);
    assert!(desk.game.findings().is_empty(), "the game was over");
    desk.command(Command::DeclareResult { result: GameResult::Open });
    assert_eq!(desk.game.findings().last().expect("a finding").row, "16");
    assert!(desk.alarms().contains(&"Flag(white)".to_owned()));
}

#[test]
fn another_position_completes_no_move_before_the_flag() {
    let mut desk = Desk::started("2/300:300");
    desk.play("e2e4").play("e7e5");
    desk.fall(ClockSide::Left).wait(0.5);
    assert_eq!(desk.game.findings()[0].completed, Some(1));
    desk.play("g1f3").play("b8c6").play("f1c4").play("g8f6");
    assert_eq!((desk.game.findings()[0].completed, desk.game.findings()[0].row), (Some(1), "16"));
    desk.command(Command::SetPosition { fen: "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 9".into() });
    assert_eq!(desk.state().completed.white, Some(3));
    assert_eq!((desk.game.findings()[0].completed, desk.game.findings()[0].row), (Some(1), "16"));
}

#[test]
fn a_flag_cannot_be_observed_before_it_fell() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.fall(ClockSide::Left).wait(0.5);
    desk.command(Command::Claim { flag: Color::White, period: None, observed_at: Some(1) });
    let finding = desk.game.findings().last().expect("a finding").clone();
    assert_eq!(finding.observed_at, finding.expired_at.map(|expired| expired[0]));
    assert!(finding.position.starts_with("rnbqkbnr/pppp1ppp/8/4p3/4P3"), "{}", finding.position);
}

#[test]
fn numbers_of_findings_are_never_used_again() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.fall(ClockSide::Left).wait(0.5);
    let first = desk.game.findings()[0].id;
    let back = Command::SetClockRecord { time_control: None, additional_time: None, flag_taken_back: Some(Color::White) };
    desk.command(back);
    assert_eq!((desk.state().flags.len(), desk.game.findings().len()), (0, 0));
    desk.clock.left.flag_shown = false;
    desk.clock.left.time = ClockTime(9000);
    desk.report().wait(1.0);
    desk.fall(ClockSide::Left).wait(0.5);
    assert!(desk.game.findings()[0].id > first);
}

#[test]
fn one_flag_taken_back_leaves_the_alarm_of_the_other() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.fall(ClockSide::Left).wait(0.5);
    desk.play("g1f3");
    desk.fall(ClockSide::Right).command(Command::SetClockRecord {
        time_control: None,
        additional_time: None,
        flag_taken_back: Some(Color::White),
    });
    let open: Vec<_> = desk.state().alarms.iter().map(|alarm| (alarm.kind, alarm.side)).collect();
    assert_eq!(open, [(AlarmKind::Flag, Some(Color::Black))]);
}

#[test]
fn the_state_shows_the_finding_that_decides() {
    let mut desk = Desk::started("2/300:300");
    desk.play("e2e4").play("e7e5").play("g1f3").play("b8c6");
    desk.fall(ClockSide::Left).wait(0.5);
    desk.play("f1c4");
    desk.fall(ClockSide::Right);
    let rows: Vec<_> = desk.game.findings().iter().map(|finding| (finding.flag, finding.outcome)).collect();
    assert_eq!(rows, [(Some("white"), Outcome::GameGoesOn), (Some("black"), Outcome::GameGoesOn)]);
    desk.command(Command::SetClockRecord {
        time_control: Some("3/300:300".into()),
        additional_time: None,
        flag_taken_back: None,
    });
    assert_eq!(desk.state().finding.and_then(|finding| finding.flag), Some("white"), "no later flag matters");
}

#[test]
fn a_second_press_without_a_move_is_reported_too() {
    let mut desk = Desk::started("300");
    desk.wait(1.0).press(0).wait(3.0).press(0).wait(1.0).press(0).wait(3.0);
    assert_eq!(desk.alarms(), ["PressedWithoutMove(white)", "PressedWithoutMove(white)"]);
}

#[test]
fn an_illegal_move_after_the_flag_changes_nothing_about_the_flag() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.fall(ClockSide::Left).wait(0.5);
    desk.play("g1f3").wait(5.0).press(0).wait(3.0);
    assert!(desk.alarms().contains(&"PressedWithoutMove(black)".to_owned()));
    assert_eq!(desk.game.findings()[0].row, "16");
}

#[test]
fn an_illegal_move_before_the_flag_leaves_it_undecided() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").wait(2.0).press(0).wait(3.0).press(0).wait(1.0);
    desk.fall(ClockSide::Left).wait(0.5);
    assert_eq!(desk.game.findings()[0].row, "7b");
}

#[test]
fn a_gesture_that_was_none_is_forgotten_when_play_goes_on() {
    let mut desk = Desk::started("300").with_position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    let gesture = Placement::parse("8/8/8/3k4/4K3/8/4P3/8").expect("a placement");
    let back = desk.standing();
    desk.wait(1.0).frame(gesture).wait(2.5).frame(back).wait(1.0);
    assert_eq!(desk.state().hints.len(), 1);
    desk.play("e2e4").play("e8e7").wait(2.0);
    desk.fall(ClockSide::Left).wait(0.5);
    assert_eq!(desk.game.findings()[0].row, "15", "with kings and a pawn Black cannot mate, and the game had not ended");
}

#[test]
fn a_king_goes_to_the_centre_and_then_the_clocks_are_stopped() {
    let mut desk = Desk::started("300").with_position("4k3/8/8/8/8/4K3/4P3/8 w - - 0 1");
    desk.wait(1.0).make("e3e4").wait(1.0);
    desk.clock.running = false;
    desk.report().wait(10.0);
    assert_eq!((desk.moves(), desk.state().pending.len()), (vec![], 0), "half of a gesture is no move");
    assert!(!desk.out.iter().any(|effect| matches!(effect, Effect::LiveMove { .. })));
}

#[test]
fn a_disconnected_clock_is_absent_in_the_next_game_too() {
    let mut desk = Desk::started("300");
    desk.play("e2e4");
    desk.clock.running = false;
    desk.device(DeviceEvent::ClockAbsent).wait(1.0).command(Command::StartGame { fen: None });
    let open: Vec<_> = desk.state().alarms.iter().map(|alarm| alarm.kind).collect();
    assert_eq!(open, [AlarmKind::ClockLost]);
}

#[test]
fn a_proved_mate_is_not_forgotten() {
    use flagfall_game::input::Input;
    use flagfall_game::laws::winnable::Answer;
    let mut desk = Desk::started("300");
    desk.fall(ClockSide::Left).wait(0.5).black_can_mate();
    assert_eq!(desk.game.findings()[0].row, "14");
    desk.feed(Input::Answer(Answer { id: 1, ..Answer::default() }));
    assert_eq!(desk.game.findings()[0].row, "14");
}

#[test]
fn a_mate_about_the_moment_of_observation_leaves_both_outcomes() {
    let mut desk = Desk::started("300");
    desk.play("f2f3").play("e7e5").play("g2g4").wait(0.5);
    desk.fall(ClockSide::Right).make("d8h4");
    let seen = Instant(desk.now.0 - 100_000);
    desk.wait(3.0).command(Command::Claim { flag: Color::Black, period: None, observed_at: Some(seen.0) });
    let finding = desk.game.findings()[0].clone();
    let outcomes: Vec<_> = finding.alternatives.iter().map(|other| other.outcome).collect();
    assert_eq!((finding.outcome, outcomes), (Outcome::Undecided, vec![Outcome::BlackWins, Outcome::Undecided]));
}

#[test]
fn exchanged_sides_turn_the_finding() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.fall(ClockSide::Left).wait(0.5);
    desk.command(Command::SwapSides);
    assert_eq!(desk.game.findings()[0].flag, Some("black"));
    let open: Vec<_> = desk.state().alarms.iter().filter(|alarm| alarm.kind == AlarmKind::Flag).map(|alarm| alarm.side).collect();
    assert_eq!((open, desk.clock.lever_up), (vec![Some(Color::Black)], ClockSide::Left));
}
