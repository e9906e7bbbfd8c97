//! Runs the work of all boards on a few threads. A board has no thread of its own: it has turns.
//!
//! A turn should be short. A thread that is still in the same turn after [`LONG`] no longer counts: when new work comes, or at the
//! next [`Scheduler::check`], a further thread begins, and the late one ends after its turn. So a game that hangs delays the
//! others by [`LONG`] as a rule, and by a second if all threads hang and nothing comes from any board.
//!
//! One of the threads that wait keeps the time of all boards, and only that one is called when there is work. Another one is
//! called if that is not enough, and looks after the time itself when the first one is late.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, available_parallelism};
use std::time::Duration;

use crate::log_limit;
use crate::system_clock::{self, MonotonicTime};

/// A turn that takes longer occupies its thread.
const LONG: Duration = Duration::from_millis(250);
/// Of the turns that are expected to take long, as many run at once as there are threads for short turns. One that takes longer
/// than this counts no more.
const VERY_LONG: Duration = Duration::from_secs(10);
/// So many short turns pass one that takes long.
const MOST_PASSED: u32 = 100;
/// The largest number of threads. Each game that hangs keeps one, or two if its board hangs again.
const MAX_THREADS: usize = 64;

/// The work of one board, or of one line of boards.
pub(super) trait Work: Send {
    /// Does the next piece. Two turns of the same work never overlap.
    fn turn(&mut self) -> Next;
}

/// When the next turn comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// As soon as those that waited before had theirs.
    Now,
    /// The next turn takes long, so that short turns go first.
    Long,
    /// When the task is woken, or at this time.
    Wait(Option<MonotonicTime>),
    /// Never: the work is dropped.
    End,
}

/// The threads, and the tasks that they share.
#[derive(Default)]
pub(super) struct Scheduler {
    inner: Mutex<Inner>,
    /// Wakes the thread that keeps the time.
    keeper: Condvar,
    /// Wakes another thread.
    other: Condvar,
}

#[derive(Default)]
struct Inner {
    tasks: BTreeMap<u64, Task>,
    last_task: u64,
    short: VecDeque<u64>,
    long: VecDeque<u64>,
    /// The number of short turns since the last long one, while long ones wait.
    passed: u32,
    timers: BTreeSet<(MonotonicTime, u64)>,
    /// The turn of each thread; none while it waits.
    threads: BTreeMap<u64, Option<Turn>>,
    last_thread: u64,
    /// The time until which a thread waits that keeps the time, and whether it was called since.
    keeps: Option<MonotonicTime>,
    called: bool,
    /// The number of the other threads that wait, without those that were called; and of those that were.
    idle: usize,
    calls: usize,
    closed: bool,
}

#[derive(Clone, Copy)]
struct Turn {
    since: MonotonicTime,
    is_long: bool,
}

struct Task {
    /// None during a turn.
    work: Option<Box<dyn Work>>,
    queued: bool,
    /// It was woken during its turn.
    woken: bool,
    due: Option<MonotonicTime>,
}

impl Scheduler {
    /// Reserves the number of a task, by which it can be woken.
    pub(super) fn reserve(&self) -> u64 {
        let mut inner = self.lock();
        inner.last_task += 1;
        inner.last_task
    }

    /// Begins the turns of a task. The first one may take long.
    pub(super) fn begin(self: &Arc<Scheduler>, task: u64, work: Box<dyn Work>) {
        let mut inner = self.lock();
        inner.tasks.insert(task, Task { work: Some(work), queued: true, woken: false, due: None });
        inner.long.push_back(task);
        self.call(inner);
    }

    /// Gives the task a turn. Nothing happens if the task has ended.
    pub(super) fn wake(self: &Arc<Scheduler>, task: u64) {
        let mut inner = self.lock();
        let Some(entry) = inner.tasks.get_mut(&task) else { return };
        if entry.work.is_none() {
            entry.woken = true;
            return;
        }
        if entry.queued {
            return;
        }
        entry.queued = true;
        if let Some(due) = entry.due.take() {
            inner.timers.remove(&(due, task));
        }
        inner.short.push_back(task);
        self.call(inner);
    }

    /// Whether the task has not ended.
    pub(super) fn has(&self, task: u64) -> bool {
        self.lock().tasks.contains_key(&task)
    }

    /// Checks whether work waits because threads hang. A call once a second is enough: new work is checked when it comes. Returns
    /// false if there may be no further thread for it.
    pub(super) fn check(self: &Arc<Scheduler>) -> bool {
        let mut inner = self.lock();
        let now = system_clock::monotonic();
        inner.queue_due(now);
        let waits = !inner.short.is_empty() || !inner.long.is_empty();
        let is_stuck = waits && inner.threads.len() >= MAX_THREADS && inner.working(now) == 0;
        if waits {
            self.call(inner);
        }
        !is_stuck
    }

