//! Gives one owner of a station's inbox access to the folder of the journal. When another owner has replaced it, the first
//! one cannot change the folder any more.
//!
//! If the folder cannot be opened, the board is served all the same. The journal begins empty and every write fails, and its
//! status says so, until the folder can be opened and contains no journal.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use super::shared::StationHandle;
use super::station_config::StationConfig;
use crate::journal::{Disk, JournalFs, OpenError, Syncer};

/// A journal folder that only the current owner of the station's inbox may change.
pub(super) struct FencedJournal {
    /// None while the folder cannot be opened.
    disk: Option<Disk>,
    dir: PathBuf,
    handle: Arc<StationHandle>,
    owner: u64,
}

impl FencedJournal {
    /// Opens the folder of a station, with the lock of the owner before if there was one.
    ///
    /// # Errors
    /// Another process has locked the folder.
    pub(super) fn open(config: &StationConfig, handle: Arc<StationHandle>, owner: u64) -> Result<FencedJournal, OpenError> {
        let disk = match lock_of(&handle, &config.dir) {
            Ok(disk) => Some(disk),
            Err(OpenError::Io { doing, file, error }) => {
                tracing::error!("board {}: nothing is recorded: {doing} {file}: {error}", handle.board);
                None
            }
            Err(error) => return Err(error),
        };
        Ok(FencedJournal { disk, dir: config.dir.clone(), handle, owner })
    }

    fn disk(&mut self) -> io::Result<&mut Disk> {
        if !self.handle.inbox.is_current_owner(self.owner) {
            return Err(io::Error::other("another thread goes on with this journal"));
        }
        self.disk.as_mut().ok_or_else(|| io::Error::other("the journal's folder cannot be opened"))
    }

    /// Opens a folder that could not be opened at the start, if it holds no journal that would have to be read first.
    fn late(&mut self) -> io::Result<()> {
        if self.disk.is_none() {
            let mut disk = lock_of(&self.handle, &self.dir).map_err(io::Error::other)?;
            if disk.list()?.iter().any(|name| name.ends_with(".journal")) {
                return Err(io::Error::other("the folder holds a journal that was not read at the start"));
            }
            self.disk = Some(disk);
        }
        Ok(())
    }
}

fn lock_of(handle: &StationHandle, dir: &Path) -> Result<Disk, OpenError> {
    let mut lock = handle.lock.lock().unwrap_or_else(PoisonError::into_inner);
    let disk = match lock.clone() {
        Some(lock) => Disk::again(dir, lock),
        None => Disk::open(dir)?,
    };
    *lock = disk.lock();
    Ok(disk)
}

impl JournalFs for FencedJournal {
    fn list(&mut self) -> io::Result<Vec<String>> {
        self.disk.as_mut().map_or_else(|| Ok(Vec::new()), Disk::list)
    }

    fn len(&mut self, name: &str) -> io::Result<u64> {
        self.disk()?.len(name)
    }

    fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        self.disk()?.read(name)
    }

    fn create(&mut self, name: &str) -> io::Result<()> {
        self.late()?;
        self.disk()?.create(name)
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.disk()?.append(name, bytes)
    }

    fn write_at(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk()?.write_at(name, offset, bytes)
    }

    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()> {
        self.disk()?.truncate(name, len)
    }

    fn sync(&mut self, name: &str) -> io::Result<()> {
        self.disk()?.sync(name)
    }

    fn syncer(&mut self, name: &str) -> io::Result<Syncer> {
        self.disk()?.syncer(name)
    }

    fn sync_dir(&mut self) -> io::Result<()> {
        self.disk()?.sync_dir()
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        self.disk()?.remove(name)
    }
}
