//! Defines the commands of the command line, one file for each command.

mod adjudicate;
mod calibrate;
mod check_config;
#[cfg(feature = "outputs")]
mod collect;
#[cfg(feature = "tools")]
pub mod demo;
mod devices;
mod doctor;
#[cfg(feature = "tools")]
mod emulate;
#[cfg(feature = "tools")]
mod event;
#[cfg(feature = "tools")]
mod fleet;
mod journalled;
#[cfg(feature = "outputs")]
mod local;
mod log;
mod record;
mod replay;
mod run;
mod schema;
#[cfg(feature = "screens")]
mod screens;
mod settled;
mod side;
#[cfg(feature = "tools")]
mod simulate;
mod summary;
mod time_control;
mod trace;
mod winnable;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

/// Reads electronic chess boards and clocks: moves, presses, flag-falls, and what the Laws say of them.
#[derive(Parser)]
#[command(name = "flagfall", version, disable_help_subcommand = true, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Adjudicate(adjudicate::Adjudicate),
    Calibrate(calibrate::Calibrate),
    Run(run::Run),
    #[cfg(all(feature = "broker", feature = "tools"))]
    Demo(demo::Demo),
    CheckConfig(check_config::CheckConfig),
    #[cfg(feature = "outputs")]
    Collect(collect::Collect),
    Doctor(doctor::Doctor),
    Replay(replay::Replay),
    /// Make traces.
    ///
    /// Example: flagfall trace import capture.jsonl --driver dgt --output board.trace
    #[command(subcommand)]
    Trace(trace::Trace),
    #[cfg(feature = "tools")]
    Emulate(emulate::Emulate),
    #[cfg(feature = "tools")]
    #[command(subcommand)]
    Event(event::Event),
    #[cfg(feature = "tools")]
    #[command(subcommand)]
    Fleet(fleet::Fleet),
    Devices(devices::Devices),
    Record(record::Record),
    Schema(schema::Schema),
    #[cfg(feature = "screens")]
    Screens(screens::Screens),
    #[cfg(feature = "tools")]
    Simulate(simulate::Simulate),
    Winnable(winnable::Winnable),
}

/// Returns the command line as clap describes it, from which the man pages and the completions of the packages are made.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// The exit code for an invalid configuration, `EX_CONFIG` of sysexits.h. After it systemd does not restart the program.
const CONFIGURATION: u8 = 78;

/// Runs the command line. The exit code is 0 if everything went well, 1 if not, 2 if the arguments are wrong, 78 if the
/// configuration is wrong.
pub fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Adjudicate(adjudicate) => adjudicate.run(),
        Command::Calibrate(calibrate) => calibrate.run(),
        Command::Run(run) => run.run(),
        #[cfg(all(feature = "broker", feature = "tools"))]
        Command::Demo(demo) => demo.run(),
        Command::CheckConfig(check) => check.run(),
        #[cfg(feature = "outputs")]
        Command::Collect(collect) => collect.run(),
        Command::Doctor(doctor) => doctor.run(),
        Command::Replay(replay) => replay.run(),
        Command::Trace(trace) => trace.run(),
        #[cfg(feature = "tools")]
        Command::Emulate(emulate) => emulate.run(),
        #[cfg(feature = "tools")]
        Command::Event(event) => event.run(),
        #[cfg(feature = "tools")]
        Command::Fleet(fleet) => fleet.run(),
        Command::Devices(devices) => devices.run(),
        Command::Record(record) => record.run(),
        Command::Schema(schema) => schema.run(),
        #[cfg(feature = "screens")]
        Command::Screens(screens) => screens.run(),
        #[cfg(feature = "tools")]
        Command::Simulate(simulate) => simulate.run(),
        Command::Winnable(winnable) => winnable.run(),
    };
    match done {
        Ok(code) => code,
        // The reader of our output has closed it.
        Err(error) if error.downcast_ref::<std::io::Error>().is_some_and(|io| io.kind() == ErrorKind::BrokenPipe) => {
            ExitCode::SUCCESS
        }
        Err(error) if error.is::<crate::config::Errors>() => {
            // One problem a line. If this cannot be written, it cannot be reported.
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::from(CONFIGURATION)
        }
        Err(error) => {
            // If even this cannot be written, it cannot be reported.
            let _ = writeln!(std::io::stderr(), "flagfall: {error:#}");
            if needs_another_configuration(&error) { ExitCode::from(CONFIGURATION) } else { ExitCode::FAILURE }
        }
    }
}

/// Whether the same error would come at every start, until the configuration is changed.
fn needs_another_configuration(error: &anyhow::Error) -> bool {
    #[cfg(feature = "broker")]
    if error.downcast_ref::<crate::broker::BrokerError>().is_some_and(crate::broker::BrokerError::is_configuration) {
        return true;
    }
    error.is::<crate::mqtt::IdentityError>()
}
