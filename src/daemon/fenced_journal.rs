//! Gives one owner of a station's inbox access to the folder of the journal. When another owner has replaced it, the first
//! one cannot change the folder any more.
//!
//! If the folder cannot be opened for writing, the board is served all the same. The game goes on from the files that can be read
//! (a disk that is read-only), or the journal begins empty. Every write fails, and its status says so, until the folder can be
//! opened and still contains the files that were read.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use super::shared::StationHandle;
use super::station_config::StationConfig;
use crate::journal::{Disk, JournalFs, OpenError, Syncer};

/// A journal folder that only the current owner of the station's inbox may change.
pub(super) struct FencedJournal {
    disk: Disk,
    /// The files with their lengths, while the folder cannot be opened for writing; none if it is open.
    only_read: Option<Vec<(String, u64)>>,
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
        let (disk, only_read) = match lock_of(&handle, &config.dir) {
            Ok(disk) => (disk, None),
            Err(OpenError::Io { doing, file, error }) => {
                tracing::error!("board {}: nothing is recorded: {doing} {file}: {error}", handle.board);
                let mut disk = Disk::reading(&config.dir);
                let readable = journal_files(&mut disk).and_then(|files| {
                    files.iter().try_for_each(|(name, _)| File::open(config.dir.join(name)).map(drop)).map(|()| files)
                });
                (disk, Some(readable.unwrap_or_default()))
            }
            Err(error) => return Err(error),
        };
        Ok(FencedJournal { disk, only_read, dir: config.dir.clone(), handle, owner })
    }

    /// The folder, for an owner that may read it.
    fn readable(&mut self) -> io::Result<&mut Disk> {
        if self.handle.inbox.is_current_owner(self.owner) {
            Ok(&mut self.disk)
        } else {
            Err(io::Error::other("another station goes on with this journal"))
        }
    }

    /// The folder, for an owner that may change it.
    fn disk(&mut self) -> io::Result<&mut Disk> {
        if self.only_read.is_some() {
            return Err(io::Error::other("the journal's folder cannot be opened for writing"));
        }
        self.readable()
    }

    /// Opens a folder that could not be opened for writing at the start, if its files are those that were read then.
    fn late(&mut self) -> io::Result<()> {
        if let Some(read) = &self.only_read {
            let mut disk = lock_of(&self.handle, &self.dir).map_err(io::Error::other)?;
            if journal_files(&mut disk)? != *read {
                return Err(io::Error::other(
                    "the folder holds a journal that was not read at the start: restart the program to go on with it",
                ));
            }
            (self.disk, self.only_read) = (disk, None);
        }
        Ok(())
    }
}

/// The journal files of a folder with their lengths, in the order of their names.
fn journal_files(disk: &mut Disk) -> io::Result<Vec<(String, u64)>> {
    let mut names = disk.list()?;
    names.retain(|name| name.ends_with(".journal"));
    names.sort();
    names.into_iter().map(|name| disk.len(&name).map(|len| (name, len))).collect()
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
        match &self.only_read {
            Some(read) => Ok(read.iter().map(|(name, _)| name.clone()).collect()),
            None => self.disk.list(),
        }
    }

    fn len(&mut self, name: &str) -> io::Result<u64> {
        self.readable()?.len(name)
    }

    fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        self.readable()?.read(name)
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
