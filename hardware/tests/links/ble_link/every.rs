//! Tests with every family that uses Bluetooth LE.

use flagfall_hardware::ble::{Pace, Wanted};
use flagfall_protocols::drivers::DRIVERS;

use super::ble_rig::{BleRig, LinkReport, brisk, radio_at, wanted};
use crate::bluez::{self, Bluez, Peripheral};

#[test]
fn every_family_comes_up_through_its_own_channels() {
    bluez::in_own_process("every_family_comes_up_through_its_own_channels", |bus| {
        let bluez = Bluez::start(&bus.address());
        // The attempts are as far apart as usual, so that delays of the machine have little influence.
        let pace = Pace { apart: Pace::default().apart, ..brisk() };
        let radio = radio_at(pace, 1);
        let rows = || (0u64..).zip(DRIVERS.iter().filter_map(|row| Some((row, row.ble?))));
        let address = |n: u64| format!("C0:00:00:00:02:{n:02X}");
        let mut boards = Vec::new();
        for (n, (row, ble)) in rows() {
            bluez.add(Peripheral::for_driver(row.name, &address(n), &format!("{}1", ble.names[0])));
            let by_address = Wanted { address: address(n).parse().ok(), ..wanted(row) };
            boards.push(BleRig::start(&radio, n, row.name, by_address));
        }
        super::all_up(&mut boards);
        for ((n, (row, _)), board) in rows().zip(&boards) {
            assert_eq!(board.reports, [LinkReport::Up(address(n))], "{}", row.name);
            let seen = bluez.seen(&address(n));
            assert_eq!((seen.connections.len(), seen.refused_writes), (1, 0), "{}", row.name);
        }
        let mut attempts: Vec<_> = rows().flat_map(|(n, _)| bluez.seen(&address(n)).attempts).collect();
        attempts.sort();
        let closest = attempts.windows(2).map(|pair| pair[1] - pair[0]).min().expect("several");
        // Attempts that start a second apart arrive almost a second apart.
        assert!(closest > pace.apart * 7 / 10, "{closest:?}");
    });
}
