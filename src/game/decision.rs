//! Defines the decisions of arbiters, the claims and penalties in them, and the ruling that is shown of a game.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::laws::claim::{Ground, Standing};
use crate::laws::finding::{Finding, FindingKey};
use crate::laws::outcome::GameResult;
use crate::men::color_name;
use crate::pair::Pair;

/// The name recorded as the author of decisions that are made without an arbiter, on findings that are certain.
pub const AUTOMATIC: &str = "automatic";

/// The kind of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecisionKind {
    /// What a finding proposes.
    Confirmed,
    /// What a finding proposes is not so: the game goes on.
    Rejected,
    /// A result, or that there is none.
    Declared,
    /// The players agreed to a draw (5.2.3).
    Agreed,
    /// A claim was accepted.
    ClaimAccepted,
    /// A claim was refused.
    ClaimRefused,
    /// A penalty, an adjustment of times, a ruling on an illegal move.
    Penalty,
    /// The game was broken off and another one begun in its place (7.2, 7.3).
    Restart,
}

/// A decision, with its author, time, reason and evidence. A later decision on the same matter supersedes it; it is never
/// changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Number of the decision on this board, from 1.
    pub number: u32,
    /// Number of the game that it is about.
    pub game_no: u32,
    /// What was decided.
    pub kind: DecisionKind,
    /// The result that the game has by it; open = none, it goes on.
    pub result: GameResult,
    /// Whose claim; who was penalised.
    pub side: Option<Color>,
    /// The finding that was confirmed or rejected, as the arbiter saw it; else the one that stood.
    pub finding: Option<FindingKey>,
    /// The claim.
    pub claim: Option<Claim>,
    /// The penalty.
    pub penalty: Option<Penalty>,
    /// Who decided: a user, or `automatic` where the event has findings that are certain decided without an arbiter; none where
    /// it is not known.
    pub by: Option<String>,
    /// The user is the organiser's desk, not an arbiter.
    pub by_organiser: bool,
    /// Why, in the arbiter's words.
    pub reason: Option<String>,
    /// Id of the command that it was given by.
    pub command: Option<String>,
    /// When the arbiter saw what it is about; none where that was not said.
    pub observed_at: Option<Instant>,
    /// When it was made.
    pub at: Instant,
    /// Number of the decision that it takes the place of.
    pub supersedes: Option<u32>,
    /// Numbers of the alarms that it closed.
    pub closed_alarms: Vec<u32>,
}

impl Decision {
    /// True if it determines whether or how the game ends.
    pub(crate) fn decides_game(&self) -> bool {
        match self.kind {
            DecisionKind::Confirmed | DecisionKind::Rejected | DecisionKind::Declared => true,
            DecisionKind::Agreed | DecisionKind::Restart => true,
            DecisionKind::ClaimAccepted => self.result != GameResult::Open,
            DecisionKind::ClaimRefused | DecisionKind::Penalty => false,
        }
    }

    /// True if it confirms or rejects the finding with this number.
    pub(crate) fn rules_on(&self, id: u32) -> bool {
        let rules = matches!(self.kind, DecisionKind::Confirmed | DecisionKind::Rejected);
        rules && self.finding.is_some_and(|key| key.id == id)
    }

    /// Says who decided what, as in `anna confirmed finding 1: 0-1`.
    pub fn words(&self) -> String {
        let by = match self.by.as_deref() {
            Some(AUTOMATIC) => "the daemon",
            Some(name) => name,
            None => "somebody",
        };
        let finding = self.finding.map_or(0, |key| key.id);
        let (result, side) = (self.result.words(), self.side.map_or("a player", color_name));
        match self.kind {
            DecisionKind::Confirmed => format!("{by} confirmed finding {finding}: {result}"),
            DecisionKind::Rejected => format!("{by} rejected finding {finding}: {result}"),
            DecisionKind::Declared if self.by_organiser => format!("{by} entered the result {result} for the organiser"),
            DecisionKind::Declared if self.result == GameResult::Open => format!("{by} declared that {result}"),
            DecisionKind::Declared => format!("{by} declared the result {result}"),
            DecisionKind::Agreed => format!("{by} recorded that a draw was agreed"),
            DecisionKind::ClaimAccepted => format!("{by} accepted the claim of {side}: {result}"),
            DecisionKind::ClaimRefused => format!("{by} refused the claim of {side}: {result}"),
            DecisionKind::Penalty => format!("{by} recorded a penalty for {side}"),
            DecisionKind::Restart => format!("{by} began another game"),
        }
    }
}

/// A claim, and what the record of the game says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Who claims.
    pub side: Color,
    /// On what it rests.
    pub ground: Ground,
    /// Where it stands.
    pub standing: Standing,
    /// The move that is intended, UCI; none if it is about the position on the board.
    pub uci: Option<String>,
    /// The record of the game bears it out; none where it does not tell.
    pub correct: Option<bool>,
    /// How, for people.
    pub note: String,
    /// The moves that show it, as numbers of plies. For a repetition: after which plies the position stood, 0 = at the start, the
    /// intended move included. For fifty moves: the first and the last ply of the record without a capture or pawn move.
    pub plies: Vec<u32>,
}

/// What a penalty consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Penalty {
    /// Seconds that each player's time was changed by; less than 0 = taken away.
    pub seconds: Option<Pair<i32>>,
    /// Number of the alarm of an illegal move.
    pub alarm: Option<u32>,
    /// That move counts towards the player's second one (7.5.5).
    pub counts: Option<bool>,
}

/// The last finding or decision in full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// What the daemon proposes, and what an arbiter decided if there is a decision.
    Finding {
        /// The finding.
        finding: Box<Finding>,
        /// The decision that stands.
        decision: Option<Box<Decision>>,
    },
    /// A decision where there was nothing to find.
    Decision {
        /// The decision.
        decision: Box<Decision>,
    },
}
