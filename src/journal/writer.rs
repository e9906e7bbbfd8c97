use std::io;
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Record, print};

use super::error::{AppendError, OpenError, WriteError};
use super::fs::JournalFs;
use super::name::FileName;
use super::reader::Recovered;
use super::recovery::recover;
use super::rotation::FileLength;
use super::standing::Standing;
use super::unsynced::Unsynced;

/// How long a record may wait for the disk.
pub const FLUSH_AFTER: Duration = Duration::from_millis(500);
/// How long after a failed write the next is tried.
pub const RETRY_AFTER: Duration = Duration::from_secs(2);
/// The largest cap of one file, in bytes.
pub const MAX_FILE: u64 = 128 << 20;

/// Caps of one station's journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A file of this many bytes is followed by a new one of the same session; at most [`MAX_FILE`] counts.
    pub file: u64,
    /// Old sessions are deleted above this many bytes of all files together.
    pub total: u64,
    /// Old sessions are deleted above this many files.
    pub files: usize,
    /// Bytes of records kept while the disk cannot be written.
    pub buffer: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { file: 8 << 20, total: 64 << 20, files: 256, buffer: 4 << 20 }
    }
}

/// What a record got when it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its sequence number.
    pub seq: u64,
    /// Its time: what was given, or the time of the record before if that is later. Handle the input at this time.
    pub at: Instant,
}

/// How the journal fares: for the status topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Why the last write failed; none if it did not.
    pub failing: Option<WriteError>,
    /// Records given up because the buffer was full.
    pub given_up: u64,
    /// Records whose time was before that of the record before.
    pub late: u64,
    /// Bytes that wait for the disk.
    pub waiting: usize,
    /// Old files deleted to stay below the caps.
    pub deleted: u64,
    /// The session that goes on is larger than the caps by itself.
    pub over_cap: bool,
}

/// One station's journal, open for writing. Passive and without a thread: whoever owns it calls [`Journal::flush`] when
/// [`Journal::flush_due`] has come.
pub struct Journal {
    pub(super) fs: Box<dyn JournalFs>,
    pub(super) limits: Limits,
    /// With the records that wait.
    pub(super) standing: Standing,
    /// Without them: what a new file may say of the files before it.
    pub(super) durable: Standing,
    /// All records since the last successful sync.
    pub(super) pending: String,
    /// How much of `pending` was handed to the file.
    pub(super) written: usize,
    /// What the newest file holds after its synced length is not known.
    pub(super) tail_unknown: bool,
    pub(super) dirty_since: Option<Instant>,
    pub(super) retry_at: Option<Instant>,
    /// When to try again to begin a file.
    pub(super) rotate_at: Option<Instant>,
    /// What another thread waits for; none = the owner waits by itself.
    pub(super) unsynced: Option<Arc<Unsynced>>,
    pub(super) session: String,
    pub(super) headers: String,
    pub(super) files: Vec<FileLength>,
    pub(super) last_number: u64,
    /// The last of `files` can be appended to.
    pub(super) open: bool,
    pub(super) rotate: bool,
    /// Number of the oldest file that must not be deleted.
    pub(super) keep_from: u64,
    pub(super) status: Status,
}

impl Journal {
    /// Recovers a journal and opens it. Writes nothing of its own before the first [`Journal::flush`].
    ///
    /// # Errors
    /// See [`OpenError`]; damage is none of them.
    pub fn open(mut fs: Box<dyn JournalFs>, limits: Limits) -> Result<(Journal, Recovered), OpenError> {
        let names = fs.list().map_err(|error| OpenError::Io { doing: "listing", file: "the directory".to_owned(), error })?;
        let last_number = names.iter().filter_map(|name| FileName::parse(name)).map(|name| name.number).max().unwrap_or(0);
        let (recovered, open) = recover(fs.as_mut())?;
        let mut files: Vec<FileLength> = recovered.files.iter().map(FileLength::from_read).collect();
        if let (Some(file), Some(len)) = (files.last_mut(), open) {
            file.len = len;
        }
        let keep_from = files.get(recovered.session_start()).map_or(0, |file| file.name.number);
        let journal = Journal {
            fs,
            limits,
            standing: recovered.standing.clone(),
            durable: recovered.standing.clone(),
            pending: String::new(),
            written: 0,
            tail_unknown: false,
            dirty_since: None,
            retry_at: None,
            rotate_at: None,
            unsynced: None,
            session: recovered.session().unwrap_or("start").to_owned(),
            headers: String::new(),
            files,
            last_number,
            open: open.is_some(),
            rotate: false,
            keep_from,
            status: Status::default(),
        };
        Ok((journal, recovered))
    }

    /// Takes one record into the buffer: an input before it is handled, an output before it is sent.
    ///
    /// # Errors
    /// See [`AppendError`]: the service goes on in every case.
    pub fn append(&mut self, at: Instant, body: Body<'_>) -> Result<Stamp, AppendError> {
        if let Body::Ack { sink, audience, .. } = body
            && !self.standing.has_room(sink, audience)
        {
            return Err(AppendError::TooManySinks);
        }
        let stamp = Stamp { seq: self.standing.next_seq, at: at.max(self.standing.last_at) };
        let record = Record { seq: stamp.seq, at: stamp.at, body };
        let start = self.pending.len();
        print(&record, &mut self.pending).map_err(AppendError::Line)?;
        self.standing.step_past(&record);
        self.status.late += u64::from(stamp.at != at);
        if self.pending.len() > self.limits.buffer {
            self.pending.truncate(start);
            self.status.given_up += 1;
            return Err(AppendError::GivenUp(stamp));
        }
        self.dirty_since.get_or_insert(stamp.at);
        Ok(stamp)
    }

