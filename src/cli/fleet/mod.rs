//! Runs `flagfall fleet`: makes what the machines of a hall need, and looks whether they all work.

mod make;
mod status;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Prepare the machines of a hall from one file, and look whether they all work.
///
/// Example: flagfall fleet make event.toml OUT
///
/// The file is the event's configuration with the sections [fleet]: the broker, each machine with its boards, and the users of the
/// broker. `flagfall run` ignores these sections.
#[derive(Subcommand)]
pub(super) enum Fleet {
    Make(make::Make),
    Status(status::Status),
}

impl Fleet {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self {
            Fleet::Make(make) => make.run(),
            Fleet::Status(status) => status.run(),
        }
    }
}
