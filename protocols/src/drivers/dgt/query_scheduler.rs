//! What to ask a board and when: start-up, gaps, retries, keep-alive (`dgt/README.md#9.2` and
//! `dgt/README.md#9.3`).
//!
//! ```text
//!  link up ── 0.5 s ── 40 ── 200 ms, input not looked at ── 4d 55 45 4b 42 2b…09 4c, 100 ms apart ── 45 when the line is quiet
//! ```
//!
//! The keep-alive asks only after 1.2 s without a message: a running clock reports every second, and that is a sign of life
//! which costs nothing. Then it asks every second; three questions without any message = the board is silent.
//!
//! Questions leave only when a deadline is fed, never while bytes are read: so the order of outputs does not depend on how
//! the bytes were cut. The queue holds no query twice, which bounds it.

use alloc::collections::VecDeque;
use core::time::Duration;

use super::host::Query;
use crate::drivers::outbox::Outbox;
use crate::event::{Anomaly, ByteRange, DeviceEvent};
use crate::time::{ClockTime, Instant};

mod answers;

const SETTLE: Duration = Duration::from_millis(500);
const DISCARD: Duration = Duration::from_millis(200);
/// The board's input buffer holds ten bytes.
const GAP: Duration = Duration::from_millis(100);
const RETRY: Duration = Duration::from_secs(2);
/// A clock that stays silent may be switched on later: it is asked for ever, but slowly after the first times.
const SLOW_RETRY: Duration = Duration::from_secs(10);
const QUICK_RETRIES: u32 = 3;
/// Longer than a running clock is silent.
const QUIET_LINE: Duration = Duration::from_millis(1200);
const KEEP_ALIVE: Duration = Duration::from_secs(1);
const MISSED: u32 = 3;
/// The whole log takes 8.3 s at 9600 baud.
const LOG: Duration = Duration::from_secs(20);
const REPAIR_SPACING: Duration = Duration::from_secs(2);
const REREAD_SPACING: Duration = Duration::from_secs(1);
/// A running clock reports every second; one that only delays may be silent for longer.
const QUIET: Duration = Duration::from_secs(5);

/// In this order: who, mode, then the dump, because pieces that stand already are not reported by themselves. A board by
/// Bluetooth tells its battery, one by cable answers nothing (`dgt/README.md#4`).
const START: [Query; 7] =
    [Query::Version, Query::LongSerial, Query::Serial, Query::UpdateNice, Query::Board, Query::ClockVersion, Query::Battery];

#[derive(Clone, Copy, Debug)]
enum Phase {
    Settle(Instant),
    Discard(Instant),
    Asking,
}

/// A wish that is granted at most once in a while.
#[derive(Debug, Default)]
struct RateLimit {
    due: Option<Instant>,
    last: Option<Instant>,
}

impl RateLimit {
    fn request(&mut self, at: Instant, spacing: Duration) {
        let free = self.last.map_or(at, |last| last.after(spacing).max(at));
        self.due.get_or_insert(free);
    }

    fn take_due(&mut self, at: Instant) -> bool {
        let granted = due(self.due, at);
        if granted {
            (self.due, self.last) = (None, Some(at));
        }
        granted
    }
}

/// The questions of one link.
#[derive(Debug)]
pub(super) struct QueryScheduler {
    phase: Phase,
    queue: VecDeque<Query>,
    /// The gap after the last command ends here.
    free: Instant,
    /// Each: when to ask again if no answer came.
    version: Option<Instant>,
    board: Option<Instant>,
    clock: Option<Instant>,
    version_asked: u32,
    clock_asked: u32,
    /// A failed clock command was repeated already.
    clock_repeated: bool,
    /// When a log that was asked for is given up. While it is set nothing is sent: the line is busy.
    log: Option<Instant>,
    responding: bool,
    keep_alive: Option<Instant>,
    /// Keep-alive questions since the last message.
    missed: u32,
    repair: RateLimit,
    reread: RateLimit,
    quiet: Option<Instant>,
    probing: bool,
    shown: Option<[ClockTime; 2]>,
}

impl QueryScheduler {
    /// The link came up, or the board fell silent: begin with the first question.
    pub(super) fn new(at: Instant) -> QueryScheduler {
        QueryScheduler { phase: Phase::Settle(at.after(SETTLE)), ..QueryScheduler::new_settled(at) }
    }

    /// The link has been up for some time, and the board has answered on it.
    pub(super) fn new_settled(at: Instant) -> QueryScheduler {
        QueryScheduler {
            phase: Phase::Settle(at),
            queue: VecDeque::with_capacity(Query::ALL.len()),
            free: at,
            version: None,
            board: None,
            clock: None,
            version_asked: 0,
            clock_asked: 0,
            clock_repeated: false,
            log: None,
            responding: false,
            keep_alive: None,
            missed: 0,
            repair: RateLimit::default(),
            reread: RateLimit::default(),
            quiet: None,
            probing: false,
            shown: None,
        }
    }

