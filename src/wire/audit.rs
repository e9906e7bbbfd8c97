//! Defines the body of an entry in the audit, the record for arbiters of everything that happened.

mod command;

use flagfall_game::{audit, color_name};
use serde::Serialize;

pub use command::{CommandBody, ExpectBody, Plain};

use super::alarm::AlertBody;
use super::claim::ClaimBody;
use super::decision::Decision;
use super::finding::Finding;
use super::flag::FlagBody;
use super::moves::RevisionBody;
use super::player::Side;
use super::state::Hint;

/// What became of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
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

mirror!(audit::GameEvent => GameEvent { Armed, Joined, Over, Reopened, LeftOpen });

/// What happened at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
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

mirror!(audit::ClockEvent => ClockEvent { Started, Stopped, LeverMoved, Corrected, PeriodAdded, Rose, Doubted, SetToStart });

/// Something for the arbiter's record that is neither alarm nor finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum AuditBody {
    /// A flag fell.
    Flag(FlagBody),
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
        #[schemars(with = "Option<Side>")]
        side: Option<&'static str>,
    },
    /// A press that completed no move of the presser.
    PressOutOfTurn {
        /// Who pressed.
        #[schemars(with = "Side")]
        side: &'static str,
        /// Between these two, microseconds since the journal began.
        pressed_at: [u64; 2],
    },
    /// A press with nothing moved, which the opponent took back by pressing at once.
    PressedBack {
        /// Who pressed first.
        #[schemars(with = "Side")]
        side: &'static str,
        /// Between these two, microseconds since the journal began.
        pressed_at: [u64; 2],
    },
    /// A player lifted a man of his in his own time and put it back on its square (4.2, 4.3).
    Touched {
        /// Whose man.
        #[schemars(with = "Side")]
        side: &'static str,
        /// Its square.
        #[schemars(inner(regex(pattern = r"^[a-h][1-8]$")))]
        squares: Vec<String>,
        /// Between these two, microseconds since the journal began.
        lifted_at: [u64; 2],
        /// Between these two.
        put_back_at: [u64; 2],
    },
    /// Before it was moved on, a man stood on a square to which it could have been moved (4.7).
    Stood {
        /// Whose move.
        #[schemars(with = "Side")]
        side: &'static str,
        /// Number of the half-move that was made in the end, from 1.
        #[schemars(range(min = 1))]
        ply: u32,
        /// Where it stood.
        #[schemars(inner(regex(pattern = r"^[a-h][1-8]$")))]
        squares: Vec<String>,
        /// When the board first showed it there, and when it last did, microseconds since the journal began.
        shown_at: [u64; 2],
        /// From the one to the other, microseconds.
        stood_us: u64,
    },
    /// In a castling the rook was touched first (4.4.2).
    RookFirst {
        /// Whose castling.
        #[schemars(with = "Side")]
        side: &'static str,
        /// Number of the half-move, from 1.
        #[schemars(range(min = 1))]
        ply: u32,
        /// The squares of rook and king.
        #[schemars(inner(regex(pattern = r"^[a-h][1-8]$")))]
        squares: Vec<String>,
        /// When the board told that the rook was lifted and that the king was, microseconds since the journal began.
        lifted_at: [u64; 2],
    },
    /// In a castling both men were lifted, or put down, within one scan: two hands are likely (7.5.4).
    TwoHands {
        /// Whose castling.
        #[schemars(with = "Side")]
        side: &'static str,
        /// Number of the half-move, from 1.
        #[schemars(range(min = 1))]
        ply: u32,
        /// The squares of rook and king that were left, or reached, together.
        #[schemars(inner(regex(pattern = r"^[a-h][1-8]$")))]
        squares: Vec<String>,
        /// When the board told the one and the other, microseconds since the journal began.
        shown_at: [u64; 2],
    },
    /// A result was shown with the kings.
    Hint(Hint),
    /// An alarm was opened, changed or closed.
    Alarm(AlertBody),
    /// A finding was made or changed.
    Finding(Box<Finding>),
    /// A claim of a player was lodged or decided, and what the record of the game says of it.
    Claim(ClaimBody),
    /// A decision was made.
    Decision(Box<Decision>),
    /// The moves of the game were changed.
    Revision(RevisionBody),
    /// Numbers from here on may have been given to other events before (`wire/README.md#3`).
    Restated {
        /// The first of these numbers.
        #[schemars(range(min = 1))]
        from: u64,
    },
    /// An input was refused and changed nothing.
    Refused {
        /// Why.
        problem: String,
    },
    /// A command was carried out, or refused: see its code.
    Command(Box<CommandBody>),
}

impl From<&audit::AuditEntry> for AuditBody {
    fn from(entry: &audit::AuditEntry) -> AuditBody {
        use audit::AuditEntry;
        match entry {
            AuditEntry::Flag(fall) => AuditBody::Flag(FlagBody::from(&**fall)),
            AuditEntry::Game { game_no, event } => AuditBody::Game { game_no: *game_no, event: (*event).into() },
            AuditEntry::Clock { event, side } => AuditBody::Clock { event: (*event).into(), side: side.map(color_name) },
            AuditEntry::PressOutOfTurn { side, pressed } => {
                AuditBody::PressOutOfTurn { side: color_name(*side), pressed_at: pressed.micros() }
            }
            AuditEntry::PressedBack { side, pressed } => {
                AuditBody::PressedBack { side: color_name(*side), pressed_at: pressed.micros() }
            }
            AuditEntry::Touched { side, square, lifted, put_back } => AuditBody::Touched {
                side: color_name(*side),
                squares: vec![square.to_string()],
                lifted_at: lifted.micros(),
                put_back_at: put_back.micros(),
            },
            AuditEntry::Stood { side, ply, square, shown: [first, last] } => AuditBody::Stood {
                side: color_name(*side),
                ply: *ply,
                squares: vec![square.to_string()],
                shown_at: [first.0, last.0],
                stood_us: last.since(*first).as_micros() as u64,
            },
            AuditEntry::RookFirst { side, ply, squares, lifted } => AuditBody::RookFirst {
                side: color_name(*side),
                ply: *ply,
                squares: squares.map(|square| square.to_string()).to_vec(),
                lifted_at: lifted.map(|at| at.0),
            },
            AuditEntry::TwoHands { side, ply, squares, shown } => AuditBody::TwoHands {
                side: color_name(*side),
                ply: *ply,
                squares: squares.map(|square| square.to_string()).to_vec(),
                shown_at: shown.map(|at| at.0),
            },
            AuditEntry::Hint(hint) => AuditBody::Hint(Hint::from(*hint)),
            AuditEntry::Claim(claim) => AuditBody::Claim(ClaimBody::from(claim)),
            AuditEntry::Decision(decided) => AuditBody::Decision(Box::new(Decision::from(&**decided))),
            AuditEntry::Revision(revision) => AuditBody::Revision(RevisionBody::from(revision)),
            AuditEntry::Refused { problem } => AuditBody::Refused { problem: problem.clone() },
            AuditEntry::Command { verb } => {
                AuditBody::Command(Box::new(CommandBody { verb: (*verb).to_owned(), ..CommandBody::default() }))
            }
        }
    }
}
