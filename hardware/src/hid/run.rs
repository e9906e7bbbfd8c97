//! A link's thread.

use std::fs::{self, File, TryLockError};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{read, write};

use super::choose::{Candidate, Choice, choose};
use super::descriptor::MAX_REPORT;
use super::find::{Found, devices};
use super::mailbox::{Mailbox, Orders};
use super::{HidEvent, Hids, Lease, Sink, Wanted};
use crate::fd::{cause, millis};
use crate::hotplug::Hotplug;
use crate::link::{LinkError, WRITE_TIMEOUT};
use crate::port::Trouble;

const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(1);
/// However much happens in the watched folders, looks are at least so far apart.
const LEAST_GAP: Duration = Duration::from_millis(20);

pub(super) struct Runner {
    wanted: Wanted,
    shared: Arc<Hids>,
    mailbox: Arc<Mailbox>,
    now: fn() -> u64,
    sink: Sink,
    said: Option<Trouble>,
    /// Looks in vain, and links that ended, since bytes came last.
    tries: u32,
}

/// A device that is open and ours: closed first, free for others then.
struct Opened {
    node: File,
    found: Found,
    _lease: Lease,
}

enum End {
    Stop,
    Wanted(Wanted),
    Lost(LinkError),
}

/// A report that the device has not taken yet, and when it is given up, in microseconds.
type Waiting = Option<(Vec<u8>, u64)>;

impl Runner {
    pub(super) fn new(wanted: Wanted, shared: Arc<Hids>, mailbox: Arc<Mailbox>, now: fn() -> u64, sink: Sink) -> Runner {
        Runner { wanted, shared, mailbox, now, sink, said: None, tries: 0 }
    }

    pub(super) fn run(mut self) {
        while let Some(opened) = self.seek() {
            self.said = None;
            let end = self.serve(&opened);
            // Closed and given free before anybody hears of it.
            drop(opened);
            let at = (self.now)();
            match end {
                End::Stop => return,
                End::Wanted(wanted) => {
                    (self.sink)(at, HidEvent::Down(LinkError::Unplugged));
                    self.rebind(wanted);
                }
                End::Lost(error) => {
                    // A device that opens and fails at once is tried more and more slowly, too.
                    self.tries = self.tries.saturating_add(1);
                    (self.sink)(at, HidEvent::Down(error));
                }
            }
        }
    }

    fn rebind(&mut self, wanted: Wanted) {
        (self.wanted, self.said, self.tries) = (wanted, None, 0);
    }

    /// Waits for a device; none = stop.
    fn seek(&mut self) -> Option<Opened> {
        let mut last = (self.now)();
        let mut next = if self.tries == 0 { last } else { last + self.pause() };
        let mut hotplug = self.watch();
        loop {
            let Orders { wanted, stop } = self.mailbox.orders();
            if stop {
                return None;
            }
            let at = (self.now)();
            if let Some(wanted) = wanted {
                self.rebind(wanted);
                (next, hotplug) = (at, self.watch());
            }
            if at >= next {
                match self.look() {
                    Ok(opened) => return Some(opened),
                    Err(trouble) => self.miss(trouble),
                }
                self.tries = self.tries.saturating_add(1);
                (last, next) = (at, at + self.pause());
            }
            let timeout = Duration::from_micros(next.saturating_sub((self.now)()));
            let changed = {
                let watched = hotplug.as_ref().map(|hotplug| PollFd::new(hotplug.as_fd(), PollFlags::POLLIN));
                let called = PollFd::new(self.mailbox.fd(), PollFlags::POLLIN);
                let mut fds: Vec<PollFd<'_>> = [Some(called), watched].into_iter().flatten().collect();
                // A signal wakes as the time does: everything is looked at again.
                let _ = poll(&mut fds, millis(timeout));
                fds.get(1).is_some_and(|fd| fd.any().unwrap_or(true))
            };
            self.woke();
            self.mailbox.calm();
            if changed && hotplug.as_mut().is_some_and(Hotplug::drain) {
                self.tries = 0;
                next = next.min((self.now)().max(last + LEAST_GAP.as_micros() as u64));
            }
        }
    }

    /// Without it the search goes on once a second.
    fn watch(&self) -> Option<Hotplug> {
        let folder = self.wanted.port.as_ref().and_then(|port| Some(port.parent()?.to_owned()));
        Hotplug::new(folder.into_iter().chain([self.wanted.system.dev.clone()])).ok()
    }

    fn pause(&self) -> u64 {
        let doubled = FIRST_RETRY * (1 << self.tries.saturating_sub(1).min(8));
        doubled.min(LAST_RETRY).as_micros() as u64
    }

