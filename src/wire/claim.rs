//! Defines how claims of players and entries of arbiters appear in messages.

use flagfall_game::laws::claim;
use flagfall_game::{arbiter_entries, color_name, decision};
use serde::{Deserialize, Serialize};

use super::player::Side;

/// On what a claim rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ground {
    /// The same position for the third time (9.2).
    Repetition,
    /// Fifty moves by each side without a pawn move or capture (9.3).
    FiftyMoves,
    /// A request for additional time for both (Guideline III.4).
    AdditionalTime,
    /// The opponent cannot win, or makes no effort to win, by normal means (Guideline III.5; US Chess 14H).
    NormalMeans,
}

mirror!(claim::Ground => Ground { Repetition, FiftyMoves, AdditionalTime, NormalMeans });

mirror!(Ground => claim::Ground { Repetition, FiftyMoves, AdditionalTime, NormalMeans });

/// Where a claim stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Lodged, not yet decided.
    Lodged,
    /// Found correct or granted.
    Accepted,
    /// Found incorrect or rejected.
    Refused,
}

mirror!(claim::Standing => Standing { Lodged, Accepted, Refused });

mirror!(Standing => claim::Standing { Lodged, Accepted, Refused });

/// A claim, and what the record of the game says of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ClaimBody {
    /// Who claims.
    #[schemars(with = "Side")]
    pub side: &'static str,
    /// On what it rests.
    pub ground: Ground,
    /// Where it stands.
    pub standing: Standing,
    /// The move that is intended, UCI; none if it is about the position on the board.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uci: Option<String>,
    /// The record of the game bears it out; none where it does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correct: Option<bool>,
    /// How, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub note: String,
    /// The moves that show it, as numbers of plies. For a repetition: after which plies the position stood, 0 = at the start, the
    /// intended move included. For fifty moves: the first and the last ply of the record without a capture or pawn move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub plies: Vec<u32>,
}

impl From<&decision::Claim> for ClaimBody {
    fn from(claim: &decision::Claim) -> ClaimBody {
        ClaimBody {
            side: color_name(claim.side),
            ground: claim.ground.into(),
            standing: claim.standing.into(),
            uci: claim.uci.clone(),
            correct: claim.correct,
            note: claim.note.clone(),
            plies: claim.plies.clone(),
        }
    }
}

/// What was entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entered {
    /// A draw was offered.
    Offer,
    /// An offer was accepted.
    Agreement,
    /// The player resigned.
    Resignation,
    /// A claim.
    Claim {
        /// On what it rests.
        ground: Ground,
        /// Where it stands.
        standing: Standing,
    },
    /// A completed illegal move was ruled on.
    IllegalMove {
        /// Number of its alarm in the game; 0 = an arbiter saw it and no sensor did (7.5.4).
        alarm: u32,
        /// It counts towards the player's second one (7.5.5).
        counts: bool,
    },
}

impl From<arbiter_entries::Entered> for Entered {
    fn from(entered: arbiter_entries::Entered) -> Entered {
        match entered {
            arbiter_entries::Entered::Offer => Entered::Offer,
            arbiter_entries::Entered::Agreement => Entered::Agreement,
            arbiter_entries::Entered::Resignation => Entered::Resignation,
            arbiter_entries::Entered::Claim { ground, standing } => {
                Entered::Claim { ground: ground.into(), standing: standing.into() }
            }
            arbiter_entries::Entered::IllegalMove { alarm, counts } => Entered::IllegalMove { alarm, counts },
        }
    }
}

/// One entry of the arbiter's desk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct EntryBody {
    /// What.
    #[serde(flatten)]
    pub entered: Entered,
    /// Who offered, agreed, resigned, claimed, moved.
    #[schemars(with = "Side")]
    pub side: &'static str,
    /// When it happened: between these two, microseconds since the journal began.
    pub happened_at: [u64; 2],
    /// When it was entered, microseconds since the journal began.
    pub entered_at: u64,
    /// Id of the command that it was entered by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What the record of the game says of a claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimBody>,
}

impl From<&arbiter_entries::Statement> for EntryBody {
    fn from(entry: &arbiter_entries::Statement) -> EntryBody {
        EntryBody {
            entered: entry.what.into(),
            side: color_name(entry.side),
            happened_at: entry.happened.micros(),
            entered_at: entry.entered.0,
            command: entry.command.clone(),
            claim: entry.claim.as_ref().map(ClaimBody::from),
        }
    }
}
