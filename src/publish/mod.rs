//! Turns the effects of a game into messages, each with its topic, its payload and whether the broker retains it
//! (`wire/README.md`).

pub mod delay;
mod messages;
mod parts;
pub mod schema;
mod shorten;
pub mod states;

pub use messages::{Message, Messages};
pub use shorten::shorten;
