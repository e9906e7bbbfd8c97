//! The bodies of published messages (`wire/README.md#2`): structs with a fixed field order, one set for each audience.

use alloc::string::String;
// What the derived code calls.
#[cfg(feature = "schema")]
use alloc::string::ToString;
use alloc::vec::Vec;

use serde::Serialize;

use crate::alarm::{AlarmKind, AlarmStatus, Class};
use crate::clock::flag::FlagPath;
use crate::laws::finding::Finding;
use crate::laws::outcome::Ending;
use crate::laws::outcome::GameResult;
use crate::laws::outcome::Phase;
#[cfg(feature = "schema")]
use crate::laws::outcome::Side;
use crate::pair::Pair;
use crate::reconstruct::record::How;

mod audit;
mod decision;

pub use audit::{AuditBody, ClockEvent, CommandBody, ExpectBody, GameEvent, Plain, Ruling};
pub use decision::{ClaimBody, Decision, DecisionKind, EntryBody, PenaltyBody};

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
    /// The device family that told them.
    pub source: &'static str,
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
    /// A later move showed what a pawn was promoted to.
    Promotion,
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
    /// Number of the decision about it that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ruled: Option<u32>,
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
    /// What is wrong on them, where pieces were set up wrongly (7.2).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub set_up: Vec<SetUpBody>,
    /// What is wrong and what to do, where a device is not well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sentence: Option<String>,
    /// When it was opened, microseconds since the journal began.
    pub opened_at: u64,
    /// When it was closed, microseconds since the journal began.
    pub closed_at: Option<u64>,
}

/// A square of a wrong set-up (7.2).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetUpBody {
    /// Which, such as `e1`.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[a-h][1-8]$")))]
    pub square: String,
    /// The letter that a FEN has for what stands there; none if it is empty.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 1)))]
    pub stands: Option<String>,
    /// The letter of what should stand there; none if it should be empty.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 1)))]
    pub expected: Option<String>,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Stage {
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

/// A player's duty to record the moves (8.1, 8.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    /// The time control is not known.
    #[default]
    Unknown,
    /// Every move.
    Required,
    /// Suspended to the end of the period: little time, and less than 30 seconds added with each move.
    Suspended,
    /// Not under these rules.
    NotRequired,
}

/// Whether there is a clock. Where there is none nothing is found on time, and no press is concluded from moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClockStatus {
    /// The board tells no times, and no other clock does.
    NotAvailable,
    /// It has not reported yet.
    NotHeard,
    /// It reports.
    Reporting,
    /// It has reported and is gone.
    Lost,
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
    /// Who must record his moves.
    pub recording: Pair<Recording>,
    /// The times.
    pub clock: ClockBody,
    /// Whether there is a clock that tells them.
    pub clock_status: ClockStatus,
    /// Whose lever is up.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Side>"))]
    pub lever_up: Option<&'static str>,
    /// Latched flags in the order in which they fell.
    pub flags: Vec<FlagBody>,
    /// Open alarms.
    pub alarms: Vec<AlertBody>,
    /// The last finding.
    pub finding: Option<Finding>,
    /// Every decision of the game, superseded or not, in their order; at most the last 64.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<Decision>,
    /// What was entered at the arbiter's desk.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<EntryBody>,
    /// Results that were shown on the board.
    pub hints: Vec<Hint>,
    /// What ended the game by itself.
    pub ending: Option<Ending>,
    /// The result, if it is known.
    pub result: Option<GameResult>,
}
