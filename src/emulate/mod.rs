//! Simulates games on emulated boards: turns moves into hand motions, which move the men of a board on a pseudo-terminal or, in
//! simulated time, of a board that a station reads.

pub mod board;
pub mod boards;
pub mod dice;
mod emulated_time;
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
pub use emulated_time::EmulatedTime;
