//! Runs one output on a thread of its own, so that nothing waits for a receiver. For each round it keeps one body that waits: a newer one
//! takes the place of an older one.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::sync::mpsc;
use tracing::error;

use super::body::RoundBody;
use super::sinks::{Answer, Sink, Verdict};
use crate::system_clock::{MonotonicTime, monotonic};

/// The first wait after a failure; it doubles up to [`LONGEST_WAIT`].
const FIRST_WAIT: Duration = Duration::from_secs(2);
/// The longest wait after failures.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The wait after a receiver refused.
const REFUSED_WAIT: Duration = Duration::from_secs(300);

/// How often an output sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The least time from the beginning of one attempt to the next.
    pub every: Duration,
    /// The time after which the present round is sent again without a change while a game is on; none = never.
    pub heartbeat: Option<Duration>,
}

/// What a worker reports after an attempt.
#[derive(Debug)]
pub struct Report {
    /// The number of the output.
    pub output: usize,
    /// What was sent.
    pub body: Arc<RoundBody>,
    /// What became of it.
    pub answer: Answer,
}

/// An output with its thread.
pub struct Worker {
    slot: Arc<Slot>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Slot {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// What waits. It is bounded by the number of rounds of an event.
#[derive(Default)]
struct Queue {
    waiting: BTreeMap<String, Waiting>,
    /// Another collector sends the rounds.
    withheld: bool,
    stop: bool,
    ended: bool,
}

struct Waiting {
    body: Arc<RoundBody>,
    /// Not before this time.
    due: MonotonicTime,
    /// Attempts in a row that failed.
    failed: u32,
    reset: bool,
}

impl Worker {
    /// Starts the thread. Answers go to `reports`.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub fn start(
        output: usize,
        name: &str,
        sink: Box<dyn Sink>,
        pace: Pace,
        reports: mpsc::Sender<Report>,
    ) -> std::io::Result<Worker> {
        let slot = Arc::new(Slot::default());
        let shared = Arc::clone(&slot);
        let thread = std::thread::Builder::new().name(format!("output {name}"));
        let thread = thread.spawn(move || {
            shared.serve(output, sink, pace, &reports);
            shared.lock().ended = true;
            shared.changed.notify_all();
        })?;
        Ok(Worker { slot, thread: Some(thread) })
    }

    /// Gives it a round as it is now. A body of the same round that still waits is forgotten.
    pub fn submit(&self, body: Arc<RoundBody>) {
        let mut queue = self.slot.lock();
        queue.withheld = false;
        let now = monotonic();
        match queue.waiting.get_mut(&body.round) {
            Some(waiting) => {
                // What was said of another round at lichess does not count for this one.
                if waiting.body.lichess_round != body.lichess_round {
                    (waiting.due, waiting.failed) = (MonotonicTime(0), 0);
                }
                waiting.body = body;
            }
            None => {
                queue.waiting.insert(body.round.clone(), Waiting { body, due: now, failed: 0, reset: false });
            }
        }
        self.slot.changed.notify_all();
    }

    /// Sends a round now, whatever it waits for; `reset` first empties it at the receiver.
    pub fn send_now(&self, body: Arc<RoundBody>, reset: bool) {
        let mut queue = self.slot.lock();
        queue.withheld = false;
        let reset = reset || queue.waiting.get(&body.round).is_some_and(|waiting| waiting.reset);
        queue.waiting.insert(body.round.clone(), Waiting { body, due: MonotonicTime(0), failed: 0, reset });
        self.slot.changed.notify_all();
    }

    /// Forgets what waits, because another collector sends the round.
    pub fn withhold(&self) {
        let mut queue = self.slot.lock();
        queue.waiting.clear();
        queue.withheld = true;
    }

    /// Tells the thread to end. What waits is not sent; the next start finds that it differs from what was sent.
    pub fn stop(&self) {
        self.slot.lock().stop = true;
        self.slot.changed.notify_all();
    }

    /// Waits until the thread has ended, or until this time: a receiver may be silent, and the program's end must not wait for it.
    pub fn wait_for_end(&mut self, until: MonotonicTime) {
        let mut queue = self.slot.lock();
        while !queue.ended {
            let left = until.since(monotonic());
            if left.is_zero() {
                return;
            }
            queue = self.slot.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(queue);
        // The thread has ended or ends now, and its panics are caught.
        self.thread.take().map(JoinHandle::join);
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, output: usize, mut sink: Box<dyn Sink>, pace: Pace, reports: &mpsc::Sender<Report>) {
        let mut next = MonotonicTime(0);
        let mut beat: Option<(MonotonicTime, Arc<RoundBody>)> = None;
        while let Some((body, failed, reset)) = self.take(next, &mut beat) {
            next = monotonic().after(pace.every);
            let answer = attempt(sink.as_mut(), &body, reset);
            let wait = match answer.verdict {
                Verdict::Accepted => None,
                Verdict::Retry(Some(wait)) => Some(wait),
                Verdict::Retry(None) => Some(wait_after(failed, monotonic().0)),
                Verdict::Refused => Some(REFUSED_WAIT),
            };
            match wait {
                Some(wait) => {
                    beat = None;
                    self.put_back(&body, failed + 1, reset, monotonic().after(wait));
                }
                None => beat = pace.heartbeat.and_then(|after| next_beat(beat.take(), &body, monotonic().after(after))),
            }
            if reports.blocking_send(Report { output, body, answer }).is_err() {
                return;
            }
        }
    }

    /// Waits for the next body that is due, not before `next`; none if the thread must end.
    fn take(
        &self,
        next: MonotonicTime,
        beat: &mut Option<(MonotonicTime, Arc<RoundBody>)>,
    ) -> Option<(Arc<RoundBody>, u32, bool)> {
        let mut queue = self.lock();
        loop {
            if queue.stop {
                return None;
            }
            if queue.withheld {
                *beat = None;
            }
            let now = monotonic();
            let soonest = queue.waiting.iter().min_by_key(|(_, waiting)| (waiting.due, !waiting.body.is_current));
            let soonest = soonest.map(|(round, waiting)| (round.clone(), waiting.due.max(next)));
            if let Some((round, due)) = &soonest
                && *due <= now
                && let Some(Waiting { body, failed, reset, .. }) = queue.waiting.remove(round)
            {
                return Some((body, failed, reset));
            }
            if let Some((_, body)) = beat.take_if(|(at, _)| *at <= now) {
                return Some((body, 0, false));
            }
            let due = [soonest.map(|(_, due)| due), beat.as_ref().map(|(at, _)| *at)].into_iter().flatten().min();
            queue = match due {
                Some(due) => self.changed.wait_timeout(queue, due.since(now)).unwrap_or_else(PoisonError::into_inner).0,
                None => self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Keeps a body that was not taken, unless a newer one came meanwhile, which then waits in its place.
    fn put_back(&self, body: &Arc<RoundBody>, failed: u32, reset: bool, due: MonotonicTime) {
        let mut queue = self.lock();
        if queue.withheld {
            return;
        }
        let newer = queue.waiting.remove(&body.round);
        // A person's request during the attempt does not wait.
        let due = newer.as_ref().filter(|newer| newer.due == MonotonicTime(0)).map_or(due, |newer| newer.due);
        let reset = reset || newer.as_ref().is_some_and(|newer| newer.reset);
        let body = newer.map_or_else(|| Arc::clone(body), |newer| newer.body);
        queue.waiting.insert(body.round.clone(), Waiting { body, due, failed, reset });
    }
}

/// The next heartbeat after a body was accepted: only the present round has one, and only while a game is on.
fn next_beat(
    beat: Option<(MonotonicTime, Arc<RoundBody>)>,
    body: &Arc<RoundBody>,
    at: MonotonicTime,
) -> Option<(MonotonicTime, Arc<RoundBody>)> {
    let is_on = body.games.iter().any(|game| game.is_on);
    let of_another = beat.filter(|(_, other)| other.round != body.round && !body.is_current);
    of_another.or_else(|| (body.is_current && is_on).then(|| (at, Arc::clone(body))))
}

/// One attempt. A panic of the sink is a failure of this output only.
fn attempt(sink: &mut dyn Sink, body: &RoundBody, reset: bool) -> Answer {
    let attempt = || {
        let emptied = if reset { sink.reset(body) } else { Answer::accepted() };
        if emptied.verdict == Verdict::Accepted { sink.send(body) } else { emptied }
    };
    catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|_| {
        error!("an output panicked; it is tried again");
        Answer::failed("The output has a fault in the program; it is tried again. Please report it with the log.")
    })
}

/// The wait after so many failures in a row, changed by up to a quarter. `chance` is any number that differs from time to time.
fn wait_after(failed: u32, chance: u64) -> Duration {
    let wait = FIRST_WAIT.saturating_mul(1 << failed.min(8)).min(LONGEST_WAIT);
    wait * (750 + (chance % 501) as u32) / 1000
}

#[cfg(test)]
mod tests;
