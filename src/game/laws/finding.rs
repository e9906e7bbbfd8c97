//! Defines a finding: the daemon's proposal to the arbiter, and the facts on which it rests.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};

use crate::clock::flag::FlagPath;
use crate::decision::Claim;
use crate::laws::adjudicate::Found;
use crate::laws::outcome::{Alternative, Kind, Outcome, Phase, Recommended};
use crate::laws::rulebook::Rulebook;
use crate::laws::winnable::Verdict;
use crate::men::color_name;

/// One revision of one finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindingKey {
    /// Number of the finding in its game.
    pub id: u32,
    /// Which of its revisions.
    pub revision: u32,
}

/// The content of one report of the clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClockShown {
    /// Where it was read, as `rx0:first-end`; on a link of its own, as `clock-rx0:first-end`.
    pub source: String,
    /// White's time, milliseconds.
    pub white_ms: u32,
    /// Black's time, milliseconds.
    pub black_ms: u32,
    /// Whose clock ran; none if it stood.
    pub running: Option<&'static str>,
}

/// What arbiters have made of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// One illegal move, as a finding names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// Who completed it.
    pub side: Color,
    /// When it was completed, at the latest.
    pub at: Instant,
    /// The number of its alarm in the game; 0 = an arbiter saw it and no sensor did (7.5.4).
    pub alarm: u32,
    /// It awaits a ruling.
    pub open: bool,
    /// It is the one with which the player loses by its number (7.5.5), or a later one.
    pub loses: bool,
    /// Which of the player's illegal moves it was, and what was made of it: `Black's first illegal move, 12... Kd8-d6: confirmed by anna,
    /// White got 2:00`.
    pub words: String,
}

/// What the daemon finds; an arbiter decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Number of the finding in its game, from 1.
    pub id: u32,
    /// Counts the changes of this finding and the decisions on it, from 1.
    pub revision: u32,
    /// On what.
    pub kind: Kind,
    /// The rulebook: a profile and its add-ons.
    pub profile: String,
    /// The edition of the rules.
    pub edition: &'static str,
    /// Whose flag fell; none where none did.
    pub flag: Option<&'static str>,
    /// The number of this fall among the flags of the game, from 1; none where none fell, or where only facts are known.
    pub fall: Option<u32>,
    /// By which sign of the clock that was seen.
    pub path: Option<FlagPath>,
    /// The proposal.
    pub outcome: Outcome,
    /// Row of the decision table.
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
    /// The move that leads to the position and was not completed, in chess notation with its number if that is known: `40. Qd7`.
    pub made: Option<String>,
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
    /// Who made the illegal move that it is about (7.5); none if it is about none.
    pub offender: Option<&'static str>,
    /// The illegal moves of both players that count or may count, numbered for each of them, and those that were rejected, where it is
    /// about one.
    pub illegal_moves: Vec<IllegalMove>,
    /// What the clock said last before the fall was seen, then what it said with it; where it has shown none, what it said last
    /// before the fall was observed.
    pub readings: Vec<ClockShown>,
    /// Where the sign of the clock was read, as `rx0:first-end`; the alarms of illegal moves, as `alarm:` and their number; the
    /// commands by which the position, the clock's sides, the time control or the moves completed were set, the fall was observed
    /// or something was entered, as `cmd:` and the sender's id; what was entered by a command without an id, as `entered@` and the
    /// microseconds since the journal began.
    pub evidence: Vec<String>,
    /// What the rules leave to the event and this rests on: the names of the choices in force.
    pub configurable: Vec<&'static str>,
    /// What the arbiter should do besides.
    pub recommended: Vec<Recommended>,
    /// Inputs that were not known.
    pub unknown: Vec<&'static str>,
    /// What arbiters have made of it.
    pub status: FindingStatus,
    /// The claim that it is about, with what the record of the game says of it; none without a claim.
    pub claim: Option<Claim>,
}

impl Finding {
    /// The illegal moves on which a ruling on this finding decides: all that await one, or those by whose number the player loses.
    pub(crate) fn illegal_moves_to_rule(&self) -> impl Iterator<Item = &IllegalMove> {
        let goes_on = self.outcome == Outcome::GameGoesOn;
        let about = self.kind == Kind::IllegalMove && self.flag.is_none();
        self.illegal_moves.iter().filter(move |it| about && if goes_on { it.open } else { it.loses })
    }

    /// A finding from these facts of the rules and the position that counts. It has no number yet (0), no decision, and nothing
    /// about the flag, the clock readings and the evidence.
    pub fn of(found: Found, rulebook: &Rulebook, position: &Chess, phase: Phase) -> Finding {
        Finding {
            id: 0,
            revision: 1,
            kind: found.kind,
            profile: rulebook.to_string(),
            edition: rulebook.edition(),
            flag: None,
            fall: None,
            path: None,
            outcome: found.outcome,
            row: found.row,
            articles: found.articles.to_vec(),
            conditional: found.conditional,
            contested: found.contested,
            alternatives: found.alternatives,
            position: Fen::from_position(position, EnPassantMode::Legal).to_string(),
            phase,
            made: None,
            expired_at: None,
            observed_at: None,
            completed: None,
            required: None,
            last_period: None,
            winnable: found.winnable,
            ended_at: found.ended.map(|ended| ended.micros()),
            offender: found.offender.map(color_name),
            illegal_moves: Vec::new(),
            readings: Vec::new(),
            evidence: Vec::new(),
            configurable: found.configurable,
            recommended: found.recommended,
            unknown: found.unknown,
            status: FindingStatus::Proposed,
            claim: None,
        }
    }
}
