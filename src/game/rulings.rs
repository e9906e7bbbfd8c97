//! What the Laws say once a flag has fallen: the facts of the game put to the decision table.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::time::Duration;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;
use shakmaty::fen::Fen;
use shakmaty::{Chess, EnPassantMode};

use crate::alarm::AlarmKind;
use crate::clock::flag::{FlagFall, FlagPath};
use crate::decide::flag_side;
use crate::effect::Effect;
use crate::game::Game;
use crate::interval::Interval;
use crate::laws::adjudicate::{Found, Subject, adjudicate};
use crate::laws::finding::{Finding, Kind, Outcome, Phase};
use crate::laws::rules::Table;
use crate::laws::winnable::Answer;
use crate::men;
use crate::message::{AuditBody, Decision, Ruling};

/// With nothing moved for this long before the fall the game may have ended without a word (row 9); players do think for half
/// an hour, and then the fall is theirs.
const LONG_PAUSE: Duration = Duration::from_secs(45 * 60);

impl Game {
    /// Applies the rulebook to what is known now, and tells what is new about it.
    pub(crate) fn find(&mut self, out: &mut Vec<Effect>) {
        let falls: Vec<FlagFall> = self.clock.flags().iter().filter(|fall| !fall.after_end).cloned().collect();
        let mut aside: Vec<bool> = (0..falls.len()).map(|index| self.is_set_aside(index)).collect();
        loop {
            let (subjects, findings) = self.find_with(&falls, &aside, out);
            // A ruling on a flag holds as long as what it rested on.
            let counts_again = subjects.iter().zip(&findings).find_map(|(subject, finding)| match *subject {
                Subject::Flag(index) if aside[index] && !self.holds(*subject, finding) => Some(index),
                _ => None,
            });
            match counts_again {
                Some(index) => aside[index] = false,
                None => return self.tell_findings(subjects, findings, out),
            }
        }
    }

    /// The findings, with these flags set aside.
    fn find_with(&mut self, falls: &[FlagFall], aside: &[bool], out: &mut Vec<Effect>) -> (Vec<Subject>, Vec<Finding>) {
        let mut facts = self.facts(falls);
        for (flag, aside) in facts.flags.iter_mut().zip(aside) {
            flag.set_aside = *aside;
            if facts.rulebook.rules().table == Table::UsChess {
                flag.forced_win = self.forced_wins.on(flag);
            }
        }
        let mut asks = Vec::new();
        let questions = &mut self.questions;
        let mut oracle = |position: &Chess, side| {
            let mut ask = None;
            let verdict = questions.verdict(position, side, &mut ask);
            asks.extend(ask.map(Effect::Ask));
            verdict
        };
        let found = adjudicate(&facts, &mut oracle);
        out.extend(asks);
        let mut findings = Vec::with_capacity(found.len());
        let mut subjects = Vec::with_capacity(found.len());
        for found in found {
            // A game that a move ended on the board needs no ruling, unless somebody says otherwise.
            let needless = found.kind == Kind::MoveOnBoard && found.subject == Subject::Game && facts.undisputed();
            if !needless {
                subjects.push(found.subject);
                findings.push(self.finding(found, falls));
            }
        }
        (subjects, findings)
    }

    /// The last finding on it.
    pub(crate) fn finding_on(&self, subject: Subject) -> Option<&Finding> {
        self.findings.get(self.findings_on.iter().position(|on| *on == subject)?)
    }

    /// It was decided that the game goes on after this flag.
    fn is_set_aside(&self, index: usize) -> bool {
        self.finding_on(Subject::Flag(index)).is_some_and(|finding| self.decisions.settled(finding).is_some())
    }

    /// What was decided on it goes for this finding, which has no number yet.
    fn holds(&self, subject: Subject, finding: &Finding) -> bool {
        let known = self.finding_on(subject).map(|known| Finding { id: known.id, ..finding.clone() });
        known.is_some_and(|finding| self.decisions.settled(&finding).is_some())
    }

