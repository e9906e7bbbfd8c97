//! Manners of hands in which what the board shows has two stories: a castling that the opponent does not wait for, a capture en
//! passant between two scans, men that pause on their way, a mate that nobody presses.

mod castling;
mod in_passing;
mod mates;
mod pauses;
mod table;
