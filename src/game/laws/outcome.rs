//! Defines the vocabulary of the Laws: results, endings of a game, outcomes of a finding.

use flagfall_protocols::square::Color;

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the PGN notation says it")]
pub enum GameResult {
    WhiteWins,
    BlackWins,
    Draw,
    Open,
}

impl GameResult {
    /// The result as a score, and in words for a game without one.
    pub const fn words(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Open => "the game goes on",
        }
    }
}

/// What ends a game by itself (Articles 5.1.1, 5.2.1, 5.2.2, 9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Ending {
    /// What stands on the board, as the beginning of a sentence.
    pub const fn words(self) -> &'static str {
        match self {
            Ending::Checkmate => "checkmate is on the board",
            Ending::Stalemate => "stalemate is on the board",
            Ending::DeadPosition => "a dead position is on the board",
            Ending::FivefoldRepetition => "the same position stood five times",
            Ending::SeventyFiveMoves => "75 moves were made without a capture or pawn move",
        }
    }

    /// The result of a game that the last move of `by` ended in this way.
    pub(crate) const fn result(self, by: Color) -> GameResult {
        match (self, by) {
            (Ending::Checkmate, Color::White) => GameResult::WhiteWins,
            (Ending::Checkmate, Color::Black) => GameResult::BlackWins,
            (Ending::Stalemate | Ending::DeadPosition | Ending::FivefoldRepetition | Ending::SeventyFiveMoves, _) => {
                GameResult::Draw
            }
        }
    }
}

/// The source of a result that every audience may know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultBy {
    /// The position on the board: checkmate or stalemate (5.1.1, 5.2.1).
    Board,
    /// A decision.
    Arbiter,
}

/// The result of a game as every audience may know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownResult {
    /// The result.
    pub result: GameResult,
    /// Where it comes from.
    pub by: ResultBy,
    /// What ended the game on the board, if this gave the same result.
    pub ending: Option<Ending>,
}

impl KnownResult {
    /// The result of a game that was `decided` so, or whose board shows this ending with its result. Checkmate and stalemate give one as
    /// soon as the move is made (5.1.1, 5.2.1); everything else needs a decision.
    pub(crate) fn of(decided: Option<GameResult>, on_board: Option<(Ending, GameResult)>) -> Option<KnownResult> {
        match decided {
            Some(result) => {
                let ending = on_board.filter(|(_, of)| *of == result).map(|(ending, _)| ending);
                Some(KnownResult { result, by: ResultBy::Arbiter, ending })
            }
            None => {
                let (ending, result) = on_board?;
                let at_once = matches!(ending, Ending::Checkmate | Ending::Stalemate);
                at_once.then_some(KnownResult { result, by: ResultBy::Board, ending: Some(ending) })
            }
        }
    }
}

/// On what there is something to find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// What should become of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Outcome {
    /// The result that follows from it; none if it leaves the result to the arbiter.
    pub(crate) const fn result(self) -> Option<GameResult> {
        match self {
            Outcome::WhiteWins => Some(GameResult::WhiteWins),
            Outcome::BlackWins => Some(GameResult::BlackWins),
            Outcome::Draw => Some(GameResult::Draw),
            Outcome::GameGoesOn => Some(GameResult::Open),
            Outcome::Undecided | Outcome::ResultNotEntered => None,
        }
    }
}

/// What an arbiter should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recommended {
    /// Restore the position before the illegal move (7.5.1).
    RestorePosition,
    /// Replace the pawn on its last rank by a queen of its colour (7.5.2).
    ReplaceByQueen,
    /// Give this player so many seconds more.
    AddTime {
        /// Who gets it.
        side: &'static str,
        /// How much.
        seconds: u32,
    },
    /// The move that was indicated with the claim must be played (9.5.3).
    PlayIndicatedMove {
        /// By whom.
        side: &'static str,
    },
    /// Stop the clocks and have the scoresheets brought up to date (8.5).
    BringScoresheetsUpToDate,
}

/// One outcome among several, and what it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The condition, in a few words.
    pub depends_on: &'static str,
    /// The outcome if it holds.
    pub outcome: Outcome,
    /// Row of the decision table.
    pub row: &'static str,
}

/// In which part of the running move the flag found the players (`laws/README.md#2.4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
