//! Runs `flagfall event results`: writes the results of a round as CSV, as PGN, or into the organiser's tournament report file.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, ensure};
use clap::{Args, ValueEnum};
use flagfall_game::clock::control::TimeControl;
use flagfall_protocols::trace::Audience;

use super::broker::{INCOMPLETE, Login};
use super::file::Chosen;
use crate::event::export::{self, Played};
use crate::event::import::MAX_IMPORT;
use crate::event::model::{EventFile, read_bounded};
use crate::files;
use crate::outputs::pgn::{self, Profile};
use crate::outputs::picture::Picture;
use crate::outputs::round::{Round, RoundGame};
use crate::wire::meta::{MetaRound, PairingResult};
use crate::wire::outcome::GameResult;
use crate::wire::player::Players;

/// Write the results of a round: those of the games on the boards, and those that the event's file has.
///
/// Example: flagfall event results --format trf --into open26.trf
///
/// The results of games are those for the live audience, so they are there before the public has them.
#[derive(Args)]
pub(in crate::cli) struct Results {
    /// The form of the results.
    #[arg(long)]
    format: Form,
    /// The file. For trf it is the organiser's own file, in which only the results of the round change. Without it: standard output.
    #[arg(long, value_name = "FILE", required_if_eq("format", "trf"))]
    into: Option<PathBuf>,
    /// The round. Without it: the current one.
    #[arg(long, value_name = "R")]
    round: Option<u32>,
    /// The encoding of a TRF file. Without it: UTF-8, else Windows-1252.
    #[arg(long)]
    encoding: Option<String>,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    login: Login,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    Csv,
    Pgn,
    Trf,
}

impl Results {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (file, _) = self.chosen.read()?;
        let number = self.round.or_else(|| file.current()).context("the current round has no number")?;
        let round = file.rounds.get(&number).with_context(|| format!("round {number} has no pairings"))?;
        let broker = self.login.broker()?;
        let mut shown: BTreeMap<String, Picture> = BTreeMap::new();
        for (board, payload) in broker.read_states(Audience::Live, &file.id, number)? {
            let picture = Picture::read(&payload).with_context(|| format!("board {board}"))?;
            ensure!(!picture.body.is_incomplete() || self.format != Form::Pgn, "board {board}: {INCOMPLETE}");
            shown.insert(board, picture);
        }
        let games: Vec<Played<'_>> = round
            .boards
            .iter()
            .map(|pairing| {
                // The result in a pairing is that of a game without moves, here as in the PGN.
                let result = match shown.get(&pairing.board).filter(|picture| picture.body.plies() > 0) {
                    // As the PGN has it: a mate on the board is one, also while its move is not sure.
                    Some(picture) => pairing_result(pgn::last_part(&picture.body, file.event.chess960).result),
                    None => pairing.result,
                };
                Played { pairing, result }
            })
            .collect();
        let open = games.iter().filter(|game| game.result.is_none()).count();
        let bytes = match self.format {
            Form::Csv => export::csv::write(number, &games).into_bytes(),
            Form::Pgn => pgn::write_round(&pgn_round(&file, round, &shown), Profile::Full).into_bytes(),
            Form::Trf => {
                let path = self.into.as_ref().context("--format trf needs --into FILE")?;
                let name = path.display();
                let old = read_bounded(path, MAX_IMPORT).with_context(|| name.to_string())?;
                export::trf::patch(&old, self.encoding.as_deref(), number, &games).map_err(|problems| {
                    let lines = problems.iter().map(|(line, why)| match line {
                        0 => format!("{name}: {why}"),
                        line => format!("{name}:{line}: {why}"),
                    });
                    anyhow!("nothing is written:\n{}", lines.collect::<Vec<_>>().join("\n"))
                })?
            }
        };
        ensure!(!bytes.is_empty(), "round {number} has no game");
        match &self.into {
            None => std::io::stdout().write_all(&bytes)?,
            Some(path) => {
                files::replace(path, &bytes, files::SHARED).with_context(|| path.display().to_string())?;
                writeln!(std::io::stdout(), "{}: {} results, {open} games without one", path.display(), games.len() - open)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The result of a pairing whose game has this one.
fn pairing_result(result: GameResult) -> Option<PairingResult> {
    match result {
        GameResult::WhiteWins => Some(PairingResult::WhiteWins),
        GameResult::BlackWins => Some(PairingResult::BlackWins),
        GameResult::Draw => Some(PairingResult::Draw),
        GameResult::Open => None,
    }
}

fn pgn_round(file: &EventFile, round: &MetaRound, shown: &BTreeMap<String, Picture>) -> Round {
    let games = round.boards.iter().map(|pairing| RoundGame {
        board: pairing.number,
        id: format!("{}-{}-{}", file.id, round.number, pairing.number),
        players: Players { white: Some(pairing.white.clone()), black: Some(pairing.black.clone()) },
        shown: shown.get(&pairing.board).map(|picture| picture.body.clone()),
        pairing_result: pairing.result,
        ..RoundGame::default()
    });
    Round { games: games.collect(), ..round_head(file, round) }
}

/// A round of an event's file, without its games.
pub(super) fn round_head(file: &EventFile, round: &MetaRound) -> Round {
    Round {
        event: file.event.name.clone(),
        site: format!("{} {}", file.event.site, file.event.country).trim().to_owned(),
        number: Some(round.number),
        date: round.date.as_ref().map(|date| date.replace('-', ".")),
        time_control: file.event.time_control.as_deref().and_then(|text| TimeControl::parse(text).ok()),
        chess960: file.event.chess960,
        games: Vec::new(),
    }
}
