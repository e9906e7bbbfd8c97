//! Emulated boards that play: from games to hand motions, and from motions to a pseudo-terminal or, in simulated time, to
//! what a station makes of them.

pub mod board;
pub mod boards;
pub mod dice;
pub mod games;
pub mod hands;
pub mod noise;
pub mod players;
pub mod score;
pub mod score_sheet;
pub mod simulate;
pub mod simulated_game;
mod step;
pub mod times;
pub mod truth;

pub use board::PtyBoard;
