//! Runs the commands that change the event's file and publish it.

use std::fs;
use std::io::Write;
#[cfg(feature = "outputs")]
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::broker::Login;
use super::file::Chosen;
use crate::cli::time_control;
#[cfg(feature = "outputs")]
use crate::collect::sinks::lichess::test_token;
#[cfg(feature = "outputs")]
use crate::config::{self, Output, OutputKind};
use crate::event::model::EventFile;
use crate::event::plan;
use crate::wire::meta::{self, MetaEvent, MetaRound, OutputRequests};
use crate::wire::topics;

/// What the commands of this file have in common.
#[derive(Args)]
pub(super) struct Common {
    #[command(flatten)]
    pub(super) chosen: Chosen,
    #[command(flatten)]
    pub(super) login: Login,
}

impl Common {
    /// Changes the event, publishes it, and prints what is done.
    pub(super) fn publish(self, change: impl FnOnce(&mut EventFile) -> std::result::Result<String, String>) -> Result<ExitCode> {
        let (mut file, path) = self.chosen.read()?;
        let done = change(&mut file).map_err(anyhow::Error::msg)?;
        self.login.broker()?.publish(&mut file, &path)?;
        time_control::print(&file.id, &file.event, &mut std::io::stdout())?;
        writeln!(std::io::stdout(), "{done} Published as number {}.", file.rev)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Publish the event with all its rounds, so that nodes and collectors use it.
///
/// Example: flagfall event publish --config organiser.toml
#[derive(Args)]
pub(in crate::cli) struct Publish {
    #[command(flatten)]
    common: Common,
}

impl Publish {
    pub(super) fn run(self) -> Result<ExitCode> {
        self.common.publish(|file| {
            let boards: usize = file.rounds.values().map(|round| round.boards.len()).sum();
            Ok(format!(
                "{}: {} rounds with pairings, {boards} boards, current round {}.",
                file.id,
                file.rounds.len(),
                file.event.round
            ))
        })
    }
}

/// Make a round the current one, and publish the event.
///
/// Example: flagfall event round 2
#[derive(Args)]
pub(in crate::cli) struct Round {
    /// The number of the round.
    number: u32,
    /// Boards change even while their game goes on.
    #[arg(long)]
    force: bool,
    /// Begin a round anew that was left: nodes replace what is published of it.
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    common: Common,
}

impl Round {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Round { number, force, again, common } = self;
        common.publish(|file| {
            if !file.rounds.contains_key(&number) {
                return Err(format!("round {number} has no pairings: import them first"));
            }
            if !again && file.published.contains(&number) && file.current().is_some_and(|current| number < current) {
                return Err(format!(
                    "round {number} was left: nodes would begin it anew and replace what is published of it. If you mean that, repeat \
                     with --again"
                ));
            }
            file.event.round = number.to_string();
            file.event.force = force;
            Ok(format!("Round {number} is the current round."))
        })
    }
}

/// Say which round at lichess a round of the event is, and publish the event.
///
/// Example: flagfall event lichess abcd1234 --token-file /etc/flagfall/lichess.token
///
/// It first asks lichess whether the token may write broadcasts: that of --token-file, or of each [[output]] with kind = "lichess" in the
/// configuration. If it may not, nothing is published.
#[derive(Args)]
pub(in crate::cli) struct Lichess {
    /// The 8 letters and digits at the end of the round's address at lichess.
    id: String,
    /// The number of the round; without it, the current one.
    #[arg(long, value_name = "NUMBER")]
    round: Option<u32>,
    /// A file with the token of the account, which others must not be able to read.
    #[cfg(feature = "outputs")]
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The address of lichess, for --token-file.
    #[cfg(feature = "outputs")]
    #[arg(long, value_name = "URL", default_value = Output::LICHESS)]
    url: String,
    #[command(flatten)]
    common: Common,
}

impl Lichess {
    pub(super) fn run(self) -> Result<ExitCode> {
        #[cfg(feature = "outputs")]
        self.test_tokens()?;
        let Lichess { id, round, common, .. } = self;
        common.publish(|file| {
            let number = round.or_else(|| file.current()).ok_or("no round is the current one: name one with --round")?;
            let has_it = |round: &&MetaRound| round.number != number && round.lichess_round.as_ref() == Some(&id);
            if let Some(other) = file.rounds.values().find(has_it) {
                return Err(format!("{id} is round {} at lichess already, and an id there belongs to one round", other.number));
            }
            let found = file.rounds.get_mut(&number);
            found.ok_or_else(|| format!("round {number} has no pairings: import them first"))?.lichess_round = Some(id.clone());
            file.check().map_err(|error| error.to_string())?;
            Ok(format!("Round {number} is round {id} at lichess."))
        })
    }

