//! Keeps the decisions of a game in their order. A decision may be superseded but is never changed.

use alloc::string::String;
use alloc::vec::Vec;

use flagfall_protocols::time::Instant;

use crate::decision::{Decision, DecisionKind};
use crate::laws::finding::{Finding, FindingStatus};
use crate::laws::outcome::{GameResult, Kind, Outcome};

/// The board, clock and record facts on which a ruled finding rests. The finding itself may change without them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    kind: Kind,
    flag: Option<&'static str>,
    expired_at: Option<[u64; 2]>,
    ended_at: Option<[u64; 2]>,
    /// The position at a flag-fall; none if the moves that led to it were replaced since.
    position: Option<String>,
    completed: Option<u32>,
    required: Option<u32>,
    last_period: Option<bool>,
    /// For illegal moves, what was proposed and when those were completed on which the ruling was: another one is another fact.
    illegal: Option<(Outcome, Vec<Instant>)>,
}

impl Facts {
    fn of(finding: &Finding) -> Facts {
        let of_flag = finding.flag.is_some();
        Facts {
            kind: finding.kind,
            flag: finding.flag,
            expired_at: finding.expired_at,
            // A flag with a ruling is not a new one only because the game ended later.
            ended_at: finding.ended_at.filter(|_| !of_flag),
            position: of_flag.then(|| finding.position.clone()),
            completed: finding.completed,
            required: finding.required,
            last_period: finding.last_period,
            illegal: (finding.kind == Kind::IllegalMove)
                .then(|| (finding.outcome, finding.illegal_moves_to_rule().map(|it| it.at).collect())),
        }
    }

    fn match_finding(&self, finding: &Finding) -> bool {
        let now = Facts::of(finding);
        let position = if self.position.is_some() { now.position } else { None };
        *self == Facts { position, ..now }
    }
}

#[derive(Clone, Debug)]
struct Kept {
    decision: Decision,
    superseded: bool,
    /// The numbers of the alarms of the illegal moves on which it rules.
    illegal_moves: Vec<u32>,
    /// For a ruling on a finding, the facts on which the finding rested.
    facts: Option<Facts>,
}

impl Kept {
    /// True if this decision says that the game goes on after this finding.
    fn continues_game_after(&self, id: u32) -> bool {
        !self.superseded && self.decision.rules_on(id) && self.decision.result == GameResult::Open
    }
}

/// The decisions of one game, at most [`Decisions::MAX`]. A decision that is removed here is still in the journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decisions {
    kept: Vec<Kept>,
    numbered: u32,
}

impl Decisions {
    /// The largest number of decisions kept. No real game has so many.
    pub(crate) const MAX: usize = 64;

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Decision> {
        self.kept.iter().map(|kept| &kept.decision)
    }

    /// Keeps a decision, which rejects a finding of this kind and rules on the illegal moves with these alarms. Returns it with its number
    /// and the number of the decision that it supersedes.
    pub(crate) fn add(&mut self, decision: Decision, rejects: Option<Kind>, illegal_moves: Vec<u32>) -> Decision {
        // An agreement or an accepted claim is a decision of its own, older than the finding about it.
        let entered = match rejects {
            Some(Kind::Agreement) => Some(DecisionKind::Agreed),
            Some(Kind::Claim) => Some(DecisionKind::ClaimAccepted),
            _ => None,
        };
        let of_entry = |earlier: &Decision| earlier.decides_game() && entered == Some(earlier.kind);
        let last = |meant: &dyn Fn(&Kept) -> bool| self.kept.iter().rposition(|kept| !kept.superseded && meant(kept));
        let overrules = |earlier: &Kept| {
            let same = earlier.illegal_moves.iter().any(|alarm| illegal_moves.contains(alarm));
            // A finding may have been ruled on for one illegal move and then for another.
            let other = !earlier.illegal_moves.is_empty() && !illegal_moves.is_empty();
            let other = other && earlier.decision.result == GameResult::Open;
            same || (!other && supersedes_earlier(&earlier.decision, &decision))
        };
        let place = last(&|earlier| of_entry(&earlier.decision)).or_else(|| last(&overrules));
        let before = place.and_then(|place| self.kept.get_mut(place));
        let supersedes = before.map(|before| {
            before.superseded = true;
            before.decision.number
        });
        if self.kept.len() == Decisions::MAX {
            let gives_way = self.kept.iter().position(|kept| kept.superseded || !kept.decision.decides_game());
            self.kept.remove(gives_way.unwrap_or(0));
        }
        let decision = self.number(Decision { supersedes, ..decision });
        self.kept.push(Kept { decision: decision.clone(), superseded: false, illegal_moves, facts: None });
        decision
    }

    /// Gives a decision its number. One about an earlier game is not kept here.
    pub(crate) fn number(&mut self, decision: Decision) -> Decision {
        self.numbered += 1;
        Decision { number: self.numbered, ..decision }
    }

    /// Notes that the last decision was about this finding in its present form.
    pub(crate) fn link_last_decision(&mut self, finding: &Finding) {
        if let Some(last) = self.kept.last_mut() {
            last.facts = Some(Facts::of(finding));
        }
    }

    /// Notes that the moves which led to the positions were replaced. The rulings stay valid.
    pub(crate) fn forget_positions(&mut self) {
        self.kept.iter_mut().filter_map(|kept| kept.facts.as_mut()).for_each(|facts| facts.position = None);
    }

