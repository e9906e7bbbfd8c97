//! From games to hand motions and back: a station reads the game that hands play on an emulated board.

mod demo;
mod hands;
mod screen;
