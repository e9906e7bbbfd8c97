//! Every fall is one of its own: a flag that falls again after its ruling, after its clock was set anew, or after two presses.

use flagfall_game::alarm::AlarmKind;
use flagfall_game::clock::flag::FlagPath;
use flagfall_game::input::Command;
use flagfall_game::laws::outcome::{GameResult, Outcome};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Color;
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;
use crate::desk::event::{AUTOMATIC, Event, OPEN, PLAIN};

const INCREMENT: Event<'static> = Event { control: "300+5", ..PLAIN };

fn flag_alarms(desk: &Desk) -> usize {
    desk.state().alarms.iter().filter(|alarm| alarm.kind == AlarmKind::Flag).count()
}

/// The clocks are stopped, White's time is set to a minute, his sign goes out, and his clock is started again.
fn set_anew(desk: &mut Desk) {
    desk.clock.running = false;
    desk.report().wait(3.0);
    (desk.clock.left.time, desk.clock.left.flag_shown) = (ClockTime(60_000), false);
    desk.report().wait(3.0);
    desk.clock.running = true;
    desk.report().wait(1.0);
}

/// A move with a press that adds five seconds.
fn play_5(desk: &mut Desk, uci: &str) {
    desk.wait(0.6).make(uci).wait(0.3).press(5).wait(0.6);
}

/// White's flag fell after two moves, and the arbiter rejects the finding.
fn rejected(event: &Event<'_>) -> Desk {
    let mut desk = event.desk(OPEN);
    play_5(&mut desk, "e2e4");
    play_5(&mut desk, "e7e5");
    desk.flag(ClockSide::Left);
    assert_eq!((desk.found().fall, desk.found().flag, flag_alarms(&desk)), (Some(1), Some("white"), 1));
    let finding = desk.key();
    desk.wait(2.0).sign("anna", Command::Reject { finding }).wait(1.0);
    assert_eq!((desk.refused(), desk.state().flags[0].ruled, flag_alarms(&desk)), (0, Some(1), 0));
    desk
}

/// The flag of the same player falls again.
#[test]
fn after_a_rejection_the_next_fall_is_another_one() {
    let mut desk = rejected(&INCREMENT);
    let first = (desk.key().id, desk.state().flags[0].clone());
    set_anew(&mut desk);
    play_5(&mut desk, "e1e2");
    play_5(&mut desk, "e8e7");
    assert_eq!((desk.state().flags.len(), flag_alarms(&desk)), (1, 0), "with time on the clock there is nothing new");
    desk.flag(ClockSide::Left);
    let flags = desk.state().flags;
    assert_eq!((flags.len(), &flags[0], flags[1].side), (2, &first.1, Color::White), "the first fall stays as it was");
    assert_eq!((flag_alarms(&desk), desk.game.awaits_ruling()), (1, true));
    let found = desk.found();
    assert_eq!((found.fall, found.conditional, desk.row()), (Some(2), true, ("14", Outcome::BlackWins)));
    assert_ne!(found.id, first.0, "it is another finding");
    // The arbiter calls it and confirms: the second fall decides, in its own position.
    desk.call(Color::White);
    let flags = desk.state().flags;
    assert_eq!((flags.len(), flags[0].observed_at), (2, None));
    assert!(flags[1].observed_at.is_some());
    let found = desk.found();
    assert!(found.position.starts_with("r7/4k3/8/4p3/4P3/8/4K3/R7 w"), "{}", found.position);
    let finding = desk.key();
    desk.sign("anna", Command::Confirm { finding });
    assert_eq!((desk.refused(), desk.game.result()), (0, Some(GameResult::BlackWins)));
    assert_eq!((desk.state().flags[0].ruled, desk.state().flags[1].ruled), (Some(1), Some(2)));
}

/// Two presses with time on the clock of the player whose flag fell are enough, although nobody set it and its sign is still up.
#[test]
fn two_presses_with_time_end_the_latch() {
    let mut desk = rejected(&INCREMENT);
    play_5(&mut desk, "e1e2");
    desk.report();
    assert_eq!(desk.state().flags.len(), 1);
    play_5(&mut desk, "e8e7");
    desk.flag(ClockSide::Left);
    assert_eq!((desk.state().flags.len(), flag_alarms(&desk), desk.found().fall), (2, 1, Some(2)));
}

/// While the display stays at zero, moves end nothing: the sign is that of the same fall.
#[test]
fn without_time_the_latch_stays() {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).wait(1.0);
    desk.play("e1e2").play("e8e7").play("e2e1").play("e7e8");
    desk.clock.left.flag_shown = false;
    desk.report().wait(1.0);
    desk.clock.left.flag_shown = true;
    desk.report().wait(1.0);
    assert_eq!((desk.state().flags.len(), flag_alarms(&desk)), (1, 0));
}

