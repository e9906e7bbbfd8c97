//! The decisions of a game: kept in their order, superseded and never changed.

use alloc::string::String;
use alloc::vec::Vec;

use crate::decision::{Decision, DecisionKind};
use crate::laws::finding::Finding;
use crate::laws::outcome::GameResult;
use crate::laws::outcome::Kind;

/// Who decides where findings that are certain are decided without an arbiter.
pub const AUTOMATIC: &str = "automatic";

/// What a ruled finding rests on of board, clock and arbiters' records; what the daemon makes of it may change without them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Facts {
    kind: Kind,
    flag: Option<&'static str>,
    expired_at: Option<[u64; 2]>,
    ended_at: Option<[u64; 2]>,
    /// Of a flag; none = the moves that led to it were replaced since.
    position: Option<String>,
    completed: Option<u32>,
    required: Option<u32>,
    last_period: Option<bool>,
}

impl Facts {
    fn of(finding: &Finding) -> Facts {
        let of_flag = finding.flag.is_some();
        Facts {
            kind: finding.kind,
            flag: finding.flag,
            expired_at: finding.expired_at,
            // A flag that was ruled on is not another one because the game ended later.
            ended_at: finding.ended_at.filter(|_| !of_flag),
            position: of_flag.then(|| finding.position.clone()),
            completed: finding.completed,
            required: finding.required,
            last_period: finding.last_period,
        }
    }

    fn are_those_of(&self, finding: &Finding) -> bool {
        let now = Facts::of(finding);
        let position = if self.position.is_some() { now.position } else { None };
        *self == Facts { position, ..now }
    }
}

#[derive(Clone, Debug)]
struct Kept {
    decision: Decision,
    superseded: bool,
    /// Of a ruling on a finding: what that rested on.
    facts: Option<Facts>,
}

impl Kept {
    /// It says that the game goes on after this finding.
    fn lets_go_on(&self, id: u32) -> bool {
        let ruled = matches!(self.decision.kind, DecisionKind::Confirmed | DecisionKind::Rejected);
        let about = self.decision.finding.is_some_and(|key| key.id == id);
        !self.superseded && ruled && about && self.decision.result == GameResult::Open
    }
}

/// The decisions of one game, at most [`Decisions::MAX`]; those that give way are in the journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decisions {
    kept: Vec<Kept>,
    numbered: u32,
    /// What the finding is on that is rejected next.
    rejects: Option<Kind>,
}

impl Decisions {
    /// More than any game sees.
    pub(crate) const MAX: usize = 64;

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Decision> {
        self.kept.iter().map(|kept| &kept.decision)
    }

    /// Keeps a decision: gives it its number and the one that it takes the place of.
    pub(crate) fn add(&mut self, decision: Decision) -> Decision {
        // An agreement and an accepted claim were decided before anything was found of them.
        let entered = match self.rejects.take() {
            Some(Kind::Agreement) => Some(DecisionKind::Agreed),
            Some(Kind::Claim) => Some(DecisionKind::ClaimAccepted),
            _ => None,
        };
        let of_entry = |earlier: &Decision| decides_game(earlier) && entered == Some(earlier.kind);
        let last =
            |meant: &dyn Fn(&Decision) -> bool| self.kept.iter().rposition(|kept| !kept.superseded && meant(&kept.decision));
        let place = last(&of_entry).or_else(|| last(&|earlier| same_matter(earlier, &decision)));
        let before = place.and_then(|place| self.kept.get_mut(place));
        let supersedes = before.map(|before| {
            before.superseded = true;
            before.decision.number
        });
        if self.kept.len() == Decisions::MAX {
            let gives_way = self.kept.iter().position(|kept| kept.superseded || !decides_game(&kept.decision));
            self.kept.remove(gives_way.unwrap_or(0));
        }
        self.numbered += 1;
        let decision = Decision { number: self.numbered, supersedes, ..decision };
        self.kept.push(Kept { decision: decision.clone(), superseded: false, facts: None });
        decision
    }

    /// The next decision rejects a finding of this kind.
    pub(crate) fn next_rejects(&mut self, kind: Option<Kind>) {
        self.rejects = kind;
    }

