//! A disk in memory that loses bytes without a sync at a power cut, that can be full, and whose power can fail in the middle of a change.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard};

use fastrand::Rng;
use flagfall::journal::{Journal, JournalFs, Keep, Limits, Recovered, Syncer};
use flagfall_protocols::trace::{Record, print};

/// A power cut keeps or loses bytes in pieces of this size. It is small, so that holes fall inside records.
const PAGE: usize = 32;

/// A handle to a disk: the journal owns one handle, the test keeps another.
#[derive(Clone)]
pub(crate) struct FakeDisk {
    state: Arc<Mutex<State>>,
    /// The beginning of all names in the folder of this handle.
    folder: String,
}

struct State {
    rng: Rng,
    files: Vec<Content>,
    names: BTreeMap<String, usize>,
    durable_names: BTreeMap<String, usize>,
    name_changes: Vec<(String, Option<usize>)>,
    power: Option<u32>,
    free: Option<usize>,
    trouble: f64,
    /// Changes fail in files whose names begin with this.
    refused: Option<String>,
}

#[derive(Clone, Default)]
struct Content {
    now: Vec<u8>,
    durable: Vec<u8>,
    changes: Vec<Change>,
    /// Bytes that were written, but whose sync failed: they never reach the disk unless they are written again.
    lost: Vec<Range<usize>>,
    /// The next sync fails.
    fails_once: bool,
}

#[derive(Clone)]
enum Change {
    Append(Vec<u8>),
    Write(usize, Vec<u8>),
    Truncate(usize),
}

impl FakeDisk {
    pub(crate) fn new(seed: u64) -> FakeDisk {
        let state = Arc::new(Mutex::new(State {
            rng: Rng::with_seed(seed),
            files: Vec::new(),
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
            name_changes: Vec::new(),
            power: None,
            free: None,
            trouble: 0.0,
            refused: None,
        }));
        FakeDisk { state, folder: String::new() }
    }

    /// A handle to a folder of the same disk.
    pub(crate) fn folder(&self, name: &str) -> FakeDisk {
        FakeDisk { state: Arc::clone(&self.state), folder: format!("{name}/") }
    }

    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.folder)
    }

    /// A disk that holds these files.
    pub(crate) fn with(files: &BTreeMap<String, Vec<u8>>) -> FakeDisk {
        let disk = FakeDisk::new(0);
        files.iter().for_each(|(name, bytes)| disk.put_file(name, bytes));
        disk
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds the lock")
    }

    /// Creates a file whose bytes are on the disk.
    pub(crate) fn put_file(&self, name: &str, bytes: &[u8]) {
        let mut state = self.state();
        let id = state.files.len();
        state.files.push(Content { now: bytes.to_vec(), durable: bytes.to_vec(), ..Content::default() });
        state.names.insert(self.path(name), id);
        state.durable_names.insert(self.path(name), id);
    }

    /// All files as a program sees them now.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let state = self.state();
        let own = state.names.iter().filter_map(|(name, &id)| Some((name.strip_prefix(&self.folder)?, id)));
        own.map(|(name, id)| (name.to_owned(), state.files[id].now.clone())).collect()
    }

    /// The power fails after this number of further changes; with none it never fails.
    pub(crate) fn fail_power_after(&self, changes: Option<u32>) {
        self.state().power = changes;
    }

    /// Only this number of bytes can still be written.
    pub(crate) fn limit_free(&self, bytes: Option<usize>) {
        self.state().free = bytes;
    }

    /// Each change fails with this probability, 0.0..=1.0.
    pub(crate) fn set_failure_rate(&self, likely: f64) {
        self.state().trouble = likely;
    }

    /// Every change fails in files whose names begin with this.
    pub(crate) fn refuse(&self, beginning: Option<String>) {
        self.state().refused = beginning;
    }

    /// Whether the power has not failed.
    pub(crate) fn has_power(&self) -> bool {
        self.state().power != Some(0)
    }

    /// Cuts the power; all bytes without a sync are lost.
    pub(crate) fn forget_unsynced(&self) {
        let mut state = self.state();
        let State { files, names, durable_names, name_changes, .. } = &mut *state;
        for file in files.iter_mut() {
            *file = Content { now: file.durable.clone(), durable: std::mem::take(&mut file.durable), ..Content::default() };
        }
        name_changes.clear();
        names.clone_from(durable_names);
    }

    /// The next sync of every file in the folder fails, and its unsynced bytes never reach the disk unless they are written again.
    pub(crate) fn drop_pages(&self) {
        let mut state = self.state();
        let State { files, names, .. } = &mut *state;
        for (_, &id) in names.iter().filter(|(name, _)| name.starts_with(&self.folder)) {
            let file = &mut files[id];
            file.lost.push(file.durable.len().min(file.now.len())..file.now.len());
            file.fails_once = true;
        }
    }

    /// Whether some bytes can be read but will never reach the disk.
    pub(crate) fn has_lost_pages(&self) -> bool {
        self.state().files.iter().any(|file| !file.lost.is_empty())
    }

    /// Cuts the power and switches it on again: synced bytes are there, and any part of the others.
    pub(crate) fn cut_power(&self) {
        let mut state = self.state();
        let State { rng, files, names, durable_names, name_changes, .. } = &mut *state;
        for file in files.iter_mut() {
            let left = file.after_cut(rng);
            *file = Content { now: left.clone(), durable: left, ..Content::default() };
        }
        for (name, id) in name_changes.drain(..) {
            if rng.bool() {
                change_name(durable_names, name, id);
            }
        }
        names.clone_from(durable_names);
        (state.power, state.free, state.trouble) = (None, None, 0.0);
    }
}

