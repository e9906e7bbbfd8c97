//! Calls that may block: opening and closing, the lists of the system, and writes to HID devices. They are made on threads called
//! `opener`.
//!
//! There are at most two of these threads while calls return. When calls hang, spare ones begin, one a second, so that a call that
//! never returns delays the other links by a second and harms only the link that it is made for.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use flagfall_protocols::driver::DriverInfo;
use nix::errno::Errno;

use super::mail::Mail;
use super::survey::Survey;
use crate::discover::Found;
use crate::hid::OpenDevice;
use crate::port::LinkProblem;
use crate::serial::Serial;

/// The number of threads while calls return.
const THREADS: usize = 2;
/// The largest number of threads while calls hang.
const MOST_THREADS: usize = 64;
/// A job that waits for so long begins on a spare thread.
const HANGS: Duration = Duration::from_secs(1);
/// A thread without work ends after this time.
const IDLE: Duration = Duration::from_secs(5);

/// The result of a job.
pub(super) enum Done {
    /// The ports of this computer, for all links that search.
    Surveyed(Survey),
    /// A serial port for the link that wants it, or why it does not open.
    Opened(Arc<Found>, Result<Serial, LinkProblem>),
    /// A serial port whose board is to be asked.
    Asking(Question, Result<Serial, LinkProblem>),
    /// A HID device, and whether the kernel reports it when one appears.
    Connected(Result<OpenDevice, LinkProblem>, bool),
    /// A message that was written to a HID device, or the same message and an error.
    Written(Result<(), (Vec<u8>, Errno)>),
    /// The link's port or device is closed.
    Closed,
    /// A port that belonged to no link is closed.
    Freed(Arc<Found>),
    /// The call panicked.
    Panicked,
}

/// A port whose board is asked for its serial number.
pub(crate) struct Question {
    /// The link for which it was opened, and when its search began.
    pub(crate) link: u64,
    pub(crate) search: u64,
    /// The family and the folders of this link. Only links with the same ones may take the answer.
    pub(crate) info: &'static DriverInfo,
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) found: Arc<Found>,
}

struct Job {
    /// The link or the probe that it is done for.
    id: u64,
    /// When it was given, in microseconds.
    at: u64,
    work: Box<dyn FnOnce() -> Done + Send>,
}

#[derive(Default)]
struct Inner {
    /// At most one job of each link and each probe.
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
    closed: bool,
}

/// The threads and their jobs.
pub(super) struct Openers {
    mail: Arc<Mail>,
    inner: Mutex<Inner>,
    filled: Condvar,
}

impl Openers {
    pub(super) fn new(mail: Arc<Mail>) -> Arc<Openers> {
        Arc::new(Openers { mail, inner: Mutex::default(), filled: Condvar::new() })
    }

    /// Does the work on another thread. The result comes by mail.
    pub(super) fn give(self: &Arc<Openers>, id: u64, at: u64, work: impl FnOnce() -> Done + Send + 'static) {
        let mut inner = self.lock();
        inner.jobs.push_back(Job { id, at, work: Box::new(work) });
        if inner.jobs.len() > inner.idle && inner.threads < THREADS {
            self.start(&mut inner);
        }
        drop(inner);
        self.filled.notify_one();
    }

    /// When a spare thread must begin if nothing changes, in microseconds.
    pub(super) fn due(&self) -> Option<u64> {
        let inner = self.lock();
        let first = inner.jobs.front().filter(|_| inner.threads < MOST_THREADS)?;
        Some(first.at + HANGS.as_micros() as u64)
    }

    /// Begins a spare thread if a job has waited for too long.
    pub(super) fn check(self: &Arc<Openers>, at: u64) {
        if self.due().is_some_and(|due| due <= at) {
            let mut inner = self.lock();
            self.start(&mut inner);
            // If the spare thread hangs too, the next one begins later.
            inner.jobs.iter_mut().for_each(|job| job.at = at);
        }
    }

    /// Ends all threads that do not hang.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.filled.notify_all();
    }

    /// If the system has no more threads, the job waits and a thread is tried again later.
    fn start(self: &Arc<Openers>, inner: &mut Inner) {
        let openers = Arc::clone(self);
        if Builder::new().name("opener".to_owned()).spawn(move || openers.run()).is_ok() {
            inner.threads += 1;
        }
    }

    fn run(&self) {
        let mut inner = self.lock();
        loop {
            inner.idle += 1;
            let stays = |inner: &mut Inner| inner.jobs.is_empty() && !inner.closed;
            inner = self.filled.wait_timeout_while(inner, IDLE, stays).unwrap_or_else(PoisonError::into_inner).0;
            inner.idle -= 1;
            let Some(Job { id, work, .. }) = inner.jobs.pop_front() else {
                inner.threads -= 1;
                return;
            };
            drop(inner);
            let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Done::Panicked);
            self.mail.put(|letters| letters.done.push((id, done)));
            inner = self.lock();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
