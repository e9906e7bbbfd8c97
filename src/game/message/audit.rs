//! What stands in the arbiters' record, and their rulings.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
// What the derived code calls.
#[cfg(feature = "schema")]
use alloc::string::ToString;
use alloc::vec::Vec;

use serde::Serialize;

use super::{AlertBody, ClaimBody, Decision, FlagBody, Hint, RevisionBody};
use crate::laws::finding::Finding;
use crate::laws::finding::FindingKey;
#[cfg(feature = "schema")]
use crate::laws::outcome::Side;

/// What became of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GameEvent {
    /// Its start position stands.
    Armed,
    /// It was on when the board was first seen.
    Joined,
    /// It is over.
    Over,
    /// Another one was set up before it had a result.
    LeftOpen,
}

/// What happened at a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
}

/// The last finding or decision in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Ruling {
    /// What the daemon proposes, and what an arbiter decided if there is a decision.
    Finding {
        /// The finding.
        #[serde(flatten)]
        finding: Box<Finding>,
        /// The decision that stands.
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<Box<Decision>>,
    },
    /// A decision where there was nothing to find.
    Decision {
        /// The decision.
        decision: Box<Decision>,
    },
}

/// Something for the arbiter's record that is neither alarm nor finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
        #[cfg_attr(feature = "schema", schemars(with = "Option<Side>"))]
        side: Option<&'static str>,
    },
    /// A press that completed no move of the presser.
    PressOutOfTurn {
        /// Who pressed.
        #[cfg_attr(feature = "schema", schemars(with = "Side"))]
        side: &'static str,
        /// Between these two, microseconds since the journal began.
        pressed_at: [u64; 2],
    },
    /// A press with nothing moved, which the opponent took back by pressing at once.
    PressedBack {
        /// Who pressed first.
        #[cfg_attr(feature = "schema", schemars(with = "Side"))]
        side: &'static str,
        /// Between these two, microseconds since the journal began.
        pressed_at: [u64; 2],
    },
    /// A player lifted a man of his in his own time and put it back on its square (4.2, 4.3).
    Touched {
        /// Whose man.
        #[cfg_attr(feature = "schema", schemars(with = "Side"))]
        side: &'static str,
        /// Its square.
        #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = r"^[a-h][1-8]$"))))]
        squares: Vec<String>,
        /// Between these two, microseconds since the journal began.
        lifted_at: [u64; 2],
        /// Between these two.
        put_back_at: [u64; 2],
    },
    /// Before it was moved on, a man stood on a square to which it could have been moved (4.7).
    Stood {
        /// Whose move.
        #[cfg_attr(feature = "schema", schemars(with = "Side"))]
        side: &'static str,
        /// Number of the half-move that was made in the end, from 1.
        #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
        ply: u32,
        /// Where it stood.
        #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = r"^[a-h][1-8]$"))))]
        squares: Vec<String>,
        /// When the board first showed it there, and when it last did, microseconds since the journal began.
        shown_at: [u64; 2],
        /// From the one to the other, microseconds.
        stood_us: u64,
    },
    /// In a castling the rook was touched first (4.4.2).
    RookFirst {
        /// Whose castling.
        #[cfg_attr(feature = "schema", schemars(with = "Side"))]
        side: &'static str,
        /// Number of the half-move, from 1.
        #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
        ply: u32,
        /// The squares of rook and king.
        #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = r"^[a-h][1-8]$"))))]
        squares: Vec<String>,
        /// When the board told that the rook was lifted and that the king was, microseconds since the journal began.
        lifted_at: [u64; 2],
    },
    /// In a castling both men were lifted, or put down, within one scan: two hands are likely (7.5.4).
    TwoHands {
        /// Whose castling.
        #[cfg_attr(feature = "schema", schemars(with = "Side"))]
        side: &'static str,
        /// Number of the half-move, from 1.
        #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
        ply: u32,
        /// The squares of rook and king that were left, or reached, together.
        #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = r"^[a-h][1-8]$"))))]
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
    /// An input was refused and changed nothing.
    Refused {
        /// Why.
        problem: String,
    },
    /// A command was carried out, or refused: see its code.
    Command(Box<CommandBody>),
}

/// A command in the arbiters' record. A command that came without an admission has its verb only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CommandBody {
    /// What was to be done.
    pub verb: String,
    /// The sender's id of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Who sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// What they may do; none for a user who is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["operator", "arbiter", "chief"])))]
    pub role: Option<&'static str>,
    /// `ok`, or why it was not carried out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["ok", "denied", "invalid", "stale", "unsupported", "expired", "busy", "device-offline"])))]
    pub code: Option<&'static str>,
    /// The same for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When the arbiter saw what it is about, RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<String>,
    /// Why, in the sender's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// When the arbiter saw it, microseconds since the journal began; none where that cannot be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_us: Option<u64>,
    /// What the sender believed to be the case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expect: Option<ExpectBody>,
    /// What was admitted: the body as it came. None for a command that was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, Plain>"))]
    pub body: Option<Plain>,
}

/// The lock of a command in the arbiters' record.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExpectBody {
    /// The game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<String>,
    /// The revision of the arbiters' state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rev: Option<u32>,
    /// The finding that is decided about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingKey>,
}

/// A value in the body of a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Plain {
    /// `null`.
    Nothing,
    /// Yes or no.
    Truth(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// Several.
    List(Vec<Plain>),
    /// Several with names.
    Fields(BTreeMap<String, Plain>),
}
