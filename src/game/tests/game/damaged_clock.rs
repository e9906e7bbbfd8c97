//! Reports of the clock with damaged bytes.

use flagfall_game::alarm::AlarmKind;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;

fn played() -> Desk {
    played_with("300")
}

fn played_with(control: &str) -> Desk {
    let mut desk = Desk::started(control);
    desk.play("e2e4").play("e7e5").wait(20.0);
    desk
}

fn fallen(desk: &Desk) -> usize {
    desk.game.flags().count()
}

/// One report of 0:00 between reports of minutes: with or without a flag sign.
#[test]
fn one_impossible_report_is_no_flag() {
    for sign in [false, true] {
        let mut desk = played();
        let good = desk.clock;
        let face = desk.face(ClockSide::Left);
        (face.time, face.flag_shown) = (ClockTime(0), sign);
        desk.report();
        desk.clock = good;
        desk.wait(30.0);
        assert_eq!((fallen(&desk), desk.alarms()), (0, Vec::new()), "sign {sign}");
        assert!(desk.game.clock().times.white.is_some_and(|time| time.millis() > 200_000));
    }
}

/// One report with a flag sign beside minutes.
#[test]
fn one_sign_beside_minutes_is_no_flag() {
    let mut desk = played();
    desk.face(ClockSide::Right).flag_shown = true;
    desk.report();
    desk.face(ClockSide::Right).flag_shown = false;
    desk.wait(30.0);
    assert_eq!((fallen(&desk), desk.alarms()), (0, Vec::new()));
}

/// The next report says the same: the flag fell.
#[test]
fn two_equal_reports_are_believed() {
    let mut desk = played();
    desk.show_flag(ClockSide::Left).wait(0.5);
    assert_eq!(fallen(&desk), 0);
    desk.report().wait(0.5);
    assert_eq!(fallen(&desk), 1);
    assert!(desk.game.alarms().iter().any(|alarm| alarm.kind == AlarmKind::Flag));
}

/// The last second runs off: the first report of the sign is believed.
#[test]
fn a_flag_is_reported_at_once() {
    let mut desk = Desk::started("300");
    desk.play("e2e4").play("e7e5");
    desk.wait(298.0);
    let falls = desk.face(ClockSide::Left).time.0;
    assert!(falls < 3_000, "{falls} ms are left");
    desk.show_flag(ClockSide::Left);
    assert_eq!(fallen(&desk), 1);
}

/// One report with a time that rose by minutes, while that clock runs or stands: it is published only if the next report says the same.
#[test]
fn one_time_that_rises_is_not_published() {
    for (side, seconds) in [(ClockSide::Left, 1200), (ClockSide::Right, 1200), (ClockSide::Left, 10), (ClockSide::Right, 40)] {
        for control in ["300", "300+30", "40/300:300", ""] {
            let mut desk = played_with(control);
            let (good, shown) = (desk.clock, desk.game.clock().times);
            desk.face(side).time.0 += seconds * 1000;
            desk.report();
            assert_eq!(desk.game.clock().times, shown, "{control}, {seconds} s");
            desk.clock = good;
            desk.wait(2.0);
            assert!(desk.game.clock().times.white.is_some_and(|time| time.millis() < 300_000));
        }
    }
}

/// A press that comes with a damaged time is known when the next report comes, and its time is not made too late.
#[test]
fn a_press_with_a_damaged_time_is_no_later() {
    let mut desk = played();
    desk.make("g1f3").wait(1.0);
    let before = desk.now;
    let good = desk.clock;
    desk.face(ClockSide::Left).time.0 += 1_200_000;
    desk.press(0);
    desk.clock = good;
    desk.clock.lever_up = ClockSide::Right;
    desk.clock.turn = Some(ClockSide::Right);
    desk.wait(1.0).wait(2.0);
    let pressed = desk.state().moves[2].pressed.expect("pressed");
    assert!(pressed.earliest <= before && before <= pressed.latest, "{pressed:?}, {before:?}");
}

/// A clock that was stopped and set between two reports, and does not answer a question: the time counts after two seconds.
#[test]
fn a_time_that_was_set_is_seen_soon() {
    let mut desk = played();
    desk.clock.running = false;
    desk.face(ClockSide::Left).time = ClockTime(600_000);
    desk.report();
    assert!(desk.game.clock().times.white.is_some_and(|time| time.millis() < 300_000));
    desk.wait(1.9);
    assert!(desk.game.clock().times.white.is_some_and(|time| time.millis() < 300_000));
    desk.wait(0.2);
    assert_eq!((desk.game.clock().times.white, desk.game.clock().running), (Some(ClockTime(600_000)), None));
    // While the clocks stand, every time is believed at once.
    desk.face(ClockSide::Left).time = ClockTime(900_000);
    desk.report();
    assert_eq!(desk.game.clock().times.white, Some(ClockTime(900_000)));
}
