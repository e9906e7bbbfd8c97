//! From a board, a clock and the arbiter's desk to findings: the facts that the tables get from a game.

#[path = "../../tests/game/desk/clock.rs"]
mod clock;
mod desk;
mod king;
mod profiles;
mod table;
mod unsupervised;
mod virtual_queen;
