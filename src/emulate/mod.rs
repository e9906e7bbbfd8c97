//! Emulated boards that play: from games to hand motions, and from motions to a pseudo-terminal.

pub mod board;
pub mod games;
pub mod hands;

pub use board::PtyBoard;
