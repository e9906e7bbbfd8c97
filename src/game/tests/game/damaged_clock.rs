//! Reports of the clock with damaged bytes.

use flagfall_game::alarm::AlarmKind;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::time::ClockTime;

use crate::desk::Desk;

fn played() -> Desk {
    let mut desk = Desk::started("300");
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
