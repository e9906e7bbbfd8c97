//! A board whose men carry tags. `flagfall calibrate` learns the tags once, and after that every man is known from the first report
//! on: also in the middle of a game, for a queen from the box, over restarts, and in a replay without the file.

mod board;
mod command;
#[cfg(feature = "broker")]
mod daemon;
#[cfg(feature = "broker")]
mod replayed;

/// The family with such boards.
const DRIVER: &str = "certabo";
/// A pawn about to promote, and White's queen still there.
const MID_GAME: &str = "4k3/P7/8/8/8/8/8/Q3K3";
const PROMOTED: &str = "Q3k3/8/8/8/8/8/8/Q3K3";
