//! From the game's effects to messages: topic, retained or not, payload (`wire/README.md`).

pub mod delay;
mod messages;
pub mod picture;
pub mod schema;

pub use messages::{Message, Messages};
