//! Runs the commands that change the event's file only: `new` and `bind`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use flagfall_game::clock::control::TimeControl;

use super::broker::Login;
use crate::cli::time_control;
use crate::config::{Guidelines, rulebook};
use crate::event::bind;
use crate::event::model::{self, EventFile};
use crate::wire::meta::MetaEvent;

/// The choice of the event's file.
#[derive(Args)]
pub(super) struct Chosen {
    /// The event's file. Without it: the only event file of the present folder.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Chosen {
    /// Reads the file, and returns its path too.
    pub(super) fn read(&self) -> Result<(EventFile, PathBuf)> {
        let path = match &self.file {
            Some(path) => path.clone(),
            None => model::find(Path::new("."))?,
        };
        Ok((EventFile::read(&path)?, path))
    }

    /// The path that was given, or that of an event with this id.
    pub(super) fn path(&self, id: &str) -> PathBuf {
        self.file.clone().unwrap_or_else(|| PathBuf::from(format!("{id}.json")))
    }
}

/// Make the file of a new event.
///
/// Example: flagfall event new open26 --name "Example Open 2026" --rounds 9 --time-control 5400+30 --delay 900
#[derive(Args)]
pub(in crate::cli) struct New {
    /// The id of the event in topics: 1 to 40 of a-z, 0-9 and -.
    id: String,
    /// The name of the event.
    #[arg(long)]
    name: String,
    /// The number of rounds, 1 to 99.
    #[arg(long)]
    rounds: u32,
    /// The time control, in PGN notation.
    #[arg(long, value_name = "TEXT")]
    time_control: Option<String>,
    /// The rules, as event.profile of the configuration.
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The town.
    #[arg(long, default_value = "")]
    site: String,
    /// The country, three letters.
    #[arg(long, default_value = "")]
    country: String,
    /// The delay of the public, seconds.
    #[arg(long, default_value_t = 0)]
    delay: u32,
    /// The delay of the public in half-moves.
    #[arg(long, default_value_t = 0)]
    delay_moves: u32,
    /// The games are Chess960.
    #[arg(long)]
    chess960: bool,
    #[command(flatten)]
    chosen: Chosen,
}

impl New {
    pub(super) fn run(self) -> Result<ExitCode> {
        if let Some(text) = &self.time_control {
            TimeControl::parse(text).with_context(|| format!("--time-control {text}"))?;
        }
        if let Some(profile) = &self.profile {
            rulebook(profile, Guidelines::None).with_context(|| format!("--profile {profile}"))?;
        }
        let country = self.country.to_ascii_uppercase();
        ensure!(
            country.is_empty() || (country.len() == 3 && country.bytes().all(|byte| byte.is_ascii_uppercase())),
            "--country {country:?} is not three letters"
        );
        let event = MetaEvent {
            uuid: model::new_uuid().context("a random number for the event")?,
            name: self.name,
            site: self.site,
            country,
            rounds: self.rounds,
            round: "1".to_owned(),
            force: false,
            time_control: self.time_control,
            profile: self.profile,
            delay: self.delay,
            delay_moves: self.delay_moves,
            chess960: self.chess960,
        };
        let file = EventFile::new(&self.id, event)?;
        let path = self.chosen.path(&self.id);
        ensure!(!fs::exists(&path)?, "{} is there already", path.display());
        file.write(&path)?;
        time_control::print(&file.id, &file.event, &mut std::io::stdout())?;
        writeln!(std::io::stdout(), "{} is made. Next: flagfall event import FILE", path.display())?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Say which device serves which board, from the current round on.
///
/// Example: flagfall event bind 1 dgt-24012 2 dgt-24013
///
/// `flagfall event bind --ask` finds the devices by touch.
///
/// The word `none` in the place of a device means that the board has none. The next `flagfall event publish` publishes it.
#[derive(Args)]
pub(in crate::cli) struct Bind {
    /// Pairs of a board and a device, as `flagfall devices` and the topics name it.
    #[arg(value_name = "BOARD DEVICE")]
    pairs: Vec<String>,
    /// Bind the devices that answer now to the boards without a device, both in their natural order.
    #[arg(long, conflicts_with = "pairs")]
    in_order: bool,
    /// Ask for each board without a device: somebody sets a king on d4, and the device whose men change is bound to the board. A game
    /// that is on does not count.
    #[arg(long, conflicts_with_all = ["pairs", "in_order"])]
    ask: bool,
    #[command(flatten)]
    chosen: Chosen,
    #[command(flatten)]
    login: Login,
}

impl Bind {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (mut file, path) = self.chosen.read()?;
        let round = file.current().context("the current round has no number")?;
        let pairs: Vec<(String, String)> = if self.in_order {
            let broker = self.login.broker()?;
            let prefix = format!("{}/1/device/", broker.root);
            let messages = broker.read(&[format!("{prefix}+/status")])?;
            let is_board = |payload: &[u8]| {
                let message: serde_json::Value = serde_json::from_slice(payload).unwrap_or_default();
                message["body"]["kind"] == "board" && message["body"]["state"] != "offline"
            };
            let devices = messages.iter().filter(|(_, payload)| is_board(payload));
            let devices = devices.filter_map(|(topic, _)| topic.strip_prefix(&prefix)?.strip_suffix("/status"));
            let devices: Vec<String> = devices.map(str::to_owned).collect();
            bind::bind_in_order(&mut file, round, &devices).map_err(anyhow::Error::msg)?
        } else if self.ask {
            super::ask::ask(&self.login.broker()?, &mut file, &path, round)?
        } else {
            let (pairs, []) = self.pairs.as_chunks::<2>() else { bail!("each BOARD needs its DEVICE") };
            let pairs: Vec<(String, String)> = pairs.iter().map(|[board, device]| (board.clone(), device.clone())).collect();
            bind::bind(&mut file, round, &pairs).map_err(anyhow::Error::msg)?;
            pairs
        };
        if !pairs.is_empty() {
            file.write(&path)?;
        }
        let mut out = std::io::stdout().lock();
        for pairing in file.rounds.get(&round).iter().flat_map(|round| &round.boards) {
            let mark = if pairs.iter().any(|(board, _)| *board == pairing.board || *board == pairing.number.to_string()) {
                "*"
            } else {
                " "
            };
            writeln!(out, "{mark} board {:>4}  {}", pairing.board, pairing.device.as_deref().unwrap_or(bind::NONE))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