    fn finding(&mut self, found: Found, falls: &[FlagFall]) -> Finding {
        let fall = match found.subject {
            Subject::Flag(index) => falls.get(index),
            Subject::Game => None,
        };
        let mut unknown = found.unknown;
        if fall.is_some() && self.control.is_none() && !unknown.contains(&"time_control") {
            unknown.push("time_control");
        }
        if self.config.rulebook.rules().table == Table::Club && self.decoder.record.with_queens(usize::MAX).is_some() {
            unknown.push("rook_or_queen");
        }
        if fall.is_some_and(|fall| fall.path == FlagPath::ObservedByArbiter) {
            unknown.push("moment_of_expiry");
        }
        let counted = found.counted.or_else(|| self.positions(fall).0.into_iter().next());
        let (position, phase) = match &counted {
            Some(counted) => (&counted.position, counted.phase),
            None => (&self.decoder.record.node().position, Phase::Idle),
        };
        Finding {
            id: 0,
            revision: 1,
            kind: found.kind,
            profile: self.config.rulebook.to_string(),
            edition: self.config.rulebook.edition(),
            flag: fall.map(|fall| men::color_name(fall.side)),
            path: fall.map(|fall| fall.path),
            outcome: found.outcome,
            row: found.row,
            articles: found.articles.to_vec(),
            conditional: found.conditional,
            contested: found.contested,
            alternatives: found.alternatives,
            position: Fen::from_position(position, EnPassantMode::Legal).to_string(),
            phase,
            expired_at: fall.map(|fall| fall.fell.micros()),
            observed_at: fall.and_then(|fall| fall.observed_at).map(Instant::micros),
            completed: fall.and_then(|fall| self.completed_by_fall(fall)).map(|(sure, _)| sure),
            required: fall.and_then(|fall| self.required(fall)),
            last_period: fall.and_then(|fall| self.last_period(fall)),
            winnable: found.winnable,
            ended_at: found.ended.map(|ended| ended.micros()),
            readings: fall.map(|fall| self.readings(fall)).unwrap_or_default(),
            evidence: self.evidence(found.kind, fall),
            configurable: found.configurable,
            recommended: found.recommended,
            unknown,
            status: "proposed",
        }
    }

    /// The fall ended the last period; none if that is not known.
    pub(crate) fn last_period(&self, fall: &FlagFall) -> Option<bool> {
        match &self.control {
            Some(control) => self.period_of(fall).map(|period| control.is_last(period)),
            // A clock that stops for good at zero has no further period.
            None => fall.blocked.then_some(true),
        }
    }

    pub(crate) fn required(&self, fall: &FlagFall) -> Option<u32> {
        self.control.as_ref().and_then(|control| control.required(self.period_of(fall)?))
    }

    /// The period that the fall ended; none if the clock may have added the time of another one unseen.
    fn period_of(&self, fall: &FlagFall) -> Option<usize> {
        let control = self.control.as_ref()?;
        if fall.period_known || control.is_last(fall.period) {
            return Some(fall.period);
        }
        // The clock itself gave the time of a period after this fall, and only one can come.
        if fall.path == FlagPath::PeriodAtZero && control.is_last(fall.period + 1) {
            return Some(fall.period);
        }
        // With fewer moves than this period asks for no other one has begun.
        let (sure, more) = self.completed_by_fall(fall)?;
        (sure + u32::from(more) < control.required(fall.period)?).then_some(fall.period)
    }

