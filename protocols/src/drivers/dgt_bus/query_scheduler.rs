//! Decides which questions the driver of one board asks, and when the board counts as silent. The line's master polls by
//! itself, so the driver asks only for the first picture, for repairs, and for the commands of the game.

use core::time::Duration;

use super::frame::Command;
use crate::time::Instant;

/// The time without any frame after which the line counts as silent. If only one board is silent, the line's master takes its
/// link down. While one board sends a whole log of 8.3 s, no other board is received, and every board gets its turn before the
/// next log.
const SILENCE: Duration = Duration::from_secs(12);
/// The length of a gap in a board's frames that may hide a change.
const HOLE: Duration = Duration::from_secs(2);
/// The retry time: long enough for the questions of a whole chain, and short enough for a retry before the silence is too long.
const RETRY: Duration = Duration::from_millis(1200);
/// The waiting time for a log. A whole log takes 8.3 s, and another one may come first.
const LOG: Duration = Duration::from_secs(20);
/// The largest number of tries to get the version.
const VERSION_TRIES: u8 = 5;
/// The shortest time between two repairs.
const REPAIR: Duration = Duration::from_secs(1);

/// A question of the driver.
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

/// An action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Silent,
    Ask(Command),
    /// A question got no answer and waits again.
    Again,
    LogLost,
}

/// The state of the questions on one link.
#[derive(Debug)]
pub(super) struct QueryScheduler {
    /// The time from which each question may be sent.
    waiting: [Option<Instant>; 4],
    /// The time at which each question is asked again.
    open: [Option<Instant>; 4],
    versions: u8,
    pictured: Option<Instant>,
    last_message: Option<Instant>,
}

impl QueryScheduler {
    pub(super) fn new(at: Instant) -> QueryScheduler {
        let mut scheduler =
            QueryScheduler { waiting: [None; 4], open: [None; 4], versions: 0, pictured: None, last_message: None };
        scheduler.ask(at, Question::Version);
        scheduler.ask(at, Question::Board);
        scheduler
    }

    /// Restarts all questions except a requested log, because the line still has that request.
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

    /// Requests the picture after a loss, but not again and again.
    pub(super) fn request_repair(&mut self, at: Instant) {
        let from = self.pictured.map_or(at, |last| last.after(REPAIR).max(at));
        // A picture that is on its way may be older than the loss.
        self.waiting[Question::Board as usize].get_or_insert(from);
    }

    /// Records a frame. Returns true if it is the first one.
    pub(super) fn on_message(&mut self, at: Instant) -> bool {
        let before = self.last_message.replace(at);
        if before.is_some_and(|before| at.since(before) >= HOLE) {
            self.request_repair(at);
        }
        before.is_none()
    }

    /// Records the answer to a question.
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
        self.last_message.map(|last_message| last_message.after(SILENCE))
    }

    /// Returns the next action that is due, if there is one.
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
