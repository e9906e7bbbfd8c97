//! From the game's effects to messages: topic, retained or not, payload (`publish/README.md`).

pub mod delay;
pub mod envelope;
mod messages;
pub mod mqtt;
pub mod outbox;
pub mod schema;
pub mod topics;

pub use messages::{Message, Messages};
