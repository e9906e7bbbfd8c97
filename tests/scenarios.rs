//! The scenarios of `scenarios.md`, each from hand motions through the emulator's bytes, or from reports in an exact order.

#[path = "scenarios/reports.rs"]
mod reports;
#[path = "scenarios/scene.rs"]
mod scene;

#[path = "scenarios/at_the_flag.rs"]
mod at_the_flag;
#[path = "scenarios/captures.rs"]
mod captures;
#[path = "scenarios/castling.rs"]
mod castling;
#[path = "scenarios/clock.rs"]
mod clock;
#[path = "scenarios/ends.rs"]
mod ends;
#[path = "scenarios/fast.rs"]
mod fast;
#[path = "scenarios/flag.rs"]
mod flag;
#[path = "scenarios/gaps.rs"]
mod gaps;
#[path = "scenarios/index.rs"]
mod index;
#[path = "scenarios/irregular.rs"]
mod irregular;
#[path = "scenarios/knocked.rs"]
mod knocked;
#[path = "scenarios/moves.rs"]
mod moves;
#[path = "scenarios/next_game.rs"]
mod next_game;
#[path = "scenarios/occupancy.rs"]
mod occupancy;
#[path = "scenarios/phases.rs"]
mod phases;
#[path = "scenarios/presses.rs"]
mod presses;
#[path = "scenarios/promotion.rs"]
mod promotion;
#[path = "scenarios/sensors.rs"]
mod sensors;
#[path = "scenarios/setup.rs"]
mod setup;
#[path = "scenarios/touched.rs"]
mod touched;
