//! A hall that is made of one event file by `flagfall fleet make`: the rights of every role, and an event with forty cards.

mod access;
mod hall;
mod status;
mod story;
