//! From findings to decisions: by an arbiter's command, or by itself where the event allows it.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::alarm::AlarmKind;
use crate::audit::AuditEntry;
use crate::clock::flag::FlagPath;
use crate::config::Rulings;
use crate::decision::{Decision, DecisionKind};
use crate::decisions::AUTOMATIC;
use crate::effect::Effect;
use crate::game::Game;
use crate::input::Author;
use crate::irregular::position::IllegalPosition;
use crate::laws::adjudicate::Subject;
use crate::laws::finding::Finding;
use crate::laws::finding::FindingKey;
use crate::laws::outcome::GameResult;
use crate::laws::outcome::{Kind, Outcome};
use crate::laws::rules::Articles;
use crate::men::color_name;
use crate::reconstruct::gesture;
use crate::reconstruct::record::How;
use crate::stage::Stage;

impl Game {
    /// What a finding proposes is decided. Who confirms it has seen the flag, now if they do not say when (6.8).
    ///
    /// # Errors
    /// The finding has changed, leaves the outcome to the arbiter, or would be another one with what the arbiter saw.
    pub(crate) fn confirm(&mut self, key: FindingKey, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let finding = self.finding_of(key)?;
        let outcome = finding.outcome;
        let result = result_of(outcome).ok_or("the finding leaves it to the arbiter: declare-result, or reject")?;
        let seen = author.observed_at.or(finding.conditional.then_some(self.now)).filter(|_| finding.flag.is_some());
        if let Some(seen) = seen {
            let mut trial = self.clone();
            trial.looked_at(key.id, seen, Some(author));
            trial.find(&mut Vec::new());
            if !trial.rulings.findings.iter().any(|finding| finding.id == key.id && finding.outcome == outcome) {
                return Err("with this observation the finding is another one: claim the flag first");
            }
            self.looked_at(key.id, seen, Some(author));
            self.find(out);
        }
        self.rule(DecisionKind::Confirmed, key, result, author, out);
        Ok(())
    }

