//! Begins new journal files and sessions, and deletes old files.

use std::io;
use std::sync::Arc;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{FORMAT, print_header};

use super::error::{BeginError, WriteError};
use super::name::{FileName, is_session};
use super::reader::ReadFile;
use super::unsynced::FileSync;
use super::writer::{Journal, MAX_FILE};

/// The largest number of header lines that a session may add.
const MAX_OWN_HEADERS: usize = 16;

/// A journal file, and the number of its bytes that are on the disk.
pub(super) struct FileLength {
    pub(super) name: FileName,
    pub(super) len: u64,
    /// The shared wait for the file, where another thread waits.
    pub(super) sync: Option<Arc<FileSync>>,
    /// How many waits had failed when the bytes that are not synced were written.
    pub(super) failed: u64,
}

impl FileLength {
    pub(super) fn from_read(file: &ReadFile) -> FileLength {
        FileLength { name: file.name.clone(), len: file.len as u64, sync: None, failed: 0 }
    }
}

impl Journal {
    /// Begins a session, the game or the day, with the header lines of its files: device, driver, firmware, configuration,
    /// program. The current session goes on if it has the same name. If the disk cannot be written, the first records of the new
    /// session stand in the file of the session before, which is then kept as well.
    ///
    /// # Errors
    /// See [`BeginError`]; the old session goes on. A disk that cannot be written is no error here and shows in
    /// [`Journal::status`].
    pub fn begin(&mut self, session: &str, headers: &[(&str, &str)], now: Instant) -> Result<(), BeginError> {
        if !is_session(session) {
            return Err(BeginError::Name);
        }
        let own = |key: &str| ["session", "ack", "carry"].contains(&key);
        if headers.len() > MAX_OWN_HEADERS || headers.iter().any(|(key, _)| own(key)) {
            return Err(BeginError::Headers);
        }
        let mut text = String::new();
        for (key, value) in headers {
            print_header(key, value, &mut text).map_err(BeginError::Line)?;
        }
        self.headers = text;
        let newest = self.files.last().map(|file| file.name.number);
        if session == self.session && newest.is_some() {
            return Ok(());
        }
        if self.status.failing.is_some() {
            // A file that could not be finished may still be there under the old name.
            self.last_number = self.last_number.saturating_add(1);
        }
        session.clone_into(&mut self.session);
        self.keep_from = newest.unwrap_or(0);
        self.rotate = true;
        // A failure is in the status, and `flush_due` names the next try.
        if self.flush(now).is_ok() && !self.rotate {
            self.keep_from = self.last_number;
            self.delete_old();
        }
        Ok(())
    }

    pub(super) fn rotate_if_due(&mut self) -> Result<(), WriteError> {
        let full = self.open && self.files.last().is_some_and(|file| file.len >= self.limits.file.min(MAX_FILE));
        if self.rotate || full { self.begin_file() } else { Ok(()) }
    }

    /// Makes a file with a finished header. The newest file changes only after that.
    pub(super) fn begin_file(&mut self) -> Result<(), WriteError> {
        let name = FileName { number: self.last_number.saturating_add(1), session: self.session.clone() };
        let file = name.to_string();
        let mut text = format!("{FORMAT}\n");
        let own = print_header("session", &self.session, &mut text).map(|()| text.push_str(&self.headers));
        own.and_then(|()| self.durable.print(&mut text))
            .map_err(|error| WriteError::new("heading", &file, &io::Error::other(error)))?;
        let make = |fs: &mut dyn super::JournalFs| {
            fs.create(&file)?;
            fs.append(&file, text.as_bytes())?;
            fs.sync(&file)?;
            fs.sync_dir()
        };
        if let Err(error) = make(self.fs.as_mut()) {
            // The file may not even exist. If it stays, its header holds nothing that is wrong, and the next try uses its name
            // again.
            drop(self.fs.remove(&file));
            return Err(WriteError::new("beginning", &file, &error));
        }
        self.last_number = name.number;
        self.files.push(FileLength { name, len: text.len() as u64, sync: None, failed: 0 });
        self.open = true;
        self.rotate = false;
        self.delete_old();
        Ok(())
    }

    /// Deletes the oldest files above the limits, but never one of the current session. Records that wait count.
    pub(super) fn delete_old(&mut self) {
        let mut total = self.files.iter().map(|file| file.len).sum::<u64>() + self.pending.len() as u64;
        let over = |total, files| total > self.limits.total || files > self.limits.files;
        let mut gone = 0;
        for file in &self.files[..self.files.len().saturating_sub(1)] {
            let needed = over(total, self.files.len() - gone) && file.name.number < self.keep_from;
            if !needed || self.fs.remove(&file.name.to_string()).is_err() {
                break;
            }
            total -= file.len;
            gone += 1;
        }
        self.status.over_cap = over(total, self.files.len() - gone);
        if gone == 0 {
            return;
        }
        self.files.drain(..gone);
        self.status.deleted += gone as u64;
        // The wait for the removed names may fail: a file that comes back is read and deleted again.
        drop(self.fs.sync_dir());
    }
}
