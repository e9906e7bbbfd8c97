//! Findings as they are told: which are new or say something else, their numbers, and the one to be shown with its decision.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use crate::alarm::AlarmKind;
use crate::decide::flag_side;
use crate::effect::Effect;
use crate::game::Game;
use crate::laws::adjudicate::Subject;
use crate::laws::finding::Finding;
use crate::message::{Decision, Ruling};

impl Game {
    /// Keeps these findings, and sends those that are new or say something else than before.
    pub(crate) fn tell_findings(&mut self, subjects: Vec<Subject>, mut findings: Vec<Finding>, out: &mut Vec<Effect>) {
        let known = core::mem::take(&mut self.rulings.findings);
        let known_on = core::mem::take(&mut self.rulings.findings_on);
        let mut changed = known_on.iter().any(|subject| !subjects.contains(subject));
        for (finding, subject) in findings.iter_mut().zip(&subjects) {
            match known_on.iter().position(|on| on == subject).and_then(|index| known.get(index)) {
                Some(before) => {
                    finding.id = before.id;
                    finding.revision = before.revision;
                    if finding == before {
                        continue;
                    }
                    if self.rulings.decisions.settled(finding).is_some() {
                        *finding = before.clone();
                        continue;
                    }
                    if let Some(side) = flag_side(before).filter(|_| self.rulings.decisions.settled(before).is_some()) {
                        // What was ruled on is something else now.
                        self.alarms.raise(self.now, AlarmKind::Flag, Some(side), 0);
                    }
                    finding.revision += 1;
                }
                None => {
                    self.rulings.findings_numbered += 1;
                    finding.id = self.rulings.findings_numbered;
                }
            }
            changed = true;
            self.revised();
            out.push(Effect::Finding(Box::new(finding.clone())));
        }
        self.reports.ruling_dirty |= changed;
        self.rulings.findings = findings;
        self.rulings.findings_on = subjects;
    }

    /// The flags of `side` are about to be taken back. What was found on the other flags keeps its number, and so what was ruled on it;
    /// the rest is found anew.
    pub(crate) fn forget_findings_of(&mut self, side: Color) {
        let mut left = 0;
        let places: Vec<Option<usize>> = self
            .seen
            .clock
            .chessclock
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
        let known = core::mem::take(&mut self.rulings.findings).into_iter().zip(core::mem::take(&mut self.rulings.findings_on));
        for (finding, subject) in known {
            if let Some(subject) = place(subject) {
                self.rulings.findings.push(finding);
                self.rulings.findings_on.push(subject);
            }
        }
    }

    /// The last finding or decision in full, and the number of its game: an earlier one until this game has something of its
    /// own or a move.
    pub fn ruling(&self) -> Option<(u32, Ruling)> {
        let finding = self.deciding_finding();
        let own = match (finding, self.standing_decision(finding)) {
            (Some(finding), decision) => Some(Ruling::Finding { finding: Box::new(finding.clone()), decision }),
            (None, decision) => decision.map(|decision| Ruling::Decision { decision }),
        };
        own.map(|ruling| (self.seen.phase.number, ruling)).or_else(|| self.rulings.earlier_ruling.clone())
    }

    /// The decision that gave the game its result; without one, that on this finding, or that the game is broken off.
    fn standing_decision(&self, finding: Option<&Finding>) -> Option<Box<Decision>> {
        let on_finding = || match finding {
            Some(finding) => self.rulings.decisions.numbered(self.rulings.decisions.settled(finding)?),
            // With what it was on it is gone.
            None => self.rulings.decisions.of_rejected(),
        };
        let standing = match self.rulings.result {
            Some(_) => self.rulings.decisions.of_result(),
            None => self.rulings.decisions.of_restart().or_else(on_finding),
        };
        standing.cloned().map(Box::new)
    }

    pub(crate) fn let_earlier_ruling_go(&mut self) {
        let moved = !self.seen.play.decoder.record.moves().is_empty() || !self.seen.play.decoder.line().is_empty();
        if self.rulings.earlier_ruling.is_some() && (moved || !self.rulings.findings.is_empty() || self.rulings.result.is_some())
        {
            self.rulings.earlier_ruling = None;
            self.reports.ruling_dirty = true;
        }
    }
}
