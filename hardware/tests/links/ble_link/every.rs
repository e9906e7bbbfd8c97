//! Every family that is met over Bluetooth LE.

use flagfall_hardware::ble::{Radio, Wanted};
use flagfall_protocols::drivers::DRIVERS;

use super::served::{Served, Told, now, wanted};
use crate::bluez::{self, Bluez, Peripheral};

#[test]
fn every_family_comes_up_through_its_own_channels() {
    bluez::in_own_process("every_family_comes_up_through_its_own_channels", |bus| {
        let bluez = Bluez::start(&bus.address());
        let radio = Radio::start(None, now, 1).expect("a thread");
        let rows = || (0u64..).zip(DRIVERS.iter().filter_map(|row| Some((row, row.ble?))));
        let address = |n: u64| format!("C0:00:00:00:02:{n:02X}");
        let mut boards = Vec::new();
        for (n, (row, ble)) in rows() {
            bluez.add(Peripheral::of(row.name, &address(n), &format!("{}1", ble.names[0])));
            let by_address = Wanted { address: address(n).parse().ok(), ..wanted(row) };
            boards.push(Served::start(&radio, n, row.name, by_address));
        }
        super::all_up(&mut boards);
        for ((n, (row, _)), board) in rows().zip(&boards) {
            assert_eq!(board.heard, [Told::Up(address(n))], "{}", row.name);
            let seen = bluez.seen(&address(n));
            assert_eq!((seen.connections.len(), seen.refused_writes), (1, 0), "{}", row.name);
        }
    });
}
