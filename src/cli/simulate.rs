//! Runs `flagfall simulate`: plays recorded games again on a simulated board, with disturbances, and scores how well they are
//! read.

mod report;
mod work;

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use flagfall_protocols::drivers;

use crate::emulate::boards::BoardKind;
use crate::emulate::noise::Noise;
use crate::emulate::score_sheet;
use work::Job;

/// Play recorded games again at a simulated board, with noise, and score what is made of them.
///
/// Games of PGN files with clock readings ([%clk]) become hand motions and presses, these become
/// what the sensors of an emulated board with its clock see, and only the board's bytes reach the
/// reader, in simulated time: a five-hour game takes a moment. What comes out is compared with
/// what was played. Hands take their time, so a clock gets as much more main time as that needs.
///
/// Examples:
///   flagfall simulate round1.pgn --noise rough --seed 7
///   flagfall simulate *.pgn --noise typical --games 30 --json
///   flagfall simulate blitz.pgn --noise my-noise.toml --out traces
///
/// Boards other than `dgt` have no clock, and none is simulated: there are no presses, nothing
/// irregular happens, a move is sure when it has stood for two seconds or when the reply stands, and
/// `reported after the press` counts from its release. With `occupancy` the object of a game names as
/// `open` the moves of which one was made but not known which; of a game that is not exact, `named`
/// says whether what was played is among them.
///
/// Noise is `clean`, `typical`, `rough`, or a file with the keys of one level of
/// src/emulate/noise.toml. The same seed gives the same games, byte for byte.
///
/// With --json: an object a game, and an object with the sums in the last line.
/// With --out: for each game a .trace (for `flagfall replay`), a .truth.json and the hand motions
/// as a .script (for `flagfall emulate`).
///
/// Exit code 0 if all games could be played, whatever was made of them.
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Simulate {
    /// Games in PGN.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The board.
    #[arg(long, value_enum, default_value_t = Board::Dgt)]
    board: Board,
    /// How noisy hands, clock and board are: clean, typical, rough, or a file.
    #[arg(long, value_name = "LEVEL", default_value = "typical")]
    noise: String,
    /// Irregularities per game, 0 to 1, instead of what the level says: illegal moves, lost links, wrong clocks.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    irregularities: Option<f64>,
    /// The seed of the games: another seed gives other hands.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// So many games of each file, from the first.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    games: Option<u32>,
    /// Only this game of each file, from 1.
    #[arg(long, value_name = "N", conflicts_with = "games", value_parser = clap::value_parser!(u32).range(1..))]
    game: Option<u32>,
    /// Write the traces and the truth about them into this directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Board {
    /// A DGT board by cable, with a DGT 3000.
    Dgt,
    /// A board that reports all squares at once, a Millennium ChessLink; no clock.
    Frames,
    /// A board that reports only where something stands, a DGT Pegasus; no clock.
    Occupancy,
}

impl Simulate {
    pub(super) fn run(self) -> Result<ExitCode> {
        let mut noise = noise(&self.noise)?;
        noise.irregularities = self.irregularities.unwrap_or(noise.irregularities);
        let driver = match self.board {
            Board::Dgt => BoardKind::Dgt,
            Board::Frames => BoardKind::Frames,
            Board::Occupancy => BoardKind::Occupancy,
        };
        let driver = driver.driver();
        let driver = drivers::find(driver).with_context(|| format!("no driver `{driver}`"))?;
        if let Some(dir) = &self.out {
            std::fs::create_dir_all(dir).with_context(|| format!("{}", dir.display()))?;
        }
        let mut jobs = Vec::new();
        for path in &self.files {
            jobs.extend(self.jobs(path)?);
        }
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let mut report = report::Report::new(self.json, self.seed, &self.noise);
        work::simulate_all(driver, &noise, self.seed, self.out.as_deref(), &jobs, cores, &mut |job, done| {
            report.game(job, done)
        })?;
        report.end()
    }

    /// Returns the games of one file.
    fn jobs(&self, path: &Path) -> Result<Vec<Job>> {
        let name = path.display().to_string();
        let file = std::fs::File::open(path).with_context(|| name.clone())?;
        let games = score_sheet::read(std::io::BufReader::new(file)).with_context(|| name.clone())?;
        let stem = path.file_stem().map_or_else(|| "game".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let numbered =
            games.into_iter().zip(1_u32..).map(|(sheet, number)| Job { file: name.clone(), stem: stem.clone(), number, sheet });
        let jobs: Vec<Job> = match (self.games, self.game) {
            (_, Some(only)) => numbered.filter(|job| job.number == only).collect(),
            (count, None) => numbered.take(count.map_or(usize::MAX, |count| count as usize)).collect(),
        };
        if jobs.is_empty() {
            bail!("{name}: no such game in it");
        }
        Ok(jobs)
    }
}

/// Reads a level by its name, or from a file.
fn noise(text: &str) -> Result<Noise> {
    if let Some(level) = Noise::level(text) {
        return level.with_context(|| format!("noise {text}"));
    }
    let file = std::fs::read_to_string(text).with_context(|| format!("noise: `{text}` is no level and no file"))?;
    Noise::parse(&file).with_context(|| text.to_owned())
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1.0).contains(&share) { Ok(share) } else { Err("not between 0 and 1".to_owned()) }
}
