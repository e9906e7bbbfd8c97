//! Tests the status of a device: how well it is received, and when it counts as silent.

use flagfall_protocols::drivers::DRIVERS;

use super::*;
use crate::config::{Board, Config};
use crate::daemon::station_config;
use crate::session::station::LinkState;

fn device(board: Board) -> Device {
    let config = Config { board: vec![Board { id: "7".to_owned(), ..board }], ..Config::default() };
    Device::new(&station_config::station_configs(&config, 0).expect("a plan")[0])
}

fn by_radio() -> Device {
    let info = DRIVERS.iter().find(|info| info.ble.is_some() && info.capabilities.board).expect("registered");
    let address = Some("C0:00:00:00:00:01".to_owned());
    device(Board { driver: Some(info.name.to_owned()), bluetooth: address, ..Board::default() })
}

fn by_cable() -> Device {
    device(Board { port: Some("/dev/board".into()), ..Board::default() })
}

#[test]
fn the_record_says_how_well_the_device_is_received() {
    let rows = [
        (by_cable(), false, None, "opened", LinkState::Opened, None),
        (by_cable(), true, None, "asked", LinkState::TakenOver, None),
        (by_radio(), false, Some(-60), "opened", LinkState::Opened, Some(-60)),
        (by_radio(), false, Some(-86), "weak", LinkState::Weak, Some(-86)),
        (by_radio(), false, None, "unheard", LinkState::Unheard, None),
    ];
    for (mut device, asked, signal, cause, state, told) in rows {
        assert_eq!(device.link_up(MonotonicTime(0), asked, "there".to_owned(), signal), cause);
        assert_eq!((LinkState::from_record(true, cause), device.status(MonotonicTime(0)).signal_dbm), (state, told));
    }
    assert_eq!(LinkState::from_record(true, "again"), LinkState::Unheard, "what was known stays");
    // A device that was weak and is found without its advertisement stays weak, until it is another device.
    let mut device = by_radio();
    device.link_up(MonotonicTime(0), false, "there".to_owned(), Some(-90));
    device.link_down(MonotonicTime(1), "lost");
    assert_eq!(device.link_up(MonotonicTime(2), false, "there".to_owned(), None), "unheard");
    assert_eq!(device.status(MonotonicTime(2)).warnings.len(), 1);
    device.set_replaced(None);
    assert_eq!((device.status(MonotonicTime(2)).signal_dbm, device.status(MonotonicTime(2)).warnings.len()), (None, 0));
}

#[test]
fn a_device_that_says_nothing_is_reported_after_five_seconds() {
    let mut device = by_cable();
    let problem = |device: &Device, seconds: u64| device.status(MonotonicTime(seconds * 1_000_000)).problem;
    assert_eq!(problem(&device, 9), None, "its link is not open");
    device.link_up(MonotonicTime(10_000_000), false, "there".to_owned(), None);
    assert!(device.take_changed() && device.take_changed(), "time alone changes it");
    assert_eq!((problem(&device, 14), problem(&device, 15).as_deref()), (None, Some(UNANSWERED)));
    device.handle_event(&DeviceEvent::Responding);
    assert!(device.take_changed() && !device.take_changed());
    assert_eq!(problem(&device, 99), None);
    device.link_down(MonotonicTime(100_000_000), "unplugged");
    assert_eq!(problem(&device, 200).as_deref(), Some("unplugged"));
}
