//! Defines the stage of a game between its set-up and its end, and the results that were shown with the kings.

use flagfall_protocols::time::Instant;

use crate::laws::outcome::GameResult;

/// The stage of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GamePhase {
    /// No game: the board waits for a set-up.
    #[default]
    AwaitingSetUp,
    /// The start position stands; no move is made.
    Armed,
    /// The game is on.
    Playing,
    /// The game is over; the board is not read for moves.
    Over,
}

/// A result that was shown with the kings and not entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The result.
    pub result: GameResult,
    /// When it was shown.
    pub at: Instant,
}
