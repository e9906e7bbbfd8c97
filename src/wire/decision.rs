//! Defines the body of an arbiter's decision, and the body with the last ruling in full.

use flagfall_game::laws::screen::{self, Around};
use flagfall_game::{color_name, decision};
use serde::Serialize;

use super::claim::ClaimBody;
use super::finding::{Finding, FindingKey};
use super::outcome::GameResult;
use super::player::{Pair, Side};
use super::screen::Screen;

/// What was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
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

mirror!(decision::DecisionKind => DecisionKind {
    Confirmed, Rejected, Declared, Agreed, ClaimAccepted, ClaimRefused, Penalty, Restart,
});

/// Who decided, when, why, and on which evidence. A later decision on the same matter supersedes it; it is never changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Decision {
    /// Number of the decision on this board, from 1.
    #[schemars(range(min = 1))]
    pub number: u32,
    /// What was decided.
    pub kind: DecisionKind,
    /// The result that the game has by it; `*` = none, it goes on.
    pub result: GameResult,
    /// Whose claim; who was penalised.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Side>")]
    pub side: Option<&'static str>,
    /// The finding that was confirmed or rejected, as the arbiter saw it; else the one that stood.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<FindingKey>,
    /// The claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimBody>,
    /// The penalty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub penalty: Option<PenaltyBody>,
    /// Who decided: a user, or `automatic` where the event has findings that are certain decided without an arbiter; none where
    /// it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// `organiser` if the organiser's desk entered the result; else left out. Since version 1.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = ["organiser"]))]
    pub role: Option<&'static str>,
    /// Why, in the arbiter's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Id of the command that it was given by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// When the arbiter saw what it is about, microseconds since the journal began; none where that was not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_at: Option<u64>,
    /// When it was made, microseconds since the journal began.
    pub at: u64,
    /// Number of the decision that it takes the place of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<u32>,
    /// Numbers of the alarms that it closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub closed_alarms: Vec<u32>,
}

impl From<&decision::Decision> for Decision {
    fn from(decided: &decision::Decision) -> Decision {
        Decision {
            number: decided.number,
            kind: decided.kind.into(),
            result: decided.result.into(),
            side: decided.side.map(color_name),
            finding: decided.finding.map(FindingKey::from),
            claim: decided.claim.as_ref().map(ClaimBody::from),
            penalty: decided.penalty.map(PenaltyBody::from),
            by: decided.by.clone(),
            role: decided.by_organiser.then_some("organiser"),
            reason: decided.reason.clone(),
            command: decided.command.clone(),
            observed_at: decided.observed_at.map(|at| at.0),
            at: decided.at.0,
            supersedes: decided.supersedes,
            closed_alarms: decided.closed_alarms.clone(),
        }
    }
}

/// What a penalty consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct PenaltyBody {
    /// Seconds that each player's time was changed by; less than 0 = taken away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<Pair<i32>>,
    /// Number of the alarm of an illegal move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alarm: Option<u32>,
    /// That move counts towards the player's second one (7.5.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<bool>,
}

impl From<decision::Penalty> for PenaltyBody {
    fn from(penalty: decision::Penalty) -> PenaltyBody {
        PenaltyBody { seconds: penalty.seconds.map(Pair::from), alarm: penalty.alarm, counts: penalty.counts }
    }
}

/// The last finding or decision in full.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
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
        /// The words for an arbiter, in the order in which they are read. Every ruling has them since version 1.1.
        #[serde(skip_serializing_if = "Option::is_none")]
        screen: Option<Box<Screen>>,
    },
    /// A decision where there was nothing to find.
    Decision {
        /// The decision.
        decision: Box<Decision>,
    },
}

impl From<&decision::Ruling> for Ruling {
    fn from(ruling: &decision::Ruling) -> Ruling {
        let boxed = |decided: &decision::Decision| Box::new(Decision::from(decided));
        match ruling {
            decision::Ruling::Finding { finding, decision } => {
                let around = Around { decided: decision.as_ref().map(|decision| decision.result), ..Around::default() };
                Ruling::Finding {
                    finding: Box::new(Finding::from(&**finding)),
                    decision: decision.as_deref().map(boxed),
                    screen: Some(Box::new(screen::Screen::of(finding, &around).into())),
                }
            }
            decision::Ruling::Decision { decision } => Ruling::Decision { decision: boxed(decision) },
        }
    }
}
