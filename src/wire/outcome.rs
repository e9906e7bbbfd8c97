//! Defines the words in messages for results, endings of a game and outcomes of a finding.

use flagfall_game::laws::outcome;
use serde::{Deserialize, Serialize};

use super::player::Side;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[allow(missing_docs, reason = "the PGN notation says it")]
pub enum GameResult {
    #[serde(rename = "1-0")]
    WhiteWins,
    #[serde(rename = "0-1")]
    BlackWins,
    #[serde(rename = "1/2-1/2")]
    Draw,
    #[serde(rename = "*")]
    Open,
}

mirror!(outcome::GameResult => GameResult { WhiteWins, BlackWins, Draw, Open });

mirror!(GameResult => outcome::GameResult { WhiteWins, BlackWins, Draw, Open });

/// Where a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResultBy {
    /// The position on the board: checkmate or stalemate (5.1.1, 5.2.1). A decision may follow.
    Board,
    /// An arbiter's decision.
    Arbiter,
}

impl From<outcome::ResultBy> for ResultBy {
    fn from(by: outcome::ResultBy) -> ResultBy {
        match by {
            outcome::ResultBy::Board => ResultBy::Board,
            outcome::ResultBy::Arbiter => ResultBy::Arbiter,
        }
    }
}

/// What ends a game by itself (Articles 5.1.1, 5.2.1, 5.2.2, 9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can mate with the men that are left.
    DeadPosition,
    /// The same position for the fifth time.
    FivefoldRepetition,
    /// 75 moves by each side without a pawn move or capture.
    SeventyFiveMoves,
}

mirror!(outcome::Ending => Ending { Checkmate, Stalemate, DeadPosition, FivefoldRepetition, SeventyFiveMoves });

/// On what there is something to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A flag fell (6.9).
    FlagFall,
    /// An illegal move was completed (7.5).
    IllegalMove,
    /// A player resigned (5.1.2).
    Resignation,
    /// A draw was agreed (5.2.3).
    Agreement,
    /// A draw was claimed (9.5, Guideline III.5).
    Claim,
    /// A move ended the game.
    MoveOnBoard,
}

mirror!(outcome::Kind => Kind { FlagFall, IllegalMove, Resignation, Agreement, Claim, MoveOnBoard });

/// What should become of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// White wins.
    WhiteWins,
    /// Black wins.
    BlackWins,
    /// The game is drawn.
    Draw,
    /// Nothing is lost; the game goes on.
    GameGoesOn,
    /// An input that could change the answer is not known: the arbiter decides.
    Undecided,
    /// No finding on time: the game seems to have ended, but no result was entered.
    ResultNotEntered,
}

mirror!(outcome::Outcome => Outcome { WhiteWins, BlackWins, Draw, GameGoesOn, Undecided, ResultNotEntered });

/// What an arbiter should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "act", rename_all = "snake_case")]
pub enum Recommended {
    /// Restore the position before the illegal move (7.5.1).
    RestorePosition,
    /// Replace the pawn on its last rank by a queen of its colour (7.5.2).
    ReplaceByQueen,
    /// Give this player so many seconds more.
    AddTime {
        /// Who gets it.
        #[schemars(with = "Side")]
        side: &'static str,
        /// How much.
        seconds: u32,
    },
    /// The move that was indicated with the claim must be played (9.5.3).
    PlayIndicatedMove {
        /// By whom.
        #[schemars(with = "Side")]
        side: &'static str,
    },
    /// Stop the clocks and have the scoresheets brought up to date (8.5).
    BringScoresheetsUpToDate,
}

impl From<outcome::Recommended> for Recommended {
    fn from(recommended: outcome::Recommended) -> Recommended {
        match recommended {
            outcome::Recommended::RestorePosition => Recommended::RestorePosition,
            outcome::Recommended::ReplaceByQueen => Recommended::ReplaceByQueen,
            outcome::Recommended::AddTime { side, seconds } => Recommended::AddTime { side, seconds },
            outcome::Recommended::PlayIndicatedMove { side } => Recommended::PlayIndicatedMove { side },
            outcome::Recommended::BringScoresheetsUpToDate => Recommended::BringScoresheetsUpToDate,
        }
    }
}

/// One outcome among several, and what it depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Alternative {
    /// The condition, in a few words.
    pub depends_on: &'static str,
    /// The outcome if it holds.
    pub outcome: Outcome,
    /// Row of the decision table.
    #[schemars(regex(pattern = r"^[1-9][0-9]?[a-z]?$"))]
    pub row: &'static str,
}

impl From<&outcome::Alternative> for Alternative {
    fn from(other: &outcome::Alternative) -> Alternative {
        Alternative { depends_on: other.depends_on, outcome: other.outcome.into(), row: other.row }
    }
}

/// In which part of the running move the flag found the players (`laws/README.md#2.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Nothing is touched.
    Idle,
    /// A piece is lifted; no move is made.
    Touched,
    /// A move is made, the clock not pressed.
    Made,
    /// The board shows no legal move; the position before it counts.
    Illegal,
}

mirror!(outcome::Phase => Phase { Idle, Touched, Made, Illegal });
