//! Looking for a device: at once, then 100 ms, 200 ms … 1 s apart, and whenever something is plugged in.

use std::fs::{self, File, TryLockError};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};

use super::Lease;
use super::choose::{Candidate, Choice, choose};
use super::find::{Found, devices};
use super::mailbox::Orders;
use super::run::Runner;
use crate::fd::millis;
use crate::hotplug::Hotplug;
use crate::link::LinkError;
use crate::port::Trouble;

const FIRST_RETRY: Duration = Duration::from_millis(100);
const LAST_RETRY: Duration = Duration::from_secs(1);
/// However much happens in the watched folders, looks are at least so far apart.
const LEAST_GAP: Duration = Duration::from_millis(20);

/// A device that is open and ours: closed first, free for others then.
pub(super) struct Opened {
    pub(super) node: File,
    pub(super) found: Found,
    _lease: Lease,
}

impl Runner {
    /// Waits for a device; none = stop.
    pub(super) fn seek(&mut self) -> Option<Opened> {
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
