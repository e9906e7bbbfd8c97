//! From the game's effects to messages: topic, retained or not, payload (`wire/README.md`).

pub mod delay;
mod messages;
pub mod schema;
pub mod states;

pub use messages::{Message, Messages};