    /// Whether input is thrown away: it may belong to what a former host asked.
    pub(super) fn is_discarding(&self) -> bool {
        matches!(self.phase, Phase::Discard(_))
    }

    /// Puts a query in the queue, if it is not there.
    pub(super) fn ask(&mut self, at: Instant, query: Query) {
        self.free = self.free.max(at);
        if !self.queue.contains(&query) {
            self.queue.push_back(query);
        }
    }

    /// When something is to be done next.
    pub(super) fn deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Settle(end) | Phase::Discard(end) => return Some(end),
            Phase::Asking => {}
        }
        if self.log.is_some() {
            return self.log;
        }
        let send = (!self.queue.is_empty()).then_some(self.free);
        let answered = |timer: Option<Instant>| timer.filter(|_| self.responding);
        let timers = [
            send,
            self.version,
            answered(self.board),
            answered(self.clock),
            self.keep_alive,
            self.repair.due,
            self.reread.due,
            self.quiet,
        ];
        timers.into_iter().flatten().min()
    }

    /// Does what is due. True if the board fell silent and everything begins again.
    pub(super) fn expire(&mut self, at: Instant, here: ByteRange, out: &mut Outbox) -> bool {
        match self.phase {
            Phase::Settle(end) if end <= at => {
                out.send(Query::Reset.bytes());
                self.phase = Phase::Discard(at.after(DISCARD));
                return false;
            }
            Phase::Discard(end) if end <= at => {
                self.phase = Phase::Asking;
                self.start(at, &START);
            }
            Phase::Asking => {}
            Phase::Settle(_) | Phase::Discard(_) => return false,
        }
        if due(self.log, at) {
            self.on_log_failed(at, here, out);
        }
        if self.log.is_some() {
            return false;
        }
        if due(self.keep_alive, at) && self.send_keep_alive(at) {
            out.event(DeviceEvent::Silent, here);
            *self = QueryScheduler::new(at);
            return true;
        }
        self.queue_retries(at, here, out);
        self.send(at, out);
        false
    }

    fn start(&mut self, at: Instant, queries: &[Query]) {
        let waiting = core::mem::take(&mut self.queue);
        (self.board, self.clock, self.clock_asked) = (None, None, 0);
        for query in queries.iter().copied().chain(waiting) {
            self.ask(at, query);
        }
    }

    /// The line is quiet. True if it has been so for too long.
    fn send_keep_alive(&mut self, at: Instant) -> bool {
        if self.missed >= MISSED {
            return true;
        }
        self.missed += 1;
        self.keep_alive = Some(at.after(KEEP_ALIVE));
        self.ask(at, Query::Serial);
        false
    }

    fn queue_retries(&mut self, at: Instant, here: ByteRange, out: &mut Outbox) {
        if due(self.version, at) {
            self.version = None;
            self.ask(at, Query::Version);
            out.anomaly(Anomaly::Retried, here);
        }
        if self.responding && due(self.board, at) {
            self.board = None;
            self.ask(at, Query::Board);
            out.anomaly(Anomaly::Retried, here);
        }
        if self.responding && due(self.clock, at) {
            self.clock = None;
            self.clock_repeated = false;
            self.ask(at, Query::ClockVersion);
            // A board without a clock is nothing odd: the slow repetitions are not counted.
            if self.clock_asked <= QUICK_RETRIES {
                out.anomaly(Anomaly::Retried, here);
            }
        }
        if self.repair.take_due(at) {
            self.ask(at, Query::Board);
            self.ask(at, Query::Clock);
        }
        if self.reread.take_due(at) {
            self.ask(at, Query::Clock);
        }
        if due(self.quiet, at) {
            self.quiet = Some(at.after(QUIET));
            self.probing = true;
            self.ask(at, Query::Clock);
        }
    }

    fn send(&mut self, at: Instant, out: &mut Outbox) {
        if self.free > at {
            return;
        }
        let Some(query) = self.queue.pop_front() else { return };
        out.send(query.bytes());
        self.free = at.after(GAP);
        match query {
            Query::Version => {
                self.version_asked += 1;
                self.version = Some(at.after(RETRY));
            }
            Query::Board => self.board = Some(at.after(RETRY)),
            Query::ClockVersion => {
                self.clock_asked = self.clock_asked.saturating_add(1);
                self.clock = Some(at.after(if self.clock_asked <= QUICK_RETRIES { RETRY } else { SLOW_RETRY }));
            }
            Query::EeMoves => self.log = Some(at.after(LOG)),
            _ => {}
        }
    }
}

fn due(timer: Option<Instant>, at: Instant) -> bool {
    timer.is_some_and(|timer| timer <= at)
}
