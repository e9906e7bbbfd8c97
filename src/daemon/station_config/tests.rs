use super::*;
use crate::config::Clock;

/// A family of Bluetooth boards, or of separate Bluetooth clocks.
fn by_bluetooth(board: bool) -> &'static DriverInfo {
    let fits = |info: &&DriverInfo| info.ble.is_some() && info.capabilities.board == board;
    drivers::DRIVERS.iter().find(fits).expect("registered")
}

#[test]
fn a_session_is_short_and_no_two_rounds_share_one() {
    assert_eq!(session_name("open26", "5", "12"), "open26-r5-b12");
    let long = "x".repeat(40);
    let (a, b) = (session_name(&long, &long, "1"), session_name(&long, &long, "2"));
    assert_eq!((a.len(), b.len()), (MAX_SESSION, MAX_SESSION));
    assert_ne!(a, b);
}

#[test]
fn ports_of_other_boards_and_of_all_clocks_are_in_use() {
    let driver = |board| by_bluetooth(board).name.to_owned();
    let clock = |name: &str| Clock { driver: driver(false), bluetooth: Some(name.to_owned()) };
    let board = |id: &str, own: &str, clock: Clock| Board {
        id: id.to_owned(),
        driver: Some(driver(true)),
        bluetooth: Some(own.to_owned()),
        clock: Some(clock),
        ..Board::default()
    };
    let config = Config {
        board: vec![board("1", "board-1", clock("clock-1")), board("2", "board-2", clock("clock-2"))],
        ..Config::default()
    };
    let ports = |config: StationConfig| config.setup.ports().map(str::to_owned).collect();
    let taken: Vec<Vec<String>> = station_configs(&config, 0).expect("configurations").into_iter().map(ports).collect();
    assert_eq!(taken, [["board-2", "clock-2", "clock-1"], ["board-1", "clock-1", "clock-2"]]);
}

#[test]
fn a_bluetooth_device_may_have_a_name_in_any_script() {
    // The name has as many bytes as an address has digits.
    const NAME: &str = "Küche Brett";
    let board = Board { bluetooth: Some(NAME.to_owned()), ..Board::default() };
    let mut wanted = device_of(&Config::default(), &board, by_bluetooth(true)).expect("a device");
    let name = |wanted: &Wanted| if let Wanted::Ble(wanted) = wanted { wanted.name.clone() } else { None };
    assert_eq!(name(&wanted).as_deref(), Some(NAME));
    wanted.rebind(None, Some("c0ffee001025".to_owned()));
    assert_eq!(name(&wanted), None);
    wanted.rebind(None, Some(NAME.to_owned()));
    assert_eq!(name(&wanted).as_deref(), Some(NAME));
}
