//! "No possible series of legal moves" (Article 6.9), checked with positions whose answers are known: rows of public and generated
//! positions, mutants with exhaustion, and all positions of three men with retrograde enumeration.
//!
//! `mate::check` checks the proof of every answer. README.md beside this file has the commands for all of it.

#[path = "../../../../tests/support/seeds.rs"]
mod seeds;

mod exhaust;
mod four_men;
mod layers;
mod mutants;
mod placed;
mod retrograde;
mod rows;
mod shortest;
mod tally;
mod three_men;
mod verdicts;
mod walls;

/// The root of the workspace.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