    /// Keeps these findings, and sends those that are new or say something else than before.
    fn tell_findings(&mut self, subjects: Vec<Subject>, mut findings: Vec<Finding>, out: &mut Vec<Effect>) {
        let known = core::mem::take(&mut self.findings);
        let known_on = core::mem::take(&mut self.findings_on);
        let mut changed = known_on.iter().any(|subject| !subjects.contains(subject));
        for (finding, subject) in findings.iter_mut().zip(&subjects) {
            match known_on.iter().position(|on| on == subject).and_then(|index| known.get(index)) {
                Some(before) => {
                    finding.id = before.id;
                    finding.revision = before.revision;
                    if finding == before {
                        continue;
                    }
                    if self.decisions.settled(finding).is_some() {
                        *finding = before.clone();
                        continue;
                    }
                    if let Some(side) = flag_side(before).filter(|_| self.decisions.settled(before).is_some()) {
                        // What was ruled on is something else now.
                        self.alarms.raise(self.now, AlarmKind::Flag, Some(side), 0);
                    }
                    finding.revision += 1;
                }
                None => {
                    self.findings_numbered += 1;
                    finding.id = self.findings_numbered;
                }
            }
            changed = true;
            self.revised();
            out.push(Effect::Finding(Box::new(finding.clone())));
        }
        self.ruling_dirty |= changed;
        self.findings = findings;
        self.findings_on = subjects;
    }

    /// Moves of the flagged player completed by the fall, and whether one more may have been: the pressed one whose press came
    /// in the same report, or the one that his own next move completed at that moment (6.2.1.2).
    pub(crate) fn completed_by_fall(&self, fall: &FlagFall) -> Option<(u32, bool)> {
        if fall.counted.is_some() {
            return fall.counted;
        }
        let before = (*self.completed_before.get(fall.side))?;
        let record = &self.decoder.record;
        let (mut sure, more) = record.completed(fall.side, Some(&fall.fell));
        let total = |sure: u32| before.saturating_add_unsigned(sure).max(0) as u32;
        let mut doubtful = more > 0;
        // The least that this fall may have asked for, whichever period it ended.
        let required = self.control.as_ref().and_then(|control| control.required(fall.period));
        // One more is an open order; with several nobody knows the count.
        if more > 1 && required.is_some_and(|required| total(sure) < required) {
            return None;
        }
        if fall.path == FlagPath::ObservedByArbiter {
            // Between the last report and the observation more than one move may have been completed.
            let seen = Interval { earliest: fall.fell.latest, latest: fall.fell.latest };
            let most = record.completed(fall.side, Some(&seen)).0;
            if most > sure + 1 && required.is_some_and(|required| total(sure) < required) {
                return None;
            }
        }
        let own = || self.decoder.line.plies().iter().filter(|ply| ply.color == fall.side);
        let last_open =
            record.moves().iter().rfind(|known| known.color == fall.side).is_some_and(|known| known.completed.is_none());
        // The last of the player's own made moves completes the one before it (6.2.1.2).
        if let Some(next) = own().nth(usize::from(!last_open)).filter(|_| record.next_move_completes) {
            if next.made.before(&fall.fell) {
                sure += 1;
            } else if next.made.earliest <= fall.fell.latest {
                doubtful = true;
            }
        }
        doubtful |= fall.with_press || self.decoder.pressed_by(fall.side, fall.fell.latest);
        Some((total(sure), doubtful))
    }

    /// Keeps the counts at the falls: the moves that they rest on are about to be replaced.
    pub(crate) fn count_at_falls(&mut self) {
        let counts: Vec<_> = self.clock.flags().iter().map(|fall| self.completed_by_fall(fall)).collect();
        for (fall, counted) in self.clock.flags_mut().iter_mut().zip(counts) {
            fall.counted = counted;
        }
    }

    /// Findings are made anew, with new numbers: what was proposed under the old ones may still be on somebody's screen.
    pub(crate) fn forget_findings(&mut self) {
        self.findings.clear();
        self.findings_on.clear();
    }

