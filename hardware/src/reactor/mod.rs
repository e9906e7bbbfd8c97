//! One thread for all serial and HID links of a process. It finds their ports, reads from them, and finds them again.
//!
//! ```text
//!            ┌── nothing fits: 100 ms, 200 ms … 1 s, or something was plugged in, or a port was closed ──┐
//!            ▼                                                                                           │
//!   want ─▶ check ─▶ open ──▶ Up ─▶ Bytes … ─▶ close ─▶ Down ────────────────────────────────────────────┘
//!            │         ▲
//!            └─ ask every port for the board's serial number
//!
//!   links    epoll: what is ready is read, and its time is the return of epoll_wait
//!   opener   every call that may block, for one link at a time: open, close, lists of the system, writes to HID devices
//! ```
//!
//! In each round a descriptor is read once, so a port that never stops sending delays no other one. An event for which a sink has no
//! room is kept; the link reads nothing more, and the event is offered again. While all links are open and quiet, nothing wakes the
//! thread. A write to a serial port does not wake it either: the calling thread writes the bytes itself as long as the port accepts
//! them.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags};

use crate::port::{SendError, Sink};

mod job;
mod link;
mod mail;
mod outbound;
pub(crate) mod outlet;
mod probes;
mod search;
mod survey;
mod task;

pub(crate) use job::Question;
pub(crate) use link::Wanted;
pub(crate) use survey::is_absent;

use link::Link;
use mail::Mail;
use outlet::{Outlet, Wishes};
use task::{MAIL, Task};

/// What other threads see of the reactor's thread.
#[derive(Debug, Default)]
struct Signs {
    /// The beginning of the present round in microseconds; 0 while the thread waits.
    busy: AtomicU64,
    wakes: AtomicU64,
    ids: AtomicU64,
}

impl Signs {
    /// Returns a number for a link or a probe. The first two numbers have another meaning.
    fn next_id(&self) -> u64 {
        2 + self.ids.fetch_add(1, Ordering::Relaxed)
    }
}

/// The thread for all serial and HID links of a process. It ends when this value and all links are dropped.
pub struct Reactor {
    mail: Arc<Mail>,
    signs: Arc<Signs>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Reactor {
    /// Starts the thread. `now` returns microseconds that never go back.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub fn start(now: fn() -> u64) -> io::Result<Arc<Reactor>> {
        let (mail, signs) = (Arc::new(Mail::new()?), Arc::<Signs>::default());
        let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC)?;
        epoll.add(&mail.wake, EpollEvent::new(EpollFlags::EPOLLIN, MAIL))?;
        let task = Task::new(now, Arc::clone(&signs), epoll, Arc::clone(&mail));
        let thread = Builder::new().name("links".to_owned()).spawn(move || task.run())?;
        Ok(Arc::new(Reactor { mail, signs, thread: Mutex::new(Some(thread)) }))
    }

    /// Returns since when the thread works on the present round, in microseconds; `None` while it waits. A round takes
    /// milliseconds at most, so a time that stays the same for seconds shows that the thread hangs.
    pub fn busy_since(&self) -> Option<u64> {
        Some(self.signs.busy.load(Ordering::Relaxed)).filter(|since| *since > 0)
    }

    /// Whether the thread has ended, which happens before the end only after a fault in the program.
    pub fn has_ended(&self) -> bool {
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Returns how often the thread has woken up. Open links that receive nothing never wake it, even when they send.
    pub fn wakes(&self) -> u64 {
        self.signs.wakes.load(Ordering::Relaxed)
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        self.mail.put(|letters| letters.stop = true);
        let thread = self.thread.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // A sink may own the last link, and is dropped by the reactor's own thread.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            // The panic hook has already reported a panic.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Reactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reactor").field("signs", &self.signs).finish_non_exhaustive()
    }
}

/// The owner's end of a link. Dropping it closes the port.
pub(crate) struct Handle {
    outlet: Arc<Outlet>,
    /// The reactor lives as long as a link.
    _reactor: Arc<Reactor>,
}

impl Handle {
    pub(crate) fn start(reactor: &Arc<Reactor>, wanted: Wanted, sink: Sink) -> Handle {
        let outlet = Arc::new(Outlet::new(reactor.signs.next_id(), Arc::clone(&reactor.mail)));
        let link = Link::new(Arc::clone(&outlet), wanted, sink);
        reactor.mail.put(|letters| letters.joins.push(link));
        Handle { outlet, _reactor: Arc::clone(reactor) }
    }

    pub(crate) fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        self.outlet.send(channel, bytes)
    }

    pub(crate) fn want(&self, wanted: Wanted) {
        self.outlet.wish(|wishes: &mut Wishes| wishes.wanted = Some(wanted));
    }

    pub(crate) fn learn(&self, serial: String) {
        self.outlet.wish(|wishes| wishes.learnt = Some(serial));
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Link").field(&self.outlet.id).finish()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.outlet.leave();
    }
}