    /// Ends all threads after their turns, and drops all work.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        let left: Vec<_> = inner.tasks.values_mut().filter_map(|task| task.work.take()).collect();
        drop(inner);
        self.keeper.notify_all();
        self.other.notify_all();
        // This is done without the lock, because work may wake other work when it is dropped.
        drop(left);
    }

    /// Wakes a thread that waits, or begins one, if there is more work than threads that come for it.
    fn call(self: &Arc<Scheduler>, mut inner: MutexGuard<'_, Inner>) {
        if inner.keeps.is_some() && !inner.called {
            inner.called = true;
            drop(inner);
            self.keeper.notify_one();
        } else if inner.idle > 0 {
            inner.idle -= 1;
            inner.calls += 1;
            drop(inner);
            self.other.notify_one();
        } else if !inner.closed && inner.working(system_clock::monotonic()) < threads() && inner.threads.len() < MAX_THREADS {
            inner.last_thread += 1;
            let number = inner.last_thread;
            inner.threads.insert(number, None);
            drop(inner);
            let own = Arc::clone(self);
            if let Err(error) = Builder::new().name(format!("boards-{number}")).spawn(move || own.run(number)) {
                self.lock().threads.remove(&number);
                log_limit::warn("there is no thread for the boards", &error);
            }
        }
    }

    fn run(self: Arc<Scheduler>, number: u64) {
        let mut inner = self.lock();
        loop {
            let now = system_clock::monotonic();
            inner.queue_due(now);
            // Others have taken the place of a thread whose turn took long.
            if inner.closed || inner.working(now) > threads() {
                break;
            }
            let Some((task, mut work, is_long)) = inner.take_next(now) else {
                inner = self.wait(inner, now);
                continue;
            };
            inner.threads.insert(number, Some(Turn { since: now, is_long }));
            if inner.short.is_empty() {
                drop(inner)
            } else {
                self.call(inner)
            }
            // A task that panics outside of what it catches has no further turn; the supervisor notices that.
            let next = catch_unwind(AssertUnwindSafe(|| work.turn())).unwrap_or(Next::End);
            inner = self.lock();
            if let Some(ended) = inner.put_back(task, work, next) {
                drop(inner);
                // A panic has been reported, and nothing is left to be done for it.
                let _ = catch_unwind(AssertUnwindSafe(|| drop(ended)));
                inner = self.lock();
            }
            inner.threads.insert(number, None);
            if inner.keeps.is_some_and(|until| inner.timers.first().is_some_and(|(due, _)| *due < until)) && !inner.called {
                inner.called = true;
                self.keeper.notify_one();
            }
        }
        inner.threads.remove(&number);
        if !inner.short.is_empty() || !inner.long.is_empty() {
            self.call(inner);
        }
    }

    /// Waits for work. One thread waits for the next deadline too.
    fn wait<'a>(&'a self, mut inner: MutexGuard<'a, Inner>, now: MonotonicTime) -> MutexGuard<'a, Inner> {
        if inner.keeps.is_some() {
            inner.idle += 1;
            let waits = |inner: &mut Inner| inner.calls == 0 && !inner.closed;
            inner = match inner.timers.first().map(|(due, _)| due.after(LONG).since(now)) {
                Some(left) => self.other.wait_timeout_while(inner, left, waits).unwrap_or_else(PoisonError::into_inner).0,
                None => self.other.wait_while(inner, waits).unwrap_or_else(PoisonError::into_inner),
            };
            // The caller has counted a thread that was called.
            if inner.calls > 0 {
                inner.calls -= 1
            } else {
                inner.idle -= 1
            }
            return inner;
        }
        let due = inner.timers.first().map(|(due, _)| *due);
        (inner.keeps, inner.called) = (Some(due.unwrap_or(MonotonicTime(u64::MAX))), false);
        inner = match due {
            Some(due) => self.keeper.wait_timeout(inner, due.since(now)).unwrap_or_else(PoisonError::into_inner).0,
            None => self.keeper.wait(inner).unwrap_or_else(PoisonError::into_inner),
        };
        (inner.keeps, inner.called) = (None, false);
        inner
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// The number of threads that wait or have begun their turn a short time ago.
    fn working(&self, now: MonotonicTime) -> usize {
        self.threads.values().filter(|turn| turn.is_none_or(|turn| now.since(turn.since) < LONG)).count()
    }

    /// Whether another turn that takes long may begin.
    fn may_take_long(&self, now: MonotonicTime) -> bool {
        let running = self.threads.values().flatten().filter(|turn| turn.is_long && now.since(turn.since) < VERY_LONG);
        running.count() < threads()
    }

    /// Queues the tasks whose time has come.
    fn queue_due(&mut self, now: MonotonicTime) {
        while let Some((_, task)) = self.timers.first().copied().filter(|(due, _)| *due <= now) {
            self.timers.pop_first();
            if let Some(entry) = self.tasks.get_mut(&task) {
                (entry.queued, entry.due) = (true, None);
                self.short.push_back(task);
            }
        }
    }

    /// Takes the next task, and whether its turn is expected to take long.
    fn take_next(&mut self, now: MonotonicTime) -> Option<(u64, Box<dyn Work>, bool)> {
        loop {
            let is_long =
                (self.short.is_empty() || self.passed >= MOST_PASSED) && !self.long.is_empty() && self.may_take_long(now);
            self.passed = if is_long || self.long.is_empty() { 0 } else { self.passed.saturating_add(1) };
            let task = if is_long { self.long.pop_front() } else { self.short.pop_front() }?;
            let Some(entry) = self.tasks.get_mut(&task) else { continue };
            (entry.queued, entry.woken) = (false, false);
            if let Some(work) = entry.work.take() {
                return Some((task, work, is_long));
            }
        }
    }

    /// Notes when the task has its next turn. Returns the work if it has none.
    fn put_back(&mut self, task: u64, work: Box<dyn Work>, next: Next) -> Option<Box<dyn Work>> {
        let Some(entry) = self.tasks.get_mut(&task).filter(|_| next != Next::End && !self.closed) else {
            self.tasks.remove(&task);
            return Some(work);
        };
        entry.work = Some(work);
        match next {
            Next::Long => self.long.push_back(task),
            Next::Wait(due) if !entry.woken => {
                entry.due = due;
                self.timers.extend(due.map(|due| (due, task)));
                return None;
            }
            _ => self.short.push_back(task),
        }
        entry.queued = true;
        None
    }
}

/// The number of threads for short turns. It is asked for once, because the system reads files for the answer.
fn threads() -> usize {
    static THREADS: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4)));
    *THREADS
}

#[cfg(test)]
mod tests;