    /// The number of the decision that the game goes on after this finding, if the finding still rests on the same facts.
    pub(crate) fn settled(&self, finding: &Finding) -> Option<u32> {
        let last = self.kept.iter().rfind(|kept| kept.continues_game_after(finding.id))?;
        let same = last.facts.as_ref().is_some_and(|facts| facts.match_finding(finding));
        same.then_some(last.decision.number)
    }

    /// The last decision that determines whether the game ends, if an arbiter has said by it that the game goes on.
    pub(crate) fn goes_on(&self) -> Option<&Decision> {
        let last = self.kept.iter().rfind(|kept| !kept.superseded && kept.decision.decides_game()).map(|kept| &kept.decision)?;
        let says_so = matches!(last.kind, DecisionKind::Declared | DecisionKind::Rejected) && last.result == GameResult::Open;
        Some(last).filter(|last| says_so && !last.by_organiser)
    }

    /// The number of the decision about this finding that is in force.
    pub(crate) fn about(&self, finding: &Finding) -> Option<u32> {
        let ends = self.result_decision().filter(|decision| decision.finding.is_some_and(|key| key.id == finding.id));
        ends.map(|decision| decision.number).or_else(|| self.settled(finding))
    }

    /// What the decisions in force make of this finding. A flag that a decision let pass is proposed again when its facts change.
    pub(crate) fn status_of(&self, finding: &Finding) -> FindingStatus {
        let about = |kept: &&Kept| kept.decision.rules_on(finding.id);
        let own = self.kept.iter().rfind(about);
        if let Some(Kept { decision, superseded: false, .. }) = own
            && (decision.result != GameResult::Open || self.settled(finding).is_some())
        {
            let confirmed = decision.kind == DecisionKind::Confirmed;
            return if confirmed { FindingStatus::Confirmed } else { FindingStatus::Rejected };
        }
        let Some(ends) = self.result_decision() else { return FindingStatus::Proposed };
        // A finding on an agreement or an accepted claim is younger than its decision.
        let entered = match ends.kind {
            DecisionKind::Agreed => finding.kind == Kind::Agreement,
            DecisionKind::ClaimAccepted => finding.kind == Kind::Claim,
            _ => false,
        };
        match () {
            () if entered && finding.outcome.result() == Some(ends.result) => FindingStatus::Confirmed,
            () if entered || own.is_some() => FindingStatus::Superseded,
            () if ends.finding.is_some_and(|key| key.id == finding.id) => FindingStatus::Superseded,
            () => FindingStatus::Proposed,
        }
    }

    /// The last decision that decided on this finding or overtook it.
    pub(crate) fn last_about(&self, id: u32) -> Option<&Decision> {
        let meant = |decision: &&Decision| decision.decides_game() && decision.finding.is_some_and(|key| key.id == id);
        self.iter().filter(meant).last()
    }

    /// True if there ever was a decision about this finding.
    pub(crate) fn any_about(&self, id: u32) -> bool {
        self.iter().any(|decision| decision.rules_on(id))
    }

    /// The decision that gave the game its result.
    pub(crate) fn result_decision(&self) -> Option<&Decision> {
        let standing = self.kept.iter().rev().filter(|kept| !kept.superseded).map(|kept| &kept.decision);
        standing.filter(|decision| decision.decides_game()).find(|decision| decision.result != GameResult::Open)
    }

    /// The decision in force on the illegal move with this alarm.
    pub(crate) fn on_illegal_move(&self, alarm: u32) -> Option<&Decision> {
        let ruled = |kept: &&Kept| !kept.superseded && kept.illegal_moves.contains(&alarm);
        self.kept.iter().rfind(ruled).map(|kept| &kept.decision)
    }

    /// The decision with this number.
    pub(crate) fn numbered(&self, number: u32) -> Option<&Decision> {
        self.iter().find(|decision| decision.number == number)
    }

    /// The decision that broke off the game.
    pub(crate) fn restart_decision(&self) -> Option<&Decision> {
        self.iter().last().filter(|decision| decision.kind == DecisionKind::Restart)
    }

    /// The last rejection that is in force, or the last ruling on a claim: their findings no longer exist.
    pub(crate) fn last_rejection(&self) -> Option<&Decision> {
        let standing = self.kept.iter().rfind(|kept| !kept.superseded && kept.decision.decides_game());
        standing.map(|kept| &kept.decision).filter(|decision| decision.kind == DecisionKind::Rejected || decision.claim.is_some())
    }

    /// Begins another game.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}

/// True if the later decision supersedes the earlier one.
fn supersedes_earlier(earlier: &Decision, later: &Decision) -> bool {
    use DecisionKind::{ClaimAccepted, ClaimRefused, Confirmed, Declared, Penalty, Rejected};
    let finding = |decision: &Decision| decision.finding.map(|key| key.id);
    let claim = |decision: &Decision| decision.claim.as_ref().map(|claim| (claim.side, claim.ground));
    match (earlier.kind, later.kind) {
        (Confirmed | Rejected, Confirmed | Rejected) if finding(earlier) == finding(later) => true,
        // Penalties for the same illegal move are compared by their alarms.
        (Penalty, Penalty) => false,
        (ClaimRefused | ClaimAccepted, ClaimRefused | ClaimAccepted) if claim(earlier) == claim(later) => true,
        // A rejection concerns only one finding.
        (_, Rejected) => false,
        (Declared, Declared) => true,
        (_, later_kind) => {
            let ends = earlier.decides_game() && earlier.result != GameResult::Open;
            ends && later.decides_game() && (later.result != GameResult::Open || later_kind == Declared)
        }
    }
}
