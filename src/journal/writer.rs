//! Writes the journal of one station: holds records in a buffer, appends them to the newest file, and waits for the disk.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Body, Record, print};

use super::error::{AppendError, OpenError, WriteError};
use super::fs::JournalFs;
use super::name::FileName;
use super::reader::{Keep, Recovered};
use super::recovery::recover;
use super::rotation::FileLength;
use super::standing::Standing;
use super::unsynced::Unsynced;

/// The longest time for which a record waits until it is flushed to the disk.
pub const FLUSH_AFTER: Duration = Duration::from_millis(500);
/// The time between a failed write and the next attempt.
pub const RETRY_AFTER: Duration = Duration::from_secs(2);
/// The largest value of the limit for one file, in bytes.
pub const MAX_FILE: u64 = 128 << 20;

/// The limits of the journal of one station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// A file of this many bytes is followed by a new one of the same session. At most [`MAX_FILE`] counts.
    pub file: u64,
    /// Old sessions are deleted above this many bytes of all files together.
    pub total: u64,
    /// Old sessions are deleted above this many files.
    pub files: usize,
    /// No record is accepted above this many bytes of the current session's files and of records that wait. The last eighth is
    /// for records other than the bytes of devices.
    pub cap: u64,
    /// The largest number of bytes of records that are kept while the disk cannot be written.
    pub buffer: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { file: 8 << 20, total: 64 << 20, files: 256, cap: 64 << 20, buffer: 4 << 20 }
    }
}

/// The number and time that a record got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Its sequence number.
    pub seq: u64,
    /// Its time: the given one, or the time of the record before if that is later. Handle the input at this time.
    pub at: Instant,
}

/// The state of the journal, for the status topic.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// Why the last write failed; none if it did not.
    pub failing: Option<WriteError>,
    /// Records given up because the buffer was full, or because of the cap.
    pub given_up: u64,
    /// Records whose time was before that of the record before.
    pub late: u64,
    /// Bytes that wait for the disk.
    pub waiting: usize,
    /// Old files deleted to stay below the caps.
    pub deleted: u64,
    /// The current session alone is larger than the limits above which old sessions are deleted.
    pub over_cap: bool,
    /// The last record was given up because of [`Limits::cap`].
    pub full: bool,
}

/// One station's journal, open for writing. It has no thread: its owner calls [`Journal::flush`] when [`Journal::flush_due`] has
/// come.
pub struct Journal {
    pub(super) fs: Box<dyn JournalFs>,
    pub(super) limits: Limits,
    /// Where the journal stands, with the records that wait.
    pub(super) standing: Standing,
    /// Where the journal stands without them: what a new file may say about the files before it.
    pub(super) durable: Standing,
    /// All records since the last successful sync.
    pub(super) pending: String,
    /// How many bytes of `pending` were handed to the file.
    pub(super) written: usize,
    /// It is not known what the newest file holds after its synced length.
    pub(super) tail_unknown: bool,
    pub(super) dirty_since: Option<Instant>,
    pub(super) retry_at: Option<Instant>,
    /// When to try again to begin a file.
    pub(super) rotate_at: Option<Instant>,
    /// The bytes that another thread waits for; none = the owner waits itself.
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
    /// Recovers a journal and opens it. It writes no record before the first [`Journal::flush`].
    ///
    /// # Errors
    /// See [`OpenError`]; damage is no error.
    pub fn open(mut fs: Box<dyn JournalFs>, limits: Limits, keep: Keep) -> Result<(Journal, Recovered), OpenError> {
        let names = fs.list().map_err(|error| OpenError::Io { doing: "listing", file: "the directory".to_owned(), error })?;
        let last_number = names.iter().filter_map(|name| FileName::parse(name)).map(|name| name.number).max().unwrap_or(0);
        let (recovered, open) = recover(fs.as_mut(), keep)?;
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

    /// Adds one record to the buffer: an input before it is handled, an output before it is sent.
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
        let of_device = matches!(record.body, Body::Rx { .. } | Body::Tx { .. } | Body::Snap(_));
        self.status.full = if of_device { self.is_capped() } else { self.session_len() > self.limits.cap };
        if self.status.full || self.pending.len() > self.limits.buffer {
            self.pending.truncate(start);
            self.status.given_up += 1;
            return Err(AppendError::GivenUp(stamp));
        }
        self.dirty_since.get_or_insert(stamp.at);
        Ok(stamp)
    }

