//! Wakes a thread that waits for a device when something changes in the folders of the ports.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

/// A descriptor that becomes readable when an entry of `/dev` or of the given folders comes, goes or gets other permissions. If
/// a folder does not exist yet, the nearest existing parent folder is watched.
#[derive(Debug)]
pub struct Hotplug {
    inotify: Inotify,
    folders: Vec<PathBuf>,
}

impl Hotplug {
    /// Begins to watch the folders.
    ///
    /// # Errors
    /// The error of the operating system, for example when this user already has too many watches.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> io::Result<Hotplug> {
        let inotify = Inotify::init(InitFlags::IN_CLOEXEC | InitFlags::IN_NONBLOCK)?;
        let mut folders: Vec<PathBuf> = folders.into_iter().collect();
        folders.push(PathBuf::from("/dev"));
        folders.sort();
        folders.dedup();
        let hotplug = Hotplug { inotify, folders };
        hotplug.watch();
        Ok(hotplug)
    }

    /// Reads all events and updates the watches for folders that came or went. Returns whether there was an event.
    pub fn drain(&mut self) -> bool {
        let mut any = false;
        // The number of reads is bounded. Events that are still unread wake the thread again.
        for _ in 0..64 {
            match self.inotify.read_events() {
                Ok(events) => any |= !events.is_empty(),
                Err(Errno::EINTR) => {}
                Err(_) => break,
            }
        }
        if any {
            self.watch();
        }
        any
    }

    /// Adds a watch for each folder; a second watch for the same folder has no effect. The following search finds a folder that
    /// was created in the meantime.
    fn watch(&self) {
        let what = AddWatchFlags::IN_CREATE
            | AddWatchFlags::IN_DELETE
            | AddWatchFlags::IN_MOVE
            | AddWatchFlags::IN_ATTRIB
            | AddWatchFlags::IN_DELETE_SELF
            | AddWatchFlags::IN_MOVE_SELF
            | AddWatchFlags::IN_ONLYDIR;
        for folder in &self.folders {
            let mut place: Option<&Path> = Some(folder);
            while let Some(path) = place.filter(|path| self.inotify.add_watch(*path, what).is_err()) {
                place = path.parent();
            }
        }
    }
}

impl AsFd for Hotplug {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}
