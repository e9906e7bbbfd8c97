//! The options of the command line.

use std::path::{Path, PathBuf};

/// The options.
pub(crate) struct Options {
    /// The folder of the recorded games.
    pub(crate) data: PathBuf,
    /// The number of games of each speed and level; none means all.
    pub(crate) games: Option<usize>,
    /// The number of seeds; each plays every game with other hands.
    pub(crate) seeds: u64,
    /// Only the cost of the decoder is measured, without a comparison.
    pub(crate) cost: bool,
    /// Only the follower of the LiveChess API is measured.
    pub(crate) follow: bool,
    /// Only boards that do not identify men are measured.
    pub(crate) unidentified: bool,
}

/// The number of games of each speed and level without an option.
const GAMES: usize = 12;
/// The number of seeds with `--full`.
const SEEDS: u64 = 3;

impl Options {
    /// Reads `--full`, `--games N`, `--seeds N`, `--cost`, `--follow`, `--unidentified` and `--data DIR`; arguments of cargo are ignored.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/games");
        let mut options = Options { data, games: Some(GAMES), seeds: 1, cost: false, follow: false, unidentified: false };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument}: what?"));
            match argument.as_str() {
                "--unidentified" => options.unidentified = true,
                "--full" => (options.games, options.seeds) = (None, SEEDS),
                "--games" => options.games = Some(number(&value()?)?),
                "--seeds" => options.seeds = number(&value()?)? as u64,
                "--cost" => options.cost = true,
                "--follow" => options.follow = true,
                "--data" => options.data = value()?.into(),
                "--bench" => {}
                other => {
                    return Err(format!(
                        "`{other}` is none of --full, --games N, --seeds N, --cost, --follow, --unidentified, --data DIR"
                    ));
                }
            }
        }
        Ok(options)
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("`{text}` is no number from 1"))
}
