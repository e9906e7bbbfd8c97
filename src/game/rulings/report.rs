//! Findings as they are numbered and reported, and the one to be shown with its decision.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use super::RulingRecord;
use super::decide::flag_side;
use crate::clock::Chessclock;
use crate::decision::{Decision, Ruling};
use crate::effect::Effect;
use crate::laws::adjudicate::Subject;
use crate::laws::finding::Finding;
use crate::seen::Play;

/// What a review of the findings means for others.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// How many findings are new or say something else.
    pub(crate) revised: u32,
    /// The ruling to be shown may be another one.
    pub(crate) changed: bool,
    /// Flags that were ruled on and await a ruling again.
    pub(crate) open_again: Vec<Color>,
}

impl RulingRecord {
    /// Keeps these findings, and reports those that are new or say something else than before.
    pub(super) fn keep(&mut self, subjects: Vec<Subject>, mut findings: Vec<Finding>, out: &mut Vec<Effect>) -> News {
        let known = core::mem::take(&mut self.findings);
        let known_on = core::mem::take(&mut self.findings_on);
        let mut news = News { changed: known_on.iter().any(|subject| !subjects.contains(subject)), ..News::default() };
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
                    // What was ruled on is something else now.
                    news.open_again.extend(flag_side(before).filter(|_| self.decisions.settled(before).is_some()));
                    finding.revision += 1;
                }
                None => {
                    self.findings_numbered += 1;
                    finding.id = self.findings_numbered;
                }
            }
            news.changed = true;
            news.revised += 1;
            out.push(Effect::Finding(Box::new(finding.clone())));
        }
        self.findings = findings;
        self.findings_on = subjects;
        news
    }

    /// The flags of `side` are about to be taken back. What was found on the other flags keeps its number, and so what was ruled on it;
    /// the rest is found anew.
    pub(crate) fn forget_findings_of(&mut self, side: Color, clock: &Chessclock) {
        let mut left = 0;
        let places: Vec<Option<usize>> = clock
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

    /// The last finding or decision in full, and the number of its game: an earlier one until this game, which has this number, has
    /// something of its own or a move.
    pub(crate) fn shown(&self, game: u32) -> Option<(u32, Ruling)> {
        let finding = self.deciding_finding();
        let own = match (finding, self.standing_decision(finding)) {
            (Some(finding), decision) => Some(Ruling::Finding { finding: Box::new(finding.clone()), decision }),
            (None, decision) => decision.map(|decision| Ruling::Decision { decision }),
        };
        own.map(|ruling| (game, ruling)).or_else(|| self.earlier_ruling.clone())
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

    /// The ruling of an earlier game is shown no more once this one has something of its own; true if that is now.
    pub(crate) fn let_earlier_ruling_go(&mut self, play: &Play) -> bool {
        let moved = !play.decoder.record.moves().is_empty() || !play.decoder.line().is_empty();
        let goes = self.earlier_ruling.is_some() && (moved || !self.findings.is_empty() || self.result.is_some());
        if goes {
            self.earlier_ruling = None;
        }
        goes
    }
}
