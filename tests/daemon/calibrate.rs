//! A board whose men carry tags: learned once (`flagfall calibrate`), and known from the first picture on in every game after it,
//! also in the middle of one, with a queen from the box, over restarts, and in a replay without the file.

mod board;
mod command;
#[cfg(feature = "broker")]
mod daemon;
#[cfg(feature = "broker")]
mod replayed;

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The family with such boards.
const DRIVER: &str = "certabo";
/// A pawn about to promote, and White's queen still there.
const MID_GAME: &str = "4k3/P7/8/8/8/8/8/Q3K3";
const PROMOTED: &str = "Q3k3/8/8/8/8/8/8/Q3K3";

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
