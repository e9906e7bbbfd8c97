//! Runs `flagfall screens`: writes the pages for another web server.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::config;
use crate::screens;

/// Write the pages for browsers into a folder, for a web server that you have.
///
/// `flagfall run` serves the same pages itself with `screens.enabled = true`. Another web server needs the headers of
/// `nginx.conf.example`, which is written too, and `screens.websocket` must say where the pages find the broker.
///
/// Example:
///   flagfall screens --config flagfall.toml --out /srv/www/hall
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Screens {
    /// A configuration file; may be given several times, a later one over the earlier ones. Without it
    /// /etc/flagfall/flagfall.toml and /etc/flagfall/event.toml.
    #[arg(long, value_name = "FILE")]
    config: Vec<PathBuf>,
    /// The folder, which must be empty or new.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Screens {
    pub(super) fn run(self) -> Result<ExitCode> {
        let loaded = config::load_default(&self.config)?;
        let written = screens::export(&loaded.config, &self.out)?;
        writeln!(std::io::stdout(), "{}: {written} files", self.out.display())?;
        Ok(ExitCode::SUCCESS)
    }
}
