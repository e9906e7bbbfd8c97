//! Emulated boards with games on them: games become hand motions, and motions go to a pseudo-terminal or, in simulated time, to a
//! station.

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
