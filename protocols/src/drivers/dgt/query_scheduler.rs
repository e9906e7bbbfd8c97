//! Decides which question is sent to a DGT board and when (`dgt/README.md#9.2` and `dgt/README.md#9.3`). This includes the
//! start, the gaps, the retries and the keep-alive.
//!
//! ```text
//!  link up ── 0.5 s ── 40 ── 200 ms, input ignored ── 4d 55 45 4b 42 2b…09 4c, 100 ms apart ── 45 when the line is quiet
//! ```
//!
//! The keep-alive is sent only after 1.2 s without a message, because a running clock reports every second, and this is a sign
//! of life without a question. After that a question is sent every second. After three questions without any message the board
//! counts as silent.
//!
//! Questions are sent only when a deadline is fed, never while bytes are read. So the order of outputs does not depend on how
//! the bytes were cut. The queue contains no query twice, so it is bounded.

use alloc::collections::VecDeque;
use core::time::Duration;

use super::host::Query;
use crate::drivers::outbox::Outbox;
use crate::event::{Anomaly, ByteRange, DeviceEvent};
use crate::time::{ClockTime, Instant};

mod answers;

/// The time from the start of the link to the first command.
const SETTLE: Duration = Duration::from_millis(500);
/// The time after the first command in which all input is ignored.
const DISCARD: Duration = Duration::from_millis(200);
/// The gap between two commands. The board's input buffer holds ten bytes.
const GAP: Duration = Duration::from_millis(100);
/// The waiting time for an answer, after which a question is sent again.
const RETRY: Duration = Duration::from_secs(2);
/// The retry time after the first quick retries. A silent clock may be switched on later, so it is always asked again.
const SLOW_RETRY: Duration = Duration::from_secs(10);
/// The number of quick retries of the question to the clock.
const QUICK_RETRIES: u32 = 3;
/// The silence after which the keep-alive is sent: longer than the interval of a running clock.
const QUIET_LINE: Duration = Duration::from_millis(1200);
/// The time from one keep-alive to the next.
const KEEP_ALIVE: Duration = Duration::from_secs(1);
/// The number of keep-alives without any message after which the board counts as silent.
const MISSED: u32 = 3;
/// The waiting time for the whole log, which takes 8.3 s at 9600 baud.
const LOG: Duration = Duration::from_secs(20);
/// The shortest time between two repairs.
const REPAIR_SPACING: Duration = Duration::from_secs(2);
/// The shortest time between two questions for the clock after doubtful clock messages.
const REREAD_SPACING: Duration = Duration::from_secs(1);
/// The silence of a running clock after which it is queried. It reports every second, but during a delay it may be silent for
/// longer.
const QUIET: Duration = Duration::from_secs(5);

/// The start-up queries in this order: identity, mode, then the dump, because the board does not report standing pieces by
/// itself. A board by Bluetooth reports its battery; a board by cable does not answer (`dgt/README.md#4`).
const START: [Query; 7] =
    [Query::Version, Query::LongSerial, Query::Serial, Query::UpdateNice, Query::Board, Query::ClockVersion, Query::Battery];

#[derive(Clone, Copy, Debug)]
enum Phase {
    Settle(Instant),
    Discard(Instant),
    Asking,
}

/// A request that is carried out only with a minimum time between two.
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

/// The state of the questions on one link.
#[derive(Debug)]
pub(super) struct QueryScheduler {
    phase: Phase,
    queue: VecDeque<Query>,
    /// The end of the gap after the last command.
    free: Instant,
    /// The times to ask again if no answer came.
    version: Option<Instant>,
    board: Option<Instant>,
    clock: Option<Instant>,
    version_asked: u32,
    clock_asked: u32,
    /// A failed clock command has been repeated already.
    clock_repeated: bool,
    /// The time at which a requested log is given up. While it is set nothing is sent, because the line is busy.
    log: Option<Instant>,
    responding: bool,
    keep_alive: Option<Instant>,
    /// The number of keep-alive questions since the last message.
    missed: u32,
    repair: RateLimit,
    reread: RateLimit,
    quiet: Option<Instant>,
    probing: bool,
    shown: Option<[ClockTime; 2]>,
}

impl QueryScheduler {
    /// Creates a scheduler that begins with the first question, because the link came up or the board fell silent.
    pub(super) fn new(at: Instant) -> QueryScheduler {
        QueryScheduler { phase: Phase::Settle(at.after(SETTLE)), ..QueryScheduler::new_settled(at) }
    }

    /// Creates a scheduler for a link that has been up for some time and on which the board has answered.
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

    /// Returns whether input is ignored, because it may belong to questions of a former host.
    pub(super) fn is_discarding(&self) -> bool {
        matches!(self.phase, Phase::Discard(_))
    }

    /// Adds a query to the queue, if it is not there.
    pub(super) fn ask(&mut self, at: Instant, query: Query) {
        self.free = self.free.max(at);
        if !self.queue.contains(&query) {
            self.queue.push_back(query);
        }
    }

    /// Returns the time of the next action.
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

    /// Does what is due. Returns true if the board fell silent and everything begins again.
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

    /// Queues a keep-alive question, because the line is quiet. Returns true if it has been quiet for too long.
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
            // A board without a clock is normal, so the slow repetitions are not counted.
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
