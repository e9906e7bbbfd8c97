//! Runs `flagfall emulate`: emulates a board on a pseudo-terminal, which other programs open like a serial port.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use flagfall_hardware::emulator::dgt_bus::{BusSettings, Chain};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Device, Emulator, LostUpdates, Settings, Start};
use flagfall_protocols::drivers;
use flagfall_protocols::drivers::dgt_bus::frame::MAX_ADDRESS;
use serde::Serialize;
use tokio::signal::unix::{SignalKind, signal};

use crate::emulate::board::Status;
use crate::emulate::{PtyBoard, games};
use crate::system_clock::{MonotonicTime, monotonic};

/// The time between two checks whether all hand motions are done.
const POLL: Duration = Duration::from_millis(100);

/// An emulated board on a pseudo-terminal, for trying programs without hardware.
///
/// It answers on the path it prints as a DGT board does on its serial port (9600 baud), with a
/// clock in its port, and hands move on it: a game of the demonstration, a script of your own, or
/// none. It ends some seconds after the hands, or at Ctrl-C. With --driver it is the emulated board
/// of another family; a daemon that is to read it has transport = "serial" and the path as its port
/// in the board's table.
///
/// With --driver dgt_bus it is a chain of --boards boards on one line, which say nothing unasked;
/// hands move at the first one, and are done when every board was asked for its changes.
///
/// Examples:
///   flagfall emulate --game 1
///   flagfall emulate --script hands.txt --link /tmp/board-1 --speed 4
///   flagfall emulate --idle --serial 24012
///   flagfall emulate --game 2 --lose-updates 10 --loss-seed 3
///   flagfall emulate --driver chesslink --script hands.txt
///   flagfall emulate --driver certabo --option "no space at the end" --idle
///   flagfall emulate --driver dgt_bus --boards 12 --idle
///
/// A script has one action a line, with its time in seconds (`+` = after the line before):
///   0.5 run
///   +2 lift e2
///   +0.4 place e4
///   +0.3 press left
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Emulate {
    #[command(flatten)]
    hands: Hands,
    /// The family whose board it is, as `flagfall devices --supported` names it.
    #[arg(long, default_value = "dgt", value_name = "NAME", conflicts_with = "game")]
    driver: String,
    /// Make a symbolic link here that leads to the board's path, for a name that stays the same.
    #[arg(long, value_name = "PATH")]
    link: Option<PathBuf>,
    /// Serial number that the board answers, 0 to 65535; on one line with others 1 to 16383.
    #[arg(long, default_value_t = 1025)]
    serial: u16,
    /// Another form of the family's board: what it sends, or how. An unknown name lists all of them.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME", conflicts_with = "game")]
    option: String,
    /// So many boards on one line, of a family that shares one; their serial numbers follow each other.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=12))]
    boards: u16,
    /// The speed, as a multiple of people's speed, 0.01 to 1000; it holds for the time of the board and the clock too.
    #[arg(long, default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    /// Other hands for the same game: in which way each move is made, and how fast.
    #[arg(long, conflicts_with_all = ["script", "idle"])]
    seed: Option<u64>,
    /// The share of field updates that are lost on their way, 0 to 100 per cent. Answers to questions are never lost. Only the
    /// usual board, `dgt`, has this option.
    #[arg(long, default_value_t = 0.0, value_name = "PERCENT", value_parser = percent, conflicts_with = "driver")]
    lose_updates: f64,
    /// Which updates are lost: the same number loses the same ones.
    #[arg(long, default_value_t = 1, value_name = "N")]
    loss_seed: u64,
    /// Seconds until the hands begin, so that a program can connect first.
    #[arg(long, default_value_t = 3.0, value_name = "SECONDS", value_parser = seconds)]
    after: f64,
    /// Seconds that the board stays when the hands are done.
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = seconds)]
    linger: f64,
    /// Report what happens as JSON, one object a line.
    #[arg(long)]
    json: bool,
}

/// The source of the hand motions.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Hands {
    /// Hands move as this file says.
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// A game of the demonstration, 1 or 2.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=games::GAMES as i64))]
    game: Option<u8>,
    /// No man is moved; the board stays until Ctrl-C.
    #[arg(long)]
    idle: bool,
}

/// What is reported, as JSON.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
enum Report<'a> {
    Ready { path: &'a Path, link: Option<&'a Path>, serial: u16, boards: u16 },
    HandsDone { impossible: u64 },
    Ended { lost_bytes: u64 },
}

