//! Tells when something changes in the folders of the ports.

use std::fs;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

/// A descriptor that becomes readable when an entry of a watched folder comes, goes or gets other permissions.
#[derive(Debug)]
pub struct Hotplug {
    inotify: Inotify,
}

impl Hotplug {
    /// Begins without a folder.
    ///
    /// # Errors
    /// The error of the operating system, for example when this user already has too many such descriptors.
    pub fn new() -> io::Result<Hotplug> {
        Ok(Hotplug { inotify: Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)? })
    }

    /// Reads all events. Returns whether there was one. Folders that came or went must then be watched again.
    pub fn drain(&self) -> bool {
        let mut any = false;
        // The number of reads is bounded. Events that are still unread wake the thread again.
        for _ in 0..64 {
            match self.inotify.read_events() {
                Ok(events) => any |= !events.is_empty(),
                Err(Errno::EINTR) => {}
                Err(_) => break,
            }
        }
        any
    }

    /// Watches this folder; a second watch for the same folder has no effect. If the folder does not exist yet, the nearest
    /// existing parent folder is watched. Returns whether everything that will appear in the folder is reported; that is not so
    /// if the folder exists and cannot be watched.
    pub fn watch(&self, folder: &Path) -> bool {
        let what = AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_DELETE
            | AddWatchFlags::IN_MOVE
            | AddWatchFlags::IN_ATTRIB
            | AddWatchFlags::IN_DELETE_SELF
            | AddWatchFlags::IN_MOVE_SELF
            | AddWatchFlags::IN_ONLYDIR;
        let mut whole = true;
        for place in folder.ancestors() {
            if self.inotify.add_watch(place, what).is_ok() {
                return whole;
            }
            whole &= fs::symlink_metadata(place).is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        }
        false
    }
}

impl AsFd for Hotplug {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}
