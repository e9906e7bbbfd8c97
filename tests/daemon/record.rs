//! `flagfall record` and `flagfall devices` as processes, with emulated boards.

use std::path::Path;
use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;
use flagfall_hardware::serial::Serial;
use flagfall_protocols::trace::{Body, Trace};
use serde_json::Value;

mod devices;
pub(crate) mod process;
mod recording;

use process::{kinds, moves, received, start_recording};

use crate::program::{run, text};
use crate::support::waiting::wait_until;

/// Long enough for a busy machine.
const LONG: Duration = Duration::from_secs(60);

/// A board that sends its bytes at once and whose game has not begun.
fn board(serial: u16) -> PtyBoard {
    let settings = Settings { serial, paced: false, clock: None, ..Settings::default() };
    PtyBoard::start("test-board", settings, &Script::new(), 1.0).expect("a pseudo-terminal")
}
