//! Writes what all journals have written also into one common file, the commit log, so that one wait for the disk is enough for
//! all boards.
//!
//! A wait for the disk costs milliseconds however little was written, and each board has its own file. Journals still write their
//! own files. The thread that waits for the disk gathers what they wrote since the last flush ([`Unsynced`]) into `NNNNNNNN.log`
//! and waits for that file. From then on those bytes survive a power cut: at the next start [`recover`] writes back what a
//! journal's file lacks.
//!
//! * A log of [`MAX_LOG`] bytes is followed by a new one. Every journal file in the old log is waited for, the new log is made,
//!   then the old log is removed. The old log stays if one of the waits failed, since it is not known what that file lacks on the
//!   disk.
//! * If a log cannot be written, nothing is lost: each file is waited for separately, as without a log, and the next turn begins
//!   a new log.
//! * [`CommitLog::close`] waits for every file and removes the log, so that a version of this program without the log can open
//!   the journals.

pub(super) mod entry;
mod recovery;

use std::io;
use std::sync::Arc;

pub use self::recovery::{Folder, WrittenBack, recover};
use super::fs::JournalFs;
use super::unsynced::{FileSync, TakenPiece, Unsynced};

/// The folder of the commit log in the folder of all journals. No board has this id.
pub const FOLDER: &str = ".commit";
/// The usual length in bytes after which a new log is begun.
pub const MAX_LOG: u64 = 4 << 20;
/// The largest number of logs that stay until the next start because a wait for one of their files failed. Then no new log is
/// begun.
const MAX_LEFT: usize = 16;

/// More files than these are written together at the end.
const FEW_FILES: usize = 8;

/// The first line of a log.
const HEAD: &str = "flagfall commit log 1\n";
/// The end of the name of a log.
const ENDING: &str = ".log";

/// The commit log, open for writing.
pub struct CommitLog {
    /// None: every file is waited for separately.
    fs: Option<Box<dyn JournalFs>>,
    /// The number of the current log.
    current: Option<u64>,
    /// The length of the current log; none if it cannot be appended to.
    len: Option<u64>,
    /// The number of the next log.
    next: u64,
    /// A log of this many bytes is followed by a new one.
    most: u64,
    /// The journal files with bytes in the current log.
    files: Vec<Arc<FileSync>>,
    /// How many logs of this run stay.
    left: usize,
    buffer: Vec<u8>,
}

impl CommitLog {
    /// Opens a log in this folder, after [`recover`] has read it. A log of `most` bytes, usually [`MAX_LOG`], is followed by the
    /// next one. Logs that are still there stay.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn open(mut fs: Box<dyn JournalFs>, most: u64) -> io::Result<CommitLog> {
        let next = log_numbers(fs.as_mut())?.last().map_or(1, |last| last + 1);
        Ok(CommitLog { fs: Some(fs), most, next, ..CommitLog::without() })
    }

    /// Makes a commit without a log: every file is waited for separately.
    pub fn without() -> CommitLog {
        CommitLog { fs: None, current: None, len: None, next: 1, most: 0, files: Vec::new(), left: 0, buffer: Vec::new() }
    }

    /// Waits for the disk once for all of these boards, and reports the result to each journal.
    pub fn commit<'a>(&mut self, boards: impl IntoIterator<Item = (&'a str, &'a Unsynced)>) {
        self.buffer.clear();
        let mut taken: Vec<(&Unsynced, TakenPiece)> = Vec::new();
        for (board, unsynced) in boards {
            let pieces = unsynced.write_entries(board, &mut self.buffer);
            taken.extend(pieces.into_iter().map(|piece| (unsynced, piece)));
        }
        if taken.is_empty() {
            return;
        }
        let logged = self.write_buffer();
        for (unsynced, piece) in &taken {
            match &logged {
                Ok(number) => {
                    if piece.sync.note_in_log(*number) {
                        self.files.push(Arc::clone(&piece.sync));
                    }
                    unsynced.report_result(piece, Ok(()));
                }
                Err(_) => unsynced.report_result(piece, piece.sync.wait(piece.failed)),
            }
        }
    }

    /// Waits for every journal file and removes the log.
    ///
    /// # Errors
    /// A wait for a file failed, now or before: its log stays for the next start.
    pub fn close(mut self) -> io::Result<()> {
        if let Some(fs) = self.fs.as_mut().filter(|_| self.files.len() > FEW_FILES) {
            fs.hasten();
        }
        self.sync_files()?;
        if let Some((fs, current)) = self.fs.as_mut().zip(self.current) {
            fs.remove(&log_name(current))?;
            fs.sync_dir()?;
        }
        if self.left > 0 { Err(io::Error::other("a journal file could not be waited for before")) } else { Ok(()) }
    }

    /// Appends the buffer to the log and waits for the disk. Returns the log's number.
    fn write_buffer(&mut self) -> io::Result<u64> {
        let (number, len) = match (self.current, self.len.take()) {
            (Some(current), Some(len)) if len < self.most => (current, len),
            _ => (self.begin_log()?, HEAD.len() as u64),
        };
        let fs = self.fs.as_mut().ok_or(io::ErrorKind::Unsupported)?;
        let name = log_name(number);
        fs.append(&name, &self.buffer)?;
        fs.sync(&name)?;
        self.len = Some(len + self.buffer.len() as u64);
        Ok(number)
    }

    /// Begins a new log. The one before is removed if it is not needed any more.
    fn begin_log(&mut self) -> io::Result<u64> {
        let fs = self.fs.as_mut().filter(|_| self.left < MAX_LEFT).ok_or(io::ErrorKind::Unsupported)?;
        let fresh = log_name(self.next);
        let mut make = || {
            fs.create(&fresh)?;
            fs.append(&fresh, HEAD.as_bytes())?;
            fs.sync(&fresh)?;
            fs.sync_dir()
        };
        if let Err(error) = make() {
            // The new log may not even exist. If it stays, it holds nothing, and the next try uses its name again.
            drop(fs.remove(&fresh));
            return Err(error);
        }
        let old = self.current.replace(self.next);
        self.next += 1;
        let synced = self.sync_files();
        self.files.clear();
        if let Some((fs, old)) = self.fs.as_mut().zip(old) {
            match synced {
                // A log that cannot be removed is read at the next start and changes nothing.
                Ok(()) => drop(fs.remove(&log_name(old))),
                Err(_) => self.left += 1,
            }
        }
        Ok(self.next - 1)
    }

    fn sync_files(&mut self) -> io::Result<()> {
        // After a failed wait it is not known what the file lacks.
        self.files.iter().try_for_each(|file| file.wait(0))
    }
}

fn log_name(number: u64) -> String {
    format!("{number:08}{ENDING}")
}

/// The numbers of all logs, in their order.
fn log_numbers(fs: &mut dyn JournalFs) -> io::Result<Vec<u64>> {
    let number = |name: &String| name.strip_suffix(ENDING)?.parse().ok().filter(|number| log_name(*number) == *name);
    let mut numbers: Vec<u64> = fs.list()?.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
