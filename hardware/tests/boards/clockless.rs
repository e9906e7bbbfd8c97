//! Boards without a clock and their drivers: what only some families can be asked for.

use flagfall_hardware::emulator::Device;
use flagfall_hardware::emulator::chesslink::{Chesslink, ChesslinkSettings};
use flagfall_hardware::emulator::dgt_pegasus::{Pegasus, PegasusSettings};
use flagfall_hardware::emulator::rig::{Rig, RigEvent};
use flagfall_hardware::faulty::{Faults, Rates};
use flagfall_protocols::driver::{DriverInfo, Output};
use flagfall_protocols::drivers::chesslink::INFO;
use flagfall_protocols::drivers::dgt_pegasus;
use flagfall_protocols::event::{DeviceEvent, Identity};
use flagfall_protocols::time::Instant;

use crate::seeds::campaign;

fn link(settings: ChesslinkSettings) -> Chesslink {
    Chesslink::new(ChesslinkSettings { paced: false, ..settings })
}

#[test]
fn damaged_commands_set_nothing_on_a_board_with_check_digits() {
    campaign("damaged commands with check digits", 0..16, |seed| {
        let mut rig = Rig::new(INFO.start(), link(ChesslinkSettings::default()));
        let rates = Rates { start_mid_message: false, drop: 0.02, flip: 0.02, ..Rates::ROUGH };
        rig.damage(None, Some(Faults::new(seed, rates)));
        rig.run_until(Instant(60_000_000), &mut |_| {});
        assert_eq!(rig.emulator.counters().dangerous, 0, "seed {seed}");
        1
    });
}

#[test]
fn the_drivers_learn_the_firmware() {
    let boards: [(&DriverInfo, Box<dyn Device>, Identity); 2] = [
        (&INFO, Box::new(link(ChesslinkSettings::default())), Identity::Firmware(1, 3)),
        (&dgt_pegasus::INFO, Box::new(Pegasus::new(PegasusSettings::default())), Identity::Firmware(1, 0)),
    ];
    for (info, board, firmware) in boards {
        let mut told = false;
        Rig::new(info.start(), board).run_until(Instant(10_000_000), &mut |event| {
            let RigEvent::Output { output: Output::Event { event, .. }, .. } = event else { return };
            told |= *event == DeviceEvent::Identity(firmware);
        });
        assert!(told, "{}", info.name);
    }
}
