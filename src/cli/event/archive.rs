//! Runs `flagfall event archive`: keeps what arbiters' states say of a round in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use flagfall_protocols::trace::Audience;

use super::broker::{Broker, INCOMPLETE, Login};
use super::file::Chosen;
use super::results::round_head;
use crate::files;
use crate::outputs::archive::{self, ArchivedGame};
use crate::outputs::pgn::{self, Profile};
use crate::outputs::picture::Picture;
use crate::outputs::round::{RoundGame, date_and_time};
use crate::wire::meta::Pairing;
use crate::wire::outcome::GameResult;
use crate::wire::player::Players;
use crate::wire::topics::is_id;

/// Keep the record of a round in a folder: its games as PGN with how they ended, and what arbiters saw of each board at last.
///
/// Example: flagfall event archive --round 5 --config organiser.toml
///
/// The folder gets games.pgn, and of each board board-ID.json, its state for arbiters, and board-ID.pgn with all games of the round on it,
/// both as they were published. It is for the organiser: it says more than players and spectators may know during a round. The login
/// needs the right to read arbiter/ and live/. If the record of a board is missing, nothing is written.
#[derive(Args)]
pub(in crate::cli) struct Archive {
    /// The round. Without it: the current one.
    #[arg(long, value_name = "R")]
    round: Option<u32>,
    /// The folder. Without it: <ID>-round-<R> in the present folder.
    #[arg(long, value_name = "DIR")]
    into: Option<PathBuf>,
    /// Write what is there, although the record of a board is missing.
    #[arg(long)]
    incomplete: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    login: Login,
}

/// What the broker keeps of the boards of a round, by the board's id.
#[derive(Default)]
struct Kept {
    arbiter: BTreeMap<String, Vec<u8>>,
    live: BTreeMap<String, Vec<u8>>,
    pgn: BTreeMap<String, Vec<u8>>,
}

/// The record of one pairing.
struct Recorded {
    game: RoundGame,
    /// What a person must know about it.
    note: Option<String>,
}

impl Archive {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (file, _) = self.chosen.read()?;
        let number = self.round.or_else(|| file.current()).context("the current round has no number: give --round")?;
        let round = file.rounds.get(&number).with_context(|| format!("round {number} has no pairings"))?;
        let broker = self.login.broker()?;
        let kept = Kept::read(&broker, &file.id, number)?;
        if kept.arbiter.is_empty() {
            bail!(
                "the broker has no state for arbiters of round {number} that this login may read: it needs the right to read \
                 {}/1/arbiter/# (config/mosquitto/acl), and a broker that keeps its retained messages",
                broker.root
            );
        }
        let (mut head, mut notes, mut missing) = (round_head(&file, round), Vec::new(), Vec::new());
        for pairing in &round.boards {
            let id = format!("{}-{number}-{}", file.id, pairing.board);
            match kept.record(pairing, &id) {
                Ok(Recorded { game, note }) => {
                    head.games.push(game);
                    notes.extend(note.map(|note| format!("board {}: {note}", pairing.board)));
                }
                Err(why) => missing.push(format!("board {}: {why}", pairing.board)),
            }
        }
        let is_paired = |board: &&String| round.boards.iter().any(|pairing| pairing.board == **board);
        let unpaired = kept.arbiter.keys().filter(|board| !is_paired(board));
        notes.extend(unpaired.map(|board| format!("board {board}: it has no pairing, so its game is not in games.pgn")));
        if !missing.is_empty() && !self.incomplete {
            bail!("nothing is written, because records are missing (--incomplete writes the others):\n{}", missing.join("\n"));
        }
        let folder = self.into.unwrap_or_else(|| PathBuf::from(format!("{}-round-{number}", file.id)));
        fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        let write = |name: &str, bytes: &[u8]| {
            let path = folder.join(name);
            // Arbiters alone may see it.
            files::replace(&path, bytes, files::PRIVATE).with_context(|| path.display().to_string())
        };
        write("games.pgn", pgn::write_round(&head, Profile::Archive).as_bytes())?;
        for (boards, ending) in [(&kept.arbiter, "json"), (&kept.pgn, "pgn")] {
            boards.iter().try_for_each(|(board, payload)| write(&format!("board-{board}.{ending}"), payload))?;
        }
        let mut out = std::io::stdout().lock();
        let decided = |game: &&RoundGame| game.pairing_result.is_some() || pgn::result_of(&head, game) != GameResult::Open;
        let results = head.games.iter().filter(decided).count();
        writeln!(out, "{}: {} games, {results} with a result", folder.display(), head.games.len())?;
        missing.iter().chain(&notes).try_for_each(|line| writeln!(out, "{line}"))?;
        Ok(ExitCode::SUCCESS)
    }
}

impl Kept {
    /// Reads what the broker keeps.
    fn read(broker: &Broker, event: &str, round: u32) -> Result<Kept> {
        let mut pgn = BTreeMap::new();
        let (before, after) = (format!("{}/1/live/{event}/{round}/", broker.root), "/pgn");
        for (topic, payload) in broker.read(&[format!("{before}+{after}")])? {
            let board = topic.strip_prefix(&before).and_then(|rest| rest.strip_suffix(after));
            // Ids become names of files.
            if let Some(board) = board.filter(|board| is_id(board) && !payload.is_empty()) {
                pgn.insert(board.to_owned(), payload);
            }
        }
        let states = |audience| broker.read_states(audience, event, round);
        Ok(Kept { arbiter: states(Audience::Arbiter)?, live: states(Audience::Live)?, pgn })
    }

    /// The record of the game of a pairing.
    ///
    /// # Errors
    /// It is missing: the text says what and why.
    fn record(&self, pairing: &Pairing, id: &str) -> Result<Recorded, String> {
        let game = RoundGame {
            board: pairing.number,
            id: id.to_owned(),
            players: Players { white: Some(pairing.white.clone()), black: Some(pairing.black.clone()) },
            pairing_result: pairing.result,
            ..RoundGame::default()
        };
        let Some(payload) = self.arbiter.get(&pairing.board) else {
            // A forfeit, or a game on a board without sensors.
            return match pairing.result {
                Some(_) => Ok(Recorded { game, note: None }),
                None => Err("there is no state for arbiters, and the pairing has no result".to_owned()),
            };
        };
        let ArchivedGame { picture, termination, began, is_unpublished, is_incomplete } =
            archive::read(payload).map_err(|error| format!("its state for arbiters cannot be read: {error}"))?;
        if is_unpublished {
            let live = self
                .live
                .get(&pairing.board)
                .ok_or("another game is on the board, and there is no state for the live audience")?;
            let live = Picture::read(live).map_err(|error| format!("its state for the live audience cannot be read: {error}"))?;
            if live.body.is_incomplete() {
                return Err(INCOMPLETE.to_owned());
            }
            let note = "another game is on the board: the round's game is as the live audience saw it, without its termination";
            return Ok(Recorded { game: RoundGame { shown: Some(live.body), ..game }, note: Some(note.to_owned()) });
        }
        if is_incomplete {
            return Err(INCOMPLETE.to_owned());
        }
        let note = picture.body.result.is_none_or(|result| result == GameResult::Open) && pairing.result.is_none();
        let began = began.map(date_and_time);
        let game = RoundGame { began, termination, shown: Some(picture.body), ..game };
        Ok(Recorded { game, note: note.then(|| "it has no result".to_owned()) })
    }
}
