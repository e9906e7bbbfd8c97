//! The one thread that waits for disks: group commit for all stations, and events read back for the outbox.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use flagfall_protocols::trace::Audience;

use super::inbox::{Inbox, Popped};
use super::message::ToStation;
use super::pulse::Pulse;
use super::shared::Face;
use crate::journal::{SyncJob, outs_from};
use crate::publish::envelope::{self, Stamp};
use crate::publish::outbox::{BoardNo, Event, Outbox};

/// Events read back at once.
const BATCH: usize = 128;

/// Work for the disk thread.
pub(super) enum DiskWork {
    /// Wait for the disk, then tell the station.
    Sync {
        /// The wait.
        job: SyncJob,
        /// Whose it is.
        station: Arc<Face>,
    },
    /// Read events that the outbox has no longer.
    Refill {
        /// The board's journal.
        dir: PathBuf,
        /// The board.
        board: BoardNo,
        /// Whose events.
        audience: Audience,
        /// From this number on.
        from: u64,
        /// What the sink adds.
        stamp: Arc<Stamp>,
        /// The journal takes what it is given: what it does not hold is nowhere.
        whole: bool,
    },
}

/// Starts the thread. It ends when the inbox is closed and empty.
///
/// # Errors
/// The operating system gives no thread.
pub(super) fn start(inbox: Arc<Inbox<DiskWork>>, outbox: Arc<Outbox>, pulse: Arc<Pulse>) -> std::io::Result<JoinHandle<()>> {
    let reader = inbox.replace_reader();
    std::thread::Builder::new().name("journal".to_owned()).spawn(move || {
        loop {
            match inbox.pop(reader, None) {
                Popped::Item(work) => {
                    let _busy = pulse.busy();
                    carry_out(work, &outbox);
                }
                Popped::TimedOut => {}
                Popped::Closed => return,
            }
        }
    })
}

fn carry_out(work: DiskWork, outbox: &Outbox) {
    match work {
        DiskWork::Sync { job, station } => {
            let synced = job.run();
            let failed = synced.has_failed();
            // Else it is soon enough with whatever comes next.
            let wanted = || failed || station.awaits_disk.load(Ordering::Relaxed);
            station.inbox.urgent_if(ToStation::Synced(synced), wanted);
        }
        DiskWork::Refill { dir, board, audience, from, stamp, whole } => {
            let (outs, end) = outs_from(&dir, audience, from, BATCH).unwrap_or_else(|error| {
                tracing::error!("{}: events from {from} on cannot be read: {error}", dir.display());
                (Vec::new(), false)
            });
            let complete = |out: crate::journal::Out| Event {
                audience,
                number: out.number,
                topic: out.topic,
                payload: envelope::complete(&out.payload, &stamp),
            };
            outbox.refilled(board, audience, outs.into_iter().map(complete).collect(), end && whole);
        }
    }
}
