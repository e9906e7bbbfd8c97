//! Defines the bodies with the whole state of a board: one for arbiters, one for the live and public audiences.

use flagfall_game::{audit, game_phase};
use serde::{Deserialize, Serialize};

use super::alarm::AlertBody;
use super::claim::EntryBody;
use super::clock::{ClockBody, ClockStatus, Recording};
use super::decision::Decision;
use super::finding::Finding;
use super::flag::FlagBody;
use super::moves::{LiveMove, MoveBody};
use super::moves_part::PartsBefore;
use super::outcome::{Ending, GameResult, Phase, ResultBy};
use super::player::{Pair, Players, Side};
use super::round_games::{InRound, Unpublished};
use crate::system_clock::Utc;

/// A part of a game with its own start position. A new part begins where no legal move leads on: an illegal move stands, or an
/// arbiter has set a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Segment<Move> {
    /// Start position, FEN.
    pub initial_fen: String,
    /// The moves, counted from 1 in each part.
    pub moves: Vec<Move>,
}

/// What is played after an illegal move on which nobody has ruled (7.5.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct AfterIllegalMove {
    /// The player who made the illegal move.
    #[schemars(with = "Side")]
    pub by: &'static str,
    /// The position that it left, FEN. `set-position` with this position makes the moves part of the game.
    pub initial_fen: String,
    /// The moves that were made from there.
    pub moves: Vec<MoveBody>,
}

/// The fields of a state that have its moves.
pub(crate) struct Lists<'a, Move> {
    pub(crate) initial_fen: &'a mut String,
    pub(crate) moves: &'a mut Vec<Move>,
    pub(crate) moves_from: &'a mut Option<u32>,
    pub(crate) parts: &'a mut Option<PartsBefore>,
    pub(crate) segments: &'a mut Vec<Segment<Move>>,
}

/// The picture for the live and public audiences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[schemars(transform = without_required_of_1_1)]
pub struct LiveState {
    /// Number of the game on this board.
    pub game_no: u32,
    /// Start position, FEN.
    pub initial_fen: String,
    /// Position after the last made move, FEN.
    pub fen: String,
    /// The made moves.
    pub moves: Vec<LiveMove>,
    /// The ply of the first move in `moves`, if moves before it are in the parts: then `initial_fen` is the position before this ply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub moves_from: Option<u32>,
    /// The parts that have all moves before `moves`, those of earlier segments too; none while the state has the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<PartsBefore>,
    /// The segments of the game before the present one, at most the last eight; left out if they are in the parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<Segment<LiveMove>>,
    /// The times.
    pub clock: ClockBody,
    /// Whether there is a clock that tells them.
    pub clock_status: ClockStatus,
    /// Whether the board is heard.
    pub link: Link,
    /// The result, if it is known.
    pub result: Option<GameResult>,
    /// Where the result comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_by: Option<ResultBy>,
    /// What ended the game on the board, if the result is the one that follows from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// When the first move of the game was made, for people; left out if there is none, or if no synchronised clock has told it.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_text")]
    #[schemars(with = "Option<String>")]
    pub began: Option<Utc>,
    /// Which game of the round it is, from 1, where the node knows how many games the round has. A later game with the same number
    /// takes the place of this one: it was begun anew, or goes on from another position.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub round_game: Option<u32>,
    /// The players, as far as they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
    /// True in the last state of a board that its node serves no more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
}

impl LiveState {
    /// The same state with what is known of the game in the round.
    #[must_use]
    pub fn in_round(self, InRound { began, round_game }: InRound) -> LiveState {
        LiveState { began, round_game, ..self }
    }

    /// The fields that have its moves.
    pub(crate) fn lists(&mut self) -> Lists<'_, LiveMove> {
        let LiveState { initial_fen, moves, moves_from, parts, segments, .. } = self;
        Lists { initial_fen, moves, moves_from, parts, segments }
    }
}

fn as_text<S: serde::Serializer>(utc: &Option<Utc>, serializer: S) -> Result<S::Ok, S::Error> {
    match utc {
        Some(utc) => serializer.collect_str(utc),
        None => serializer.serialize_none(),
    }
}

