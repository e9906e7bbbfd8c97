//! What was found and decided in a game.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::decisions::Decisions;
use crate::laws::adjudicate::{Found, Subject};
use crate::laws::facts::Facts;
use crate::laws::finding::Finding;
use crate::laws::outcome::GameResult;
use crate::laws::winnable::Questions;
use crate::message::Ruling;

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
}

/// What the tables said last.
#[derive(Clone, Debug)]
pub(crate) struct Adjudged {
    pub(crate) facts: Facts,
    /// Of the questions that the answer rests on.
    pub(crate) revision: u32,
    pub(crate) found: Vec<Found>,
}