    /// Asks lichess about each token that is known here.
    #[cfg(feature = "outputs")]
    fn test_tokens(&self) -> Result<()> {
        let mut tokens: Vec<(String, PathBuf)> = Vec::new();
        match &self.token_file {
            Some(file) => {
                config::web_address(&self.url).map_err(|why| anyhow::anyhow!("--url {}: {why}", self.url))?;
                tokens.push((self.url.clone(), file.clone()));
            }
            None => {
                let outputs = self.common.login.config()?.output;
                let outputs = outputs.into_iter().filter(|output| output.kind == OutputKind::Lichess);
                tokens.extend(outputs.map(|output| (output.url, output.token_file)));
            }
        }
        tokens.dedup();
        let mut out = std::io::stdout().lock();
        for (url, file) in &tokens {
            let account = test_token(url, file).map_err(anyhow::Error::msg)?;
            writeln!(out, "The token in {} may write broadcasts as {account}.", file.display())?;
        }
        if tokens.is_empty() {
            writeln!(out, "No token was tested: neither --token-file nor an [[output]] of the configuration names one.")?;
        }
        Ok(())
    }
}

/// Make the event's file again from what is published.
///
/// Example: flagfall event fetch open26
#[derive(Args)]
pub(in crate::cli) struct Fetch {
    /// The id of the event.
    id: String,
    /// Replace a file that is there.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    common: Common,
}

impl Fetch {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Fetch { id, replace, common } = self;
        ensure!(topics::is_id(&id), "the id {id:?} is not 1 to 40 of a-z, 0-9 and -");
        let path = common.chosen.path(&id);
        ensure!(replace || !fs::exists(&path)?, "{} is there already; --replace replaces it", path.display());
        let broker = common.login.broker()?;
        let topic = topics::meta_event(&broker.root, &id);
        let messages = broker.read(&[topic.clone(), format!("{topic}/+")])?;
        let mut event: Option<meta::Meta<MetaEvent>> = None;
        let mut rounds: Vec<(String, meta::Meta<MetaRound>)> = Vec::new();
        for (found, payload) in messages.iter().filter(|(_, payload)| !payload.is_empty()) {
            match found.strip_prefix(&topic).and_then(|rest| rest.strip_prefix('/')) {
                None => event = Some(meta::read(payload, "meta.event").with_context(|| found.clone())?),
                Some(round) => rounds.push((round.to_owned(), meta::read(payload, "meta.round").with_context(|| found.clone())?)),
            }
        }
        let event = event.with_context(|| format!("nothing is published on {topic}"))?;
        let file = EventFile::from_meta(&id, event, rounds)?;
        file.write(&path)?;
        writeln!(std::io::stdout(), "{} is made from publication {}.", path.display(), file.rev)?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Let an output try to send now.
///
/// Example: flagfall event retry lichess
#[derive(Args)]
pub(in crate::cli) struct Retry {
    /// The name of the output.
    output: String,
    #[command(flatten)]
    common: Common,
}

impl Retry {
    pub(super) fn run(self) -> Result<ExitCode> {
        ask_output(self.common, &self.output, "tries to send now", |asked| asked.retry = asked.retry.saturating_add(1))
    }
}

/// Let an output empty the round at the receiver and send everything again.
///
/// Example: flagfall event reset lichess --yes
#[derive(Args)]
pub(in crate::cli) struct Reset {
    /// The name of the output.
    output: String,
    /// Viewers lose the games until they are sent again: this must be said.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    common: Common,
}

impl Reset {
    pub(super) fn run(self) -> Result<ExitCode> {
        ensure!(self.yes, "the receiver forgets all games of the round until they are sent again: repeat with --yes");
        ask_output(self.common, &self.output, "is emptied and sent again", |asked| asked.reset = asked.reset.saturating_add(1))
    }
}

fn ask_output(common: Common, output: &str, what: &str, act: fn(&mut OutputRequests)) -> Result<ExitCode> {
    ensure!(topics::is_id(output), "the output {output:?} is not 1 to 40 of a-z, 0-9 and -");
    common.publish(|file| {
        let round = plan::ask_output(file, output, act)?;
        Ok(format!("Round {round}: the output {output} {what}."))
    })
}

/// Say which game of a board is the round's game, and publish the event.
///
/// Example: flagfall event game 12 2
#[derive(Args)]
pub(in crate::cli) struct Game {
    /// The board.
    board: String,
    /// The number of the game on this board.
    game: u32,
    #[command(flatten)]
    common: Common,
}

impl Game {
    pub(super) fn run(self) -> Result<ExitCode> {
        let Game { board, game, common } = self;
        ensure!(game > 0, "games are counted from 1");
        common.publish(|file| {
            let round = plan::change_board(file, None, &board, |pairing| pairing.game = Some(game))?;
            Ok(format!("Board {board} of round {round}: game {game} is the round's game."))
        })
    }
}

/// Let collectors take the present state of a board even if it has fewer moves, and publish the event.
///
/// Example: flagfall event reset-board 12
#[derive(Args)]
pub(in crate::cli) struct ResetBoard {
    /// The board.
    board: String,
    #[command(flatten)]
    common: Common,
}

impl ResetBoard {
    pub(super) fn run(self) -> Result<ExitCode> {
        let ResetBoard { board, common } = self;
        common.publish(|file| {
            let round = plan::change_board(file, None, &board, |pairing| pairing.reset = pairing.reset.saturating_add(1))?;
            Ok(format!("Board {board} of round {round}: its present state is taken."))
        })
    }
}
