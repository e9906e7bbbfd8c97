//! From a board, a clock and the arbiter's desk to findings: what the tables are told of a game.

#[path = "../../tests/game/desk/clock.rs"]
mod clock;
mod desk;
mod king;
mod profiles;
mod table;
mod unsupervised;
mod virtual_queen;
