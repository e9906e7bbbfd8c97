//! Applies the Laws to the events of a game. They give findings, never decisions (`laws/README.md`).

pub mod adjudicate;
pub mod answering;
pub mod claim;
pub mod claims;
pub(crate) mod club;
pub(crate) mod endings;
pub mod facts;
pub mod finding;
pub mod forced_wins;
pub(crate) mod illegal;
pub(crate) mod material;
pub mod outcome;
mod phrases;
pub mod plain;
mod profiles;
pub mod proof;
pub mod rulebook;
pub mod rules;
pub mod screen;
pub(crate) mod table;
pub(crate) mod tables;
pub(crate) mod two_flags;
pub(crate) mod us_chess;
mod why;
pub mod winnable;
