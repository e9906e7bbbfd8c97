//! The bodies of published messages (`mqtt.md` section 2): structs with a fixed field order, one set for each audience.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
// What the derived code calls.
#[cfg(feature = "schema")]
use alloc::string::ToString;
use alloc::vec::Vec;

use serde::Serialize;

use crate::alarm::{AlarmKind, AlarmStatus, Class};
use crate::clock::flag::FlagPath;
use crate::input::GameResult;
#[cfg(feature = "schema")]
use crate::input::Side;
use crate::laws::finding::{Finding, Phase};
use crate::pair::Pair;
use crate::reconstruct::record::{Ending, How};

/// The clock block every audience gets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClockBody {
    /// White's time, milliseconds; none before the clock was heard.
    pub white_ms: Option<u32>,
    /// Black's time, milliseconds.
    pub black_ms: Option<u32>,
    /// Whose clock runs; none while it stands.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Side>"))]
    pub running: Option<&'static str>,
    /// When it was read, microseconds since the journal began.
    pub read_us: u64,
    /// Steps in which the times are reported, milliseconds; 0 before the clock was heard.
    pub resolution_ms: u16,
}

/// A move as the live and public audiences see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveMove {
    /// Number of the half-move in the game, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ply: u32,
    /// Standard algebraic notation.
    pub san: String,
    /// UCI notation.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-h][1-8][a-h][1-8][qrbn]?$")))]
    pub uci: String,
    /// White's time after it, milliseconds; none before the clock was heard.
    pub white_ms: Option<u32>,
    /// Black's time after it, milliseconds.
    pub black_ms: Option<u32>,
}

/// The picture for the live and public audiences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveState {
    /// Number of the game on this board.
    pub game_no: u32,
    /// Start position, FEN.
    pub initial_fen: String,
    /// Position after the last made move, FEN.
    pub fen: String,
    /// The made moves.
    pub moves: Vec<LiveMove>,
    /// The times.
    pub clock: ClockBody,
    /// The result, if it is known.
    pub result: Option<GameResult>,
}

/// A move as arbiters see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MoveBody {
    /// Number of the half-move in the game, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub ply: u32,
    /// `white` or `black`.
    #[cfg_attr(feature = "schema", schemars(with = "Side"))]
    pub color: &'static str,
    /// Standard algebraic notation.
    pub san: String,
    /// UCI notation.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-h][1-8][a-h][1-8][qrbn]?$")))]
    pub uci: String,
    /// Made on the board between these two, microseconds since the journal began.
    pub made_at: [u64; 2],
    /// Pressed between these two, microseconds since the journal began.
    pub pressed_at: Option<[u64; 2]>,
    /// How it became sure; none while it is not.
    pub how: Option<How>,
    /// Completed (6.2.1) between these two, microseconds since the journal began.
    pub completed_at: Option<[u64; 2]>,
    /// White's time, milliseconds; none before the clock was heard.
    pub white_ms: Option<u32>,
    /// Black's time, milliseconds.
    pub black_ms: Option<u32>,
    /// Made after a flag had fallen.
    pub after_flag: bool,
}

/// Why a game was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Moves were taken back.
    TakeBack,
    /// A position was set.
    SetPosition,
    /// A move was corrected.
    CorrectMove,
}

/// Why a game was changed, as far as the live and public audiences may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LiveCause {
    /// The board shows something else, or an arbiter corrected it.
    Correction,
}

/// The game was changed from a ply on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RevisionBody {
    /// The first ply that differs, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub from_ply: u32,
    /// Why.
    pub cause: Cause,
    /// The moves from there on.
    pub moves: Vec<MoveBody>,
}

/// A flag as arbiters see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FlagBody {
    /// Whose.
    #[cfg_attr(feature = "schema", schemars(with = "Side"))]
    pub side: &'static str,
    /// By which sign.
    pub path: FlagPath,
    /// When the time expired: between these two, microseconds since the journal began.
    pub expired_at: [u64; 2],
    /// When it was observed or claimed, microseconds since the journal began.
    pub observed_at: Option<u64>,
    /// Period, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub period: u32,
    /// The game had ended before.
    pub after_end: bool,
}

/// An alarm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AlertBody {
    /// Number on this board; 0 is said by the program of itself.
    pub id: u32,
    /// What is the matter.
    pub kind: AlarmKind,
    /// Who should do what.
    pub class: Class,
    /// What has become of it.
    pub status: AlarmStatus,
    /// Whose move, press or flag.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Side>"))]
    pub side: Option<&'static str>,
    /// The squares concerned, such as `e4`.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = r"^[a-h][1-8]$"))))]
    pub squares: Vec<String>,
    /// When it was opened, microseconds since the journal began.
    pub opened_at: u64,
    /// When it was closed, microseconds since the journal began.
    pub closed_at: Option<u64>,
}

/// How a result is shown with the men.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// The kings stand on the squares in the centre that tell it.
    KingsInCentre,
}

/// A result that was shown, not entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hint {
    /// How it was shown.
    pub kind: Sign,
    /// The result.
    pub result: GameResult,
    /// When, microseconds since the journal began.
    pub at: u64,
}

/// Where the game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// No game: the board waits for a set-up.
    AwaitingSetUp,
    /// The start position stands; no move is made.
    Armed,
    /// The game is on.
    Playing,
    /// The game is over; the board is not read for moves.
    Over,
}

/// The picture for arbiters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ArbiterState {
    /// Number of the game on this board.
    pub game_no: u32,
    /// Where the game is.
    pub stage: Stage,
    /// Start position, FEN.
    pub initial_fen: String,
    /// Position after the last sure move, FEN.
    pub fen: String,
    /// What the sensors show, the placement field of a FEN.
    pub board: String,
    /// White sits at the right-hand side of the connector.
    pub rotated: bool,
    /// The sure moves.
    pub moves: Vec<MoveBody>,
    /// Moves that stand on the board and are not yet sure.
    pub pending: Vec<MoveBody>,
    /// Phase of the running move.
    pub phase: Phase,
    /// Moves completed; none where earlier moves are unknown.
    pub completed: Pair<Option<u32>>,
    /// Period of each player, from 1.
    pub period: Pair<u32>,
    /// The times.
    pub clock: ClockBody,
    /// Whose lever is up.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Side>"))]
    pub lever_up: Option<&'static str>,
    /// Latched flags in the order in which they fell.
    pub flags: Vec<FlagBody>,
    /// Open alarms.
    pub alarms: Vec<AlertBody>,
    /// The last finding.
    pub finding: Option<Finding>,
    /// Results that were shown on the board.
    pub hints: Vec<Hint>,
    /// What ended the game by itself.
    pub ending: Option<Ending>,
    /// The result, if it is known.
    pub result: Option<GameResult>,
}

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

/// The result that an arbiter declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Decision {
    /// The result.
    pub result: GameResult,
    /// When it was declared, microseconds since the journal began.
    pub at: u64,
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
        /// The decision.
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<Decision>,
    },
    /// A decision where there was nothing to find.
    Decision {
        /// The decision.
        decision: Decision,
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
    /// A result was shown with the kings.
    Hint(Hint),
    /// An alarm was opened, changed or closed.
    Alarm(AlertBody),
    /// A finding was made or changed.
    Finding(Box<Finding>),
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
