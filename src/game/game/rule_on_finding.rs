//! Decides on findings: an arbiter confirms or rejects one, or the event is configured to decide the certain ones at once.

use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use super::Game;
use crate::alarm::AlarmKind;
use crate::arbiter_entries::Entered;
use crate::config::Rulings;
use crate::decision::{AUTOMATIC, Claim, Decision, DecisionKind};
use crate::effect::Effect;
use crate::input::Author;
use crate::irregular::position::IllegalPosition;
use crate::laws::claim::Standing;
use crate::laws::finding::{Finding, FindingKey, FindingStatus};
use crate::laws::outcome::{GameResult, Kind, Outcome};
use crate::rulings::decide::flag_side;

impl Game {
    /// Decides as a finding proposes. The arbiter who confirms it has seen the flag at the stated time, otherwise now (6.8).
    ///
    /// # Errors
    /// Fails if the finding has changed, is confirmed already, leaves the outcome to the arbiter, or would change by the
    /// arbiter's observation.
    pub(super) fn confirm(&mut self, key: FindingKey, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let finding = self.rulings.finding_of(key)?;
        let key = FindingKey { revision: finding.revision, ..key };
        if finding.status == FindingStatus::Confirmed {
            return Err("the finding is confirmed already");
        }
        let (outcome, kind) = (finding.outcome, finding.kind);
        let result = outcome.result().ok_or("the finding leaves the result to the arbiter: use declare-result or reject")?;
        let seen = author.observed_at.or(finding.conditional.then_some(self.now)).filter(|_| finding.flag.is_some());
        if let Some(seen) = seen {
            let falls = self.seen.clock.chessclock.flags().clone();
            self.note_flag_decision(key.id, seen, Some(author));
            let mut trial = self.rulings.clone();
            trial.review(&self.case(), &mut Vec::new());
            if trial.numbered(key.id).is_none_or(|finding| finding.outcome != outcome) {
                *self.seen.clock.chessclock.flags_mut() = falls;
                return Err("the finding changes with this observation: claim the flag first, and confirm the changed finding");
            }
            self.find(out);
        }
        if result == GameResult::Open {
            self.rule_on_illegal_moves(key.id, true, author)?;
        }
        let standing = if result == GameResult::Open { Standing::Refused } else { Standing::Accepted };
        let claim = if kind == Kind::Claim { self.rule_on_claim(key, standing, author, out)? } else { None };
        self.apply_ruling((DecisionKind::Confirmed, result), key, claim, author, out);
        Ok(())
    }

    /// Rejects what a finding proposes: the game goes on, and the flag stays fallen.
    ///
    /// # Errors
    /// Fails if the finding has changed or is rejected already.
    pub(super) fn reject(&mut self, key: FindingKey, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let Finding { kind, outcome, status, flag, revision, .. } = *self.rulings.finding_of(key)?;
        let key = FindingKey { revision, ..key };
        if status == FindingStatus::Rejected {
            return Err("the finding is rejected already");
        }
        if kind == Kind::Claim && flag.is_none() && outcome == Outcome::GameGoesOn {
            return Err("the finding says that the claim is not correct: confirm it, or accept the claim with a reason");
        }
        let entered = matches!(kind, Kind::Resignation | Kind::Agreement | Kind::Claim);
        let on_board = kind == Kind::MoveOnBoard && flag.is_none();
        self.note_flag_decision(key.id, author.observed_at.unwrap_or(self.now), None);
        if !entered {
            self.find(out);
        }
        let unseen = |finding: &Finding| finding.unknown.contains(&"observation_of_illegal_position");
        let position = self.rulings.finding_of(key).is_ok_and(unseen);
        if on_board {
            self.reject_ending();
        }
        self.rule_on_illegal_moves(key.id, false, author)?;
        let claim = if kind == Kind::Claim { self.rule_on_claim(key, Standing::Refused, author, out)? } else { None };
        self.apply_ruling((DecisionKind::Rejected, GameResult::Open), key, claim, author, out);
        if position {
            // Nobody observed the position in time, so the later moves stand (A.5.2), and it no longer matters.
            self.irregular.illegal_position = IllegalPosition::default();
        }
        if entered {
            // The entry is rejected, and without it there is no finding.
            let side = match outcome {
                Outcome::WhiteWins => Some(Color::Black),
                Outcome::BlackWins => Some(Color::White),
                _ => None,
            };
            self.entries.forget(kind, side);
        }
        Ok(())
    }

