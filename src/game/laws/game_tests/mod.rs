//! From a board, a clock and the arbiter's desk to findings: what the tables are told of a game.

mod desk;
mod profiles;
mod table;
