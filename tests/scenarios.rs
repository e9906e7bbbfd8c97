//! The clock scenarios of `scenarios.md`, each from hand motions through the emulator's bytes.

#[path = "scenarios/scene.rs"]
mod scene;

#[path = "scenarios/clock.rs"]
mod clock;
#[path = "scenarios/flag.rs"]
mod flag;
#[path = "scenarios/irregular.rs"]
mod irregular;
#[path = "scenarios/next_game.rs"]
mod next_game;
