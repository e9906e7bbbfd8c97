//! From games to hand motions and back: what hands play on an emulated board is what a station reads.

#[path = "emulate/table.rs"]
mod table;

#[allow(dead_code, reason = "tests/games.rs counts kinds of moves, which is not done here")]
#[path = "games/legal.rs"]
mod legal;

#[path = "emulate/demo.rs"]
mod demo;
#[path = "emulate/hands.rs"]
mod hands;
#[path = "emulate/screen.rs"]
mod screen;
