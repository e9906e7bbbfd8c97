//! What is asked for on the command line.

use std::path::{Path, PathBuf};

/// How much is played.
pub(crate) struct Options {
    /// Where the recorded games are.
    pub(crate) data: PathBuf,
    /// Games of each speed and level; none = all.
    pub(crate) games: Option<usize>,
    /// Each game so often, by other hands.
    pub(crate) seeds: u64,
    /// Nothing is compared: only what the decoder costs.
    pub(crate) cost: bool,
    /// What a board that does not identify men can tell, and nothing else.
    pub(crate) unidentified: bool,
}

/// Games of each speed and level, if nothing is said.
const GAMES: usize = 12;
/// Seeds with `--full`.
const SEEDS: u64 = 3;

impl Options {
    /// Reads `--full`, `--games N`, `--seeds N`, `--cost`, `--unidentified` and `--data DIR`; what cargo adds is passed over.
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/games");
        let mut options = Options { data, games: Some(GAMES), seeds: 1, cost: false, unidentified: false };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument}: what?"));
            match argument.as_str() {
                "--unidentified" => options.unidentified = true,
                "--full" => (options.games, options.seeds) = (None, SEEDS),
                "--games" => options.games = Some(number(&value()?)?),
                "--seeds" => options.seeds = number(&value()?)? as u64,
                "--cost" => options.cost = true,
                "--data" => options.data = value()?.into(),
                "--bench" => {}
                other => {
                    return Err(format!("`{other}` is none of --full, --games N, --seeds N, --cost, --unidentified, --data DIR"));
                }
            }
        }
        Ok(options)
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| format!("`{text}` is no number from 1"))
}
