//! Runs `flagfall replay`: feeds a trace or journal to a station again and prints the messages.

mod games;

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::trace::Trace;
use serde::Serialize;
use serde_json::value::RawValue;

use super::journalled;
use super::summary::Summary;
use super::time_control::read_option;
use crate::outputs::pgn;
use crate::publish::Message;
use crate::session::replay;
use crate::session::setting::{Overrides, Setting};
use crate::session::station::StationOutput;
use crate::session::verify::verify;

/// Feed a trace or journal to the core again and show what comes out.
///
/// A trace is a file of `flagfall record` or `flagfall simulate --out`. The journals of a board are in
/// its folder below journal.dir, such as /var/lib/flagfall/12.
///
/// Examples:
///   flagfall replay game.trace
///   flagfall replay game.trace --summary
///   flagfall replay game.trace --pgn
///   flagfall replay game.trace --pgn relay --time-control 5400+30
///   flagfall replay game.trace --json
///   flagfall replay 00000001-open26-r5-b12.journal --verify
///   flagfall replay game.trace --journal again
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Replay {
    /// The trace or journal file.
    trace: PathBuf,
    /// Print every message, one JSON object a line: topic, retain, payload.
    #[arg(long, conflicts_with_all = ["summary", "verify"])]
    json: bool,
    /// Print the game, and at the end one JSON object with everything that came out.
    #[arg(long, conflicts_with = "verify")]
    summary: bool,
    /// Print the games as PGN, as a live broadcast receives them: `full` for files and viewers, `relay` for lichess.
    #[arg(long, value_name = "PROFILE", num_args = 0..=1, default_missing_value = "full",
        conflicts_with_all = ["json", "summary", "verify", "journal"])]
    pgn: Option<Profile>,
    /// Compare what comes out with what the journal says was sent, and check every recorded answer on Article 6.9 again,
    /// completely; exit code 1 if something differs. A hard position takes its time again.
    #[arg(long)]
    verify: bool,
    /// Record everything in this directory, as the daemon does, and print every message as with --json. An existing journal
    /// continues where it broke off.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["summary", "verify"])]
    journal: Option<PathBuf>,
    /// Time control in PGN notation, instead of the trace's own: `300+5`, `40/5400+30:1800+30`, `300d3` (US delay), `300b3`
    /// (Bronstein).
    #[arg(long)]
    time_control: Option<String>,
    /// Which display of the clock is White's, as seen from its front.
    #[arg(long)]
    white_clock: Option<Side>,
    /// Write castling as king takes rook.
    #[arg(long)]
    chess960: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Side {
    Left,
    Right,
}

/// For whom PGN is written.
#[derive(Clone, Copy, ValueEnum)]
enum Profile {
    Relay,
    Full,
}

#[derive(Serialize)]
struct Line<'a> {
    topic: &'a str,
    retain: bool,
    payload: Option<&'a RawValue>,
}

impl Replay {
    pub(super) fn run(self) -> Result<ExitCode> {
        if let Some(text) = &self.time_control {
            read_option(text)?;
        }
        let name = self.trace.display().to_string();
        let bytes = std::fs::read(&self.trace).with_context(|| name.clone())?;
        self.replay(&bytes).with_context(|| name)
    }

    fn replay(&self, bytes: &[u8]) -> Result<ExitCode> {
        let trace = Trace::new(bytes)?;
        let overrides = Overrides {
            time_control: self.time_control.clone(),
            white_clock: self.white_clock.map(|side| match side {
                Side::Left => ClockSide::Left,
                Side::Right => ClockSide::Right,
            }),
            chess960: self.chess960,
        };
        let setting = Setting::from_trace(&trace, &overrides)?;
        let mut out = BufWriter::new(std::io::stdout().lock());
        if let Some(dir) = &self.journal {
            journalled::run(&trace, &setting, dir, &mut out, &mut std::io::stderr().lock())?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.verify {
            let verified = verify(&trace, &setting)?;
            for difference in &verified.differences {
                writeln!(out, "{difference}")?;
            }
            let answers = match verified.answers {
                0 => String::new(),
                answers => format!("{answers} answers on Article 6.9 checked again, "),
            };
            writeln!(out, "{} outputs compared, {answers}{} differences", verified.compared, verified.differing)?;
            out.flush()?;
            return Ok(if verified.differing == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        if let Some(profile) = self.pgn {
            let profile = match profile {
                Profile::Relay => pgn::Profile::Relay,
                Profile::Full => pgn::Profile::Full,
            };
            out.write_all(pgn::write_round(&games::read(&trace, &setting)?, profile).as_bytes())?;
            out.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut station = setting.station()?;
        replay::run(&trace, &mut station, &mut |output| match output {
            StationOutput::Message(message) if !self.summary => self.print(&message, &mut out),
            _ => Ok(()),
        })?;
        if self.summary {
            Summary::of_station(&station).print(&mut out)?;
        }
        out.flush()?;
        Ok(ExitCode::SUCCESS)
    }

    /// Prints a message as one JSON object, or as a line for people.
    fn print(&self, message: &Message, out: &mut dyn Write) -> Result<()> {
        if self.json {
            print_json(message, out)?;
        } else if message.number > 0 {
            let seconds = message.at.0 as f64 / 1e6;
            writeln!(out, "{seconds:10.3}  {}  {}", message.topic, message.payload)?;
        }
        Ok(())
    }
}

/// Prints a message as one JSON object on a line: topic, retain, payload (null deletes).
pub(super) fn print_json(message: &Message, out: &mut dyn Write) -> Result<()> {
    let payload = match message.payload.is_empty() {
        true => None,
        false => Some(serde_json::from_str(&message.payload)?),
    };
    let line = Line { topic: &message.topic, retain: message.retain, payload };
    Ok(writeln!(out, "{}", serde_json::to_string(&line)?)?)
}