    /// The last decision was about this finding as it is now.
    pub(crate) fn last_was_about(&mut self, finding: &Finding) {
        if let Some(last) = self.kept.last_mut() {
            last.facts = Some(Facts::of(finding));
        }
    }

    /// The moves that led to the positions are replaced: what was ruled stays ruled.
    pub(crate) fn forget_positions(&mut self) {
        self.kept.iter_mut().filter_map(|kept| kept.facts.as_mut()).for_each(|facts| facts.position = None);
    }

    /// The number of the decision that the game goes on after this finding, which rests on what it rested on then.
    pub(crate) fn settled(&self, finding: &Finding) -> Option<u32> {
        let last = self.kept.iter().rfind(|kept| kept.lets_go_on(finding.id))?;
        let same = last.facts.as_ref().is_some_and(|facts| facts.are_those_of(finding));
        same.then_some(last.decision.number)
    }

    /// The number of the decision about this finding that stands.
    pub(crate) fn about(&self, finding: &Finding) -> Option<u32> {
        let ends = self.of_result().filter(|decision| decision.finding.is_some_and(|key| key.id == finding.id));
        ends.map(|decision| decision.number).or_else(|| self.settled(finding))
    }

    /// Somebody has decided about this finding, whatever has become of that.
    pub(crate) fn any_about(&self, id: u32) -> bool {
        let ruled = |decision: &Decision| matches!(decision.kind, DecisionKind::Confirmed | DecisionKind::Rejected);
        self.iter().any(|decision| ruled(decision) && decision.finding.is_some_and(|key| key.id == id))
    }

    /// The decision that gave the game its result.
    pub(crate) fn of_result(&self) -> Option<&Decision> {
        let standing = self.kept.iter().rev().filter(|kept| !kept.superseded).map(|kept| &kept.decision);
        standing.filter(|decision| decides_game(decision)).find(|decision| decision.result != GameResult::Open)
    }

    /// The decision of that number.
    pub(crate) fn numbered(&self, number: u32) -> Option<&Decision> {
        self.iter().find(|decision| decision.number == number)
    }

    /// The decision that broke the game off.
    pub(crate) fn of_restart(&self) -> Option<&Decision> {
        self.iter().last().filter(|decision| decision.kind == DecisionKind::Restart)
    }

    /// The last rejection that stands.
    pub(crate) fn of_rejected(&self) -> Option<&Decision> {
        let standing = self.kept.iter().rfind(|kept| !kept.superseded && decides_game(&kept.decision));
        standing.map(|kept| &kept.decision).filter(|decision| decision.kind == DecisionKind::Rejected)
    }

    /// Another game begins.
    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}

/// What becomes of the game is decided by it.
fn decides_game(decision: &Decision) -> bool {
    match decision.kind {
        DecisionKind::Confirmed | DecisionKind::Rejected | DecisionKind::Declared => true,
        DecisionKind::Agreed | DecisionKind::Restart => true,
        DecisionKind::ClaimAccepted => decision.result != GameResult::Open,
        DecisionKind::ClaimRefused | DecisionKind::Penalty => false,
    }
}

/// The later decision takes the place of the earlier one.
fn same_matter(earlier: &Decision, later: &Decision) -> bool {
    use DecisionKind::{ClaimAccepted, ClaimRefused, Confirmed, Declared, Penalty, Rejected};
    let finding = |decision: &Decision| decision.finding.map(|key| key.id);
    let claim = |decision: &Decision| decision.claim.as_ref().map(|claim| (claim.side, claim.ground));
    let alarm = |decision: &Decision| decision.penalty.and_then(|penalty| penalty.alarm);
    match (earlier.kind, later.kind) {
        (Confirmed | Rejected, Confirmed | Rejected) if finding(earlier) == finding(later) => true,
        (Penalty, Penalty) => alarm(earlier).is_some() && alarm(earlier) == alarm(later),
        (ClaimRefused | ClaimAccepted, ClaimRefused | ClaimAccepted) if claim(earlier) == claim(later) => true,
        // It says something of one finding and nothing of the rest.
        (_, Rejected) => false,
        (Declared, Declared) => true,
        (_, later_kind) => {
            let ends = decides_game(earlier) && earlier.result != GameResult::Open;
            ends && decides_game(later) && (later.result != GameResult::Open || later_kind == Declared)
        }
    }
}
