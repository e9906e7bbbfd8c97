//! Runs `flagfall emulate`: emulates boards on pseudo-terminals, which other programs open like serial ports.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use flagfall_hardware::emulator::dgt_bus::{BusSettings, Chain};
use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{self, Device, Emulator, Kind, LostUpdates, Settings, Start};
use flagfall_protocols::drivers;
use flagfall_protocols::drivers::dgt_bus::frame::MAX_ADDRESS;
use serde::Serialize;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::emulate::board::{Beginning, SentLog};
use crate::emulate::{EmulatedTime, PtyBoard, games};
use crate::system_clock::{MonotonicTime, monotonic};

/// The time between two checks whether all hand motions are done.
const POLL: Duration = Duration::from_millis(100);
/// The highest number of boards on one line.
const ON_ONE_LINE: u16 = 12;

/// Emulated boards on pseudo-terminals, for trying programs without hardware.
///
/// It answers on the path it prints as a DGT board does on its serial port (9600 baud), with a
/// clock in its port, and hands move on it: a game of the demonstration, a script of your own, or
/// none. It ends some seconds after the hands, or at Ctrl-C. With --driver it is the emulated board
/// of another family; a daemon that is to read it has transport = "serial" and the path as its port
/// in the board's table.
///
/// With --boards there are so many boards in one program, each on a path of its own and with other
/// hands: their serial numbers follow each other, --link PATH makes the links PATH-1, PATH-2 and so
/// on, and of several --script each board takes the next one, then the first one again. Boards are
/// not in step: each is switched on at another moment of the first second.
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
///   flagfall emulate --game 1 --boards 20 --link /tmp/board
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
    /// Make a symbolic link here that leads to the board's path, for a name that stays the same; of several boards PATH-1, PATH-2
    /// and so on.
    #[arg(long, value_name = "PATH")]
    link: Option<PathBuf>,
    /// Serial number that the (first) board answers, 0 to 65535; on one line with others 1 to 16383.
    #[arg(long, default_value_t = 1025)]
    serial: u16,
    /// Another form of the family's board: what it sends, or how. An unknown name lists all of them.
    #[arg(long, default_value = "", hide_default_value = true, value_name = "NAME", conflicts_with = "game")]
    option: String,
    /// So many boards, at most 1000; of a family that shares a line 12, and they share one.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
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
    /// Write into this file what the boards send: the microseconds since the machine was started, the serial number, the bytes.
    #[arg(long, value_name = "FILE")]
    sent: Option<PathBuf>,
    /// Report what happens as JSON, one object a line.
    #[arg(long)]
    json: bool,
}

