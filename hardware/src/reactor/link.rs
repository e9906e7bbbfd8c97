//! One link on the reactor's thread: what it does now, and its open port or device.

use std::collections::VecDeque;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::epoll::{Epoll, EpollEvent, EpollFlags};

use super::outbound::{Kept, Outbound};
use super::outlet::{Outlet, Way};
use crate::discover::Found;
use crate::hid::{self, OpenDevice};
use crate::link::{LinkError, WRITE_TIMEOUT};
use crate::port::{self, LinkProblem, SilentPorts, Sink};
use crate::serial::Serial;

/// The largest number of pieces that are still read from a port after a write failed.
const MAX_LAST: usize = 64;
/// The largest number of bytes that are read from a port in one round.
const MAX_READ: usize = 4096;
/// The silence after which a line counts as being between two messages.
const QUIET: u64 = 30_000;
/// The largest number of pieces of late answers that are read after a question. This takes at most ten times [`QUIET`].
const MAX_TAIL: u32 = 10;
/// The pause after the first check without success. Each pause is twice as long as the one before.
const FIRST_RETRY: Duration = Duration::from_millis(100);
/// The longest pause between two checks.
const LAST_RETRY: Duration = Duration::from_secs(1);
/// The longest pause if the kernel reports it when the port appears.
const LAST_CALM_RETRY: Duration = Duration::from_secs(30);
/// The shortest time between two checks, even if many devices are plugged in or removed.
const LEAST_GAP: u64 = 20_000;

/// The device that a link wants.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Port(port::Wanted),
    Hid(hid::Wanted),
}

/// A search for the port. All times are in microseconds.
#[derive(Default)]
pub(super) struct Search {
    pub(super) began: u64,
    /// The times of the next check and of the last one.
    pub(super) next: u64,
    pub(super) last: u64,
    /// Ports where no board answered.
    pub(super) silent_ports: SilentPorts,
    /// Ports that must still be opened to ask their boards, in this order.
    pub(super) to_ask: VecDeque<Arc<Found>>,
    /// Since when a job opens one of them, in microseconds.
    pub(super) asking: Option<u64>,
    /// The first of them that did not open.
    pub(super) problem: Option<LinkProblem>,
}

/// An open port or device.
pub(super) enum Opened {
    Port { serial: Serial, found: Arc<Found>, asked: bool },
    Hid(OpenDevice),
}

impl Opened {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Opened::Port { serial, .. } => serial.fd(),
            Opened::Hid(device) => device.node.as_fd(),
        }
    }

    fn way(&self, wanted: &Wanted) -> Way {
        match (self, wanted) {
            (Opened::Port { serial, .. }, _) => Way::Port(serial.writer()),
            (Opened::Hid(_), Wanted::Hid(wanted)) => Way::Hid(wanted.harmless),
            (Opened::Hid(_), Wanted::Port(_)) => Way::Down,
        }
    }
}

/// Why a port is closed.
pub(super) enum End {
    /// The owner dropped the link, or its sink panicked.
    Left,
    /// Another device is wanted.
    Wanted(Wanted),
    /// It is gone, or it accepts no bytes.
    Lost(LinkError),
}

/// What a link does.
pub(super) enum Phase {
    /// It looks for its port.
    Searching(Search),
    /// Its board has answered, and late answers are thrown away until the line is quiet.
    Settling { opened: Opened, until: u64, pieces: u32 },
    /// The session runs. A write that makes no progress fails at `unsent`. A HID device has not accepted `message` yet.
    Up { opened: Opened, unsent: Option<u64>, message: Option<Vec<u8>> },
    /// A job closes the port. `opened` waits until the running job has ended.
    Closing { opened: Option<Opened>, end: End, was_up: bool },
}

pub(super) struct Link {
    pub(super) wanted: Wanted,
    pub(super) learnt: Option<String>,
    pub(super) outlet: Arc<Outlet>,
    /// Its events. While they find no room, nothing is read and no check is made.
    pub(super) outbound: Outbound,
    reported: Option<LinkProblem>,
    /// Failed searches and ended links since the last bytes came.
    pub(super) tries: u32,
    pub(super) phase: Phase,
    /// A job of this link runs. There is never a second one.
    pub(super) has_job: bool,
    /// The configured path with links resolved, if it exists. No other link asks there.
    pub(super) path: Option<PathBuf>,
    /// The serial port that the link uses, opens or closes.
    pub(super) claim: Option<PathBuf>,
    /// What epoll waits for at the descriptor.
    interest: EpollFlags,
}

impl Default for Phase {
    fn default() -> Phase {
        Phase::Searching(Search::default())
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.outlet.set_way(Way::Down);
        self.outlet.mark_gone();
    }
}

impl Link {
    pub(super) fn new(outlet: Arc<Outlet>, wanted: Wanted, sink: Sink) -> Link {
        Link {
            wanted,
            learnt: None,
            outlet,
            outbound: Outbound::new(sink),
            reported: None,
            tries: 0,
            phase: Phase::Searching(Search::default()),
            has_job: false,
            path: None,
            claim: None,
            interest: EpollFlags::empty(),
        }
    }