    /// One look at all devices.
    fn look(&self) -> Result<Opened, Trouble> {
        let taken = |found: Found| Candidate { taken: self.shared.has(&found.path), found };
        let mut seen: Vec<Candidate> = devices(&self.wanted.system).into_iter().map(taken).collect();
        // Links in front of the folder of nodes count too.
        let node = |path: &PathBuf| fs::canonicalize(path).ok();
        let configured = self.wanted.port.as_ref().and_then(node);
        let same = |found: &Found| configured.is_some() && node(&found.path) == configured;
        let configured = seen.iter().find(|seen| same(&seen.found)).map(|seen| seen.found.path.clone()).or(configured);
        let index = match choose(&self.wanted, configured.as_deref(), &seen) {
            Choice::Open(index) => index,
            Choice::Several(list) => {
                return Err(Trouble::Several(list.into_iter().map(|index| seen[index].found.path.clone()).collect()));
            }
            Choice::Taken(index) => return Err(Trouble::of(seen[index].found.path.clone(), &LinkError::Busy)),
            Choice::Stranger => {
                let cause = "this is no HID device of the board's family".to_owned();
                return Err(Trouble::Failed { path: configured.unwrap_or_default(), cause });
            }
            Choice::Nothing => return Err(Trouble::NotFound),
        };
        let found = seen.swap_remove(index).found;
        let busy = || Trouble::of(found.path.clone(), &LinkError::Busy);
        let lease = self.shared.take(&found.path).ok_or_else(busy)?;
        let open = (self.wanted.system.open)(&found.path).map_err(LinkError::from).and_then(alone);
        match open {
            Ok(node) => Ok(Opened { node, found, _lease: lease }),
            Err(error) => Err(Trouble::of(found.path, &error)),
        }
    }

    /// Says the trouble if it is another than last time.
    fn miss(&mut self, trouble: Trouble) {
        if self.said.as_ref() != Some(&trouble) {
            self.said = Some(trouble.clone());
            (self.sink)((self.now)(), HidEvent::Missing(trouble));
        }
    }

    fn woke(&self) {
        self.mailbox.wakes.fetch_add(1, Ordering::Relaxed);
    }

    fn serve(&mut self, opened: &Opened) -> End {
        let mailbox = Arc::clone(&self.mailbox);
        let _up = mailbox.up(self.wanted.harmless);
        (self.sink)((self.now)(), HidEvent::Up { path: &opened.found.path });
        let mut waiting = None;
        loop {
            let Orders { wanted, stop } = self.mailbox.orders();
            if stop {
                return End::Stop;
            }
            if let Some(wanted) = wanted {
                return End::Wanted(wanted);
            }
            if let Err(error) = self.turn(opened, &mut waiting) {
                return End::Lost(error);
            }
        }
    }

    /// Waits once, and does what can be done.
    fn turn(&mut self, opened: &Opened, waiting: &mut Waiting) -> Result<(), LinkError> {
        let left = waiting.as_ref().map(|(_, until)| Duration::from_micros(until.saturating_sub((self.now)())));
        let what = if waiting.is_some() { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
        let (ready, called) = {
            let mut fds = [PollFd::new(opened.node.as_fd(), what), PollFd::new(self.mailbox.fd(), PollFlags::POLLIN)];
            // A signal wakes as the time does: everything is looked at again.
            let _ = poll(&mut fds, left.map_or(PollTimeout::NONE, millis));
            (fds[0].revents().unwrap_or(PollFlags::POLLERR), fds[1].any().unwrap_or(true))
        };
        let at = (self.now)();
        self.woke();
        if called {
            self.mailbox.calm();
        }
        let gone = ready.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL);
        let any = (gone || ready.contains(PollFlags::POLLIN)) && self.read(at, opened)?;
        if gone && !any {
            return Err(LinkError::Unplugged);
        }
        if called || ready.contains(PollFlags::POLLOUT) {
            self.write(at, opened, waiting)?;
        }
        match waiting {
            Some((_, until)) if at >= *until => Err(LinkError::TimedOut),
            _ => Ok(()),
        }
    }

    /// Reads one report; whether there was one.
    fn read(&mut self, at: u64, opened: &Opened) -> Result<bool, LinkError> {
        // 00 stands before the data of reports without numbers.
        let mut buffer = [0; 1 + MAX_REPORT];
        let count = match read(&opened.node, &mut buffer[1..]) {
            Ok(0) => return Err(LinkError::Unplugged),
            Ok(count) => count,
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(false),
            Err(error) => return Err(cause(error)),
        };
        self.tries = 0;
        let from = usize::from(opened.found.descriptor.numbered);
        let (channel, bytes) = (self.wanted.hid.message)(&buffer[from..=count]);
        if !bytes.is_empty() {
            (self.sink)(at, HidEvent::Bytes { channel, bytes });
        }
        Ok(true)
    }

    /// Writes what waits, as many reports as the device takes now.
    fn write(&mut self, at: u64, opened: &Opened, waiting: &mut Waiting) -> Result<(), LinkError> {
        loop {
            let next = || Some((report(&opened.found, &self.mailbox.next()?), at + WRITE_TIMEOUT.as_micros() as u64));
            let Some((report, until)) = waiting.take().or_else(next) else { return Ok(()) };
            match write(&opened.node, &report) {
                Ok(_) => {}
                Err(Errno::EAGAIN | Errno::EINTR) => {
                    *waiting = Some((report, until));
                    return Ok(());
                }
                Err(error) => return Err(cause(error)),
            }
        }
    }
}

/// A message as the kernel wants it: behind 00 if the device does not number its reports, and padded to the length that it says.
/// A message that is longer goes as it is.
fn report(found: &Found, message: &[u8]) -> Vec<u8> {
    let number = if found.descriptor.numbered { message.first().copied().unwrap_or(0) } else { 0 };
    let mut report = if found.descriptor.numbered { Vec::new() } else { vec![0] };
    report.extend_from_slice(message);
    let whole = 1 + found.descriptor.output(number);
    report.resize(report.len().max(whole), 0);
    report
}

/// Holds the node against other programs that do so too.
fn alone(node: OwnedFd) -> Result<File, LinkError> {
    let node = File::from(node);
    match node.try_lock() {
        Ok(()) => Ok(node),
        Err(TryLockError::WouldBlock) => Err(LinkError::Busy),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
