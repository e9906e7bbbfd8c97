//! Waiting for the disk on another thread: the owner writes, somebody else syncs, and what was appended meanwhile waits for
//! the next time.

use std::io;

use flagfall_protocols::time::Instant;

use super::error::WriteError;
use super::fs::Syncer;
use super::standing::Standing;
use super::writer::{FLUSH_AFTER, Journal, RETRY_AFTER};

/// Tells one wait from every other: two may be about the same records, and a journal that is opened again counts anew, but
/// has given more numbers by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Mark {
    seq: u64,
    wait: u64,
}

/// One wait for the disk, to be run on any thread. It holds nothing of the journal.
pub struct SyncJob {
    sync: Syncer,
    mark: Mark,
}

/// What came of a [`SyncJob`]; to be given back with [`Journal::synced`].
#[derive(Debug)]
pub struct Synced {
    mark: Mark,
    result: io::Result<()>,
}

impl SyncJob {
    /// Waits for the disk.
    pub fn run(self) -> Synced {
        Synced { mark: self.mark, result: (self.sync)() }
    }
}

impl Synced {
    /// The disk said no.
    pub fn has_failed(&self) -> bool {
        self.result.is_err()
    }
}

/// The wait that is under way.
pub(super) struct UnderWay {
    mark: Mark,
    /// Bytes of the buffer that it is about.
    bytes: usize,
    standing: Standing,
    /// When the first record was appended after it began.
    pub(super) dirty_since: Option<Instant>,
}

impl Journal {
    /// Writes the buffer and gives the job of waiting for the disk, if there is anything to wait for, none is under way, and
    /// no failure is being waited out.
    pub fn begin_sync(&mut self, now: Instant) -> Option<SyncJob> {
        if self.under_way.is_some() || self.pending.is_empty() || self.retry_at.is_some_and(|until| now < until) {
            return None;
        }
        self.retry_at = None;
        match self.write_for_sync() {
            Ok(sync) => {
                self.waits += 1;
                self.waited_at = Some(now);
                let mark = Mark { seq: self.standing.next_seq, wait: self.waits };
                let bytes = self.pending.len();
                self.under_way = Some(UnderWay { mark, bytes, standing: self.standing.clone(), dirty_since: None });
                Some(SyncJob { sync, mark })
            }
            Err(error) => {
                self.failed(error, now);
                None
            }
        }
    }

    fn write_for_sync(&mut self) -> Result<Syncer, WriteError> {
        if !self.open {
            self.begin_file()?;
        }
        self.write()?;
        let name = self.files.last().map(|file| file.name.to_string()).unwrap_or_default();
        self.fs.syncer(&name).map_err(|error| WriteError::new("syncing", &name, &error))
    }

    /// Takes what came of a job. Success of one that a [`Journal::flush`] has overtaken says nothing; failure always means that
    /// what was written meanwhile may be lost.
    pub fn synced(&mut self, synced: Synced, now: Instant) {
        let Some(file) = self.files.last_mut() else { return };
        if let Err(error) = &synced.result {
            let error = WriteError::new("syncing", &file.name.to_string(), error);
            self.under_way = None;
            self.spoilt = true;
            return self.failed(error, now);
        }
        let Some(under_way) = self.under_way.take_if(|under_way| under_way.mark == synced.mark) else { return };
        file.len += under_way.bytes as u64;
        self.pending.drain(..under_way.bytes);
        self.written = self.written.saturating_sub(under_way.bytes);
        self.dirty_since = under_way.dirty_since;
        self.durable = under_way.standing;
        self.status.failing = None;
        // A new file begins where the old one is whole.
        if self.pending.is_empty() {
            self.rotate_now(now);
        }
    }

    /// Something may be synced now, although it is not due: the last wait began long enough ago for another to cost no more
    /// than waking up for it later.
    pub fn is_rested(&self, now: Instant) -> bool {
        self.dirty_since.is_some() && self.waited_at.is_none_or(|last| now >= last.after(FLUSH_AFTER))
    }

    /// When the next job is due, as long as one is being waited for: for what was appended since that began.
    pub fn flush_due_after_sync(&self) -> Option<Instant> {
        Some(self.under_way.as_ref()?.dirty_since?.after(FLUSH_AFTER))
    }

    /// Whether a job is being waited for.
    pub fn is_syncing(&self) -> bool {
        self.under_way.is_some()
    }

    /// Everything up to this sequence number is on the disk.
    pub fn durable_seq(&self) -> u64 {
        self.durable.next_seq.saturating_sub(1)
    }

    pub(super) fn failed(&mut self, error: WriteError, now: Instant) {
        self.status.failing = Some(error);
        self.retry_at = Some(now.after(RETRY_AFTER));
    }

    pub(super) fn rotate_now(&mut self, now: Instant) {
        if self.rotate_at.is_none_or(|until| now >= until) {
            self.status.failing = self.rotate_if_due().err();
            self.rotate_at = self.status.failing.is_some().then(|| now.after(RETRY_AFTER));
        }
    }
}
