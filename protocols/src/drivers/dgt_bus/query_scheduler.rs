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
pub(super) enum Wish {
    Version,
    Board,
    Clock,
    Log,
}

const WISHES: [(Wish, Command, Duration); 4] = [
    (Wish::Version, Command::SendVersion, RETRY),
    (Wish::Board, Command::SendBoard, RETRY),
    (Wish::Clock, Command::SendClock, RETRY),
    (Wish::Log, Command::SendFromStart, LOG),
];

/// What came due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Silent,
    Ask(Command),
    /// A wish went unanswered and waits again.
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
        scheduler.ask(at, Wish::Version);
        scheduler.ask(at, Wish::Board);
        scheduler
    }

    /// Everything anew but a log that was asked for: the line has that wish still.
    pub(super) fn again(&self, at: Instant) -> QueryScheduler {
        let mut scheduler = QueryScheduler::new(at);
        let log = Wish::Log as usize;
        (scheduler.waiting[log], scheduler.open[log]) = (self.waiting[log], self.open[log]);
        scheduler
    }

    pub(super) fn ask(&mut self, at: Instant, wish: Wish) {
        self.waiting[wish as usize].get_or_insert(at);
        self.open[wish as usize] = None;
    }

    /// Something was lost: the picture is wanted, but not again and again.
    pub(super) fn repair(&mut self, at: Instant) {
        let from = self.pictured.map_or(at, |last| last.after(REPAIR).max(at));
        // A picture that is on its way may be from before the loss.
        self.waiting[Wish::Board as usize].get_or_insert(from);
    }

    /// A frame came. True if it is the first.
    pub(super) fn heard(&mut self, at: Instant) -> bool {
        let before = self.heard.replace(at);
        if before.is_some_and(|before| at.since(before) >= HOLE) {
            self.repair(at);
        }
        before.is_none()
    }

    /// The answer came.
    pub(super) fn answered(&mut self, at: Instant, wish: Wish) {
        if wish == Wish::Board {
            self.pictured = Some(at);
        }
        self.open[wish as usize] = None;
    }

    pub(super) fn deadline(&self, addressed: bool) -> Option<Instant> {
        let waiting = self.waiting.into_iter().flatten().filter(|_| addressed);
        let open = self.open.into_iter().flatten();
        waiting.chain(open).chain(self.silence()).min()
    }

    fn silence(&self) -> Option<Instant> {
        self.heard.map(|heard| heard.after(SILENCE))
    }

    /// The next thing that is due, if any.
    pub(super) fn expire(&mut self, at: Instant, addressed: bool) -> Option<Due> {
        if self.silence().is_some_and(|end| end <= at) {
            return Some(Due::Silent);
        }
        for (index, (wish, command, retry)) in WISHES.into_iter().enumerate() {
            if self.open[index].take_if(|end| *end <= at).is_some() {
                match wish {
                    Wish::Log => return Some(Due::LogLost),
                    Wish::Version if self.versions >= VERSION_TRIES => continue,
                    _ => {}
                }
                self.ask(at, wish);
                return Some(Due::Again);
            }
            if addressed && self.waiting[index].take_if(|from| *from <= at).is_some() {
                if wish == Wish::Version {
                    self.versions = self.versions.saturating_add(1);
                }
                self.open[index] = Some(at.after(retry));
                if wish == Wish::Board {
                    self.pictured = Some(at);
                }
                return Some(Due::Ask(command));
            }
        }
        None
    }
}
