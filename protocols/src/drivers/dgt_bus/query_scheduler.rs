//! What the driver of one board asks, and when it takes the board for silent. What is polled the line's master polls by itself:
//! here are only the first picture, repairs, and what the game wants.

use core::time::Duration;

use super::frame::Command;
use crate::time::Instant;

/// Nothing at all for so long: the line itself is silent. That one board of it is the line's master tells by taking the link down;
/// it hears no other board while one tells a whole log of 8.3 s, and each has its turn before the next log.
const SILENCE: Duration = Duration::from_secs(12);
/// A hole as long as this in what a board says may hide a change.
const HOLE: Duration = Duration::from_secs(2);
/// Long enough for the wishes of a whole chain, short enough to be asked again before the silence is too long.
const RETRY: Duration = Duration::from_millis(1200);
/// A whole log takes 8.3 s, behind another one perhaps.
const LOG: Duration = Duration::from_secs(20);
/// A board that does not tell its version is left alone.
const VERSION_TRIES: u8 = 5;
/// Repairs are not asked for more often than this.
const REPAIR: Duration = Duration::from_secs(1);

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Version,
    Board,
    Clock,
    Log,
}

const QUESTIONS: [(Question, Command, Duration); 4] = [
    (Question::Version, Command::SendVersion, RETRY),
    (Question::Board, Command::SendBoard, RETRY),
    (Question::Clock, Command::SendClock, RETRY),
    (Question::Log, Command::SendFromStart, LOG),
];

/// What came due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Silent,
    Ask(Command),
    /// A question went unanswered and waits again.
    Again,
    LogLost,
}

/// The questions of one link.
#[derive(Debug)]
pub(super) struct QueryScheduler {
    /// From when on each is to be asked.
    waiting: [Option<Instant>; 4],
    /// When each is asked again.
    open: [Option<Instant>; 4],
    versions: u8,
    pictured: Option<Instant>,
    heard: Option<Instant>,
}

impl QueryScheduler {
    pub(super) fn new(at: Instant) -> QueryScheduler {
        let mut scheduler = QueryScheduler { waiting: [None; 4], open: [None; 4], versions: 0, pictured: None, heard: None };
        scheduler.ask(at, Question::Version);
        scheduler.ask(at, Question::Board);
        scheduler
    }

    /// Everything anew but a log that was asked for: the line has that question still.
    pub(super) fn restart(&self, at: Instant) -> QueryScheduler {
        let mut scheduler = QueryScheduler::new(at);
        let log = Question::Log as usize;
        (scheduler.waiting[log], scheduler.open[log]) = (self.waiting[log], self.open[log]);
        scheduler
    }

    pub(super) fn ask(&mut self, at: Instant, question: Question) {
        self.waiting[question as usize].get_or_insert(at);
        self.open[question as usize] = None;
    }

    /// Something was lost: the picture is wanted, but not again and again.
    pub(super) fn request_repair(&mut self, at: Instant) {
        let from = self.pictured.map_or(at, |last| last.after(REPAIR).max(at));
        // A picture that is on its way may be from before the loss.
        self.waiting[Question::Board as usize].get_or_insert(from);
    }

    /// A frame came. True if it is the first.
    pub(super) fn on_message(&mut self, at: Instant) -> bool {
        let before = self.heard.replace(at);
        if before.is_some_and(|before| at.since(before) >= HOLE) {
            self.request_repair(at);
        }
        before.is_none()
    }

    /// The answer came.
    pub(super) fn on_answer(&mut self, at: Instant, question: Question) {
        if question == Question::Board {
            self.pictured = Some(at);
        }
        self.open[question as usize] = None;
    }

    pub(super) fn deadline(&self, addressed: bool) -> Option<Instant> {
        let waiting = self.waiting.into_iter().flatten().filter(|_| addressed);
        let open = self.open.into_iter().flatten();
        waiting.chain(open).chain(self.silent_at()).min()
    }

    fn silent_at(&self) -> Option<Instant> {
        self.heard.map(|heard| heard.after(SILENCE))
    }

    /// The next thing that is due, if any.
    pub(super) fn expire(&mut self, at: Instant, addressed: bool) -> Option<Due> {
        if self.silent_at().is_some_and(|end| end <= at) {
            return Some(Due::Silent);
        }
        for (index, (question, command, retry)) in QUESTIONS.into_iter().enumerate() {
            if self.open[index].take_if(|end| *end <= at).is_some() {
                match question {
                    Question::Log => return Some(Due::LogLost),
                    Question::Version if self.versions >= VERSION_TRIES => continue,
                    _ => {}
                }
                self.ask(at, question);
                return Some(Due::Again);
            }
            if addressed && self.waiting[index].take_if(|from| *from <= at).is_some() {
                if question == Question::Version {
                    self.versions = self.versions.saturating_add(1);
                }
                self.open[index] = Some(at.after(retry));
                if question == Question::Board {
                    self.pictured = Some(at);
                }
                return Some(Due::Ask(command));
            }
        }
        None
    }
}