    /// Enters for the illegal moves of this finding whether they count (7.5.5), as a penalty does.
    ///
    /// # Errors
    /// Fails if the game has too many entries.
    fn rule_on_illegal_moves(&mut self, id: u32, counts: bool, author: &Author) -> Result<(), &'static str> {
        let ruled = self.rulings.numbered(id).into_iter().flat_map(Finding::illegal_moves_to_rule);
        let ruled: Vec<_> = ruled.map(|it| (it.side, it.alarm, it.at)).collect();
        for (side, alarm, at) in ruled {
            let author = Author { observed_at: Some(at), ..author.clone() };
            self.add_entry(side, Entered::IllegalMove { alarm, counts }, &author)?;
        }
        Ok(())
    }

    /// Notes that an arbiter decided on the flag of this finding. Only an `observer` makes the flag count as fallen.
    fn note_flag_decision(&mut self, id: u32, at: Instant, observer: Option<&Author>) {
        let Some(index) = self.rulings.flag_of(id) else { return };
        let mut falls = self.seen.clock.chessclock.flags_mut().iter_mut().filter(|fall| !fall.after_end);
        let Some(fall) = falls.nth(index) else { return };
        // Nobody can have seen the flag before it fell.
        let at = at.min(self.now).max(fall.fell.earliest);
        fall.ruled_at.get_or_insert(at);
        if let Some(observer) = observer {
            fall.observe(at, observer.command.as_ref());
        }
        self.seen.settle_falls();
    }

    fn apply_ruling(
        &mut self,
        (kind, result): (DecisionKind, GameResult),
        key: FindingKey,
        claim: Option<Claim>,
        author: &Author,
        out: &mut Vec<Effect>,
    ) {
        if kind == DecisionKind::Rejected {
            // The next game must not begin in the same step as this ruling.
            self.seen.phase.next_set_up = self.seen.phase.next_set_up.map(|_| self.now);
        }
        let side = claim.as_ref().map(|claim| claim.side);
        let draft = Decision { result, finding: Some(key), side, claim, ..self.draft(kind, author) };
        let decision = self.record_decision(draft, out);
        // Only the result of a decision that is superseded is taken back.
        let goes_on = match self.rulings.result {
            Some(_) => self.rulings.takes_back_result(&decision),
            None => kind == DecisionKind::Rejected && self.seen.ended_without_move(),
        };
        if result != GameResult::Open || goes_on {
            self.give_result(result, out);
        }
        let Some(finding) = self.rulings.numbered(key.id) else { return };
        let side = flag_side(finding);
        self.rulings.link_last_decision_to(key.id);
        self.rulings.note_decision(&decision);
        if let Some(side) = side {
            self.alarms.settle(self.now, AlarmKind::Flag, Some(side));
            // The alarm was also about every later fall of this side.
            if self.rulings.later_fall_awaits_ruling(key.id, side, &self.seen.clock.chessclock) {
                self.alarms.raise(self.now, AlarmKind::Flag, Some(side), 0);
            }
        }
    }

    /// Decides certain findings at once, if the event is configured so. It decides nothing that an arbiter has ruled on, and
    /// nothing while a claim awaits a decision.
    pub(super) fn decide_certain_findings(&mut self, out: &mut Vec<Effect>) {
        // A move that seems to end the game on the board may still be under way.
        let perhaps_ended = self.seen.play.ending.is_none() && self.seen.play.ending_on_board().is_some();
        let doubtful = perhaps_ended || self.entries.claim_open() || self.seen.clock.setting.differs();
        if self.seen.config.rulings != Rulings::Automatic || doubtful {
            return;
        }
        while self.rulings.result.is_none() {
            let Some(key) = self.rulings.next_certain(&self.seen.config.rulebook.rules().articles) else { return };
            let author = Author { name: Some(AUTOMATIC.into()), ..Author::default() };
            if self.confirm(key, &author, out).is_err() {
                return;
            }
            self.reports.revised();
        }
    }

    /// Makes a decision, and closes the alarms that it settles.
    pub(super) fn record_decision(&mut self, decision: Decision, out: &mut Vec<Effect>) -> Decision {
        let closed_alarms = self.rulings.alarms_settled_by(&decision, &self.alarms);
        for alarm in &closed_alarms {
            self.alarms.acknowledge(self.now, *alarm);
        }
        self.reports.ruling_dirty = true;
        self.reports.arbiter_dirty = true;
        self.rulings.revision_before_decision = self.reports.rev;
        self.rulings.decide(Decision { closed_alarms, ..decision }, out)
    }
}