impl Emulate {
    pub(super) fn run(self) -> Result<ExitCode> {
        let (device, script) = self.board()?;
        let mut board =
            PtyBoard::with_device(&self.serial.to_string(), device, &script, self.speed).context("no pseudo-terminal")?;
        if let Some(link) = &self.link {
            board.link_at(link).with_context(|| format!("{}", link.display()))?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(self.wait_until_done(&board))?;
        let status = board.status();
        board.stop();
        self.print_report(&Report::Ended { lost_bytes: status.lost_bytes })?;
        Ok(if status.counters.impossible == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Makes the board, and the hand motions on it.
    fn board(&self) -> Result<(Box<dyn Device>, Script)> {
        let kinds = || emulator::EMULATORS.iter().copied().flatten().filter(|kind| kind.driver == self.driver);
        let Some(kind) = kinds().find(|kind| kind.variant == self.option) else {
            let options: Vec<String> =
                kinds().filter(|kind| !kind.variant.is_empty()).map(|kind| format!("{:?}", kind.variant)).collect();
            match (kinds().next(), options.is_empty()) {
                (None, _) => bail!("no emulated board is called `{}`", self.driver),
                (Some(_), true) => bail!("`{}` has no --option", self.driver),
                (Some(_), false) => bail!("`{}` has these options: {}", self.driver, options.join(", ")),
            }
        };
        // A family that is not registered yet has a serial line, or is tried as if it had one.
        let family = drivers::find(&self.driver);
        if !on_one_channel().contains(&self.driver.as_str()) {
            let way = match family.and_then(|family| family.hid) {
                Some(_) => "`bluetooth`, or by `transport = \"hid\"`,",
                None => "`bluetooth`",
            };
            bail!(
                "`{}` speaks on several channels, which no pseudo-terminal has: a real board is reached by {way} in its [[board]]; \
                 emulated on a pseudo-terminal can be {}",
                self.driver,
                on_one_channel().join(", ")
            );
        }
        let shares_line = family.is_some_and(|family| family.shares_line);
        if self.boards > 1 && !shares_line {
            bail!("boards of `{}` do not share a line", self.driver);
        }
        let lost_updates = LostUpdates { share: (self.lose_updates * 100.0).round() as u16, seed: self.loss_seed };
        let start = Start { serial: self.serial, lost_updates, ..Start::default() };
        let usual = || if shares_line { self.chain() } else { Ok((kind.start)(&start)) };
        let (board, hands) = match (&self.hands.script, self.hands.game) {
            (Some(file), _) => {
                let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
                let script = Script::parse(&text).with_context(|| format!("{}", file.display()))?;
                (usual()?, script)
            }
            (None, Some(number)) => {
                let game = games::game(usize::from(number.saturating_sub(1)));
                let game = match self.seed {
                    Some(seed) => game.seeded(seed),
                    None => game,
                };
                let board: Box<dyn Device> = Box::new(Emulator::new(Settings { lost_updates, ..game.settings(self.serial) }));
                (board, game.script())
            }
            (None, None) => (usual()?, Script::new()),
        };
        // The wait is in real time, the hands use the board's time.
        let after = Duration::from_secs_f64(self.after).mul_f64(self.speed);
        let mut script = Script::new();
        for step in hands.steps() {
            script.push(step.at.saturating_add(after), step.action);
        }
        Ok((board, script))
    }

    /// Makes boards on one line, without its master: that is the program that opens the path.
    fn chain(&self) -> Result<Box<dyn Device>> {
        let addresses = self.serial..self.serial.saturating_add(self.boards);
        if self.serial == 0 || addresses.end > MAX_ADDRESS + 1 {
            bail!("boards on a line have serial numbers from 1 to {MAX_ADDRESS}");
        }
        let board = |serial| BusSettings::new(Settings { serial, ..Settings::default() });
        Ok(Box::new(Chain::new(addresses.map(board).collect(), u64::from(self.serial))))
    }

    /// Waits until a signal comes, or the hands are done and the time after them is over.
    async fn wait_until_done(&self, board: &PtyBoard) -> Result<()> {
        // The program that reads the path may stop this one at once.
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let path = board.path().unwrap_or_default();
        self.print_report(&Report::Ready { path: &path, link: self.link.as_deref(), serial: self.serial, boards: self.boards })?;
        let mut ticks = tokio::time::interval(POLL);
        let mut done: Option<MonotonicTime> = None;
        loop {
            tokio::select! {
                _ = interrupt.recv() => return Ok(()),
                _ = terminate.recv() => return Ok(()),
                _ = ticks.tick() => {}
            }
            match done {
                None if !self.hands.idle && board.done() => {
                    done = Some(monotonic());
                    self.hands_done(&board.status())?;
                }
                Some(since) if monotonic().since(since) >= Duration::from_secs_f64(self.linger) => return Ok(()),
                _ => {}
            }
        }
    }

    fn hands_done(&self, status: &Status) -> Result<()> {
        for (at, problem) in &status.impossible {
            writeln!(std::io::stderr(), "flagfall: {:.3} s: hands cannot do that: {problem:?}", at.0 as f64 / 1e6)?;
        }
        self.print_report(&Report::HandsDone { impossible: status.counters.impossible })
    }

    fn print_report(&self, report: &Report<'_>) -> Result<()> {
        let mut out = std::io::stdout().lock();
        match report {
            _ if self.json => writeln!(out, "{}", serde_json::to_string(report)?)?,
            Report::Ready { path, link, serial, boards } => {
                match boards {
                    1 => write!(out, "board {serial}")?,
                    _ => write!(out, "boards {serial} to {}", serial + boards - 1)?,
                }
                write!(out, " at {}", path.display())?;
                match link {
                    None => writeln!(out)?,
                    Some(link) => writeln!(out, ", linked from {}", link.display())?,
                }
            }
            Report::HandsDone { .. } => writeln!(out, "the hands are done")?,
            Report::Ended { lost_bytes: 0 } => writeln!(out, "ended")?,
            Report::Ended { lost_bytes } => writeln!(out, "ended; {lost_bytes} bytes were not read")?,
        }
        Ok(out.flush()?)
    }
}

/// The families that a pseudo-terminal can carry.
fn on_one_channel() -> Vec<&'static str> {
    let has_one = |driver| drivers::find(driver).and_then(|family| family.ble).is_none_or(|ble| ble.channels.len() < 2);
    let all = emulator::EMULATORS.iter().copied().flatten();
    all.filter(|kind| kind.variant.is_empty() && has_one(kind.driver)).map(|kind| kind.driver).collect()
}

fn speed(text: &str) -> Result<f64, String> {
    number(text, 0.01, 1000.0)
}

/// Parses seconds, a day at most.
fn seconds(text: &str) -> Result<f64, String> {
    number(text, 0.0, 86_400.0)
}

fn percent(text: &str) -> Result<f64, String> {
    number(text, 0.0, 100.0)
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (least..=most).contains(&number) { Ok(number) } else { Err(format!("not between {least} and {most}")) }
}
