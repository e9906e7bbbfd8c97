//! "No possible series of legal moves" (Article 6.9) against positions whose answer is known: rows of public and generated
//! positions, mutants against plain exhaustion, and all positions of three men against retrograde enumeration.
//!
//! Every answer's proof is looked at again by `mate::check`. The full runs are for a release build:
//! `cargo test --release --test winnable -- --include-ignored --nocapture`.

#[path = "winnable/exhaust.rs"]
mod exhaust;
#[path = "winnable/four_men.rs"]
mod four_men;
#[path = "winnable/mutants.rs"]
mod mutants;
#[path = "winnable/placed.rs"]
mod placed;
#[path = "winnable/retrograde.rs"]
mod retrograde;
#[path = "winnable/rows.rs"]
mod rows;
#[path = "winnable/tally.rs"]
mod tally;
#[path = "winnable/three_men.rs"]
mod three_men;
#[path = "winnable/verdicts.rs"]
mod verdicts;
