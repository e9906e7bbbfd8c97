//! "No possible series of legal moves" (Article 6.9) against positions whose answer is known: rows of public and generated
//! positions, mutants against plain exhaustion, and all positions of three men against retrograde enumeration.
//!
//! Every answer's proof is looked at again by `mate::check`. README.md beside this says how to run all of it.

mod exhaust;
mod four_men;
mod mutants;
mod placed;
mod retrograde;
mod rows;
mod tally;
mod three_men;
mod verdicts;

/// The root of the workspace.
const ROOT: &str = env!("CARGO_MANIFEST_DIR");