/// A call names the fall that was latched at that time; without one it is a fall of its own.
#[test]
fn a_call_is_about_the_fall_of_its_time() {
    let mut desk = rejected(&INCREMENT);
    let during = desk.now;
    set_anew(&mut desk);
    play_5(&mut desk, "e1e2");
    play_5(&mut desk, "e8e7");
    let mut late =
        Desk { game: desk.game.clone(), out: Vec::new(), now: desk.now, position: desk.position.clone(), clock: desk.clock };
    desk.call(Color::White);
    let flags = desk.state().flags;
    assert_eq!((flags.len(), flags[1].path), (2, FlagPath::ObservedByArbiter), "the clock shows time, and no sign");
    assert_eq!((flags[0].ruled, desk.found().fall, flag_alarms(&desk)), (Some(1), Some(2), 1));
    // The same call, for something seen while the first fall was latched.
    late.command(Command::Claim { flag: Color::White, period: None, observed_at: Some(during.0) });
    let flags = late.state().flags;
    assert_eq!((flags.len(), flags[0].observed_at), (1, Some(during)));
}

/// The players set the clock for their next game before anybody calls the flag.
#[test]
fn a_clock_that_was_only_set_leaves_the_fall_to_be_called() {
    let mut desk = PLAIN.desk(OPEN);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    desk.clock.running = false;
    desk.report().wait(2.0);
    (desk.clock.left.time, desk.clock.left.flag_shown) = (ClockTime(300_000), false);
    desk.report().wait(2.0).call(Color::White);
    assert_eq!((desk.state().flags.len(), desk.found().fall, desk.found().conditional), (1, Some(1), false));
}

/// Nobody rules on the first fall. A call at the second one is a call of both, and a rejection of the first leaves the second.
#[test]
fn an_open_fall_is_called_with_the_next_one() {
    let mut desk = INCREMENT.desk(OPEN);
    play_5(&mut desk, "e2e4");
    play_5(&mut desk, "e7e5");
    desk.flag(ClockSide::Left);
    play_5(&mut desk, "e1e2");
    play_5(&mut desk, "e8e7");
    desk.flag(ClockSide::Left);
    assert_eq!((desk.state().flags.len(), flag_alarms(&desk)), (2, 1), "one alarm is open for this flag");
    desk.call(Color::White);
    let found = desk.found();
    assert_eq!((found.fall, found.conditional, desk.row()), (Some(1), false, ("14", Outcome::BlackWins)));
    let finding = desk.key();
    desk.sign("anna", Command::Reject { finding }).settle().wait(1.0);
    assert_eq!((desk.found().fall, desk.row()), (Some(2), ("14", Outcome::BlackWins)));
    assert_eq!((flag_alarms(&desk), desk.game.awaits_ruling()), (1, true), "the alarm is open for the second fall");
}

/// Where the device observes and certain findings are decided, the second fall is decided as the first one was.
#[test]
fn the_second_fall_is_decided_automatically() {
    let mut desk = AUTOMATIC.desk(OPEN);
    desk.play("e2e4").play("e7e5").flag(ClockSide::Left);
    assert_eq!(desk.game.result(), Some(GameResult::BlackWins));
    let finding = desk.key();
    desk.sign("bob", Command::Reject { finding }).wait(1.0);
    assert_eq!(desk.game.result(), None);
    set_anew(&mut desk);
    desk.play("e1e2").play("e8e7").flag(ClockSide::Left);
    assert_eq!((desk.game.result(), desk.found().fall), (Some(GameResult::BlackWins), Some(2)));
}

/// Somebody lets the clock run down before the game. Then both times are set, and the game is played.
#[test]
fn a_flag_of_before_the_first_move_is_forgotten_when_both_times_are_set() {
    for both in [true, false] {
        let mut desk = Desk::started("300");
        desk.flag(ClockSide::Left);
        assert_eq!((flag_alarms(&desk), desk.game.findings().len()), (1, 1));
        desk.clock.running = false;
        desk.report().wait(3.0);
        (desk.clock.left.time, desk.clock.left.flag_shown) = (ClockTime(if both { 300_000 } else { 60_000 }), false);
        desk.report().wait(3.0);
        desk.out.clear();
        desk.report().wait(3.0);
        desk.clock.running = true;
        desk.report();
        for uci in ["e2e4", "e7e5", "g1f3"] {
            desk.play(uci);
        }
        let left = usize::from(!both);
        assert_eq!((desk.state().flags.len(), desk.game.findings().len()), (left, left), "{both}");
        assert_eq!(flag_alarms(&desk), left, "{both}");
        assert_eq!(desk.moves(), ["e2e4", "e7e5", "g1f3"]);
    }
}

/// After the first move the fall stays, whatever is set.
#[test]
fn a_flag_of_the_game_stays_when_both_times_are_set() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.flag(ClockSide::Left);
    desk.clock.running = false;
    desk.report().wait(3.0);
    (desk.clock.left.time, desk.clock.left.flag_shown) = (ClockTime(300_000), false);
    (desk.clock.right.time, desk.clock.right.flag_shown) = (ClockTime(300_000), false);
    desk.report().wait(3.0);
    assert_eq!((desk.state().flags.len(), flag_alarms(&desk)), (1, 1));
}
