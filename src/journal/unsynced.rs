//! What a journal has written to its file and nobody has waited for yet, shared with the thread that waits for the disk.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::commit_log::entry;
use super::fs::Syncer;

/// Waits until one journal file is on the disk, from any thread.
pub(super) struct FileSync {
    sync: Syncer,
    /// How many waits have failed: what was written before such a one may be in memory only, although every later wait succeeds.
    failures: Mutex<u64>,
    /// The commit log that counts this file among its own.
    in_log: AtomicU64,
}

impl FileSync {
    pub(super) fn new(sync: Syncer) -> FileSync {
        FileSync { sync, failures: Mutex::new(0), in_log: AtomicU64::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many waits have failed so far.
    pub(super) fn failures(&self) -> u64 {
        *self.lock()
    }

    /// Waits for the disk, for bytes that were written when so many waits had `failed`: the operating system reports a failure once,
    /// to whoever waits first.
    pub(super) fn wait(&self, failed: u64) -> io::Result<()> {
        let mut failures = self.lock();
        if *failures != failed {
            return Err(io::Error::other("an earlier wait for the disk has failed"));
        }
        let result = (self.sync)();
        *failures += u64::from(result.is_err());
        result
    }

    /// Counts the file to a commit log; false if it was counted before.
    pub(super) fn note_in_log(&self, log: u64) -> bool {
        self.in_log.swap(log, Ordering::Relaxed) != log
    }
}

/// Bytes of one journal that were written and are not on the disk yet. The journal adds to them, the commit log takes them and
/// answers.
#[derive(Default)]
pub struct Unsynced(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    pieces: Vec<Piece>,
    /// Rises whenever the journal takes back what it wrote, or has waited for the disk by itself.
    generation: u64,
    /// The thread that waits for the disk knows that there are bytes.
    registered: bool,
    /// Records below this sequence number are on the disk.
    durable: u64,
    failure: Option<io::Error>,
}

/// Bytes that stand one after the other in one file.
struct Piece {
    file: String,
    sync: Arc<FileSync>,
    offset: u64,
    bytes: Vec<u8>,
    /// How many waits for the file had failed when they were written.
    failed: u64,
    /// The sequence number after the last record of the bytes.
    next_seq: u64,
}

/// What [`Unsynced::write_entries`] took, for the answer.
pub(super) struct TakenPiece {
    pub(super) sync: Arc<FileSync>,
    pub(super) failed: u64,
    next_seq: u64,
    generation: u64,
}

impl Unsynced {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds bytes that were written to `file` at `offset`, when so many waits for it had `failed`; `next_seq` comes after their last
    /// record.
    pub(super) fn push(&self, file: &str, (sync, failed): (&Arc<FileSync>, u64), offset: u64, bytes: &[u8], next_seq: u64) {
        let mut inner = self.lock();
        match inner.pieces.last_mut() {
            Some(last) if last.file == file && last.offset + last.bytes.len() as u64 == offset => {
                last.bytes.extend_from_slice(bytes);
                last.next_seq = next_seq;
            }
            _ => inner.pieces.push(Piece {
                file: file.to_owned(),
                sync: Arc::clone(sync),
                offset,
                bytes: bytes.to_owned(),
                failed,
                next_seq,
            }),
        }
    }

    /// Forgets what nobody has answered for: it is about to be taken back, or is on the disk. Later answers about it say nothing any
    /// more. Gives the sequence number below which all is on the disk.
    pub(super) fn reset(&self) -> u64 {
        let mut inner = self.lock();
        inner.pieces.clear();
        inner.failure = None;
        inner.generation += 1;
        inner.durable
    }

    /// Whether bytes wait that the thread does not know of; from now on it does.
    pub(super) fn register(&self) -> bool {
        let mut inner = self.lock();
        !inner.pieces.is_empty() && !std::mem::replace(&mut inner.registered, true)
    }

    /// Writes all that waits as entries of a commit log.
    pub(super) fn write_entries(&self, board: &str, log: &mut Vec<u8>) -> Vec<TakenPiece> {
        let mut inner = self.lock();
        inner.registered = false;
        if inner.failure.is_some() {
            // The bytes before are not on the disk: all of it will be written again.
            return Vec::new();
        }
        let generation = inner.generation;
        let pieces = std::mem::take(&mut inner.pieces);
        drop(inner);
        let taken = pieces.into_iter().map(|piece| {
            entry::print(board, &piece.file, piece.offset, &piece.bytes, log);
            TakenPiece { sync: piece.sync, failed: piece.failed, next_seq: piece.next_seq, generation }
        });
        taken.collect()
    }

    /// Says what came of a wait for what was taken. Success says nothing if the journal took the bytes back meanwhile; failure
    /// always means that what was written meanwhile may be lost.
    pub(super) fn report_result(&self, taken: &TakenPiece, result: io::Result<()>) {
        let mut inner = self.lock();
        match result {
            // What comes after bytes that failed does not make them good.
            Ok(()) if taken.generation == inner.generation && inner.failure.is_none() => {
                inner.durable = inner.durable.max(taken.next_seq);
            }
            Ok(()) => {}
            Err(error) => inner.failure = Some(error),
        }
    }

    /// The sequence number below which all is on the disk; or why the last wait failed, once.
    pub(super) fn take_result(&self) -> io::Result<u64> {
        let mut inner = self.lock();
        let Some(failure) = inner.failure.take() else { return Ok(inner.durable) };
        inner.pieces.clear();
        inner.generation += 1;
        Err(failure)
    }

    /// A wait has failed, and the journal does not know yet.
    pub fn has_failed(&self) -> bool {
        self.lock().failure.is_some()
    }
}
