//! What the Laws say once a flag has fallen: the facts of the game put to the decision table.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use crate::clock::flag::{FlagFall, FlagPath};
use crate::effect::Effect;
use crate::game::Game;
use crate::laws::adjudicate::{Found, Subject, adjudicate};
use crate::laws::facts::{Counted, Facts};
use crate::laws::finding::Finding;
use crate::laws::outcome::{Kind, Outcome, Phase};
use crate::laws::rules::Table;
use crate::laws::winnable::Answer;
use crate::men;
use crate::message::AuditBody;
use crate::ruling_record::Adjudged;

impl Game {
    /// Applies the rulebook to what is known now, and tells what is new about it.
    pub(crate) fn find(&mut self, out: &mut Vec<Effect>) {
        let falls: Vec<FlagFall> = self.seen.clock.chessclock.flags().iter().filter(|fall| !fall.after_end).cloned().collect();
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
        let mut facts = self.case().facts(falls);
        for (flag, aside) in facts.flags.iter_mut().zip(aside) {
            flag.set_aside = *aside;
            if facts.rulebook.rules().table == Table::UsChess {
                let wins = |counted: &Counted| self.rulings.questions.forced_win(&counted.position, flag.side.other());
                flag.forced_wins = flag.positions.iter().map(wins).collect();
            }
        }
        let found = self.adjudged(&facts, out);
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

    /// What the tables say of these facts. The same facts come with every step while a flag awaits its ruling.
    fn adjudged(&mut self, facts: &Facts, out: &mut Vec<Effect>) -> Vec<Found> {
        let revision = self.rulings.questions.revision();
        if let Some(known) = self.rulings.adjudged.as_ref().filter(|known| known.revision == revision && known.facts == *facts) {
            return known.found.clone();
        }
        let questions = &mut self.rulings.questions;
        let mut oracle = |position: &Chess, side| {
            let mut ask = None;
            let verdict = questions.verdict(position, side, &mut ask);
            out.extend(ask.map(Effect::Ask));
            verdict
        };
        let found = adjudicate(facts, &mut oracle);
        // Where something was asked, an older question may have been given up for it.
        let settled = self.rulings.questions.revision() == revision;
        self.rulings.adjudged = settled.then(|| Box::new(Adjudged { facts: facts.clone(), revision, found: found.clone() }));
        found
    }

    /// The last finding on it.
    pub(crate) fn finding_on(&self, subject: Subject) -> Option<&Finding> {
        self.rulings.findings.get(self.rulings.findings_on.iter().position(|on| *on == subject)?)
    }

    /// It was decided that the game goes on after this flag.
    fn is_set_aside(&self, index: usize) -> bool {
        self.finding_on(Subject::Flag(index)).is_some_and(|finding| self.rulings.decisions.settled(finding).is_some())
    }

    /// What was decided on it goes for this finding, which has no number yet.
    fn holds(&self, subject: Subject, finding: &Finding) -> bool {
        let known = self.finding_on(subject).map(|known| Finding { id: known.id, ..finding.clone() });
        known.is_some_and(|finding| self.rulings.decisions.settled(&finding).is_some())
    }

    fn finding(&self, mut found: Found, falls: &[FlagFall]) -> Finding {
        let fall = match found.subject {
            Subject::Flag(index) => falls.get(index),
            Subject::Game => None,
        };
        let unknown = &mut found.unknown;
        if fall.is_some() && self.seen.clock.control.is_none() && !unknown.contains(&"time_control") {
            unknown.push("time_control");
        }
        if self.seen.config.rulebook.rules().table == Table::Club
            && self.seen.play.decoder.record.with_queens(usize::MAX).is_some()
        {
            unknown.push("rook_or_queen");
        }
        if fall.is_some_and(|fall| fall.path == FlagPath::ObservedByArbiter) {
            unknown.push("moment_of_expiry");
        }
        let case = self.case();
        let counted = found.counted.take().or_else(|| case.positions(fall).0.into_iter().next());
        let (position, phase) = match &counted {
            Some(counted) => (&counted.position, counted.phase),
            None => (&self.seen.play.decoder.record.node().position, Phase::Idle),
        };
        Finding {
            flag: fall.map(|fall| men::color_name(fall.side)),
            path: fall.map(|fall| fall.path),
            expired_at: fall.map(|fall| fall.fell.micros()),
            observed_at: fall.and_then(|fall| fall.observed_at).map(Instant::micros),
            completed: fall.and_then(|fall| case.completed_by_fall(fall)).map(|(sure, _)| sure),
            required: fall.and_then(|fall| case.required(fall)),
            last_period: fall.and_then(|fall| case.last_period(fall)),
            readings: fall.map(|fall| case.readings(fall)).unwrap_or_default(),
            evidence: case.evidence(found.kind, fall),
            ..Finding::of(found, &self.seen.config.rulebook, position, phase)
        }
    }

    /// A flag that may cost something awaits its ruling.
    pub(crate) fn flag_open(&self) -> bool {
        self.awaits_ruling() && self.deciding_finding().is_none_or(|finding| finding.outcome != Outcome::GameGoesOn)
    }

    /// What was found without a flag and may cost something awaits its ruling.
    pub(crate) fn entry_open(&self) -> bool {
        let costs = |finding: &Finding| finding.flag.is_none() && finding.outcome != Outcome::GameGoesOn;
        let open = |finding: &&Finding| costs(finding) && self.rulings.decisions.settled(finding).is_none();
        self.rulings.result.is_none() && self.rulings.findings.iter().any(|finding| open(&finding))
    }

    /// Something that may cost something awaits its ruling: the next game must not begin over it.
    pub(crate) fn ruling_open(&self) -> bool {
        self.flag_open() || self.entry_open()
    }

    pub(crate) fn answer(&mut self, answer: &Answer, out: &mut Vec<Effect>) {
        if let Err(problem) = self.rulings.questions.answer(answer) {
            let problem = format!("answer {}: {problem}", answer.id);
            out.push(Effect::Audit(AuditBody::Refused { problem }));
        }
    }
}
