//! Looks for the device of a link and opens it. These calls may block, so the reactor makes them on other threads.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::unistd::read;

use super::Wanted;
use super::choose::{Candidate, Choice, choose};
use super::descriptor::MAX_REPORT;
use super::find::{Found, devices};
use crate::fd::cause;
use crate::hotplug::Hotplug;
use crate::link::LinkError;
use crate::port::LinkProblem;
use crate::reactor::is_absent;

/// The HID devices that the links of one process have claimed.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    taken: Mutex<BTreeSet<PathBuf>>,
}

impl Devices {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        // No code between lock and unlock can panic halfway.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Claims the device for one link. Returns `None` if another link has claimed it.
    fn claim(self: &Arc<Devices>, path: &Path) -> Option<DeviceClaim> {
        self.lock().insert(path.to_owned()).then(|| DeviceClaim { devices: Arc::clone(self), path: path.to_owned() })
    }
}

/// A claim of a device by one link, until this value is dropped.
#[derive(Debug)]
struct DeviceClaim {
    devices: Arc<Devices>,
    path: PathBuf,
}

impl Drop for DeviceClaim {
    fn drop(&mut self) {
        self.devices.lock().remove(&self.path);
    }
}

/// An open device and its claim. The device is closed first, then it is free for others.
pub(crate) struct OpenDevice {
    pub(crate) node: Arc<File>,
    pub(crate) found: Found,
    _claim: DeviceClaim,
}

impl OpenDevice {
    /// Reads one report without blocking: its number, or 00 if the device does not number its reports, and its data. Returns
    /// `None` if there is none. The buffer has room for the longest report.
    ///
    /// # Errors
    /// The device is gone.
    pub(crate) fn read<'a>(&self, buffer: &'a mut [u8]) -> Result<Option<&'a [u8]>, LinkError> {
        buffer[0] = 0;
        match read(&*self.node, &mut buffer[1..]) {
            Ok(0) => Err(LinkError::Unplugged),
            Ok(count) => Ok(Some(&buffer[usize::from(self.found.descriptor.numbered)..=count])),
            Err(Errno::EAGAIN | Errno::EINTR) => Ok(None),
            Err(error) => Err(cause(error)),
        }
    }

    /// Returns a message in the form that the kernel expects: 00 comes first if the device does not number its reports, and zeros
    /// fill it up to the length in the device's descriptor. A longer message is unchanged.
    pub(crate) fn report(&self, message: &[u8]) -> Vec<u8> {
        let descriptor = &self.found.descriptor;
        let number = if descriptor.numbered { message.first().copied().unwrap_or(0) } else { 0 };
        let mut report = if descriptor.numbered { Vec::new() } else { vec![0] };
        report.extend_from_slice(message);
        let whole = 1 + descriptor.output(number);
        debug_assert!(whole <= 1 + MAX_REPORT);
        report.resize(report.len().max(whole), 0);
        report
    }
}

/// Checks all devices once. Also returns whether no device is there that could be the wanted one, and the kernel reports it when
/// one appears.
pub(crate) fn check_devices(
    wanted: &Wanted,
    claims: &Arc<Devices>,
    hotplug: Option<&Hotplug>,
) -> (Result<OpenDevice, LinkProblem>, bool) {
    // Folders are watched before devices are listed, so that no change is missed.
    let folders = [Some(wanted.system.dev.as_path()), wanted.port.as_deref().and_then(Path::parent)];
    let watch = |folder: &Path| hotplug.is_some_and(|hotplug| hotplug.watch(folder));
    let watched = folders.into_iter().flatten().filter(|folder| !watch(folder)).count() == 0;
    let taken = |found: Found| Candidate { taken: claims.lock().contains(&found.path), found };
    let mut seen: Vec<Candidate> = devices(&wanted.system).into_iter().map(taken).collect();
    // The folder of nodes may itself be reached through a link.
    let node = |path: &PathBuf| fs::canonicalize(path).ok();
    let configured = wanted.port.as_ref().and_then(node);
    let same = |found: &Found| configured.is_some() && node(&found.path) == configured;
    let configured = seen.iter().find(|seen| same(&seen.found)).map(|seen| seen.found.path.clone()).or(configured);
    let calm = watched && wanted.port.as_deref().is_none_or(is_absent);
    let problem = match choose(wanted, configured.as_deref(), &seen) {
        Choice::Open(index) => return (open(wanted, claims, seen.swap_remove(index).found), false),
        Choice::Several(list) => LinkProblem::Several(list.into_iter().map(|index| seen[index].found.path.clone()).collect()),
        Choice::Taken(index) => LinkProblem::from_error(seen[index].found.path.clone(), &LinkError::Busy),
        Choice::Stranger => {
            let cause = "this is no HID device of the board's family".to_owned();
            LinkProblem::Failed { path: configured.unwrap_or_default(), cause }
        }
        Choice::Nothing => return (Err(LinkProblem::NotFound), calm),
    };
    (Err(problem), false)
}

fn open(wanted: &Wanted, claims: &Arc<Devices>, found: Found) -> Result<OpenDevice, LinkProblem> {
    let busy = || LinkProblem::from_error(found.path.clone(), &LinkError::Busy);
    let claim = claims.claim(&found.path).ok_or_else(busy)?;
    match (wanted.system.open)(&found.path).map_err(LinkError::from).and_then(lock_exclusively) {
        Ok(node) => Ok(OpenDevice { node: Arc::new(node), found, _claim: claim }),
        Err(error) => Err(LinkProblem::from_error(found.path, &error)),
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
