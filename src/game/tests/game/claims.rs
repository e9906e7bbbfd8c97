//! Flags that only an arbiter has seen (6.8), and an arbiter's actions that the live audience cannot see.

use flagfall_game::FlagPath;
use flagfall_game::effect::{Audience, Effect};
use flagfall_game::game_phase::GamePhase;
use flagfall_game::input::Command;
use flagfall_game::laws::finding::Finding;
use flagfall_game::laws::outcome::GameResult;
use flagfall_game::laws::outcome::Outcome;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::{Color, Placement};
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;

fn claim(flag: Color, period: Option<u32>) -> Command {
    Command::Claim { flag, period, observed_at: None }
}

fn finding(desk: &Desk) -> Finding {
    desk.game.findings().last().expect("a finding").clone()
}

#[test]
fn a_flag_that_the_clock_has_not_shown() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").wait(2.0);
    let heard = desk.now.0;
    desk.device(DeviceEvent::ClockAbsent).wait(0.0).clock.running = false;
    desk.wait(60.0).command(claim(Color::White, None));
    let finding = finding(&desk);
    assert_eq!(
        (desk.refused(), finding.path, finding.flag, finding.row),
        (0, Some(FlagPath::ObservedByArbiter), Some("white"), "16")
    );
    assert_eq!((finding.conditional, finding.observed_at), (false, Some(desk.now.0)));
    assert_eq!(finding.expired_at, Some([heard, desk.now.0]), "the fall came after the last report");
    assert!(finding.unknown.contains(&"moment_of_expiry") && finding.evidence.is_empty(), "{finding:?}");
    assert_eq!(desk.alarms(), ["ClockLost", "Flag(white)"]);
    desk.command(claim(Color::White, None));
    assert_eq!((desk.state().flags.len(), desk.refused()), (1, 0), "it is the same flag again");
    let back = Command::SetClockRecord { time_control: None, additional_time: None, flag_taken_back: Some(Color::White) };
    assert_eq!(desk.command(back).state().flags.len(), 0);
}

#[test]
fn a_board_without_a_clock() {
    let mut desk = Desk::new("");
    desk.frame(Placement::initial()).wait(1.0).make("e2e4").wait(30.0).command(claim(Color::Black, None));
    let found = finding(&desk);
    assert_eq!((found.path, found.outcome), (Some(FlagPath::ObservedByArbiter), Outcome::Undecided));
    for unknown in ["time_control", "moment_of_expiry"] {
        assert!(found.unknown.contains(&unknown), "{found:?}");
    }
    assert_eq!(Desk::new("300").command(claim(Color::Black, None)).refused(), 1, "without a game there is no flag");
}

#[test]
fn the_period_may_be_named() {
    let mut desk = Desk::started("2/300:300");
    desk.play("e2e4").play("e7e5").play("g1f3").play("b8c6");
    desk.clock.left.time = ClockTime(0);
    desk.clock.left.flag_shown = true;
    desk.report().wait(1.0).command(claim(Color::White, Some(2)));
    let falls: Vec<_> = desk.state().flags.iter().map(|fall| (fall.path, fall.period, fall.observed_at.is_some())).collect();
    assert_eq!(falls, [(FlagPath::RunningAtZero, 1, false), (FlagPath::ObservedByArbiter, 2, true)]);
    assert_eq!((desk.game.findings()[0].outcome, desk.game.findings()[1].row), (Outcome::GameGoesOn, "16"));
    desk.command(claim(Color::White, Some(1)));
    assert!(desk.state().flags[0].observed_at.is_some());
    for none in [0, 3, 9, u32::MAX] {
        desk.command(claim(Color::White, Some(none)));
    }
    assert_eq!((desk.refused(), desk.state().flags.len()), (4, 2));
}

/// While the cable is out, nobody knows which moves were made in time.
#[test]
fn moves_after_the_last_report_may_have_been_too_late() {
    let mut desk = Desk::started("3/300:300");
    desk.play("e2e4").play("e7e5").device(DeviceEvent::ClockAbsent).clock.running = false;
    for uci in ["g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6"] {
        desk.wait(30.0).make(uci);
    }
    desk.wait(30.0).command(claim(Color::White, None));
    let found = finding(&desk);
    assert_eq!((found.row, found.completed, found.outcome), ("13", None, Outcome::Undecided));
    assert!(found.unknown.contains(&"completed_moves"), "{found:?}");
}

/// The clock shows the flag later: it is the same fall.
#[test]
fn a_sign_that_comes_later_is_no_second_flag() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").device(DeviceEvent::ClockAbsent).wait(20.0).command(claim(Color::Black, None));
    desk.clock.right.time = ClockTime(0);
    desk.clock.right.flag_shown = true;
    desk.clock.baseline = true;
    desk.report().wait(2.0);
    assert_eq!((desk.state().flags.len(), desk.game.findings().len()), (1, 1));
}

/// The number of states for the live audience and for the public since the last call.
fn live(desk: &mut Desk) -> usize {
    desk.out.drain(..).filter(|effect| matches!(effect, Effect::State(Audience::Live | Audience::Public))).count()
}

#[test]
fn taking_back_a_missing_result_is_not_visible() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5").wait(3.0);
    live(&mut desk);
    desk.command(Command::DeclareResult { result: GameResult::Open });
    assert_eq!(live(&mut desk), 0);
    desk.command(Command::DeclareResult { result: GameResult::Draw });
    assert_eq!(live(&mut desk), 2);
    desk.command(Command::DeclareResult { result: GameResult::Draw });
    assert_eq!(live(&mut desk), 0);
    desk.command(Command::DeclareResult { result: GameResult::Open });
    assert_eq!(live(&mut desk), 2);
}

#[test]
fn kings_in_the_centre_are_seen_by_arbiters_only() {
    let mut desk = Desk::started("300").with_position("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    desk.clock.running = false;
    desk.report().wait(3.0);
    live(&mut desk);
    desk.frame(Placement::parse("8/8/8/3k4/4K3/8/4P3/8").expect("a placement")).wait(5.0);
    assert_eq!(desk.state().stage, GamePhase::Over);
    assert_eq!(live(&mut desk), 0);
}

/// Every state of the live audience differs from the one before in more than its clock.
#[test]
fn another_start_is_shown() {
    let mut desk = Desk::started("300");
    live(&mut desk);
    desk.command(Command::SetPosition { fen: "4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 9".into() });
    assert_eq!(live(&mut desk), 2);
    assert!(desk.state().initial_fen.starts_with("4k3/4p3"));
}
