//! Runs `flagfall event`: makes an organiser's event, imports pairings, binds devices, publishes, checks whether a round is ready, and keeps its
//! record.

mod archive;
mod ask;
mod broker;
pub(super) mod check;
mod file;
mod import;
mod requests;
mod results;
mod set_result;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Manage the event of an organiser: rounds, pairings, devices and results.
///
/// The event is one file, <ID>.json. All commands use the only event file of the present folder, or --file.
#[derive(Subcommand)]
pub(super) enum Event {
    New(file::New),
    Import(import::Import),
    Bind(file::Bind),
    Publish(requests::Publish),
    Round(requests::Round),
    Lichess(requests::Lichess),
    Fetch(requests::Fetch),
    Result(set_result::SetResult),
    Results(results::Results),
    Archive(archive::Archive),
    Ready(check::Ready),
    Status(check::Status),
    Retry(requests::Retry),
    Reset(requests::Reset),
    Game(requests::Game),
    ResetBoard(requests::ResetBoard),
}

impl Event {
    pub(super) fn run(self) -> Result<ExitCode> {
        match self {
            Event::New(new) => new.run(),
            Event::Import(import) => import.run(),
            Event::Bind(bind) => bind.run(),
            Event::Publish(publish) => publish.run(),
            Event::Round(round) => round.run(),
            Event::Lichess(lichess) => lichess.run(),
            Event::Fetch(fetch) => fetch.run(),
            Event::Result(result) => result.run(),
            Event::Results(results) => results.run(),
            Event::Archive(archive) => archive.run(),
            Event::Ready(ready) => ready.run(),
            Event::Status(status) => status.run(),
            Event::Retry(retry) => retry.run(),
            Event::Reset(reset) => reset.run(),
            Event::Game(game) => game.run(),
            Event::ResetBoard(reset) => reset.run(),
        }
    }
}
