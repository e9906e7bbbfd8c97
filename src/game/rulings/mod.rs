//! Keeps the findings of the Laws on a game, the decisions on them, and the result.

pub(crate) mod decide;
mod illegal_moves;
mod report;
mod review;

use alloc::boxed::Box;
use alloc::vec::Vec;

use flagfall_protocols::square::Color;
use flagfall_protocols::time::Instant;

use crate::clock::Chessclock;
use crate::clock::flag::FlagFall;
use crate::decision::Ruling;
use crate::decisions::Decisions;
use crate::laws::adjudicate::Found;
use crate::laws::facts::Facts;
use crate::laws::finding::Finding;
use crate::laws::outcome::{GameResult, Kind, Outcome};
use crate::laws::winnable::{Answer, Questions};
use crate::open_matters::LeftGame;

pub(crate) use report::News;

/// What a finding is known by in its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The flag with this index among those that count.
    Flag(usize),
    /// The first of the illegal moves that it is about: its player, and when it was completed (7.5).
    IllegalMove(Color, Instant),
    /// The game.
    Game,
}

/// Findings, decisions and the result.
#[derive(Clone, Debug, Default)]
pub(crate) struct RulingRecord {
    pub(crate) questions: Questions,
    pub(crate) findings: Vec<Finding>,
    /// The subject of each finding.
    pub(crate) findings_on: Vec<Subject>,
    /// The facts and the outcome of the last adjudication.
    pub(crate) adjudged: Option<Box<Adjudged>>,
    /// The highest number of a finding so far.
    pub(crate) findings_numbered: u32,
    /// The number of each finding, and the first revision since which nothing has changed but the line to a mate. A decision on an
    /// earlier line is a decision on the same finding.
    pub(crate) same_since: Vec<(u32, u32)>,
    pub(crate) decisions: Decisions,
    /// The revision of the arbiters' state just before the last decision.
    pub(crate) revision_before_decision: u32,
    pub(crate) result: Option<GameResult>,
    /// The last finding or decision of an earlier game, with that game's number. It is shown until this game has one of its
    /// own.
    pub(crate) earlier_ruling: Option<(u32, Ruling)>,
    /// The games before this one whose results can still be entered.
    pub(crate) left: Vec<LeftGame>,
}

impl RulingRecord {
    /// Begins another game. The numbers of findings go on, because a screen may still show a proposal under an old number.
    pub(crate) fn new_game(&mut self) {
        self.questions.next_game();
        self.adjudged = None;
        self.findings.clear();
        self.findings_on.clear();
        self.same_since.clear();
        self.decisions.clear();
        self.result = None;
    }

    /// The last finding on this subject.
    pub(crate) fn finding_on(&self, subject: Subject) -> Option<&Finding> {
        self.findings.get(self.findings_on.iter().position(|on| *on == subject)?)
    }

    /// The first finding that affects the result. If none does, the last one that awaits a ruling, or else the last one.
    pub(crate) fn deciding_finding(&self) -> Option<&Finding> {
        let costs = self.findings.iter().find(|finding| !self.costs_nothing(finding));
        let open = || self.findings.iter().rfind(|finding| self.decisions.settled(finding).is_none());
        costs.or_else(open).or_else(|| self.findings.iter().max_by_key(|finding| finding.id))
    }

    /// True if the game goes on after this finding, by the Laws or by an arbiter's decision.
    pub(crate) fn costs_nothing(&self, finding: &Finding) -> bool {
        finding.outcome == Outcome::GameGoesOn || self.decisions.settled(finding).is_some()
    }

    /// The side of each flag that has fallen before the end of the game and has no ruling.
    pub(crate) fn flags_without_ruling(&self, clock: &Chessclock) -> impl Iterator<Item = Color> {
        let falls = clock.flags().iter().filter(|fall| !fall.after_end).enumerate();
        let settled = move |finding: &Finding| self.decisions.settled(finding).is_some();
        let open = move |index: usize| !self.finding_on(Subject::Flag(index)).is_some_and(settled);
        falls.filter(move |(index, _)| open(*index)).map(|(_, fall)| fall.side)
    }

    /// The flags that have fallen before the end of the game and may cost it, as far as is known.
    pub(crate) fn flags_that_may_cost<'a>(&'a self, clock: &'a Chessclock) -> impl Iterator<Item = &'a FlagFall> {
        let falls = clock.flags().iter().filter(|fall| !fall.after_end).enumerate();
        let free = move |index: usize| self.finding_on(Subject::Flag(index)).is_some_and(|finding| self.costs_nothing(finding));
        falls.filter(move |(index, _)| !free(*index)).map(|(_, fall)| fall)
    }

    /// True if a flag has fallen before the end of the game, has no ruling yet, and the game has no result.
    pub(crate) fn flag_awaits_ruling(&self, clock: &Chessclock) -> bool {
        self.result.is_none() && self.flags_without_ruling(clock).next().is_some()
    }

    /// True if a later fall of `side` than the one of the finding with this number has no ruling yet, and the game has no
    /// result.
    pub(crate) fn later_fall_awaits_ruling(&self, id: u32, side: Color, clock: &Chessclock) -> bool {
        let Some(ruled) = self.flag_of(id) else { return false };
        let settled = |finding: &Finding| self.decisions.settled(finding).is_some();
        let open = |index: usize| !self.finding_on(Subject::Flag(index)).is_some_and(settled);
        let mut falls = clock.flags().iter().filter(|fall| !fall.after_end).enumerate();
        self.result.is_none() && falls.any(|(index, fall)| index > ruled && fall.side == side && open(index))
    }

    /// True if a finding without a flag may affect the result and awaits its ruling.
    pub(crate) fn entry_is_open(&self) -> bool {
        let costs = |finding: &Finding| finding.flag.is_none() && finding.outcome != Outcome::GameGoesOn;
        let open = |finding: &&Finding| costs(finding) && self.decisions.settled(finding).is_none();
        self.result.is_none() && self.findings.iter().any(|finding| open(&finding) && !self.is_undisputed_ending(finding))
    }

    /// True if the finding is about an ending on the board, and nothing else was entered or fell. Like a mate, such an ending
    /// does not delay the next game.
    fn is_undisputed_ending(&self, finding: &Finding) -> bool {
        finding.kind == Kind::MoveOnBoard && self.adjudged.as_ref().is_some_and(|known| known.facts.undisputed())
    }

    /// True if something that may affect the result awaits its ruling. The next game must not begin before it.
    pub(crate) fn is_pending(&self, clock: &Chessclock) -> bool {
        let costs = || self.deciding_finding().is_none_or(|finding| finding.outcome != Outcome::GameGoesOn);
        self.flag_awaits_ruling(clock) && costs() || self.entry_is_open()
    }

    /// Handles a worker's answer to a question.
    ///
    /// # Errors
    /// Fails if the answer does not belong to the question, or if its proof does not hold.
    pub(crate) fn answer(&mut self, answer: &Answer) -> Result<(), &'static str> {
        self.questions.answer(answer)
    }
}

/// The last result of the decision tables.
#[derive(Clone, Debug)]
pub(crate) struct Adjudged {
    pub(crate) facts: Facts,
    /// The revision of the questions on which the result rests.
    pub(crate) revision: u32,
    pub(crate) found: Vec<Found>,
}
