//! From the game's effects to messages: topic, retained or not, payload (`mqtt.md`).

mod messages;
pub mod topics;

pub use messages::{Message, Messages};