    /// The flags of `side` are about to be taken back. What was found on the other flags keeps its number, and so what was ruled on it;
    /// the rest is found anew.
    pub(crate) fn forget_findings_of(&mut self, side: Color) {
        let mut left = 0;
        let places: Vec<Option<usize>> = self
            .clock
            .flags()
            .iter()
            .filter(|fall| !fall.after_end)
            .map(|fall| {
                let place = (fall.side != side).then_some(left);
                left += usize::from(fall.side != side);
                place
            })
            .collect();
        let place = |subject: Subject| match subject {
            Subject::Flag(index) => places.get(index).copied().flatten().map(Subject::Flag),
            Subject::Game => None,
        };
        let known = core::mem::take(&mut self.findings).into_iter().zip(core::mem::take(&mut self.findings_on));
        for (finding, subject) in known {
            if let Some(subject) = place(subject) {
                self.findings.push(finding);
                self.findings_on.push(subject);
            }
        }
    }

    /// A flag that may cost something awaits its ruling.
    pub(crate) fn flag_open(&self) -> bool {
        self.awaits_ruling() && self.deciding_finding().is_none_or(|finding| finding.outcome != Outcome::GameGoesOn)
    }

    /// What was found without a flag and may cost something awaits its ruling.
    pub(crate) fn entry_open(&self) -> bool {
        let costs = |finding: &Finding| finding.flag.is_none() && finding.outcome != Outcome::GameGoesOn;
        let open = |finding: &&Finding| costs(finding) && self.decisions.settled(finding).is_none();
        self.result.is_none() && self.findings.iter().any(|finding| open(&finding))
    }

    /// Something that may cost something awaits its ruling: the next game must not begin over it.
    pub(crate) fn ruling_open(&self) -> bool {
        self.flag_open() || self.entry_open()
    }

    /// The last finding or decision in full, and the number of its game: an earlier one until this game has something of its
    /// own or a move.
    pub fn ruling(&self) -> Option<(u32, Ruling)> {
        let finding = self.deciding_finding();
        let own = match (finding, self.standing_decision(finding)) {
            (Some(finding), decision) => Some(Ruling::Finding { finding: Box::new(finding.clone()), decision }),
            (None, decision) => decision.map(|decision| Ruling::Decision { decision }),
        };
        own.map(|ruling| (self.number, ruling)).or_else(|| self.earlier_ruling.clone())
    }

    /// The decision that gave the game its result; without one, that on this finding, or that the game is broken off.
    fn standing_decision(&self, finding: Option<&Finding>) -> Option<Box<Decision>> {
        let on_finding = || match finding {
            Some(finding) => self.decisions.numbered(self.decisions.settled(finding)?),
            // With what it was on it is gone.
            None => self.decisions.of_rejected(),
        };
        let standing = match self.result {
            Some(_) => self.decisions.of_result(),
            None => self.decisions.of_restart().or_else(on_finding),
        };
        standing.cloned().map(Box::new)
    }

    pub(crate) fn let_earlier_ruling_go(&mut self) {
        let moved = !self.decoder.record.moves().is_empty() || !self.decoder.line.is_empty();
        if self.earlier_ruling.is_some() && (moved || !self.findings.is_empty() || self.result.is_some()) {
            self.earlier_ruling = None;
            self.ruling_dirty = true;
        }
    }

    /// The game seems to have ended before a flag that falls now: a result was shown, the board was cleared, or nothing was
    /// moved for very long (row 9).
    pub(crate) fn apparently_over(&self) -> bool {
        let men = |men: &men::Men| men.iter().filter(|&&man| man != men::EMPTY).count();
        let cleared = self.board.known() && men(self.board.men()) * 2 < men(&self.decoder.record.node().men);
        let made = self.decoder.record.moves().last().map_or(Instant::ZERO, |record| record.made.latest);
        let moved = self.board.last_change().max(made);
        // Play that goes on after a gesture shows that it was none.
        let shown = self.hints.last().is_some_and(|hint| hint.at >= made.0);
        shown || cleared || self.now.since(moved) >= LONG_PAUSE
    }

    pub(crate) fn answer(&mut self, answer: &Answer, out: &mut Vec<Effect>) {
        if let Err(problem) = self.questions.answer(answer) {
            let problem = format!("answer {}: {problem}", answer.id);
            out.push(Effect::Audit(AuditBody::Refused { problem }));
        }
    }
}
