//! The batteries of board and clock: their levels, alarms and queries.

use flagfall_game::alarm::{AlarmKind, AlarmStatus, Class};
use flagfall_game::effect::Effect;
use flagfall_game::health::{BatteryLevel, sentence};
use flagfall_game::input::Command;
use flagfall_protocols::driver::DeviceCommand;
use flagfall_protocols::event::{Battery, DeviceEvent};

use crate::desk::Desk;
use crate::health::{hands, of_kind};

pub(crate) fn battery(percent: u8, minutes_left: Option<u16>, charging: bool) -> DeviceEvent {
    DeviceEvent::Battery(Battery { percent, minutes_left, charging })
}

fn statuses(desk: &Desk, kind: AlarmKind) -> Vec<AlarmStatus> {
    of_kind(desk, kind).iter().map(|alarm| alarm.status).collect()
}

fn asked(desk: &Desk) -> usize {
    desk.out.iter().filter(|effect| **effect == Effect::Device(DeviceCommand::ReadBattery)).count()
}

#[test]
fn a_battery_from_full_to_empty_and_back() {
    use AlarmKind::{BatteryCritical, BatteryLow};
    use AlarmStatus::{Cured, Open};
    let mut desk = Desk::started("300");
    desk.device(battery(60, None, false)).device(battery(21, None, false));
    assert_eq!(desk.alarms().len(), 0);
    desk.device(battery(20, Some(70), false)).device(battery(21, Some(70), false)).device(battery(19, Some(65), false));
    assert_eq!(statuses(&desk, BatteryLow), [Open]);
    let alarm = of_kind(&desk, BatteryLow).remove(0);
    assert_eq!(
        (alarm.kind.class(), sentence(&alarm).as_deref()),
        (Class::Silent, Some("The board's battery has 20 %, 70 minutes left: charge it."))
    );
    desk.device(battery(5, None, false)).device(battery(6, None, false)).device(battery(5, None, false));
    assert_eq!((statuses(&desk, BatteryLow), statuses(&desk, BatteryCritical)), (vec![Cured], vec![Open]));
    assert_eq!(of_kind(&desk, BatteryCritical)[0].kind.class(), Class::Loud);
    assert_eq!(desk.game.health().battery, BatteryLevel::Critical);
    desk.device(battery(5, None, true)).wait(59.0);
    assert_eq!(statuses(&desk, BatteryCritical), [Open]);
    desk.wait(2.0);
    assert_eq!(statuses(&desk, BatteryCritical), [Cured], "the battery is charging");
    assert_eq!(desk.game.health().battery, BatteryLevel::Good);
}

#[test]
fn a_sudden_empty_battery_is_queried_again() {
    let mut desk = Desk::started("300");
    desk.device(battery(80, None, false));
    assert_eq!(asked(&desk), 0);
    desk.device(battery(4, None, false));
    assert_eq!((asked(&desk), desk.alarms()), (1, vec!["BatteryLow".to_owned()]));
    desk.device(battery(80, None, false)).wait(301.0);
    assert_eq!((asked(&desk), statuses(&desk, AlarmKind::BatteryLow)), (2, vec![AlarmStatus::Cured]), "every five minutes");
    desk.device(DeviceEvent::Silent).wait(301.0);
    assert_eq!(asked(&desk), 2, "a board that is gone is not queried");
}

#[test]
fn a_board_without_a_battery_is_never_queried() {
    let mut desk = Desk::started("300");
    desk.wait(1_000.0);
    assert_eq!(asked(&desk), 0);
}

/// A device problem lasts into the next game; weak squares are searched for again.
#[test]
fn batteries_outlast_a_game() {
    let mut desk = Desk::started("300");
    desk.device(battery(15, None, false));
    desk.clock.battery_low = true;
    desk.report().report();
    (0..7).for_each(|_| hands(&mut desk, "3 d7 | 0.25 pd7"));
    assert_eq!(desk.alarms(), ["BatteryLow", "ClockBatteryLow", "WeakSquare"]);
    desk.command(Command::StartGame { fen: None });
    assert_eq!(desk.alarms(), ["BatteryLow", "ClockBatteryLow"]);
    assert_eq!(desk.game.health().weak_squares.len(), 1);
}

#[test]
fn the_clocks_warning() {
    let mut desk = Desk::started("300");
    desk.clock.battery_low = true;
    desk.report();
    assert_eq!(desk.alarms().len(), 0, "one report may be damaged");
    desk.report();
    let alarm = of_kind(&desk, AlarmKind::ClockBatteryLow).remove(0);
    assert_eq!((alarm.kind.class(), alarm.status), (Class::Silent, AlarmStatus::Open));
    assert!(sentence(&alarm).is_some_and(|text| text.contains("clock")) && desk.game.health().clock_battery_low);
    for second in 0..900 {
        desk.clock.battery_low = second < 300 && second % 50 == 0;
        desk.clock.running = false;
        desk.wait(1.0).report();
    }
    assert_eq!(statuses(&desk, AlarmKind::ClockBatteryLow), [AlarmStatus::Cured]);
}