    /// What a finding proposes is not so: the game goes on, and the flag stays fallen.
    ///
    /// # Errors
    /// The finding has changed.
    pub(crate) fn reject(&mut self, key: FindingKey, author: &Author, out: &mut Vec<Effect>) -> Result<(), &'static str> {
        let Finding { kind, outcome, .. } = *self.finding_of(key)?;
        let entered = matches!(kind, Kind::Resignation | Kind::Agreement | Kind::Claim);
        self.looked_at(key.id, author.observed_at.unwrap_or(self.now), None);
        if !entered {
            self.find(out);
        }
        let position = self.finding_of(key).is_ok_and(|finding| finding.unknown.contains(&"observation_of_illegal_position"));
        self.rule(DecisionKind::Rejected, key, GameResult::Open, author, out);
        if position {
            // Nobody observed it in time: it stands (A.5.2), and what comes later has nothing to do with it.
            self.irregular.illegal_position = IllegalPosition::default();
        }
        if entered {
            // What was entered is not so; without it there is nothing to find.
            let side = match outcome {
                Outcome::WhiteWins => Some(Color::Black),
                Outcome::BlackWins => Some(Color::White),
                _ => None,
            };
            self.desk.forget(kind, side);
        }
        Ok(())
    }

    /// The game has this result, whatever was found.
    pub(crate) fn declare(&mut self, result: GameResult, author: &Author, out: &mut Vec<Effect>) {
        self.decide(Decision { result, ..self.draft(DecisionKind::Declared, author) }, out);
        if result == GameResult::Open {
            self.desk.forget_endings();
        }
        self.give_result(result, out);
    }

    fn finding_of(&self, key: FindingKey) -> Result<&Finding, &'static str> {
        let finding = self.rulings.findings.iter().find(|finding| finding.id == key.id).ok_or("there is no such finding")?;
        if finding.revision == key.revision { Ok(finding) } else { Err("the finding has changed") }
    }

    /// An arbiter looked at the flag of the finding with this number; it is considered fallen only if an `observer` says so.
    fn looked_at(&mut self, id: u32, at: Instant, observer: Option<&Author>) {
        let now = self.now;
        let on = self
            .rulings
            .findings
            .iter()
            .position(|finding| finding.id == id)
            .and_then(|index| self.rulings.findings_on.get(index).copied());
        let Some(Subject::Flag(index)) = on else { return };
        let Some(fall) = self.seen.clock.chessclock.flags_mut().iter_mut().filter(|fall| !fall.after_end).nth(index) else {
            return;
        };
        // Nobody can have seen it before it fell.
        let at = at.min(now).max(fall.fell.earliest);
        fall.ruled_at.get_or_insert(at);
        if let Some(observer) = observer {
            fall.observe(at, observer.command.as_ref());
        }
    }

    fn rule(&mut self, kind: DecisionKind, key: FindingKey, result: GameResult, author: &Author, out: &mut Vec<Effect>) {
        let now = self.now;
        let before = self.rulings.result;
        if kind == DecisionKind::Rejected {
            self.rulings
                .decisions
                .next_rejects(self.rulings.findings.iter().find(|finding| finding.id == key.id).map(|finding| finding.kind));
            // What awaited this ruling is not followed by another game in the same step.
            self.seen.phase.next_set_up = self.seen.phase.next_set_up.map(|_| now);
        }
        let decision = self.decide(Decision { result, finding: Some(key), ..self.draft(kind, author) }, out);
        // Only the result that it takes the place of is taken back.
        let superseded =
            decision.supersedes.and_then(|number| self.rulings.decisions.numbered(number)).map(|earlier| earlier.result);
        let by_gesture = self.seen.phase.stage == Stage::Over && self.seen.play.ending.is_none();
        let goes_on = if before.is_some() { superseded == before } else { kind == DecisionKind::Rejected && by_gesture };
        if result != GameResult::Open || goes_on {
            self.give_result(result, out);
        }
        let Some(finding) = self.rulings.findings.iter().find(|finding| finding.id == key.id) else { return };
        self.rulings.decisions.last_was_about(finding);
        if let Some(side) = flag_side(finding) {
            self.alarms.settle(now, AlarmKind::Flag, Some(side));
        }
    }

    /// A decision of this kind as far as its author and the game tell it.
    pub(crate) fn draft(&self, kind: DecisionKind, author: &Author) -> Decision {
        Decision {
            number: 0,
            game_no: self.seen.phase.number,
            kind,
            result: self.rulings.result.unwrap_or(GameResult::Open),
            side: None,
            finding: self.deciding_finding().map(key),
            claim: None,
            penalty: None,
            by: author.name.clone(),
            reason: author.reason.clone(),
            command: author.command.clone(),
            observed_at: author.observed_at,
            at: self.now,
            supersedes: None,
        }
    }

    pub(crate) fn decide(&mut self, decision: Decision, out: &mut Vec<Effect>) -> Decision {
        let decision = self.rulings.decisions.add(decision);
        out.push(Effect::Audit(AuditEntry::Decision(Box::new(decision.clone()))));
        self.reports.ruling_dirty = true;
        self.reports.arbiter_dirty = true;
        decision
    }

    /// The game has this result from now on, or none.
    pub(crate) fn give_result(&mut self, result: GameResult, out: &mut Vec<Effect>) {
        let before = self.rulings.result;
        if result == GameResult::Open {
            self.rulings.result = None;
            // Kings that still stand in the centre say nothing more.
            self.seen.phase.gesture = None;
            let ended = self.seen.play.ending;
            self.reopen();
            self.seen.play.ending = ended;
            self.seen.play.decoder.board_changed(self.now, &self.seen.board);
        } else {
            self.rulings.result = Some(result);
            // It is told before the next game takes its place.
            self.seen.phase.next_set_up = self.seen.phase.next_set_up.map(|_| self.now);
            self.keep_what_stood(out);
            self.seen.play.decoder.forget_tentative();
            self.over(out);
        }
        // Nobody else may guess from a picture in which nothing changed that an arbiter did something.
        self.reports.live_dirty |= self.rulings.result != before;
        self.reports.ruling_dirty = true;
    }

    /// A move that stood on the board when play stopped was made, pressed or not; what came after the clocks stopped is analysis.
    fn keep_what_stood(&mut self, out: &mut Vec<Effect>) {
        let stopped = self.seen.clock.chessclock.present() && self.seen.clock.chessclock.runs().is_none();
        let until = if stopped { self.seen.clock.chessclock.changed_at() } else { self.now };
        let times = self.seen.clock.view().times;
        let stood =
            self.seen.play.decoder.line().plies().iter().take_while(|ply| ply.made.latest <= until && !gesture::is_half(ply.mv));
        let stood: Vec<_> = stood.map(|ply| (ply.mv, ply.made)).collect();
        for (mv, made) in stood {
            self.seen.play.decoder.record.push(mv, made, None, How::Stood, times);
            out.push(Effect::Move(self.sure_move(self.seen.play.decoder.record.moves().len() - 1)));
        }
    }

    /// The arbiter begins another game in the middle of this one (7.2, 7.3).
    pub(crate) fn break_off(&mut self, author: &Author, out: &mut Vec<Effect>) {
        let played = self.seen.phase.stage == Stage::Playing
            && (!self.seen.play.decoder.record.moves().is_empty() || self.awaits_ruling());
        if played && self.rulings.result.is_none() {
            self.decide(self.draft(DecisionKind::Restart, author), out);
        }
    }

    /// Where the event has it so, a finding that is certain is decided as it is made. What an arbiter has ruled on is theirs, and
    /// so is everything while a claim awaits them.
    pub(crate) fn decide_what_is_certain(&mut self, out: &mut Vec<Effect>) {
        // What seems to end the game on the board may still be a move under way.
        let perhaps_ended = self.seen.play.ending.is_none() && self.seen.play.ending_on_board().is_some();
        let doubtful = perhaps_ended || self.desk.claim_open() || self.seen.clock.setting.differs();
        if self.seen.config.rulings != Rulings::Automatic || doubtful {
            return;
        }
        let articles = &self.seen.config.rulebook.rules().articles;
        while self.rulings.result.is_none() {
            let open = self.rulings.findings.iter().find(|finding| !self.rulings.decisions.any_about(finding.id));
            let Some(key) = open.filter(|finding| is_certain(finding, articles)).map(key) else { return };
            let author = Author { name: Some(AUTOMATIC.into()), ..Author::default() };
            if self.confirm(key, &author, out).is_err() {
                return;
            }
            self.revised();
        }
    }

    /// The event's regulations name this device as an observer (6.8): a flag is considered fallen when its sign was read.
    pub(crate) fn device_observes(&mut self, side: Color) {
        let now = self.now;
        if self.seen.config.observer
            && !self.seen.config.rulebook.only_players_call()
            && let Some(fall) = self.seen.clock.chessclock.flags_mut().last_of(side)
            && fall.path != FlagPath::ObservedByArbiter
        {
            fall.observe(now, None);
        }
    }
}

