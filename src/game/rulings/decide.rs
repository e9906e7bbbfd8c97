//! Makes decisions on findings: fills in the content of a decision, and selects the findings that need no arbiter.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::{RulingRecord, Subject};
use crate::alarm::{Alarm, AlarmKind, Alarms};
use crate::audit::AuditEntry;
use crate::decision::{Decision, DecisionKind};
use crate::effect::Effect;
use crate::input::Author;
use crate::laws::finding::{Finding, FindingKey};
use crate::laws::outcome::{GameResult, Kind};
use crate::laws::rules::Articles;
use crate::men::color_name;

impl RulingRecord {
    /// The finding to which a command refers. A shorter line to a mate does not make it another one.
    ///
    /// # Errors
    /// Fails if there is no such finding, or if it has changed.
    pub(crate) fn finding_of(&self, key: FindingKey) -> Result<&Finding, &'static str> {
        let finding = self.numbered(key.id).ok_or("there is no such finding")?;
        let earlier = || self.earlier_revisions().any(|earlier| earlier == key);
        if finding.revision == key.revision || earlier() { Ok(finding) } else { Err("the finding has changed") }
    }

    /// The earlier revisions of findings since which nothing has changed but the line to a mate.
    pub(crate) fn earlier_revisions(&self) -> impl Iterator<Item = FindingKey> {
        self.same_since.iter().flat_map(move |(id, since)| {
            let last = self.numbered(*id).map_or(0, |finding| finding.revision);
            (*since..last).map(move |revision| FindingKey { id: *id, revision })
        })
    }

    /// The finding with this number.
    pub(crate) fn numbered(&self, id: u32) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.id == id)
    }

    /// The index of the flag to which the finding with this number belongs, among the flags that count; none if it concerns
    /// no flag.
    pub(crate) fn flag_of(&self, id: u32) -> Option<usize> {
        let index = self.findings.iter().position(|finding| finding.id == id)?;
        match self.findings_on.get(index)? {
            Subject::Flag(flag) => Some(*flag),
            Subject::IllegalMove(..) | Subject::Game => None,
        }
    }

    /// A decision of this kind, with what follows from its author and from the game.
    pub(crate) fn draft(&self, game_no: u32, now: Instant, kind: DecisionKind, author: &Author) -> Decision {
        Decision {
            number: 0,
            game_no,
            kind,
            result: self.result.unwrap_or(GameResult::Open),
            side: None,
            finding: self.deciding_finding().map(key),
            claim: None,
            penalty: None,
            by: author.name.clone(),
            by_organiser: false,
            reason: author.reason.clone(),
            command: author.command.clone(),
            observed_at: author.observed_at,
            at: now,
            supersedes: None,
            closed_alarms: Vec::new(),
        }
    }

    /// Keeps and reports a decision. It gets its number here.
    pub(crate) fn decide(&mut self, decision: Decision, out: &mut Vec<Effect>) -> Decision {
        let illegal_moves = self.illegal_moves_ruled(&decision);
        let rejected = decision.finding.filter(|_| decision.kind == DecisionKind::Rejected);
        let rejects = rejected.and_then(|key| self.numbered(key.id)).map(|finding| finding.kind);
        let decision = self.decisions.add(decision, rejects, illegal_moves);
        out.push(Effect::Audit(AuditEntry::Decision(Box::new(decision.clone()))));
        decision
    }

    /// Gives each finding the status that it has by this decision. A finding that the decision is about, or whose status changes,
    /// gets another revision, so that nobody decides on it without knowing of the decision.
    pub(crate) fn note_decision(&mut self, decision: &Decision) {
        let about = decision.finding.filter(|_| decision.decides_game()).map(|key| key.id);
        let mut changed = Vec::new();
        for finding in &mut self.findings {
            let status = self.decisions.status_of(finding);
            if status != finding.status || about == Some(finding.id) {
                finding.status = status;
                finding.revision += 1;
                changed.push((finding.id, finding.revision));
            }
        }
        for (id, revision) in changed {
            self.note_change(id, revision);
        }
    }

    /// Notes that the last decision was about the finding with this number, in its present form.
    pub(crate) fn link_last_decision_to(&mut self, id: u32) {
        if let Some(finding) = self.findings.iter().find(|finding| finding.id == id) {
            self.decisions.link_last_decision(finding);
        }
    }

    /// True if this decision takes back the result that the game has.
    pub(crate) fn takes_back_result(&self, decision: &Decision) -> bool {
        let earlier = decision.supersedes.and_then(|number| self.decisions.numbered(number));
        earlier.map(|earlier| earlier.result) == self.result
    }

    /// The first finding without a decision, if this finding is certain. An ending on the board alone is left to an arbiter.
    pub(crate) fn next_certain(&self, articles: &Articles) -> Option<FindingKey> {
        let open = self.findings.iter().find(|finding| !self.decisions.any_about(finding.id));
        open.filter(|finding| is_certain(finding, articles) && !self.is_undisputed_ending(finding)).map(key)
    }

    /// The numbers of the open alarms that a decision settles: by a result, of every flag, of every ending on the board and of
    /// kings in the centre; by a ruling on a finding, of its flag, its ending or its illegal moves; by a penalty, of the illegal move.
    pub(crate) fn alarms_settled_by(&self, decision: &Decision, alarms: &Alarms) -> Vec<u32> {
        let ends = decision.decides_game() && decision.result != GameResult::Open;
        let ruled = decision.finding.filter(|key| decision.rules_on(key.id)).and_then(|key| self.numbered(key.id));
        let flag = ruled.and_then(flag_side);
        let ending = ruled.is_some_and(|finding| finding.flag.is_none() && finding.kind == Kind::MoveOnBoard);
        let illegal_moves = self.illegal_moves_ruled(decision);
        let meant = |alarm: &&Alarm| match alarm.kind {
            AlarmKind::Flag => ends || (flag.is_some() && alarm.side == flag),
            AlarmKind::KingsInCentre => ends,
            kind if kind.is_ending() => ends || ending,
            _ => illegal_moves.contains(&alarm.id),
        };
        alarms.open().filter(meant).map(|alarm| alarm.id).collect()
    }
}

/// The key of this revision of the finding.
fn key(finding: &Finding) -> FindingKey {
    FindingKey { id: finding.id, revision: finding.revision }
}

/// The side whose flag the finding is about; none if it concerns no flag.
pub(crate) fn flag_side(finding: &Finding) -> Option<Color> {
    [Color::White, Color::Black].into_iter().find(|side| finding.flag == Some(color_name(*side)))
}

/// True if nothing about the finding is contested, open or unknown, somebody has observed the fall, and it does not concern
/// an illegal move. The illegal move that loses has the Article `illegal_again` where a flag fell as well (7.5.5).
fn is_certain(finding: &Finding, articles: &Articles) -> bool {
    let known = finding.alternatives.is_empty() && finding.unknown.is_empty();
    let illegal = finding.kind == Kind::IllegalMove || articles.on_illegal_moves(&finding.articles);
    let doubt = finding.contested || finding.conditional || illegal;
    known && !doubt && finding.outcome.result().is_some()
}