    pub(super) fn set_wanted(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        (self.learnt, self.reported, self.tries, self.path) = (None, None, 0, None);
    }

    /// The serial number of the board at a serial port, configured or learnt.
    pub(super) fn serial(&self) -> Option<&str> {
        let Wanted::Port(wanted) = &self.wanted else { return None };
        wanted.serial.as_deref().or(self.learnt.as_deref())
    }

    pub(super) fn search(&mut self) -> Option<&mut Search> {
        match &mut self.phase {
            Phase::Searching(search) => Some(search),
            _ => None,
        }
    }

    pub(super) fn is_searching(&self) -> bool {
        matches!(self.phase, Phase::Searching(_))
    }

    pub(super) fn is_searching_port(&self) -> bool {
        self.is_searching() && matches!(self.wanted, Wanted::Port(_))
    }

    /// Whether the HID device has not accepted a message.
    pub(super) fn has_message(&self) -> bool {
        matches!(self.phase, Phase::Up { message: Some(_), .. })
    }

    /// Begins a search. If the last port failed at once, the first check comes later.
    pub(super) fn begin_search(&mut self, at: u64) {
        let next = if self.tries == 0 { at } else { at + self.pause(LAST_RETRY) };
        self.phase = Phase::Searching(Search { began: at, next, last: at, ..Search::default() });
    }

    /// A check begins at `at`.
    pub(super) fn note_check(&mut self, at: u64) {
        if let Some(search) = self.search() {
            search.last = at;
        }
    }

    /// The check had no success. If it is `calm`, no port is there that could be the wanted one, and the kernel reports it when one
    /// appears. The watched folders changed at `changed`.
    pub(super) fn retry(&mut self, at: u64, calm: bool, changed: u64) {
        self.tries = self.tries.saturating_add(1);
        let pause = self.pause(if calm { LAST_CALM_RETRY } else { LAST_RETRY });
        if let Some(search) = self.search() {
            // A change during the check may have been missed.
            search.next = if changed > search.last { search.last + LEAST_GAP } else { at + pause };
        }
    }

    fn pause(&self, longest: Duration) -> u64 {
        let doubled = FIRST_RETRY * (1 << self.tries.saturating_sub(1).min(10));
        doubled.min(longest).as_micros() as u64
    }

    /// Checks at `at`, or a little later if a check has just been made.
    pub(super) fn check_soon(&mut self, at: u64) {
        if let Some(search) = self.search() {
            search.next = search.next.min(at.max(search.last + LEAST_GAP));
        }
    }

    /// Whether a job writes to the HID device.
    fn is_writing(&self) -> bool {
        self.has_job && matches!(self.wanted, Wanted::Hid(_))
    }

    /// When the link must be looked at if nothing happens, in microseconds.
    pub(super) fn due(&self) -> u64 {
        if self.is_frozen() {
            return self.outbound.due;
        }
        match &self.phase {
            Phase::Searching(search) if !self.has_job => search.next,
            Phase::Settling { until, .. } => *until,
            Phase::Up { unsent: Some(until), .. } if !self.is_writing() => *until,
            _ => u64::MAX,
        }
    }

    /// Whether events wait for room.
    pub(super) fn is_frozen(&self) -> bool {
        self.outbound.is_full()
    }

    /// Reports the problem if it differs from the last reported one.
    pub(super) fn report_missing(&mut self, at: u64, problem: LinkProblem) {
        // While events wait for room, the next check reports it.
        if self.reported.as_ref() != Some(&problem) && !self.is_frozen() {
            self.outbound.offer(at, Kept::Missing(problem.clone()));
            self.reported = Some(problem);
        }
    }

    pub(super) fn report_down(&mut self, at: u64, error: LinkError) {
        self.outbound.offer(at, Kept::Down(error));
    }

    /// Throws away what still comes after a question to the board, then the session begins.
    pub(super) fn settle(&mut self, at: u64, serial: Serial, found: Arc<Found>) {
        let opened = Opened::Port { serial, found, asked: true };
        self.phase = Phase::Settling { opened, until: at + QUIET, pieces: MAX_TAIL };
    }

    /// Begins the session.
    pub(super) fn go_up(&mut self, at: u64, opened: Opened) {
        self.reported = None;
        self.outlet.set_way(opened.way(&self.wanted));
        let event = match &opened {
            Opened::Port { found, asked, .. } => Kept::Up { path: found.path.clone(), usb: found.usb.clone(), asked: *asked },
            Opened::Hid(device) => Kept::Up { path: device.found.path.clone(), usb: None, asked: false },
        };
        self.outbound.offer(at, event);
        self.phase = Phase::Up { opened, unsent: None, message: None };
    }

