//! Holds the work of the disk thread. Boards that wrote something wait together for one flush. A board that holds back a finding
//! gets its flush at once.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use flagfall_protocols::trace::Audience;

use super::shared::StationHandle;
use crate::journal::{FLUSH_AFTER, Unsynced};
use crate::mqtt::outbox::BoardNo;
use crate::system_clock::{self, MonotonicTime};
use crate::wire::envelope::Stamp;

/// The largest number of requests for events that wait.
const MAX_REFILLS: usize = 1024;

/// A board whose journal has bytes that are not on the disk.
pub(super) struct Unflushed {
    /// The board.
    pub(super) handle: Arc<StationHandle>,
    /// The bytes that its journal wrote.
    pub(super) unsynced: Arc<Unsynced>,
    /// Nothing follows them: the board ends, and no longer learns of a failure.
    pub(super) last: bool,
}

/// A request for events that the outbox no longer holds.
pub(super) struct Refill {
    /// The board's journal.
    pub(super) dir: PathBuf,
    /// The board.
    pub(super) board: BoardNo,
    /// The audience of the events.
    pub(super) audience: Audience,
    /// The first number.
    pub(super) from: u64,
    /// The header fields that the sink adds.
    pub(super) stamp: Arc<Stamp>,
    /// The journal can be written, so events that it does not hold exist nowhere.
    pub(super) whole: bool,
}

/// The next work of the thread.
pub(super) enum Work {
    /// Wait for the disk, for all of these.
    Flush(Vec<Unflushed>),
    /// Read events back.
    Refill(Refill),
    /// End, since everything is done.
    End,
}

/// The queue of the disk thread. Every thread may add to it.
#[derive(Default)]
pub(super) struct DiskQueue {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    unflushed: Vec<Unflushed>,
    /// When they must be flushed.
    due: Option<MonotonicTime>,
    refills: VecDeque<Refill>,
    closed: bool,
}

impl DiskQueue {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code that can panic runs under the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A board has written something. It is flushed together with all others within [`FLUSH_AFTER`]; the thread is woken only to
    /// learn that time.
    pub(super) fn flush_soon(&self, board: Unflushed) {
        let mut inner = self.lock();
        inner.unflushed.push(board);
        if inner.due.is_none() {
            inner.due = Some(system_clock::monotonic().after(FLUSH_AFTER));
            drop(inner);
            self.changed.notify_all();
        }
    }

    /// The same for a board that waits for the flush: everything that is queued is flushed now.
    pub(super) fn flush_now(&self, board: Unflushed) {
        let mut inner = self.lock();
        inner.unflushed.push(board);
        inner.due = Some(system_clock::monotonic());
        drop(inner);
        self.changed.notify_all();
    }

    /// Queues a request to read events back. Returns false if too many requests wait already.
    pub(super) fn refill(&self, refill: Refill) -> bool {
        let mut inner = self.lock();
        if inner.closed || inner.refills.len() >= MAX_REFILLS {
            return false;
        }
        inner.refills.push_back(refill);
        drop(inner);
        self.changed.notify_all();
        true
    }

    /// Closes the queue. Work that is queued is still done.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits for something to do.
    pub(super) fn next(&self) -> Work {
        let mut inner = self.lock();
        loop {
            let now = system_clock::monotonic();
            if inner.due.is_some_and(|due| due <= now || inner.closed) {
                inner.due = None;
                return Work::Flush(std::mem::take(&mut inner.unflushed));
            }
            if let Some(refill) = inner.refills.pop_front() {
                return Work::Refill(refill);
            }
            if inner.closed {
                return Work::End;
            }
            inner = match inner.due {
                Some(due) => self.changed.wait_timeout(inner, due.since(now)).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
