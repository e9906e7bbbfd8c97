//! Searches for the device of a USB-HID link: at once, then after 100 ms, 200 ms … 1 s, and whenever a device is plugged in.

use std::fs::{self, File, TryLockError};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, poll};

use super::DeviceClaim;
use super::choose::{Candidate, Choice, choose};
use super::find::{Found, devices};
use super::link_loop::LinkLoop;
use super::requests::ControlRequests;
use crate::fd::millis;
use crate::hotplug::Hotplug;
use crate::link::LinkError;
use crate::port::LinkProblem;

/// The pause after the first search without success. Each pause is twice as long as the one before.
const FIRST_RETRY: Duration = Duration::from_millis(100);
/// The longest pause between two searches.
const LAST_RETRY: Duration = Duration::from_secs(1);
/// The shortest time between two searches, even if many devices are plugged in or removed.
const LEAST_GAP: Duration = Duration::from_millis(20);

/// An open device and its claim. The device is closed first, then it is free for others.
pub(super) struct OpenDevice {
    pub(super) node: File,
    pub(super) found: Found,
    _claim: DeviceClaim,
}

impl LinkLoop {
    /// Waits for a device and opens it. Returns `None` if the thread must stop.
    pub(super) fn find_and_open(&mut self) -> Option<OpenDevice> {
        let mut last = (self.now)();
        let mut next = if self.tries == 0 { last } else { last + self.retry_pause() };
        let mut hotplug = self.watch();
        loop {
            let ControlRequests { wanted, stop } = self.requests.take_control();
            if stop {
                return None;
            }
            let at = (self.now)();
            if let Some(wanted) = wanted {
                self.set_wanted(wanted);
                (next, hotplug) = (at, self.watch());
            }
            if at >= next {
                match self.check_devices() {
                    Ok(opened) => return Some(opened),
                    Err(problem) => self.report_missing(problem),
                }
                self.tries = self.tries.saturating_add(1);
                (last, next) = (at, at + self.retry_pause());
            }
            let timeout = Duration::from_micros(next.saturating_sub((self.now)()));
            let changed = {
                let watched = hotplug.as_ref().map(|hotplug| PollFd::new(hotplug.as_fd(), PollFlags::POLLIN));
                let called = PollFd::new(self.requests.fd(), PollFlags::POLLIN);
                let mut fds: Vec<PollFd<'_>> = [Some(called), watched].into_iter().flatten().collect();
                // A signal has the same effect as the timeout: everything is checked again.
                let _ = poll(&mut fds, millis(timeout));
                fds.get(1).is_some_and(|fd| fd.any().unwrap_or(true))
            };
            self.count_wake();
            self.requests.clear_wake();
            if changed && hotplug.as_mut().is_some_and(Hotplug::drain) {
                self.tries = 0;
                next = next.min((self.now)().max(last + LEAST_GAP.as_micros() as u64));
            }
        }
    }

    /// Begins to watch the folders where the device may appear. Without a watch the search goes on once a second.
    fn watch(&self) -> Option<Hotplug> {
        let folder = self.wanted.port.as_ref().and_then(|port| Some(port.parent()?.to_owned()));
        Hotplug::new(folder.into_iter().chain([self.wanted.system.dev.clone()])).ok()
    }

    fn retry_pause(&self) -> u64 {
        let doubled = FIRST_RETRY * (1 << self.tries.saturating_sub(1).min(8));
        doubled.min(LAST_RETRY).as_micros() as u64
    }

    /// Checks all devices once.
    fn check_devices(&self) -> Result<OpenDevice, LinkProblem> {
        let taken = |found: Found| Candidate { taken: self.shared.has(&found.path), found };
        let mut seen: Vec<Candidate> = devices(&self.wanted.system).into_iter().map(taken).collect();
        // The folder of nodes may itself be reached through a link.
        let node = |path: &PathBuf| fs::canonicalize(path).ok();
        let configured = self.wanted.port.as_ref().and_then(node);
        let same = |found: &Found| configured.is_some() && node(&found.path) == configured;
        let configured = seen.iter().find(|seen| same(&seen.found)).map(|seen| seen.found.path.clone()).or(configured);
        let index = match choose(&self.wanted, configured.as_deref(), &seen) {
            Choice::Open(index) => index,
            Choice::Several(list) => {
                return Err(LinkProblem::Several(list.into_iter().map(|index| seen[index].found.path.clone()).collect()));
            }
            Choice::Taken(index) => return Err(LinkProblem::from_error(seen[index].found.path.clone(), &LinkError::Busy)),
            Choice::Stranger => {
                let cause = "this is no HID device of the board's family".to_owned();
                return Err(LinkProblem::Failed { path: configured.unwrap_or_default(), cause });
            }
            Choice::Nothing => return Err(LinkProblem::NotFound),
        };
        let found = seen.swap_remove(index).found;
        let busy = || LinkProblem::from_error(found.path.clone(), &LinkError::Busy);
        let claim = self.shared.claim(&found.path).ok_or_else(busy)?;
        let open = (self.wanted.system.open)(&found.path).map_err(LinkError::from).and_then(lock_exclusively);
        match open {
            Ok(node) => Ok(OpenDevice { node, found, _claim: claim }),
            Err(error) => Err(LinkProblem::from_error(found.path, &error)),
        }
    }
}

/// Locks the node against other programs that use the same lock.
fn lock_exclusively(node: OwnedFd) -> Result<File, LinkError> {
    let node = File::from(node);
    match node.try_lock() {
        Ok(()) => Ok(node),
        Err(TryLockError::WouldBlock) => Err(LinkError::Busy),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}
