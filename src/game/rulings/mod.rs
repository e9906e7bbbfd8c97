//! What the Laws say of a game: findings, decisions on them, the result.

pub(crate) mod decide;
mod report;
mod review;

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::clock::Chessclock;
use crate::decision::Ruling;
use crate::decisions::Decisions;
use crate::laws::adjudicate::{Found, Subject};
use crate::laws::facts::Facts;
use crate::laws::finding::Finding;
use crate::laws::outcome::{GameResult, Outcome};
use crate::laws::winnable::{Answer, Questions};

pub(crate) use report::News;

/// Findings, decisions and the result.
#[derive(Clone, Debug, Default)]
pub(crate) struct RulingRecord {
    pub(crate) questions: Questions,
    pub(crate) findings: Vec<Finding>,
    /// What each of them is on.
    pub(crate) findings_on: Vec<Subject>,
    /// What they rest on.
    pub(crate) adjudged: Option<Box<Adjudged>>,
    /// The highest number that a finding was given.
    pub(crate) findings_numbered: u32,
    pub(crate) decisions: Decisions,
    pub(crate) result: Option<GameResult>,
    /// The last finding or decision of an earlier game, with its number: shown until this one has something of its own.
    pub(crate) earlier_ruling: Option<(u32, Ruling)>,
}

impl RulingRecord {
    /// Another game begins. The numbers of findings go on: what was proposed under the old ones may still be on somebody's screen.
    pub(crate) fn new_game(&mut self) {
        self.questions.next_game();
        self.adjudged = None;
        self.findings.clear();
        self.findings_on.clear();
        self.decisions.clear();
        self.result = None;
    }

    /// The last finding on it.
    pub(crate) fn finding_on(&self, subject: Subject) -> Option<&Finding> {
        self.findings.get(self.findings_on.iter().position(|on| *on == subject)?)
    }

    /// The first finding that costs something; the last one if none does.
    pub(crate) fn deciding_finding(&self) -> Option<&Finding> {
        self.findings.iter().find(|finding| !self.costs_nothing(finding)).or(self.findings.last())
    }

    /// The game goes on after it, or an arbiter has said so.
    pub(crate) fn costs_nothing(&self, finding: &Finding) -> bool {
        finding.outcome == Outcome::GameGoesOn || self.decisions.settled(finding).is_some()
    }

    /// A flag has fallen before the end of the game, nobody has ruled on it, and no result is known.
    pub(crate) fn flag_awaits_ruling(&self, clock: &Chessclock) -> bool {
        let falls = clock.flags().iter().filter(|fall| !fall.after_end);
        let settled = |finding: &Finding| self.decisions.settled(finding).is_some();
        let open = |index: usize| !self.finding_on(Subject::Flag(index)).is_some_and(settled);
        self.result.is_none() && falls.enumerate().any(|(index, _)| open(index))
    }

    /// What was found without a flag and may cost something awaits its ruling.
    pub(crate) fn entry_is_open(&self) -> bool {
        let costs = |finding: &Finding| finding.flag.is_none() && finding.outcome != Outcome::GameGoesOn;
        let open = |finding: &&Finding| costs(finding) && self.decisions.settled(finding).is_none();
        self.result.is_none() && self.findings.iter().any(|finding| open(&finding))
    }

    /// Something that may cost something awaits its ruling: the next game must not begin over it.
    pub(crate) fn is_pending(&self, clock: &Chessclock) -> bool {
        let costs = || self.deciding_finding().is_none_or(|finding| finding.outcome != Outcome::GameGoesOn);
        self.flag_awaits_ruling(clock) && costs() || self.entry_is_open()
    }

    /// A worker has answered a question.
    ///
    /// # Errors
    /// It does not answer what was asked, or its proof does not hold.
    pub(crate) fn answer(&mut self, answer: &Answer) -> Result<(), &'static str> {
        self.questions.answer(answer)
    }
}

/// What the tables said last.
#[derive(Clone, Debug)]
pub(crate) struct Adjudged {
    pub(crate) facts: Facts,
    /// Of the questions that the answer rests on.
    pub(crate) revision: u32,
    pub(crate) found: Vec<Found>,
}
