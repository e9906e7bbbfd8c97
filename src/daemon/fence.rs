//! A journal's folder for one reader of an inbox: when another has taken its place, it can change nothing any more.

use std::io;
use std::sync::{Arc, PoisonError};

use anyhow::Result;

use super::plan::Plan;
use super::shared::Face;
use crate::journal::{Disk, JournalFs, Syncer};

/// A folder that only the present reader of the station's inbox may change.
pub struct Fenced {
    disk: Disk,
    face: Arc<Face>,
    reader: u64,
}

impl Fenced {
    /// Opens the folder of a station, with the lock of the reader before if there was one.
    ///
    /// # Errors
    /// It cannot be made, or another process has it.
    pub fn open(plan: &Plan, face: Arc<Face>, reader: u64) -> Result<Fenced> {
        let mut lock = face.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let disk = match lock.clone() {
            Some(lock) => Disk::again(&plan.dir, lock),
            None => Disk::open(&plan.dir)?,
        };
        *lock = disk.lock();
        drop(lock);
        Ok(Fenced { disk, face, reader })
    }

    fn disk(&mut self) -> io::Result<&mut Disk> {
        match self.face.inbox.is_reader(self.reader) {
            true => Ok(&mut self.disk),
            false => Err(io::Error::other("another thread goes on with this journal")),
        }
    }
}

impl JournalFs for Fenced {
    fn list(&mut self) -> io::Result<Vec<String>> {
        self.disk.list()
    }

    fn len(&mut self, name: &str) -> io::Result<u64> {
        self.disk.len(name)
    }

    fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        self.disk.read(name)
    }

    fn create(&mut self, name: &str) -> io::Result<()> {
        self.disk()?.create(name)
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.disk()?.append(name, bytes)
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