fn write_over(content: &mut Vec<u8>, place: usize, bytes: &[u8]) {
    // A gap is read as zeros.
    content.resize(content.len().max(place + bytes.len()), 0);
    content[place..place + bytes.len()].copy_from_slice(bytes);
}

fn change_name(names: &mut BTreeMap<String, usize>, name: String, id: Option<usize>) {
    match id {
        Some(id) => names.insert(name, id),
        None => names.remove(&name),
    };
}

impl Content {
    fn after_cut(&self, rng: &mut Rng) -> Vec<u8> {
        let only_appends = self.changes.iter().all(|change| matches!(change, Change::Append(_)));
        match rng.u8(0..4) {
            0 => self.durable.clone(),
            1 => self.synced(),
            2 if only_appends => {
                // Later pages may be there while earlier ones are not.
                let mut left = self.now[..rng.usize(self.durable.len()..=self.now.len())].to_vec();
                let mut start = self.durable.len();
                while start < left.len() {
                    let end = (start / PAGE * PAGE + PAGE).min(left.len());
                    if rng.bool() {
                        left[start..end].fill(0);
                    }
                    start = end;
                }
                left
            }
            _ => {
                let mut left = self.durable.clone();
                for change in &self.changes[..rng.usize(0..=self.changes.len())] {
                    match change {
                        Change::Append(bytes) => left.extend(bytes),
                        Change::Write(place, bytes) => write_over(&mut left, *place, bytes),
                        Change::Truncate(len) => left.truncate(*len),
                    }
                }
                left.truncate(rng.usize(self.durable.len().min(left.len())..=left.len()));
                left
            }
        }
    }

    /// Bytes that are written again reach the disk with the next sync.
    fn write(&mut self, place: usize, bytes: &[u8]) {
        let written = place..place + bytes.len();
        let lost = std::mem::take(&mut self.lost).into_iter();
        let beside = lost.flat_map(|lost| [lost.start..lost.end.min(written.start), lost.start.max(written.end)..lost.end]);
        self.lost = beside.filter(|lost| !lost.is_empty()).collect();
        write_over(&mut self.now, place, bytes);
        self.changes.push(Change::Write(place, bytes.to_vec()));
    }

    fn synced(&self) -> Vec<u8> {
        let mut bytes = self.now.clone();
        self.lost.iter().for_each(|lost| bytes[lost.clone()].fill(0));
        bytes
    }
}

impl State {
    /// Counts one change; fails if the disk refuses it.
    fn change(&mut self, path: &str) -> io::Result<()> {
        if self.refused.as_ref().is_some_and(|beginning| path.starts_with(beginning)) {
            return Err(io::Error::other("refused"));
        }
        match &mut self.power {
            Some(0) => return Err(io::Error::other("no power")),
            Some(left) => *left -= 1,
            None => {}
        }
        let fails = self.trouble > 0.0 && self.rng.f64() < self.trouble;
        if fails { Err(io::Error::other("trouble")) } else { Ok(()) }
    }

    fn free_bytes(&mut self, bytes: usize) {
        self.free = self.free.map(|free| free + bytes);
    }

    fn file(&mut self, name: &str) -> io::Result<&mut Content> {
        let id = *self.names.get(name).ok_or(io::ErrorKind::NotFound)?;
        Ok(&mut self.files[id])
    }
}

