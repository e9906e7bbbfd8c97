//! Defines the MQTT messages: topics, headers, and every body as JSON, each made from the values of the game. `wire/README.md` is
//! the contract with subscribers.

#[macro_use]
mod mirror;

pub mod alarm;
pub mod answer;
pub mod audit;
pub mod claim;
pub mod clock;
pub mod command;
pub mod decision;
pub mod device;
pub mod envelope;
pub mod finding;
pub mod flag;
pub mod meta;
pub mod moves;
pub mod moves_part;
pub mod node;
pub mod outcome;
pub mod output;
pub mod player;
pub mod reply;
pub mod round_games;
pub mod screen;
pub mod state;
pub mod time;
pub mod topics;
pub mod winnable;

/// Whether a number is left out of a message.
fn is_zero<T: Default + PartialEq>(number: &T) -> bool {
    *number == T::default()
}
