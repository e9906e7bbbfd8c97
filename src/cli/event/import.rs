//! Runs `flagfall event import`: reads pairings, shows what is new or changed, and writes them into the event's file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::file::Chosen;
use crate::cli::time_control;
use crate::event::import::{Boards, Format, Imported, MAX_IMPORT, Options, Problems, read};
use crate::event::model::read_bounded;
use crate::event::plan::{self, Change, Plan};
use crate::system_clock::Utc;
use crate::wire::meta::{MetaRound, Pairing};
use crate::wire::player::Player;

/// Read the pairings of a round from a file of a pairing program.
///
/// Example: flagfall event import round1.pgn --round 1
///
/// Formats: PGN with one game for each pairing, CSV with a header line, FIDE's report file (TRF), and index.json of DGT LiveChess.
/// Nothing is changed if anything is wrong. The next `flagfall event publish` publishes the pairings.
#[derive(Args)]
pub(in crate::cli) struct Import {
    /// The file; for DGT LiveChess also the folder round-N.
    from: PathBuf,
    /// The round. Without it: the one that the file names, else the current one.
    #[arg(long, value_name = "R")]
    round: Option<u32>,
    /// When the round begins, with the distance from UTC, for example 2026-11-21T14:00:00+01:00. What is played on a board more than
    /// five minutes before it is not of the round.
    #[arg(long, value_name = "TIME")]
    start: Option<String>,
    /// The format. Without it: by the end of the file's name.
    #[arg(long)]
    format: Option<Format>,
    /// The encoding, for example windows-1250. Without it: UTF-8, else Windows-1252.
    #[arg(long)]
    encoding: Option<String>,
    /// Only these boards, for example 1-20,25; the others stay as they are.
    #[arg(long)]
    boards: Option<Boards>,
    /// A CSV file with board, white and black, for a file without board numbers (TRF).
    #[arg(long, value_name = "CSV")]
    boards_from: Option<PathBuf>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Other names are corrections of the same players: receivers go on with the same games.
    #[arg(long)]
    corrections: bool,
    /// Change pairings of a round that may have begun, or take guessed board numbers.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    chosen: Chosen,
}

impl Import {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (mut file, path) = self.chosen.read()?;
        if let Some(start) = &self.start {
            let why = "is no time like 2026-11-21T14:00:00+01:00";
            ensure!(Utc::parse_with_offset(start).is_some(), "--start {start:?} {why}");
        }
        let from = if self.from.is_dir() { self.from.join("index.json") } else { self.from.clone() };
        let name = from.display().to_string();
        let format = self.format.or_else(|| Format::of_name(&name));
        let format = format.with_context(|| format!("{name}: the format is not known by the name: choose one with --format"))?;
        let boards_from = self.boards_from.as_deref().map(read_file).transpose()?;
        let options = Options {
            round: self.round.or_else(|| round_of_folder(&from).filter(|_| format == Format::Livechess)),
            encoding: self.encoding,
            boards: self.boards,
            boards_from,
        };
        let imported = read(&read_file(&from)?, format, &options);
        let imported = imported.map_err(|problems: Problems| anyhow::Error::msg(problems.describe(&name)))?;
        let round = imported.round.or_else(|| file.current()).context("the file names no round: choose one with --round")?;
        let rounds = file.event.rounds;
        ensure!(round <= rounds, "{name}: round {round}, but the event has {rounds} rounds");
        let plan = plan::plan(&file, round, &imported, options.boards.is_some(), self.corrections);
        time_control::print(&file.id, &file.event, &mut std::io::stdout())?;
        show(&name, &imported, &plan, &mut std::io::stdout().lock())?;
        plan.round.check().with_context(|| name.clone())?;
        if self.dry_run {
            writeln!(std::io::stdout(), "Nothing is changed (--dry-run).")?;
            return Ok(ExitCode::SUCCESS);
        }
        ensure!(
            !plan.needs_consent || self.yes,
            "{name}: {}, so nothing is changed. If the table is right, repeat with --yes",
            if imported.guessed {
                "the board numbers are guessed"
            } else {
                "pairings of a round that may have begun would change"
            }
        );
        let start = self.start.or_else(|| plan.round.start.clone());
        file.rounds.insert(round, MetaRound { start, ..plan.round });
        file.write(&path)?;
        writeln!(std::io::stdout(), "Round {round} is in {}. Next: flagfall event publish", path.display())?;
        Ok(ExitCode::SUCCESS)
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>> {
    read_bounded(path, MAX_IMPORT).with_context(|| path.display().to_string())
}

/// The round of a path `round-N/index.json`.
fn round_of_folder(path: &Path) -> Option<u32> {
    path.parent()?.file_name()?.to_str()?.strip_prefix("round-")?.parse().ok()
}

fn show(name: &str, imported: &Imported, plan: &Plan, out: &mut dyn Write) -> Result<()> {
    for note in &imported.notes {
        writeln!(out, "{name}: {note}")?;
    }
    for Change { kind, pairing, before } in &plan.changes {
        writeln!(out, "{:<8}{:>4}  {}", kind.word(), pairing.number, players(pairing))?;
        if let Some(before) = before {
            writeln!(out, "{:<14}was {}", "", players(before))?;
            if before.replaced != pairing.replaced {
                writeln!(out, "{:<14}these are other players, so receivers get another game; see --corrections", "")?;
            }
        }
    }
    Ok(())
}

fn players(pairing: &Pairing) -> String {
    let result = pairing.result.map(|result| format!("  {}", result.notation())).unwrap_or_default();
    format!("{} - {}{result}", player(&pairing.white), player(&pairing.black))
}

fn player(player: &Player) -> String {
    let rating = player.rating.map(|rating| rating.to_string());
    let words = [player.title.as_deref(), player.name.as_deref(), player.federation.as_deref(), rating.as_deref()];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}
