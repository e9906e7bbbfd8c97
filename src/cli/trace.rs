//! Runs `flagfall trace`: converts recordings of other programs to traces.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Subcommand;
use flagfall_protocols::drivers;

use super::time_control::read_option;

/// What can be done with traces.
#[derive(Subcommand)]
pub(super) enum Trace {
    /// Turn a raw capture (JSON lines with `dir`, `hex` and maybe `t`) into a trace.
    ///
    /// Without times the clock messages, one for each second of running time, are the time base.
    Import {
        /// The capture.
        file: PathBuf,
        /// The device family that wrote it.
        #[arg(long)]
        driver: String,
        /// The trace file to be written.
        #[arg(short, long)]
        output: PathBuf,
        /// Time control in PGN notation, kept in the trace's head: `300+5`, `40/5400+30:1800+30`.
        #[arg(long)]
        time_control: Option<String>,
    },
}

impl Trace {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Trace::Import { file, driver, output, time_control } = self;
        let info = drivers::find(&driver).with_context(|| format!("no driver is called `{driver}`"))?;
        let name = file.file_stem().map(|stem| stem.to_string_lossy().to_string()).unwrap_or_default();
        let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.+".contains(*c)).collect();
        let mut headers = vec![("source", "import"), ("name", if name.is_empty() { "capture" } else { &name })];
        if let Some(text) = &time_control {
            read_option(text)?;
            headers.push(("time-control", text));
        }
        let capture = std::fs::read_to_string(&file).with_context(|| format!("{}", file.display()))?;
        let text = crate::import::import(&capture, info, &headers).with_context(|| format!("{}", file.display()))?;
        std::fs::write(&output, text).with_context(|| format!("{}", output.display()))?;
        Ok(ExitCode::SUCCESS)
    }
}
