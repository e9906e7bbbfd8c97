//! Collects the games of an event from the broker and sends them to broadcasts (`collect/README.md`).
//!
//! ```text
//!  broker ─▶ intake ─▶ model ─▶ render ─▶ worker, one a receiver ─▶ sinks
//!                        ▲  └─▶ store               │
//!                        │  └─▶ programs            │
//!                        └───────── answers ────────┘
//! ```
//!
//! Its only input is MQTT. It knows nothing of the daemon, and runs beside it or on another machine.

mod board_log;
pub mod body;
mod collector;
mod intake;
mod lichess_rounds;
mod model;
mod outputs;
mod own_node;
mod programs;
mod render;
mod round_topics;
mod settings;
pub mod sinks;
mod store;
pub mod worker;

pub use self::collector::run;
pub use self::settings::{CollectError, Settings};

#[cfg(test)]
mod tests;
