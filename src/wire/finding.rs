//! Defines the body of a finding: the proposal of the daemon to the arbiter, and the evidence for it.

use flagfall_game::laws::finding;
use serde::{Deserialize, Serialize};

use super::claim::ClaimBody;
use super::flag::FlagPath;
use super::outcome::{Alternative, Kind, Outcome, Phase, Recommended};
use super::player::Side;
use super::winnable::Verdict;

/// One revision of one finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FindingKey {
    /// Number of the finding in its game.
    #[schemars(range(min = 1))]
    pub id: u32,
    /// Which of its revisions.
    #[schemars(range(min = 1))]
    pub revision: u32,
}

impl FindingKey {
    /// Returns the key of the present revision of a finding.
    pub const fn from_finding(finding: &finding::Finding) -> FindingKey {
        FindingKey { id: finding.id, revision: finding.revision }
    }
}

impl From<finding::FindingKey> for FindingKey {
    fn from(key: finding::FindingKey) -> FindingKey {
        FindingKey { id: key.id, revision: key.revision }
    }
}

impl From<FindingKey> for finding::FindingKey {
    fn from(key: FindingKey) -> finding::FindingKey {
        finding::FindingKey { id: key.id, revision: key.revision }
    }
}

/// What the clock said in one report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ClockShown {
    /// Where it was read, as `rx0:first-end`; on a link of its own, as `clock-rx0:first-end`.
    #[schemars(regex(pattern = r"^(clock-)?rx[0-9]+:[0-9]+-[0-9]+$"))]
    pub source: String,
    /// White's time, milliseconds.
    pub white_ms: u32,
    /// Black's time, milliseconds.
    pub black_ms: u32,
    /// Whose clock ran; none if it stood.
    #[schemars(with = "Option<Side>")]
    pub running: Option<&'static str>,
}

impl From<&finding::ClockShown> for ClockShown {
    fn from(shown: &finding::ClockShown) -> ClockShown {
        let finding::ClockShown { source, white_ms, black_ms, running } = shown;
        ClockShown { source: source.clone(), white_ms: *white_ms, black_ms: *black_ms, running: *running }
    }
}

/// What arbiters have made of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// No decision is in force on it: it awaits one.
    Proposed,
    /// A decision says that it is so.
    Confirmed,
    /// A decision says that it is not so: the game goes on.
    Rejected,
    /// The game has its result by another decision.
    Superseded,
}

mirror!(finding::FindingStatus => FindingStatus { Proposed, Confirmed, Rejected, Superseded });

/// What the daemon finds; an arbiter decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Finding {
    /// Number of the finding in its game, from 1.
    #[schemars(range(min = 1))]
    pub id: u32,
    /// Counts the changes of this finding and the decisions on it, from 1.
    #[schemars(range(min = 1))]
    pub revision: u32,
    /// On what.
    pub kind: Kind,
    /// The rulebook: a profile and its add-ons.
    pub profile: String,
    /// The edition of the rules.
    pub edition: &'static str,
    /// Whose flag fell; none where none did.
    #[schemars(with = "Option<Side>")]
    pub flag: Option<&'static str>,
    /// The number of this fall among the flags of the game, as in the arbiters' state.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub fall: Option<u32>,
    /// By which sign of the clock that was seen.
    pub path: Option<FlagPath>,
    /// The proposal.
    pub outcome: Outcome,
    /// Row of the decision table.
    #[schemars(regex(pattern = r"^[1-9][0-9]?[a-z]?$"))]
    pub row: &'static str,
    /// Articles of the Laws.
    pub articles: Vec<&'static str>,
    /// Nobody has observed or claimed the fall yet (6.8): this is what holds if somebody does now.
    pub conditional: bool,
    /// The ending was not certainly reached before the flag fell, and the flag would have another outcome.
    pub contested: bool,
    /// The outcomes, where there are several.
    pub alternatives: Vec<Alternative>,
    /// The position that counts, FEN.
    pub position: String,
    /// Why that position.
    pub phase: Phase,
    /// When the allotted time expired: between these two, microseconds since the journal began; none without a flag.
    pub expired_at: Option<[u64; 2]>,
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
    /// When the ending that decides was reached, the illegal move completed: between these two, microseconds since the journal
    /// began; none where neither decides.
    pub ended_at: Option<[u64; 2]>,
    /// Who made the illegal move that it is about (7.5).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Side>")]
    pub offender: Option<&'static str>,
    /// What the clock said last before the fall was seen, then what it said with it; where it has shown none, what it said last
    /// before the fall was observed.
    #[schemars(length(max = 2))]
    pub readings: Vec<ClockShown>,
    /// Where the sign of the clock was read, as `rx0:first-end`; the alarms of illegal moves, as `alarm:` and their number; the
    /// commands by which the position, the clock's sides, the time control or the moves completed were set, the fall was observed
    /// or something was entered, as `cmd:` and the sender's id; what was entered by a command without an id, as `entered@` and the
    /// microseconds since the journal began.
    #[schemars(inner(regex(
        pattern = r"^((clock-)?rx[0-9]+:[0-9]+-[0-9]+|alarm:[0-9]+|cmd:[A-Za-z0-9._:-]{1,64}|entered@[0-9]+)$"
    )))]
    pub evidence: Vec<String>,
    /// What the rules leave to the event and this rests on: the names of the choices in force.
    pub configurable: Vec<&'static str>,
    /// What the arbiter should do besides.
    pub recommended: Vec<Recommended>,
    /// Inputs that were not known.
    pub unknown: Vec<&'static str>,
    /// What arbiters have made of it. In an event it is the status at that time: a decision is an event of its own.
    pub status: FindingStatus,
    /// The claim that it is about, with what the record of the game says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimBody>,
}

impl From<&finding::Finding> for Finding {
    fn from(found: &finding::Finding) -> Finding {
        Finding {
            id: found.id,
            revision: found.revision,
            kind: found.kind.into(),
            profile: found.profile.clone(),
            edition: found.edition,
            flag: found.flag,
            fall: found.fall,
            path: found.path.map(FlagPath::from),
            outcome: found.outcome.into(),
            row: found.row,
            articles: found.articles.clone(),
            conditional: found.conditional,
            contested: found.contested,
            alternatives: found.alternatives.iter().map(Alternative::from).collect(),
            position: found.position.clone(),
            phase: found.phase.into(),
            expired_at: found.expired_at,
            observed_at: found.observed_at,
            completed: found.completed,
            required: found.required,
            last_period: found.last_period,
            winnable: Verdict::from(&found.winnable),
            ended_at: found.ended_at,
            offender: found.offender,
            readings: found.readings.iter().map(ClockShown::from).collect(),
            evidence: found.evidence.clone(),
            configurable: found.configurable.clone(),
            recommended: found.recommended.iter().copied().map(Recommended::from).collect(),
            unknown: found.unknown.clone(),
            status: found.status.into(),
            claim: found.claim.as_ref().map(ClaimBody::from),
        }
    }
}
