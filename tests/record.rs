//! `flagfall record` and `flagfall devices`, as processes, on emulated boards.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::link::{Link, LinkError};
use flagfall_hardware::pty::Pty;
use flagfall_hardware::serial::Serial;
use flagfall_protocols::trace::{Body, Trace};
use serde_json::Value;

#[path = "record/devices.rs"]
mod devices;
#[path = "record/recording.rs"]
mod recording;

/// Long enough for a busy machine.
const LONG: Duration = Duration::from_secs(20);

fn flagfall(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> Output {
    flagfall(arguments).output().expect("the program starts")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A board without pace, which nobody moves yet.
fn board(serial: u16) -> PtyBoard {
    let settings = Settings { serial, paced: false, clock: None, ..Settings::default() };
    PtyBoard::start("test-board", settings, &Script::new(), 1.0).expect("a pseudo-terminal")
}
