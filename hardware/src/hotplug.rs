//! Wakes whoever waits for a port when something comes or goes where ports are.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::sys::inotify::{AddWatchFlags, InitFlags, Inotify};

/// A descriptor that becomes readable when an entry of `/dev` or of the given folders comes, goes or gets other permissions.
/// A folder that is not there yet is waited for in the nearest one above it that is.
#[derive(Debug)]
pub struct Hotplug {
    inotify: Inotify,
    folders: Vec<PathBuf>,
}

impl Hotplug {
    /// Begins to watch.
    ///
    /// # Errors
    /// What the operating system says, for example that this user watches too much already.
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

    /// Reads what happened and looks anew for folders that came or went; whether anything happened.
    pub fn drain(&mut self) -> bool {
        let mut any = false;
        // Ends: what is still unread afterwards wakes again.
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

    /// Watching a folder again changes nothing. A folder made between both looks is found by the search that follows.
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