/// One revision of this finding.
pub(crate) fn key(finding: &Finding) -> FindingKey {
    FindingKey { id: finding.id, revision: finding.revision }
}

/// Whose flag it is about, if it is about one.
pub(crate) fn flag_side(finding: &Finding) -> Option<Color> {
    [Color::White, Color::Black].into_iter().find(|side| finding.flag == Some(color_name(*side)))
}

/// The result that an outcome gives; none if it is left open.
const fn result_of(outcome: Outcome) -> Option<GameResult> {
    match outcome {
        Outcome::WhiteWins => Some(GameResult::WhiteWins),
        Outcome::BlackWins => Some(GameResult::BlackWins),
        Outcome::Draw => Some(GameResult::Draw),
        Outcome::GameGoesOn => Some(GameResult::Open),
        Outcome::Undecided | Outcome::ResultNotEntered => None,
    }
}

/// Nothing about it is contested, open or unknown, somebody has observed the fall, and it is not about an illegal move: the one
/// that loses stands under `illegal_again` where a flag fell as well (7.5.5).
fn is_certain(finding: &Finding, articles: &Articles) -> bool {
    let known = finding.alternatives.is_empty() && finding.unknown.is_empty();
    let illegal = finding.kind == Kind::IllegalMove || articles.on_illegal_moves(&finding.articles);
    let doubt = finding.contested || finding.conditional || illegal;
    known && !doubt && result_of(finding.outcome).is_some()
}
