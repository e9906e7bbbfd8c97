//! A disk in memory that loses nothing.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind, Result};
use std::sync::{Arc, Mutex, MutexGuard};

use flagfall::journal::{Journal, JournalFs, Keep, Limits, Recovered, Syncer};

/// A handle to a disk: the journal owns one handle, the test keeps another.
#[derive(Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    files: BTreeMap<String, Vec<u8>>,
    /// The number of syncs so far.
    syncs: usize,
    /// The number of bytes without a sync.
    unsynced: usize,
}

impl Memory {
    /// A disk with one file.
    pub(crate) fn with(name: &str, text: &str) -> Memory {
        let memory = Memory::default();
        memory.state().files.insert(name.to_owned(), text.as_bytes().to_vec());
        memory
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().expect("no test panicked in here")
    }

    /// Names and texts of all files.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let text = |bytes: &Vec<u8>| String::from_utf8(bytes.clone()).expect("text");
        self.state().files.iter().map(|(name, bytes)| (name.clone(), text(bytes))).collect()
    }

    /// The number of bytes that a power cut would lose.
    pub(crate) fn unsynced(&self) -> usize {
        self.state().unsynced
    }

    /// The number of syncs so far.
    pub(crate) fn syncs(&self) -> usize {
        self.state().syncs
    }

    /// Reads the files as a restart does.
    pub(crate) fn recovered(&self) -> Recovered {
        Journal::open(Box::new(self.clone()), Limits::default(), Keep::All).expect("opens").1
    }
}

fn missing() -> Error {
    Error::from(ErrorKind::NotFound)
}

impl JournalFs for Memory {
    fn list(&mut self) -> Result<Vec<String>> {
        Ok(self.state().files.keys().cloned().collect())
    }

    fn len(&mut self, name: &str) -> Result<u64> {
        self.read(name).map(|bytes| bytes.len() as u64)
    }

    fn read(&mut self, name: &str) -> Result<Vec<u8>> {
        self.state().files.get(name).cloned().ok_or_else(missing)
    }

    fn create(&mut self, name: &str) -> Result<()> {
        self.state().files.insert(name.to_owned(), Vec::new());
        Ok(())
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let mut state = self.state();
        state.files.get_mut(name).ok_or_else(missing)?.extend_from_slice(bytes);
        state.unsynced += bytes.len();
        Ok(())
    }

    fn write_at(&mut self, name: &str, offset: u64, bytes: &[u8]) -> Result<()> {
        let mut state = self.state();
        let file = state.files.get_mut(name).ok_or_else(missing)?;
        let written = offset as usize..offset as usize + bytes.len();
        file.resize(file.len().max(written.end), 0);
        file[written].copy_from_slice(bytes);
        state.unsynced += bytes.len();
        Ok(())
    }

    fn truncate(&mut self, name: &str, len: u64) -> Result<()> {
        self.state().files.get_mut(name).ok_or_else(missing)?.truncate(len as usize);
        Ok(())
    }

    fn sync(&mut self, _: &str) -> Result<()> {
        let mut state = self.state();
        state.syncs += 1;
        state.unsynced = 0;
        Ok(())
    }

    fn syncer(&mut self, name: &str) -> Result<Syncer> {
        let (disk, name) = (self.clone(), name.to_owned());
        Ok(Box::new(move || disk.clone().sync(&name)))
    }

    fn sync_dir(&mut self) -> Result<()> {
        Ok(())
    }

    fn remove(&mut self, name: &str) -> Result<()> {
        self.state().files.remove(name).map(drop).ok_or_else(missing)
    }
}
