//! Defines how moves, and revisions of moves, appear in messages to each audience.

use std::fmt::Display;

use flagfall_game::color_name;
use flagfall_game::interval::Interval;
use flagfall_game::played::{self, Notation};
use flagfall_game::reconstruct::record;
use serde::{Serialize, Serializer};
use shakmaty::uci::UciMove;

use super::player::Side;

/// A move as the live and public audiences see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
pub struct LiveMove {
    /// Number of the half-move in the game, from 1.
    #[schemars(range(min = 1))]
    pub ply: u32,
    /// Standard algebraic notation.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub san: Notation,
    /// UCI notation.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String", regex(pattern = r"^[a-h][1-8][a-h][1-8][qrbn]?$"))]
    pub uci: UciMove,
    /// White's time after it, milliseconds; none before the clock was heard.
    pub white_ms: Option<u32>,
    /// Black's time after it, milliseconds.
    pub black_ms: Option<u32>,
}

impl From<played::GameMove> for LiveMove {
    fn from(known: played::GameMove) -> LiveMove {
        let played::GameMove { ply, san, uci, clocks, .. } = known;
        LiveMove::from(played::LiveMove { ply, san, uci, clocks })
    }
}

impl From<played::LiveMove> for LiveMove {
    fn from(told: played::LiveMove) -> LiveMove {
        LiveMove {
            ply: told.ply,
            san: told.san,
            uci: told.uci,
            white_ms: told.clocks.white.map(|time| time.millis()),
            black_ms: told.clocks.black.map(|time| time.millis()),
        }
    }
}

fn as_text<S: Serializer>(value: &impl Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Why a game was changed, as far as the live and public audiences may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LiveCause {
    /// The board shows something else, or an arbiter corrected it.
    Correction,
}

/// The game was changed from a ply on, as the live and public audiences see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct LiveRevision {
    /// The first ply that differs, from 1.
    #[schemars(range(min = 1))]
    pub from_ply: u32,
    /// Why.
    pub cause: LiveCause,
    /// The moves from there on.
    pub moves: Vec<LiveMove>,
}

impl LiveRevision {
    /// Makes the revision that says: from `from_ply` on, these are the moves.
    pub fn new(from_ply: u32, moves: &[played::LiveMove]) -> LiveRevision {
        LiveRevision { from_ply, cause: LiveCause::Correction, moves: moves.iter().copied().map(LiveMove::from).collect() }
    }
}

/// Body of `board.restated`: numbers may have been given twice (`wire/README.md#3`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Restated {
    /// The first number that may have been given to another event before.
    #[schemars(range(min = 1))]
    pub from: u64,
}

/// How it became sure that a move was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The player pressed his clock.
    Press,
    /// The player made his next move without having pressed (6.2.1.2), or the reply stands on the board.
    NextMove,
    /// The move ended the game (6.2.1.1).
    GameEnd,
    /// The opponent's clock runs although no press was seen.
    ClockRunning,
    /// No clock is connected; the move stands.
    Settled,
    /// It stood on the board, not pressed, when the result was declared.
    Stood,
    /// It was made while the board was not heard; what stood there afterwards, or the board's own log, tells it.
    Repair,
    /// An arbiter entered it.
    Arbiter,
}

mirror!(record::How => How { Press, NextMove, GameEnd, ClockRunning, Settled, Stood, Repair, Arbiter });

/// A move as arbiters see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, schemars::JsonSchema)]
pub struct MoveBody {
    /// Number of the half-move in the game, from 1.
    #[schemars(range(min = 1))]
    pub ply: u32,
    /// `white` or `black`.
    #[schemars(with = "Side")]
    pub color: &'static str,
    /// Standard algebraic notation.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub san: Notation,
    /// UCI notation.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String", regex(pattern = r"^[a-h][1-8][a-h][1-8][qrbn]?$"))]
    pub uci: UciMove,
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

impl From<played::GameMove> for MoveBody {
    fn from(played: played::GameMove) -> MoveBody {
        MoveBody {
            ply: played.ply,
            color: color_name(played.color),
            san: played.san,
            uci: played.uci,
            made_at: played.made.micros(),
            pressed_at: played.pressed.as_ref().map(Interval::micros),
            how: played.how.map(How::from),
            completed_at: played.completed.as_ref().map(Interval::micros),
            white_ms: played.clocks.white.map(|time| time.millis()),
            black_ms: played.clocks.black.map(|time| time.millis()),
            after_flag: played.after_flag,
        }
    }
}

/// Why a game was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
    /// The last move seemed to end the game, but its man was only passing.
    Reopened,
    /// The king's last move was no move: both kings in the centre show a result.
    KingsInCentre,
    /// The last moves were none: the men were put back to the initial position.
    MenPutBack,
    /// An illegal move stands, because its opponent has replied (A.5.2; club point 15).
    IllegalMoveStands,
    /// Moves that were made while the board was not heard are not known. The game goes on from a position after them.
    UnexplainedGap,
}

mirror!(played::Cause => Cause {
    TakeBack, SetPosition, CorrectMove, Promotion, Reopened, KingsInCentre, MenPutBack, IllegalMoveStands, UnexplainedGap,
});

/// The game was changed from a ply on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct RevisionBody {
    /// The first ply that differs, from 1.
    #[schemars(range(min = 1))]
    pub from_ply: u32,
    /// Why.
    pub cause: Cause,
    /// The moves from there on.
    pub moves: Vec<MoveBody>,
}

impl From<&played::Revision> for RevisionBody {
    fn from(revision: &played::Revision) -> RevisionBody {
        let moves = revision.moves.iter().copied().map(MoveBody::from).collect();
        RevisionBody { from_ply: revision.from_ply, cause: revision.cause.into(), moves }
    }
}