/// The source of the hand motions.
#[derive(Args)]
#[group(required = true, multiple = false)]
struct Hands {
    /// Hands move as this file says; with several of them each board has its own.
    #[arg(long, value_name = "FILE")]
    script: Vec<PathBuf>,
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
    Ready { path: PathBuf, link: Option<&'a Path>, serial: u16, boards: u16 },
    HandsDone { impossible: u64 },
    Ended { lost_bytes: u64 },
}

impl Emulate {
    pub(super) fn run(self) -> Result<ExitCode> {
        let kind = self.kind()?;
        let chain = drivers::find(&self.driver).is_some_and(|family| family.shares_line);
        let paths = if chain { 1 } else { self.boards };
        if chain && self.boards > ON_ONE_LINE {
            bail!("a line has at most {ON_ONE_LINE} boards");
        }
        if self.serial.checked_add(self.boards - 1).is_none() {
            bail!("the last serial number would be higher than 65535");
        }
        crate::descriptors::allow();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // The program that reads a path may stop this one at once.
        let signals = runtime.block_on(async { [SignalKind::interrupt(), SignalKind::terminate()].map(signal) });
        let log = self.sent.as_deref().map(|file| SentLog::create(file).with_context(|| format!("{}", file.display())));
        let log = log.transpose()?;
        let scripts: Vec<Script> = self.hands.script.iter().map(|file| read_script(file)).collect::<Result<_>>()?;
        let boards = (0..paths).map(|index| {
            let serial = self.serial + index;
            let (mut device, hands) = self.board(kind, chain, index, &scripts)?;
            device.load(&self.later(&hands));
            // Within a second, and never two at the same moment.
            let phase = Duration::from_secs(1).mul_f64(f64::from(index) * 0.618_034 % 1.0);
            let time = EmulatedTime::after(phase, self.speed);
            let link = self.link.as_deref().map(|link| numbered(link, (paths > 1).then_some(index + 1)));
            let beginning = Beginning { device, time, link: link.clone(), log: log.as_ref().map(|log| log.of(serial)) };
            let (board, run) = PtyBoard::make(beginning).with_context(|| match &link {
                Some(link) => format!("{}", link.display()),
                None => "no pseudo-terminal".to_owned(),
            })?;
            runtime.spawn(run);
            let path = board.path().unwrap_or_default();
            let boards = if chain { self.boards } else { 1 };
            self.print_report(&Report::Ready { path, link: link.as_deref(), serial, boards })?;
            Ok(board)
        });
        let boards = boards.collect::<Result<Vec<PtyBoard>>>()?;
        runtime.block_on(self.wait_until_done(&boards, signals))?;
        let statuses = || boards.iter().map(PtyBoard::status);
        let lost_bytes = statuses().map(|status| status.lost_bytes).sum();
        let impossible: u64 = statuses().map(|status| status.counters.impossible).sum();
        // The tasks end with it: the links are gone when the end is reported.
        drop(runtime);
        log.map_or(Ok(()), |log| log.flush()).context("--sent")?;
        self.print_report(&Report::Ended { lost_bytes })?;
        Ok(if impossible == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Finds the kind of the boards.
    fn kind(&self) -> Result<&'static Kind> {
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
        if !on_one_channel().contains(&self.driver.as_str()) {
            let way = match drivers::find(&self.driver).and_then(|family| family.hid) {
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
        Ok(kind)
    }

    /// Makes a board, and the hand motions on it.
    fn board(&self, kind: &Kind, chain: bool, index: u16, scripts: &[Script]) -> Result<(Box<dyn Device>, Script)> {
        let serial = self.serial + index;
        let seed = self.loss_seed.wrapping_add(u64::from(index));
        let lost_updates = LostUpdates { share: (self.lose_updates * 100.0).round() as u16, seed };
        if let Some(number) = self.hands.game {
            let game = games::game(usize::from(number.saturating_sub(1)));
            let game = match self.seed {
                None if index == 0 => game,
                seed => game.seeded(seed.unwrap_or_default().wrapping_add(u64::from(index))),
            };
            return Ok((Box::new(Emulator::new(Settings { lost_updates, ..game.settings(serial) })), game.script()));
        }
        let start = Start { serial, lost_updates, ..Start::default() };
        let device = if chain { self.chain()? } else { (kind.start)(&start) };
        Ok((device, scripts.iter().cycle().nth(index.into()).cloned().unwrap_or_default()))
    }

    /// The same hands, after a wait in real time: they use the board's time.
    fn later(&self, hands: &Script) -> Script {
        let after = Duration::from_secs_f64(self.after).mul_f64(self.speed);
        let mut script = Script::new();
        for step in hands.steps() {
            script.push(step.at.saturating_add(after), step.action);
        }
        script
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
    async fn wait_until_done(&self, boards: &[PtyBoard], [interrupt, terminate]: [io::Result<Signal>; 2]) -> Result<()> {
        let (mut interrupt, mut terminate) = (interrupt?, terminate?);
        let mut ticks = tokio::time::interval(POLL);
        let mut done: Option<MonotonicTime> = None;
        loop {
            tokio::select! {
                _ = interrupt.recv() => return Ok(()),
                _ = terminate.recv() => return Ok(()),
                _ = ticks.tick() => {}
            }
            match done {
                None if !self.hands.idle && boards.iter().all(PtyBoard::done) => {
                    done = Some(monotonic());
                    self.hands_done(boards)?;
                }
                Some(since) if monotonic().since(since) >= Duration::from_secs_f64(self.linger) => return Ok(()),
                _ => {}
            }
        }
    }

    fn hands_done(&self, boards: &[PtyBoard]) -> Result<()> {
        let mut impossible = 0;
        for (serial, status) in (self.serial..).zip(boards.iter().map(PtyBoard::status)) {
            impossible += status.counters.impossible;
            for (at, problem) in &status.impossible {
                let seconds = at.0 as f64 / 1e6;
                writeln!(io::stderr(), "flagfall: board {serial}, {seconds:.3} s: hands cannot do that: {problem:?}")?;
            }
        }
        self.print_report(&Report::HandsDone { impossible })
    }

    fn print_report(&self, report: &Report<'_>) -> Result<()> {
        let mut out = io::stdout().lock();
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

fn read_script(file: &Path) -> Result<Script> {
    let text = std::fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    Script::parse(&text).with_context(|| format!("{}", file.display()))
}

/// The path with a number at its end, if there is one.
fn numbered(path: &Path, number: Option<u16>) -> PathBuf {
    match number {
        Some(number) => PathBuf::from(format!("{}-{number}", path.display())),
        None => path.to_owned(),
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
