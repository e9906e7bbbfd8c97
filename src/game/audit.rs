//! Defines the facts for the arbiters' record that are neither alarm nor finding.

use alloc::boxed::Box;
use alloc::string::String;

use flagfall_protocols::square::{Color, Piece, Square};
use flagfall_protocols::time::Instant;

use crate::clock::flag::FlagFall;
use crate::decision::{Claim, Decision};
use crate::game_phase::Hint;
use crate::interval::Interval;
use crate::played::Revision;

/// An event in the course of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEvent {
    /// Its start position stands.
    Armed,
    /// It was on when the board was first seen.
    Joined,
    /// It is over.
    Over,
    /// It seemed to be over, and goes on.
    Reopened,
    /// Another one was set up before it had a result.
    LeftOpen,
}

/// An event at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockEvent {
    /// It runs.
    Started,
    /// It stands.
    Stopped,
    /// The lever was moved while it stood.
    LeverMoved,
    /// The times were set.
    Corrected,
    /// It added the time of the next period.
    PeriodAdded,
    /// A time rose, and nothing tells why.
    Rose,
    /// A report contradicts the one before, and counts only when the next one confirms it.
    Doubted,
    /// Before the first move both times were set to the start: the flags of before are forgotten.
    SetToStart,
}

/// A man that its player lifted in his own time and put back on its square (4.2, 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchedMan {
    /// The man.
    pub man: Piece,
    /// Its square.
    pub square: Square,
    /// The number of the half-move for which the player was to move, from 1.
    pub ply: u32,
    /// When it was lifted.
    pub lifted: Interval,
    /// When it was put back.
    pub put_back: Interval,
}

/// One fact for the arbiters' record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditEntry {
    /// A flag fell.
    Flag(Box<FlagFall>),
    /// A game was armed, joined, or began.
    Game {
        /// Number of the game on this board.
        game_no: u32,
        /// What became of it.
        event: GameEvent,
    },
    /// The clock started, stopped, or was set.
    Clock {
        /// What happened.
        event: ClockEvent,
        /// Whose clock.
        side: Option<Color>,
    },
    /// A press that completed no move of the presser.
    PressOutOfTurn {
        /// Who pressed.
        side: Color,
        /// When.
        pressed: Interval,
    },
    /// A press with nothing moved, which the opponent took back by pressing at once.
    PressedBack {
        /// Who pressed first.
        side: Color,
        /// When.
        pressed: Interval,
    },
    /// A player lifted a man of his in his own time and put it back on its square (4.2, 4.3).
    Touched {
        /// Whose man.
        side: Color,
        /// Its square.
        square: Square,
        /// When it was lifted.
        lifted: Interval,
        /// When it was put back.
        put_back: Interval,
    },
    /// Before it was moved on, a man stood on a square to which it could have been moved (4.7).
    Stood {
        /// Whose move.
        side: Color,
        /// Number of the half-move that was made in the end, from 1.
        ply: u32,
        /// Where it stood.
        square: Square,
        /// When the board first showed it there, and when it last did.
        shown: [Instant; 2],
    },
    /// In a castling the rook was touched first (4.4.2).
    RookFirst {
        /// Whose castling.
        side: Color,
        /// Number of the half-move, from 1.
        ply: u32,
        /// The squares of rook and king.
        squares: [Square; 2],
        /// When the board told that the rook was lifted and that the king was.
        lifted: [Instant; 2],
    },
    /// In a castling both men were lifted, or put down, within one scan: two hands are likely (7.5.4).
    TwoHands {
        /// Whose castling.
        side: Color,
        /// Number of the half-move, from 1.
        ply: u32,
        /// The squares of rook and king that were left, or reached, together.
        squares: [Square; 2],
        /// When the board told the one and the other.
        shown: [Instant; 2],
    },
    /// A result was shown with the kings.
    Hint(Hint),
    /// A claim of a player was lodged or decided, and what the record of the game says of it.
    Claim(Claim),
    /// A decision was made.
    Decision(Box<Decision>),
    /// The moves of the game were changed.
    Revision(Revision),
    /// An input was refused and changed nothing.
    Refused {
        /// Why.
        problem: String,
    },
    /// A command was carried out.
    Command {
        /// What was done: the verb of the command.
        verb: &'static str,
    },
}
