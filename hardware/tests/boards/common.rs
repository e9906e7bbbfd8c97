//! Functions that the tests of the emulated board share.

use std::time::Duration;

use flagfall_hardware::emulator::clock_model::{ClockSettings, Method, Model};
use flagfall_hardware::emulator::{Emulator, Settings};
use flagfall_protocols::bytes::{hex, unhex};
use flagfall_protocols::time::{ClockTime, Instant};

pub(crate) fn at(millis: u64) -> Instant {
    Instant(millis * 1000)
}

pub(crate) fn five_plus_five() -> ClockSettings {
    ClockSettings::new(Model::Dgt3000, Method::Fischer, ClockTime::hms(0, 5, 0), ClockTime::hms(0, 0, 5))
}

pub(crate) fn quick() -> Settings {
    Settings { paced: false, clock: Some(five_plus_five()), ..Settings::default() }
}

/// Returns what a board sends from its present time up to `to`, as hex.
pub(crate) fn sent(board: &mut Emulator, to: Instant) -> Vec<String> {
    let mut out = Vec::new();
    board.advance(to, &mut out);
    out.iter().map(|sent| hex(&sent.bytes)).collect()
}

pub(crate) fn ask(board: &mut Emulator, when: Instant, command: &str) -> Vec<String> {
    board.host(when, &unhex(command).unwrap());
    sent(board, when.after(Duration::from_millis(50)))
}