/// Messages of version 1.0 do not have these fields and are still valid.
fn without_required_of_1_1(schema: &mut schemars::Schema) {
    if let Some(required) = schema.get_mut("required").and_then(serde_json::Value::as_array_mut) {
        required.retain(|field| field != "clock_status" && field != "link");
    }
}

/// Whether a board is heard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// It is connected and answers.
    Up,
    /// It is not connected, or does not answer: moves may have been made since.
    #[default]
    Down,
}

/// Where the game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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

mirror!(game_phase::GamePhase => Stage { AwaitingSetUp, Armed, Playing, Over });

/// How a result is shown with the men.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// The kings stand on the squares in the centre that tell it.
    KingsInCentre,
}

/// A result that was shown, not entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Hint {
    /// How it was shown.
    pub kind: Sign,
    /// The result.
    pub result: GameResult,
    /// When, microseconds since the journal began.
    pub at: u64,
}

impl From<game_phase::Hint> for Hint {
    fn from(hint: game_phase::Hint) -> Hint {
        Hint { kind: Sign::KingsInCentre, result: hint.result.into(), at: hint.at.0 }
    }
}

/// A man that its player lifted in his own time and put back on its square (4.2, 4.3). Whether he must move it is for the arbiter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct TouchedMan {
    /// The letter that a FEN has for the man.
    #[schemars(length(min = 1, max = 1))]
    pub man: String,
    /// Its square, such as `g1`.
    #[schemars(regex(pattern = r"^[a-h][1-8]$"))]
    pub square: String,
    /// The number of the half-move for which the player was to move, from 1.
    #[schemars(range(min = 1))]
    pub ply: u32,
    /// Between these two, microseconds since the journal began.
    pub lifted_at: [u64; 2],
    /// Between these two.
    pub put_back_at: [u64; 2],
}

impl From<&audit::TouchedMan> for TouchedMan {
    fn from(touched: &audit::TouchedMan) -> TouchedMan {
        TouchedMan {
            man: touched.man.letter().to_string(),
            square: touched.square.to_string(),
            ply: touched.ply,
            lifted_at: touched.lifted.micros(),
            put_back_at: touched.put_back.micros(),
        }
    }
}

/// The picture for arbiters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    /// The ply of the first move in `moves`, if moves before it are in the parts: then `initial_fen` is the position before this ply.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub moves_from: Option<u32>,
    /// The parts that have all moves before `moves`, those of earlier segments too; none while the state has the whole game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<PartsBefore>,
    /// Moves that stand on the board and are not yet sure.
    pub pending: Vec<MoveBody>,
    /// The segments of the game before the present one, at most the last eight; left out if they are in the parts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<Segment<MoveBody>>,
    /// What is played after an illegal move that awaits a ruling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_illegal_move: Option<AfterIllegalMove>,
    /// What is played after the result, with plies that go on from `moves`. It belongs to the game only if the result is taken back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after_result: Vec<MoveBody>,
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
    #[schemars(with = "Option<Side>")]
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
    /// Men that were touched and put back (4.3), at most the last sixteen of the game.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touched_men: Vec<TouchedMan>,
    /// Results that were shown on the board.
    pub hints: Vec<Hint>,
    /// What ended the game by itself.
    pub ending: Option<Ending>,
    /// The result, if it is known.
    pub result: Option<GameResult>,
    /// The players, as far as they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<Players>,
    /// True in the last state of a board that its node serves no more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub withdrawn: bool,
    /// Why this game is not published to the live audience and to the public (`wire/README.md#7.1`); absent if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpublished: Option<Unpublished>,
}

impl ArbiterState {
    /// The fields that have its moves.
    pub(crate) fn lists(&mut self) -> Lists<'_, MoveBody> {
        let ArbiterState { initial_fen, moves, moves_from, parts, segments, .. } = self;
        Lists { initial_fen, moves, moves_from, parts, segments }
    }
}