    /// Where the journal stands, with the records that wait.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// How it fares.
    pub fn status(&self) -> Status {
        Status { waiting: self.pending.len(), ..self.status.clone() }
    }

    /// Time of the oldest record that is not on the disk.
    pub fn dirty_since(&self) -> Option<Instant> {
        self.dirty_since
    }

    /// When [`Journal::flush`] must be called next, if at all; of a journal that is shared, [`Journal::hand_over`].
    pub fn flush_due(&self) -> Option<Instant> {
        let write = match &self.unsynced {
            Some(_) => self.retry_at.filter(|_| !self.pending.is_empty()),
            None => self.dirty_since.map(|since| since.after(FLUSH_AFTER).max(self.retry_at.unwrap_or_default())),
        };
        [write, self.rotate_at].into_iter().flatten().min()
    }

    /// Hands the buffer to the operating system without waiting for the disk, so that a crash of this program loses nothing.
    /// A failure shows at the next [`Journal::flush`].
    pub fn write_out(&mut self) {
        if self.open && !self.tail_unknown && self.retry_at.is_none() {
            // Kept in `tail_unknown` and done again by the flush.
            drop(self.write());
        }
    }

    /// To be called before a finding or decision is sent: after `Ok`, all that was appended is on the disk.
    ///
    /// # Errors
    /// As [`Journal::flush`]. Send all the same, with the status saying so: a disk must not silence an arbiter's board.
    pub fn send_barrier(&mut self, now: Instant) -> Result<(), WriteError> {
        if self.pending.is_empty() { Ok(()) } else { self.flush(now) }
    }

    /// Writes the buffer and waits for the disk; begins a new file where one is due. Within [`RETRY_AFTER`] of a failure
    /// nothing is tried.
    ///
    /// # Errors
    /// The records are not on the disk for sure; they stay in the buffer. That a new file could not be begun is no error but
    /// shows in [`Journal::status`].
    pub fn flush(&mut self, now: Instant) -> Result<(), WriteError> {
        if self.unsynced.as_ref().is_some_and(|unsynced| unsynced.has_failed()) {
            // Written again at once: this may be the last time.
            self.check_disk(now);
            self.retry_at = None;
        }
        let waits = |until: Option<Instant>| until.is_some_and(|until| now < until);
        if waits(self.retry_at)
            && let Some(error) = &self.status.failing
        {
            return Err(error.clone());
        }
        self.retry_at = None;
        if let Err(error) = self.try_flush() {
            self.note_failure(error.clone(), now);
            return Err(error);
        }
        self.rotate_now(now);
        Ok(())
    }

    fn try_flush(&mut self) -> Result<(), WriteError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if !self.open {
            self.begin_file()?;
        }
        self.write()?;
        let shared = self.files.last().and_then(|file| file.sync.clone());
        let Some(file) = self.files.last_mut() else { return Ok(()) };
        let name = file.name.to_string();
        let synced = match shared {
            Some(shared) => shared.wait(file.failed),
            None => self.fs.sync(&name),
        };
        // Whatever came of it, what the other thread finds out about these bytes from now on says nothing: pages that a failed wait
        // has dropped count as clean.
        let durable = self.unsynced.as_ref().map(|unsynced| unsynced.reset());
        if let Err(error) = synced {
            durable.into_iter().for_each(|durable| self.forget_below(durable));
            self.tail_unknown = true;
            return Err(WriteError::new("syncing", &name, &error));
        }
        file.len += self.pending.len() as u64;
        self.pending.clear();
        self.written = 0;
        self.dirty_since = None;
        self.durable.clone_from(&self.standing);
        Ok(())
    }

    /// Appends what was not handed over yet, after taking back what was if that may be spoilt.
    pub(super) fn write(&mut self) -> Result<(), WriteError> {
        if self.tail_unknown
            && let Some(durable) = self.unsynced.as_ref().map(|unsynced| unsynced.reset())
        {
            // What the other thread has answered for is not taken back.
            self.forget_below(durable);
        }
        let Some(file) = self.files.last() else { return Ok(()) };
        let (name, len) = (file.name.to_string(), file.len);
        let wrap = |doing| {
            let name = &name;
            move |error: io::Error| WriteError::new(doing, name, &error)
        };
        if self.tail_unknown {
            self.fs.truncate(&name, len).map_err(wrap("cutting"))?;
            self.written = 0;
            self.tail_unknown = false;
            if let Some(file) = self.files.last_mut() {
                file.failed = file.sync.as_ref().map_or(0, |sync| sync.failures());
            }
        }
        if self.written < self.pending.len() {
            let sync = self.file_sync().map_err(wrap("opening"))?;
            let fresh = &self.pending.as_bytes()[self.written..];
            if let Err(error) = self.fs.append(&name, fresh) {
                self.tail_unknown = true;
                return Err(wrap("writing")(error));
            }
            if let Some((unsynced, (sync, failed))) = self.unsynced.as_ref().zip(sync) {
                unsynced.push(&name, (&sync, failed), len + self.written as u64, fresh, self.standing.next_seq);
            }
            self.written = self.pending.len();
        }
        Ok(())
    }
}
