//! Simulates one recorded game and scores how well it was read.

use anyhow::{Result, bail};
use flagfall_protocols::driver::DriverInfo;

use super::boards::BoardKind;
use super::dice::Dice;
use super::noise::Noise;
use super::players::{Performance, perform_at};
use super::score::{Score, score};
use super::score_sheet::ScoreSheet;
use super::simulated_game::{self, Outcome};

/// A game that was simulated, with its result.
#[derive(Debug)]
pub struct Simulated {
    /// What was played.
    pub play: Performance,
    /// What the station reported.
    pub outcome: Outcome,
    /// How well that was read.
    pub score: Score,
}

/// Simulates game `number` of a run with this seed. With a name its trace is kept.
///
/// # Errors
/// The game cannot be played, or hands did the impossible, which is a fault of the simulation.
pub fn simulate(
    driver: &DriverInfo,
    sheet: &ScoreSheet,
    noise: &Noise,
    [seed, number]: [u64; 2],
    name: Option<&str>,
) -> Result<Simulated> {
    if let Some(why) = sheet.unplayable {
        bail!("{why}");
    }
    let play = perform_at(BoardKind::for_driver(driver), sheet, noise, &mut Dice::new(seed, number));
    let outcome = simulated_game::run(driver, &play, name)?;
    if let Some(problem) = outcome.impossible.first() {
        bail!("the simulated hands did the impossible: {problem} (seed {seed})");
    }
    let score = score(&play.truth, &outcome);
    Ok(Simulated { play, outcome, score })
}
