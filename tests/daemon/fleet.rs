//! A hall that is made of one event file by `flagfall fleet make`: the rights of every role, the bounds of the broker, and an event with
//! forty cards.

mod access;
mod hall;
mod memory;
mod status;
mod story;
