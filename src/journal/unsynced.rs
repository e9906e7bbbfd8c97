//! Holds the bytes that a journal has written to its file and that may not be on the disk yet. The journal shares them with the
//! thread that waits for the disk.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::commit_log::entry;
use super::fs::Syncer;

/// Waits until one journal file is on the disk, from any thread.
pub(super) struct FileSync {
    sync: Syncer,
    /// How many waits have failed. Bytes that were written before a failed wait may be in memory only, although every later wait
    /// succeeds.
    failures: Mutex<u64>,
    /// The commit log that has this file in its list.
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

    /// Waits for the disk, for bytes that were written when `failed` waits had failed. The operating system reports a failure
    /// only once, to the thread that waits first.
    pub(super) fn wait(&self, failed: u64) -> io::Result<()> {
        let mut failures = self.lock();
        if *failures != failed {
            return Err(io::Error::other("an earlier wait for the disk has failed"));
        }
        let result = (self.sync)();
        *failures += u64::from(result.is_err());
        result
    }

    /// Notes that a commit log has this file in its list. Returns false if that was noted before.
    pub(super) fn note_in_log(&self, log: u64) -> bool {
        self.in_log.swap(log, Ordering::Relaxed) != log
    }
}

/// Bytes of one journal that were written and are not on the disk yet. The journal adds to them; the commit log takes them and
/// reports the result.
#[derive(Default)]
pub struct Unsynced(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    pieces: Vec<Piece>,
    /// Rises whenever the journal cuts back what it wrote, or has waited for the disk itself.
    generation: u64,
    /// The thread that waits for the disk knows that there are bytes.
    registered: bool,
    /// Records below this sequence number are on the disk.
    durable: u64,
    failure: Option<io::Error>,
}

/// Consecutive bytes of one file.
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

/// A piece that [`Unsynced::write_entries`] took, for the report of the result.
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

    /// Adds bytes that were written to `file` at `offset`, when `failed` waits for it had failed. `next_seq` is the sequence
    /// number after their last record.
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

    /// Forgets the bytes without a result: they are about to be cut back, or are on the disk. Later results about them are
    /// ignored. Returns the sequence number below which everything is on the disk.
    pub(super) fn reset(&self) -> u64 {
        let mut inner = self.lock();
        inner.pieces.clear();
        inner.failure = None;
        inner.generation += 1;
        inner.durable
    }

    /// Returns whether bytes wait that the thread does not know of, and notes that it knows of them now.
    pub(super) fn register(&self) -> bool {
        let mut inner = self.lock();
        !inner.pieces.is_empty() && !std::mem::replace(&mut inner.registered, true)
    }

    /// Writes all waiting bytes as entries of a commit log.
    pub(super) fn write_entries(&self, board: &str, log: &mut Vec<u8>) -> Vec<TakenPiece> {
        let mut inner = self.lock();
        inner.registered = false;
        if inner.failure.is_some() {
            // The bytes before are not on the disk, so everything will be written again.
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

    /// Reports the result of a wait for a piece. A success is ignored if the journal cut the bytes back meanwhile; a failure
    /// always means that everything written meanwhile may be lost.
    pub(super) fn report_result(&self, taken: &TakenPiece, result: io::Result<()>) {
        let mut inner = self.lock();
        match result {
            // A later success does not repair bytes whose wait failed.
            Ok(()) if taken.generation == inner.generation && inner.failure.is_none() => {
                inner.durable = inner.durable.max(taken.next_seq);
            }
            Ok(()) => {}
            Err(error) => inner.failure = Some(error),
        }
    }

    /// Returns the sequence number below which everything is on the disk, or once the error of the last failed wait.
    pub(super) fn take_result(&self) -> io::Result<u64> {
        let mut inner = self.lock();
        let Some(failure) = inner.failure.take() else { return Ok(inner.durable) };
        inner.pieces.clear();
        inner.generation += 1;
        Err(failure)
    }

    /// Whether a wait has failed and the journal does not know yet.
    pub fn has_failed(&self) -> bool {
        self.lock().failure.is_some()
    }
}