impl JournalFs for FakeDisk {
    fn list(&mut self) -> io::Result<Vec<String>> {
        Ok(self.state().names.keys().rev().filter_map(|name| name.strip_prefix(&self.folder)).map(str::to_owned).collect())
    }

    fn len(&mut self, name: &str) -> io::Result<u64> {
        Ok(self.state().file(&self.path(name))?.now.len() as u64)
    }

    fn read(&mut self, name: &str) -> io::Result<Vec<u8>> {
        Ok(self.state().file(&self.path(name))?.now.clone())
    }

    fn create(&mut self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.change(&self.path(name))?;
        let name = self.path(name);
        if let Ok(file) = state.file(&name) {
            let freed = file.now.len();
            file.now.clear();
            file.lost.clear();
            file.changes.push(Change::Truncate(0));
            state.free_bytes(freed);
            return Ok(());
        }
        let id = state.files.len();
        state.files.push(Content::default());
        state.names.insert(name.clone(), id);
        state.name_changes.push((name, Some(id)));
        Ok(())
    }

    fn append(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let result = state.change(&self.path(name));
        let mut fits = bytes.len().min(state.free.unwrap_or(usize::MAX));
        if result.is_err() {
            fits = state.rng.usize(0..=fits);
        }
        if let Some(free) = &mut state.free {
            *free -= fits;
        }
        let file = state.file(&self.path(name))?;
        file.now.extend(&bytes[..fits]);
        file.changes.push(Change::Append(bytes[..fits].to_vec()));
        result?;
        if fits < bytes.len() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }

    fn write_at(&mut self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let result = state.change(&self.path(name));
        let written = if result.is_err() { state.rng.usize(0..=bytes.len()) } else { bytes.len() };
        state.file(&self.path(name))?.write(offset as usize, &bytes[..written]);
        result
    }

    fn truncate(&mut self, name: &str, len: u64) -> io::Result<()> {
        let mut state = self.state();
        state.change(&self.path(name))?;
        let file = state.file(&self.path(name))?;
        let len = len as usize;
        let freed = file.now.len().checked_sub(len).expect("a journal never makes a file longer this way");
        file.now.truncate(len);
        file.lost.retain_mut(|lost| {
            lost.end = lost.end.min(len);
            lost.start < lost.end
        });
        file.changes.push(Change::Truncate(len));
        state.free_bytes(freed);
        Ok(())
    }

    fn sync(&mut self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        let name = self.path(name);
        let result = state.change(&name);
        let kind = state.rng.u8(0..3);
        let file = state.file(&name)?;
        if std::mem::take(&mut file.fails_once) {
            return Err(io::Error::other("dropped pages"));
        }
        match (&result, kind) {
            (Err(_), 0) => {}
            (Err(_), 1) => file.lost.push(file.durable.len().min(file.now.len())..file.now.len()),
            _ => {
                file.durable = file.synced();
                file.changes.clear();
            }
        }
        result
    }

    fn syncer(&mut self, name: &str) -> io::Result<Syncer> {
        let (disk, name) = (self.clone(), name.to_owned());
        disk.state().file(&self.path(&name))?;
        Ok(Box::new(move || disk.clone().sync(&name)))
    }

    fn sync_dir(&mut self) -> io::Result<()> {
        let mut state = self.state();
        state.change(&self.folder)?;
        let State { durable_names, name_changes, .. } = &mut *state;
        let own = name_changes.extract_if(.., |(name, _)| name.starts_with(&self.folder));
        own.for_each(|(name, id)| change_name(durable_names, name, id));
        Ok(())
    }

    fn remove(&mut self, name: &str) -> io::Result<()> {
        let mut state = self.state();
        state.change(&self.path(name))?;
        let name = self.path(name);
        let id = state.names.remove(&name).ok_or(io::ErrorKind::NotFound)?;
        let freed = state.files[id].now.len();
        state.free_bytes(freed);
        state.name_changes.push((name, None));
        Ok(())
    }
}

/// Opens the journal on `disk`.
pub(crate) fn open(disk: &FakeDisk, limits: Limits) -> (Journal, Recovered) {
    Journal::open(Box::new(disk.clone()), limits, Keep::All).expect("a journal always opens")
}

/// Records as lines of a journal.
pub(crate) fn lines<'a>(records: impl Iterator<Item = Record<'a>>) -> Vec<String> {
    records.map(|record| line(&record)).collect()
}

/// A record as a line of a journal.
pub(crate) fn line(record: &Record<'_>) -> String {
    let mut text = String::new();
    print(record, &mut text).expect("journals hold what can be printed");
    text
}
