//! A finding: what the daemon proposes to the arbiter when a flag has fallen, and what it rests on.

use alloc::string::String;
// What the derived code calls.
#[cfg(feature = "schema")]
use alloc::string::ToString;
use alloc::vec::Vec;

use crate::clock::flag::FlagPath;
#[cfg(feature = "schema")]
use crate::input::Side;
use crate::laws::winnable::Verdict;

/// What should become of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// One outcome among several, and what it depends on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alternative {
    /// The condition, in a few words.
    pub depends_on: &'static str,
    /// The outcome if it holds.
    pub outcome: Outcome,
    /// Row of the decision table.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[1-9][0-9]?[a-z]?$")))]
    pub row: &'static str,
}

/// In which part of the running move the flag found the players (`laws.md` section 2, "Which position is `pos`?").
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

/// What the daemon finds; an arbiter decides.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// Number of the finding in its game, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub id: u32,
    /// Counts the changes of this finding, from 1.
    #[cfg_attr(feature = "schema", schemars(range(min = 1)))]
    pub revision: u32,
    /// Rule set and edition.
    pub profile: &'static str,
    /// Whose flag fell.
    #[cfg_attr(feature = "schema", schemars(with = "Side"))]
    pub flag: &'static str,
    /// By which sign of the clock that was seen.
    pub path: FlagPath,
    /// The proposal.
    pub outcome: Outcome,
    /// Row of the decision table.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"^[1-9][0-9]?[a-z]?$")))]
    pub row: &'static str,
    /// Articles of the Laws.
    pub articles: &'static [&'static str],
    /// Nobody has observed or claimed the fall yet (6.8): this is what holds if somebody does now.
    pub conditional: bool,
    /// The ending was not certainly reached before the flag fell.
    pub contested: bool,
    /// The outcomes, where there are several.
    pub alternatives: Vec<Alternative>,
    /// The position that counts, FEN.
    pub position: String,
    /// Why that position.
    pub phase: Phase,
    /// When the allotted time expired: between these two, microseconds since the journal began.
    pub expired_at: [u64; 2],
    /// When the fall was observed or claimed, microseconds since the journal began.
    pub observed_at: Option<u64>,
    /// Moves that the player completed before the fall; none if it is not known.
    pub completed: Option<u32>,
    /// Moves to be completed by the end of the period, counted from move 1; none in the last period.
    pub required: Option<u32>,
    /// The fall ended the last period; none if it is not known.
    pub last_period: Option<bool>,
    /// Whether the opponent can checkmate by any possible series of legal moves (6.9).
    pub winnable: Verdict,
    /// Where the sign of the clock was read, as `rx0:first-end`; empty where it has shown none.
    #[cfg_attr(feature = "schema", schemars(inner(regex(pattern = r"^rx[0-9]+:[0-9]+-[0-9]+$"))))]
    pub evidence: Vec<String>,
    /// Inputs that were not known.
    pub unknown: Vec<&'static str>,
    /// Always `proposed`: only an arbiter's command makes a decision.
    #[cfg_attr(feature = "schema", schemars(extend("const" = "proposed")))]
    pub status: &'static str,
}
