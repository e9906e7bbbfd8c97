//! Runs the one thread that waits for the disk, once for all boards together. The thread also reads events from journals for the
//! outbox (the queue of outgoing messages).

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};

use super::disk_queue::{DiskQueue, Refill, Unflushed, Work};
use super::heartbeat::Heartbeat;
use super::message::ToStation;
use crate::journal::commit_log::{self, CommitLog, Folder};
use crate::journal::{Disk, outs_from};
use crate::mqtt::outbox::{Event, Outbox};
use crate::wire::envelope;

/// The largest number of events that are read from a journal at once.
const BATCH: usize = 128;

/// Writes back what the journals below `dir` lack after a power cut, and begins the commit log that spares each board its own
/// wait. Without the log every journal is waited for separately.
pub(super) fn open_log(dir: &Path) -> CommitLog {
    let open = || -> anyhow::Result<CommitLog> {
        let mut folder: Folder = Box::new(Disk::open(&dir.join(commit_log::FOLDER))?);
        let done = commit_log::recover(folder.as_mut(), &mut |board| journal_of(&dir.join(board)))?;
        if done.files > 0 {
            tracing::warn!("journals: after a power cut {} files got back {} bytes", done.files, done.bytes);
        }
        for journal in &done.left_alone {
            tracing::warn!("journal {journal}");
        }
        for problem in &done.problems {
            tracing::error!("the commit log cannot be written back: {problem}");
        }
        Ok(CommitLog::open(folder, commit_log::MAX_LOG)?)
    };
    open().unwrap_or_else(|error| {
        tracing::error!("no commit log, so each journal is waited for by itself: {error:#}");
        CommitLog::without()
    })
}

/// The folder of a board's journal; none if the folder is gone.
fn journal_of(dir: &Path) -> io::Result<Option<Folder>> {
    if !dir.is_dir() {
        return Ok(None);
    }
    let disk = Disk::open(dir).map_err(io::Error::other)?;
    Ok(Some(Box::new(disk)))
}

/// Starts the thread, which ends when the queue is closed and empty.
///
/// # Errors
/// The operating system gives no thread.
pub(super) fn start(
    queue: Arc<DiskQueue>,
    mut log: CommitLog,
    outbox: Arc<Outbox>,
    heartbeat: Arc<Heartbeat>,
) -> io::Result<JoinHandle<()>> {
    Builder::new().name("journal".to_owned()).spawn(move || {
        loop {
            let work = queue.next();
            let _busy = heartbeat.busy();
            match work {
                Work::Flush(boards) => flush(&mut log, &boards),
                Work::Refill(refill) => read_back(refill, &outbox),
                Work::End => {
                    if let Err(error) = log.close() {
                        tracing::error!("the commit log stays for the next start: {error}");
                    }
                    return;
                }
            }
        }
    })
}

fn flush(log: &mut CommitLog, boards: &[Unflushed]) {
    log.commit(boards.iter().map(|board| (board.handle.board.as_str(), &*board.unsynced)));
    for Unflushed { handle, unsynced, last } in boards {
        // The other boards see the result at their next turn: waking them would cost more than everything else here.
        if *last && unsynced.has_failed() {
            tracing::error!("board {}: the journal's end is not on the disk", handle.board);
        }
        if unsynced.has_failed() || handle.awaits_disk.load(Ordering::SeqCst) {
            handle.inbox.push_urgent(ToStation::Synced);
        }
    }
}

fn read_back(refill: Refill, outbox: &Outbox) {
    let Refill { dir, board, audience, from, stamp, whole } = refill;
    let (outs, end) = outs_from(&dir, audience, from, BATCH).unwrap_or_else(|error| {
        tracing::error!("{}: events from {from} on cannot be read: {error}", dir.display());
        (Vec::new(), false)
    });
    let complete = |out: crate::journal::Out| Event {
        audience,
        number: out.number,
        topic: out.topic,
        payload: envelope::add_stamp(&out.payload, &stamp),
    };
    outbox.refilled(board, audience, outs.into_iter().map(complete).collect(), end && whole);
}