    /// The bytes of the current session's files, with the records that wait.
    fn session_len(&self) -> u64 {
        let files = self.files.iter().filter(|file| file.name.number >= self.keep_from);
        files.map(|file| file.len).sum::<u64>() + self.pending.len() as u64
    }

    /// Whether the session has reached seven eighths of [`Limits::cap`], so that the bytes of devices are not recorded any more.
    pub fn is_capped(&self) -> bool {
        self.session_len() > self.limits.cap - self.limits.cap / 8
    }

    /// Where the journal stands, with the records that wait.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// The state of the journal.
    pub fn status(&self) -> Status {
        Status { waiting: self.pending.len(), ..self.status.clone() }
    }

    /// Time of the oldest record that is not on the disk.
    pub fn dirty_since(&self) -> Option<Instant> {
        self.dirty_since
    }

    /// When [`Journal::flush`] must be called next, if at all; for a shared journal, when [`Journal::hand_over`] must be called.
    pub fn flush_due(&self) -> Option<Instant> {
        let write = match &self.unsynced {
            Some(_) => self.retry_at.filter(|_| !self.pending.is_empty()),
            None => self.dirty_since.map(|since| since.after(FLUSH_AFTER).max(self.retry_at.unwrap_or_default())),
        };
        // A new file is begun when the old one is complete on the disk, and not while a failure is waited out.
        let rotate = self.rotate_at.filter(|_| self.pending.is_empty()).map(|at| at.max(self.retry_at.unwrap_or_default()));
        [write, rotate].into_iter().flatten().min()
    }

    /// Hands the buffer to the operating system without waiting for the disk, so that a crash of this program loses nothing.
    /// A failure shows at the next [`Journal::flush`].
    pub fn write_out(&mut self) {
        if self.open && !self.tail_unknown && self.retry_at.is_none() {
            // A failure is noted in `tail_unknown`, and the flush writes again.
            drop(self.write());
        }
    }

    /// Call this before a finding or decision is sent. After `Ok`, everything that was appended is on the disk.
    ///
    /// # Errors
    /// As [`Journal::flush`]. Send the output all the same and let the status report the failure: a disk must not silence an
    /// arbiter's board.
    pub fn send_barrier(&mut self, now: Instant) -> Result<(), WriteError> {
        if self.pending.is_empty() { Ok(()) } else { self.flush(now) }
    }

    /// Writes the buffer and waits for the disk, and begins a new file where one is due. Within [`RETRY_AFTER`] of a failure
    /// nothing is tried.
    ///
    /// # Errors
    /// It is not certain that the records are on the disk; they stay in the buffer. A new file that could not be begun is no
    /// error and shows in [`Journal::status`].
    pub fn flush(&mut self, now: Instant) -> Result<(), WriteError> {
        if self.unsynced.as_ref().is_some_and(|unsynced| unsynced.has_failed()) {
            // The bytes are written again at once, since this may be the last flush.
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
        // From now on the other thread's results for these bytes are ignored, whatever the result here is: the kernel treats
        // pages of a failed wait as clean.
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

    /// Appends what was not handed over yet. If the file's tail is unknown, it is cut back first.
    pub(super) fn write(&mut self) -> Result<(), WriteError> {
        if self.tail_unknown
            && let Some(durable) = self.unsynced.as_ref().map(|unsynced| unsynced.reset())
        {
            // Bytes that the other thread reported as durable are not cut back.
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
            self.delete_old();
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
