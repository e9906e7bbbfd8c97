//! Boards without a clock and their drivers: questions that only some families know.

use std::collections::BTreeSet;

use flagfall_hardware::emulator::Device;
use flagfall_hardware::emulator::chesslink::{Chesslink, ChesslinkSettings};
use flagfall_hardware::emulator::dgt_pegasus::{Pegasus, PegasusSettings};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_protocols::driver::{DriverInfo, Output};
use flagfall_protocols::drivers::chesslink::INFO;
use flagfall_protocols::drivers::dgt_pegasus;
use flagfall_protocols::event::{DeviceEvent, Identity};
use flagfall_protocols::time::Instant;

fn link(settings: ChesslinkSettings) -> Chesslink {
    Chesslink::new(ChesslinkSettings { paced: false, ..settings })
}

/// Returns all variants in which one byte is lost, doubled, or has one flipped bit.
fn with_one_fault(bytes: &[u8]) -> Vec<Vec<u8>> {
    let put = |at: usize, instead: &[u8]| [&bytes[..at], instead, &bytes[at + 1..]].concat();
    let faults = |at: usize| {
        let byte = bytes[at];
        let flips = (0..8).map(move |bit| put(at, &[byte ^ 1 << bit]));
        flips.chain([put(at, &[]), put(at, &[byte, byte])])
    };
    (0..bytes.len()).flat_map(faults).collect()
}

/// A check digit finds every single fault. Two flips in one column leave it right.
#[test]
fn a_damaged_command_sets_nothing_on_a_board_with_check_digits() {
    let mut asked = BTreeSet::new();
    Rig::new(INFO.start(), link(ChesslinkSettings::default())).run_until(Instant(60_000_000), &mut |event| {
        if let RigEvent::Tx { bytes, .. } = event {
            asked.insert(bytes.to_vec());
        }
    });
    assert!(asked.len() > 1, "{asked:02x?}");
    for command in &asked {
        for damaged in with_one_fault(command) {
            let mut board = link(ChesslinkSettings::default());
            board.host(Instant::ZERO, 0, &damaged);
            assert_eq!(board.counters().dangerous, 0, "{command:02x?} as {damaged:02x?}");
        }
    }
}

#[test]
fn the_drivers_report_the_firmware() {
    let boards: [(&DriverInfo, Box<dyn Device>, Identity); 2] = [
        (&INFO, Box::new(link(ChesslinkSettings::default())), Identity::Firmware(1, 3)),
        (&dgt_pegasus::INFO, Box::new(Pegasus::new(PegasusSettings::default())), Identity::Firmware(1, 0)),
    ];
    for (info, board, firmware) in boards {
        let mut reported = false;
        Rig::new(info.start(), board).run_until(Instant(10_000_000), &mut |event| {
            let RigEvent::Output { output: Output::Event { event, .. }, .. } = event else { return };
            reported |= *event == DeviceEvent::Identity(firmware);
        });
        assert!(reported, "{}", info.name);
    }
}