    /// Makes epoll wait for what the link needs now.
    pub(super) fn set_interest(&mut self, epoll: &Epoll) {
        let (opened, wants) = match &self.phase {
            Phase::Settling { opened, .. } => (opened, EpollFlags::EPOLLIN),
            Phase::Up { opened, unsent: Some(_), .. } if !self.is_writing() => {
                (opened, EpollFlags::EPOLLIN | EpollFlags::EPOLLOUT)
            }
            Phase::Up { opened, .. } | Phase::Closing { opened: Some(opened), .. } => (opened, EpollFlags::EPOLLIN),
            Phase::Searching(_) | Phase::Closing { opened: None, .. } => return,
        };
        // A descriptor that has hung up is always ready, so it leaves the set when nothing must be read.
        let is_read = !self.is_frozen() && !matches!(self.phase, Phase::Closing { .. });
        let wants = if is_read { wants } else { EpollFlags::empty() };
        if wants == self.interest {
            return;
        }
        let (fd, mut event) = (opened.fd(), EpollEvent::new(wants, self.outlet.id));
        let done = match (self.interest.is_empty(), wants.is_empty()) {
            (true, _) => epoll.add(fd, event),
            (_, true) => epoll.delete(fd),
            _ => epoll.modify(fd, &mut event),
        };
        // This fails only if the kernel has no memory, and a link that nothing wakes would hang.
        self.outbound.is_broken |= done.is_err();
        self.interest = wants;
    }

    /// Handles a descriptor that is ready.
    ///
    /// # Errors
    /// The port is gone or fails.
    pub(super) fn serve(&mut self, at: u64, ready: EpollFlags, buffer: &mut [u8]) -> Result<(), LinkError> {
        // An event that came before the link stopped reading.
        if self.is_frozen() {
            return Ok(());
        }
        let gone = ready.intersects(EpollFlags::EPOLLHUP | EpollFlags::EPOLLERR);
        let any = (gone || ready.contains(EpollFlags::EPOLLIN)) && self.read(at, buffer)?;
        if gone && !any {
            return Err(LinkError::Unplugged);
        }
        if ready.contains(EpollFlags::EPOLLOUT) {
            self.flush(at, buffer)?;
        }
        Ok(())
    }

    /// Reads once. Returns whether there was something.
    fn read(&mut self, at: u64, buffer: &mut [u8]) -> Result<bool, LinkError> {
        match &mut self.phase {
            Phase::Settling { opened: Opened::Port { serial, .. }, until, pieces } => {
                let any = serial.read_now(buffer)?.is_some();
                (*until, *pieces) = (at + QUIET, pieces.saturating_sub(1));
                if *pieces == 0 {
                    *until = at;
                }
                Ok(any)
            }
            Phase::Up { opened: Opened::Port { serial, .. }, .. } => {
                let Some(count) = serial.read_now(&mut buffer[..MAX_READ])? else { return Ok(false) };
                self.tries = 0;
                self.outbound.offer_bytes(at, 0, &buffer[..count]);
                Ok(true)
            }
            Phase::Up { opened: Opened::Hid(device), .. } => {
                let Wanted::Hid(wanted) = &self.wanted else { return Ok(false) };
                let message = wanted.hid.message;
                let Some(report) = device.read(buffer)? else { return Ok(false) };
                self.tries = 0;
                let Ok((channel, bytes)) = catch_unwind(|| message(report)) else {
                    self.outbound.is_broken = true;
                    return Ok(true);
                };
                if !bytes.is_empty() {
                    self.outbound.offer_bytes(at, channel, bytes);
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Writes the bytes that wait for a serial port.
    ///
    /// # Errors
    /// The port is gone, or it has accepted nothing for [`WRITE_TIMEOUT`].
    pub(super) fn flush(&mut self, at: u64, buffer: &mut [u8]) -> Result<(), LinkError> {
        let Phase::Up { opened: Opened::Port { .. }, unsent, .. } = &mut self.phase else { return Ok(()) };
        match self.outlet.flush() {
            Ok(flushed) => {
                let given_up = at + WRITE_TIMEOUT.as_micros() as u64;
                *unsent = match *unsent {
                    _ if !flushed.left => None,
                    Some(until) if !flushed.any => Some(until),
                    _ => Some(given_up),
                };
                Ok(())
            }
            Err(error) => {
                for _ in 0..MAX_LAST {
                    if !self.read(at, buffer).unwrap_or(false) {
                        break;
                    }
                }
                Err(error)
            }
        }
    }

    /// Returns the next message for a HID device and the node for the job that writes it.
    pub(super) fn next_report(&mut self, at: u64) -> Option<(Vec<u8>, Arc<File>)> {
        let Phase::Up { opened: Opened::Hid(device), unsent, message } = &mut self.phase else { return None };
        let message = message.take().or_else(|| Some(device.report(&self.outlet.next()?)))?;
        unsent.get_or_insert(at + WRITE_TIMEOUT.as_micros() as u64);
        Some((message, Arc::clone(&device.node)))
    }
}
