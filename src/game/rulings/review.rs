//! Applies the decision tables to the facts of a game.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::time::Instant;
use shakmaty::Chess;

use super::illegal_moves::subject_without_flag;
use super::{Adjudged, News, RulingRecord, Subject};
use crate::alarm::AlarmKind;
use crate::case::Case;
use crate::clock::flag::{FlagFall, FlagPath};
use crate::effect::Effect;
use crate::laws::adjudicate::{Found, Subject as FoundOn, adjudicate};
use crate::laws::facts::{Counted, Facts};
use crate::laws::finding::Finding;
use crate::laws::outcome::{Kind, Phase};
use crate::laws::rules::Table;
use crate::men;

impl RulingRecord {
    /// Applies the rulebook to what is known now, and reports what is new.
    pub(crate) fn review(&mut self, case: &Case<'_>, out: &mut Vec<Effect>) -> News {
        let flags = case.seen.clock.chessclock.flags();
        let falls: Vec<FlagFall> = flags.iter().filter(|fall| !fall.after_end).cloned().collect();
        let mut aside: Vec<bool> = (0..falls.len()).map(|index| self.is_set_aside(index)).collect();
        loop {
            let (subjects, findings) = self.find_findings(case, &falls, &aside, out);
            // A ruling on a flag holds only as long as the facts on which it rests.
            let counts_again = subjects.iter().zip(&findings).find_map(|(subject, finding)| match *subject {
                Subject::Flag(index) if aside[index] && !self.decision_applies(*subject, finding) => Some(index),
                _ => None,
            });
            match counts_again {
                Some(index) => aside[index] = false,
                None => return self.keep_findings(subjects, findings, out),
            }
        }
    }

    /// The findings while these flags are set aside.
    fn find_findings(
        &mut self,
        case: &Case<'_>,
        falls: &[FlagFall],
        aside: &[bool],
        out: &mut Vec<Effect>,
    ) -> (Vec<Subject>, Vec<Finding>) {
        let mut facts = case.facts(falls);
        let flags = facts.flags.iter_mut().zip(aside);
        for (flag, aside) in flags.chain(facts.exchanged_flags.iter_mut().zip(aside)) {
            flag.set_aside = *aside;
            if facts.rulebook.rules().table == Table::UsChess {
                let wins = |counted: &Counted| self.questions.forced_win(&counted.position, flag.side.other());
                flag.forced_wins = flag.positions.iter().map(wins).collect();
            }
        }
        let found = self.adjudicate_once(&facts, out);
        let mut findings = Vec::with_capacity(found.len());
        let mut subjects = Vec::with_capacity(found.len());
        for found in found {
            // If a mate or stalemate ended the game, no ruling is needed, unless an entry contradicts it. Players may not have
            // noticed another ending.
            let noticed = case.seen.play.ending.and_then(|(ending, ..)| AlarmKind::of_ending(ending)).is_none();
            let on_board = found.kind == Kind::MoveOnBoard && found.subject == FoundOn::Game;
            let needless = on_board && noticed && facts.undisputed();
            if !needless {
                let (on, offender) = (found.subject, found.offender);
                let mut finding = case.finding(found, falls);
                if finding.kind == Kind::IllegalMove || offender.is_some() {
                    finding.illegal_moves = self.illegal_moves(case, &facts);
                }
                subjects.push(match on {
                    FoundOn::Flag(index) => Subject::Flag(index),
                    FoundOn::Game => subject_without_flag(&finding),
                });
                findings.push(finding);
            }
        }
        (subjects, findings)
    }

    /// The result of the tables for these facts. While a flag awaits its ruling, the same facts come with every step.
    fn adjudicate_once(&mut self, facts: &Facts, out: &mut Vec<Effect>) -> Vec<Found> {
        let revision = self.questions.revision();
        if let Some(known) = self.adjudged.as_ref().filter(|known| known.revision == revision && known.facts == *facts) {
            return known.found.clone();
        }
        let questions = &mut self.questions;
        let mut oracle = |position: &Chess, side| {
            let mut ask = None;
            let verdict = questions.verdict(position, side, &mut ask);
            out.extend(ask.map(Effect::Ask));
            verdict
        };
        let found = adjudicate(facts, &mut oracle);
        // A new question may have displaced an older one.
        let settled = self.questions.revision() == revision;
        self.adjudged = settled.then(|| Box::new(Adjudged { facts: facts.clone(), revision, found: found.clone() }));
        found
    }

    /// True if it was decided that the game goes on after this flag.
    fn is_set_aside(&self, index: usize) -> bool {
        self.finding_on(Subject::Flag(index)).is_some_and(|finding| self.decisions.settled(finding).is_some())
    }

    /// True if the earlier decision still applies to this finding, which has no number yet.
    fn decision_applies(&self, subject: Subject, finding: &Finding) -> bool {
        let known = self.finding_on(subject).map(|known| Finding { id: known.id, ..finding.clone() });
        known.is_some_and(|finding| self.decisions.settled(&finding).is_some())
    }
}

impl Case<'_> {
    /// A finding in full, without a number.
    fn finding(&self, mut found: Found, falls: &[FlagFall]) -> Finding {
        let fall = match found.subject {
            FoundOn::Flag(index) => falls.get(index),
            FoundOn::Game => None,
        };
        let (rulebook, decoder) = (&self.seen.config.rulebook, &self.seen.play.decoder);
        let unknown = &mut found.unknown;
        if fall.is_some() && self.seen.clock.control.is_none() && !unknown.contains(&"time_control") {
            unknown.push("time_control");
        }
        if rulebook.rules().table == Table::Club && decoder.record.with_queens(usize::MAX).is_some() {
            unknown.push("rook_or_queen");
        }
        if fall.is_some_and(|fall| fall.path == FlagPath::ObservedByArbiter) {
            unknown.push("moment_of_expiry");
        }
        let claimed_at = found.ended.filter(|_| found.kind == Kind::Claim && fall.is_none());
        let claimed = claimed_at.and_then(|at| self.claim_of(at));
        let (claim, claimed_in) = claimed.map_or((None, None), |(claim, position)| (Some(claim.clone()), position));
        let on_board = found.kind == Kind::MoveOnBoard && fall.is_none();
        let ended = || if on_board { self.position_of_ending() } else { None };
        let counted = found.counted.take().or(claimed_in).or_else(ended).or_else(|| self.positions(fall).0.into_iter().next());
        let (position, phase) = match &counted {
            Some(counted) => (&counted.position, counted.phase),
            None => (&decoder.record.node().position, Phase::Idle),
        };
        Finding {
            made: (phase == Phase::Made).then(|| self.made_move(position, fall)).flatten(),
            flag: fall.map(|fall| men::color_name(fall.side)),
            fall: fall.map(|fall| fall.number),
            path: fall.map(|fall| fall.path),
            expired_at: fall.map(|fall| fall.fell.micros()),
            observed_at: fall.and_then(|fall| fall.observed_at).map(Instant::micros),
            completed: fall.and_then(|fall| self.completed_by_fall(fall)).map(|(sure, _)| sure),
            required: fall.and_then(|fall| self.required(fall)),
            last_period: fall.and_then(|fall| self.last_period(fall)),
            readings: fall.map(|fall| self.readings(fall)).unwrap_or_default(),
            evidence: self.evidence(found.kind, fall),
            claim,
            ..Finding::of(found, rulebook, position, phase)
        }
    }
}
