//! Defines the moves of a game as a step reports them.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::{ClockTime, Instant};
use shakmaty::CastlingMode;
use shakmaty::uci::UciMove;

use crate::interval::Interval;
use crate::pair::Pair;
use crate::reconstruct::moves::MoveRecord;
use crate::reconstruct::record::How;

pub use crate::reconstruct::notation::Notation;

/// A move of the game, sure or not yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameMove {
    /// Number of the half-move in the game, from 1.
    pub ply: u32,
    /// Who made it.
    pub color: Color,
    /// Standard algebraic notation.
    pub san: Notation,
    /// UCI notation.
    pub uci: UciMove,
    /// When it was made on the board.
    pub made: Interval,
    /// When the player pressed, if he did.
    pub pressed: Option<Interval>,
    /// How it became sure; none while it is not.
    pub how: Option<How>,
    /// When it was completed (6.2.1), if it was.
    pub completed: Option<Interval>,
    /// The times on the display; none before the clock was heard.
    pub clocks: Pair<Option<ClockTime>>,
    /// It was made after a flag had fallen.
    pub after_flag: bool,
}

impl GameMove {
    /// The sure move with this index, in a game in which a flag that may cost something fell then.
    pub(crate) fn sure(index: usize, known: &MoveRecord, mode: CastlingMode, fell: Option<Instant>) -> GameMove {
        GameMove {
            ply: index as u32 + 1,
            color: known.color,
            san: known.san,
            uci: known.uci(mode),
            made: known.made,
            pressed: known.pressed,
            how: Some(known.how),
            completed: known.completed,
            clocks: known.clocks,
            after_flag: fell.is_some_and(|fell| known.made.latest > fell),
        }
    }
}

/// A move as it was published to the live audience.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveMove {
    /// Number of the half-move in the game, from 1.
    pub ply: u32,
    /// Standard algebraic notation.
    pub san: Notation,
    /// UCI notation.
    pub uci: UciMove,
    /// The times after it; none before the clock was heard.
    pub clocks: Pair<Option<ClockTime>>,
}

/// Why a game was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Moves were taken back.
    TakeBack,
    /// A position was set.
    SetPosition,
    /// A move was corrected.
    CorrectMove,
    /// A later move showed what a pawn was promoted to.
    Promotion,
    /// The last move seemed to end the game, but its man was only passing.
    Reopened,
    /// The king's last move was no move: both kings in the centre show a result.
    KingsInCentre,
    /// The last moves were none: the men were put back to the initial position.
    MenPutBack,
    /// An illegal move stands, because its opponent has replied (A.5.2; club point 15). The game goes on from the position that
    /// it left.
    IllegalMoveStands,
    /// Moves that were made while the board was not heard are not known. The game goes on from a position after them.
    UnexplainedGap,
}

/// The game was changed from a ply on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The first ply that differs, from 1.
    pub from_ply: u32,
    /// Why.
    pub cause: Cause,
    /// The moves from there on.
    pub moves: Vec<GameMove>,
}
