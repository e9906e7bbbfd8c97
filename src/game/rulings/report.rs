//! Numbers and reports findings, and adds the decision to the finding that is shown.

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;

use super::decide::flag_side;
use super::{RulingRecord, Subject};
use crate::clock::Chessclock;
use crate::decision::{Decision, Ruling};
use crate::effect::Effect;
use crate::laws::finding::Finding;
use crate::laws::winnable::Verdict;
use crate::seen::Play;

/// The changes for other parts that follow from a review of the findings.
#[derive(Debug, Default)]
pub(crate) struct News {
    /// The number of findings that are new or changed.
    pub(crate) revised: u32,
    /// True if the ruling to be shown may have changed.
    pub(crate) changed: bool,
    /// Sides whose flag had a ruling and awaits a ruling again.
    pub(crate) open_again: Vec<Color>,
}

/// True if both findings say the same, except for the line to a mate.
fn differs_only_in_its_line(finding: &Finding, before: &Finding) -> bool {
    let lines = matches!((&finding.winnable, &before.winnable), (Verdict::Winnable(_), Verdict::Winnable(_)));
    lines && Finding { winnable: before.winnable.clone(), ..finding.clone() } == *before
}

impl RulingRecord {
    /// Keeps these findings, and reports those that are new or changed.
    pub(super) fn keep_findings(&mut self, subjects: Vec<Subject>, mut findings: Vec<Finding>, out: &mut Vec<Effect>) -> News {
        let known = core::mem::take(&mut self.findings);
        let known_on = core::mem::take(&mut self.findings_on);
        // A finding on illegal moves stays as it was ruled on. The next illegal move has a finding of its own.
        let stays = |(finding, on): &(&Finding, &Subject)| {
            let ruled_on = matches!(on, Subject::IllegalMove(..)) && self.decisions.settled(finding).is_some();
            ruled_on && !subjects.contains(on)
        };
        let kept = known.iter().zip(&known_on).filter(stays).map(|(finding, on)| (finding.clone(), *on));
        let (kept, kept_on): (Vec<Finding>, Vec<Subject>) = kept.unzip();
        let gone = |subject: &Subject| !subjects.contains(subject) && !kept_on.contains(subject);
        let mut news = News { changed: known_on.iter().any(gone), ..News::default() };
        for (finding, subject) in findings.iter_mut().zip(&subjects) {
            match known_on.iter().position(|on| on == subject).and_then(|index| known.get(index)) {
                Some(before) => {
                    finding.id = before.id;
                    finding.revision = before.revision;
                    finding.status = before.status;
                    if finding == before {
                        continue;
                    }
                    if self.decisions.settled(finding).is_some() {
                        *finding = before.clone();
                        continue;
                    }
                    let only_line = differs_only_in_its_line(finding, before);
                    // The finding is no longer the one that was ruled on.
                    news.open_again.extend(flag_side(before).filter(|_| self.decisions.settled(before).is_some()));
                    finding.revision += 1;
                    if !only_line {
                        self.note_change(finding.id, finding.revision);
                    }
                }
                None => {
                    self.findings_numbered += 1;
                    finding.id = self.findings_numbered;
                    self.note_change(finding.id, finding.revision);
                }
            }
            finding.status = self.decisions.status_of(finding);
            news.changed = true;
            news.revised += 1;
            out.push(Effect::Finding(Box::new(finding.clone())));
        }
        (self.findings, self.findings_on) = (kept, kept_on);
        self.findings.extend(findings);
        self.findings_on.extend(subjects);
        news
    }

    /// Notes that a finding has other facts from this revision on.
    pub(super) fn note_change(&mut self, id: u32, revision: u32) {
        self.same_since.retain(|(known, _)| *known != id);
        self.same_since.push((id, revision));
    }

    /// Prepares for the removal of the flags of `side`. Findings on the other flags keep their numbers and their rulings. The
    /// rest is found again.
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
            Subject::IllegalMove(..) => Some(subject),
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

    /// The last finding or decision in full, and the number of its game, which is `game` if it is this game's own. Until this
    /// game has one of its own or a move, it is an earlier game's.
    pub(crate) fn ruling_to_show(&self, game: u32) -> Option<(u32, Ruling)> {
        let finding = self.deciding_finding();
        let own = match (finding, self.standing_decision(finding)) {
            (Some(finding), decision) => Some(Ruling::Finding { finding: Box::new(finding.clone()), decision }),
            (None, decision) => decision.map(|decision| Ruling::Decision { decision }),
        };
        own.map(|ruling| (game, ruling)).or_else(|| self.earlier_ruling.clone())
    }

    /// The decision that gave the game its result. Without a result: the decision on this finding, or that the game is broken
    /// off.
    fn standing_decision(&self, finding: Option<&Finding>) -> Option<Box<Decision>> {
        let on_finding = || match finding {
            Some(finding) => self.decisions.numbered(self.decisions.settled(finding)?),
            // The finding that was ruled on no longer exists.
            None => self.decisions.last_rejection(),
        };
        let standing = match self.result {
            Some(_) => self.decisions.result_decision(),
            None => self.decisions.restart_decision().or_else(on_finding),
        };
        standing.cloned().map(Box::new)
    }

    /// Stops showing the ruling of an earlier game once this game has one of its own, a result or a move. Returns true if
    /// this happens now.
    pub(crate) fn drop_earlier_ruling(&mut self, play: &Play) -> bool {
        let moved = !play.decoder.record.moves().is_empty() || !play.decoder.line().is_empty();
        let goes = self.earlier_ruling.is_some() && (moved || !self.findings.is_empty() || self.result.is_some());
        if goes {
            self.earlier_ruling = None;
        }
        goes
    }
}
