//! Lets another thread wait for the disk. The owner of a journal writes its file, the other thread waits for all journals at
//! once, and the owner reads the result in its next turn.

use std::sync::Arc;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::parse;

use super::error::WriteError;
use super::unsynced::{FileSync, Unsynced};
use super::writer::{Journal, RETRY_AFTER};

impl Journal {
    /// From now on another thread waits for the disk: it takes what was written from `unsynced`, and [`Journal::check_disk`]
    /// reads the result.
    pub fn share(&mut self, unsynced: Arc<Unsynced>, now: Instant) {
        // What was written before would not be waited for otherwise. A failure is in the status, and everything is then written
        // again.
        let _ = self.flush(now);
        self.unsynced = Some(unsynced);
    }

    /// Whether another thread waits for the disk, and no wait has failed.
    pub fn others_wait(&self) -> bool {
        self.status.failing.is_none() && self.unsynced.as_ref().is_some_and(|unsynced| !unsynced.has_failed())
    }

    /// Writes what the turn has appended. Returns true if the other thread must be informed that there are bytes to wait for.
    /// Call it after every turn.
    pub fn hand_over(&mut self, now: Instant) -> bool {
        if self.retry_at.is_some_and(|until| now < until) {
            return false;
        }
        if self.pending.is_empty() {
            if self.rotate_at.is_some_and(|due| due <= now) {
                self.rotate_now(now);
            }
            return false;
        }
        self.retry_at = None;
        let begun = if self.open { Ok(()) } else { self.begin_file() };
        if let Err(error) = begun.and_then(|()| self.write()) {
            self.note_failure(error, now);
            return false;
        }
        self.unsynced.as_ref().is_some_and(|unsynced| unsynced.register())
    }

    /// Reads the results of the waits for the disk.
    pub fn check_disk(&mut self, now: Instant) {
        let Some(unsynced) = &self.unsynced else { return };
        match unsynced.take_result() {
            Ok(next_seq) if next_seq > self.durable.next_seq => {
                self.forget_below(next_seq);
                self.status.failing = None;
                // A new file begins only when the old one is complete on the disk.
                if self.pending.is_empty() {
                    self.rotate_now(now);
                }
            }
            Ok(_) => {}
            Err(error) => {
                let file = self.files.last().map(|file| file.name.to_string()).unwrap_or_default();
                self.tail_unknown = true;
                self.note_failure(WriteError::new("syncing", &file, &error), now);
            }
        }
    }

    /// The sequence number up to which everything is on the disk.
    pub fn durable_seq(&self) -> u64 {
        self.durable.next_seq.saturating_sub(1)
    }

    /// Removes the records below this sequence number, which are on the disk, from the buffer.
    pub(super) fn forget_below(&mut self, next_seq: u64) {
        let mut bytes = 0;
        for line in self.pending[..self.written].split_inclusive('\n') {
            // These lines were printed by this program, so they can be parsed.
            let Ok(record) = parse(line.trim_end_matches('\n')) else { break };
            if record.seq >= next_seq {
                break;
            }
            self.durable.step_past(&record);
            bytes += line.len();
        }
        if bytes == self.pending.len() {
            // After records that were given up there is nothing left to wait for.
            self.durable.clone_from(&self.standing);
        }
        if let Some(file) = self.files.last_mut() {
            file.len += bytes as u64;
        }
        self.pending.drain(..bytes);
        self.written = self.written.saturating_sub(bytes);
        self.dirty_since = (!self.pending.is_empty()).then_some(self.durable.last_at);
    }

    /// The shared wait for the newest file, and how many of its waits had failed when the waiting bytes were written.
    pub(super) fn file_sync(&mut self) -> std::io::Result<Option<(Arc<FileSync>, u64)>> {
        let Some(file) = self.files.last_mut().filter(|_| self.unsynced.is_some()) else { return Ok(None) };
        if file.sync.is_none() {
            file.sync = Some(Arc::new(FileSync::new(self.fs.syncer(&file.name.to_string())?)));
        }
        Ok(file.sync.clone().map(|sync| (sync, file.failed)))
    }

    pub(super) fn note_failure(&mut self, error: WriteError, now: Instant) {
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
