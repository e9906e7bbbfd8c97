//! Keeps the journal of one station, its log on the disk: every input is written before it is handled, and every output before it
//! is sent.
//!
//! # Constraints
//!
//! 1. **What was sent is never forgotten.** After [`Journal::send_barrier`] has returned `Ok`, every record appended before it
//!    survives a power cut. Numbers of outputs continue from the highest that survived.
//! 2. **Nothing is made up.** A record is accepted on reading only if its checksum is right, its sequence number is above that of
//!    the record before, and its time is not below.
//! 3. **A journal always opens** after a power cut or a flipped byte: damage is reported and skipped. It refuses only if another
//!    process has it open, its newest file cannot be read, or a newer format was written to it.
//! 4. **A disk that fails does not stop a board.** Records wait in a bounded buffer, and writing is tried again. A record that
//!    does not fit any more is given up and counted; its sequence number is used up, so that the next record shows the gap.
//! 5. At most 500 ms of records that need no barrier are lost in a power cut ([`FLUSH_AFTER`]). None is lost in a crash of the
//!    program alone if [`Journal::write_out`] is called once per turn of the loop. Outputs that are sent without a barrier (live
//!    positions) are among them: after a power cut their numbers may be used again. The last record after a clean stop is an
//!    `ack` of [`CLOSED`]: without it nobody knows whether that happened ([`Recovered::is_closed`]).
//!
//! # Layout
//!
//! Each station has one directory, which one process owns (`lock`, held with `flock`). Files are plain text in the format of
//! [`flagfall_protocols::trace`], and are named `00000042-<session>.journal`. The number rises by one from file to file, so that
//! names sort in the order of writing whatever the calendar says; the session is the name of the game or day. A session has as
//! many files as its size needs.
//!
//! Each file begins with the format line, then header lines about devices, driver, configuration and program, then `ack` and, as
//! the last, `carry`: next sequence number, last time, boots, highest number per audience. So any file can be read without those
//! before it, and deleting old files loses no number. The header is on the disk before the file gets its first record.
//!
//! # Writing and deleting
//!
//! Only [`Journal`] writes, and only by appending to the newest file. After a failed write the file is cut to the last synced
//! byte and everything after it is written again, since after a failed `fdatasync` it is not known which pages are on the disk.
//! Group commit: the caller asks [`Journal::flush_due`] and calls [`Journal::flush`], or shares what it wrote with a thread that
//! waits for the disk for all boards at once ([`Journal::share`], [`commit_log`]). Time is data here too. Only [`Journal`]
//! deletes: whole files, the oldest first, when the limits of [`Limits`] are exceeded, and never a file of the current session. A
//! session that reaches [`Limits::cap`] gives records up as with a full buffer: bytes of devices first.
//!
//! # What happens on corruption
//!
//! * Bytes at the end of the newest file that are no records (the torn tail of a power cut) are copied into
//!   `<file>.<offset>.torn` (the limits do not count these; the newest [`MAX_TORN`] stay) and cut off. A newest file whose header
//!   was never finished is treated the same and removed. Both steps may be interrupted and repeated.
//! * Damage before the last good record stays in the file, is skipped and is reported at every opening with file, line and the
//!   gap in the sequence. Later records, findings above all, are kept. If only a line feed was hit, or zeros stand before a
//!   record, both neighbours are still found.
//! * A newest file that cannot be repaired (read-only disk) stays as it is; the next record begins a new one.
//! * Bytes that a file lacks and the commit log has are written back before the journal is opened ([`commit_log::recover`]).

mod background;
pub mod commit_log;
mod damage;
mod disk;
mod error;
mod fs;
mod last_start;
mod name;
mod outs;
mod reader;
mod recovery;
mod rotation;
mod scan;
mod standing;
mod unsynced;
mod writer;

pub use damage::{Damage, DamageReport, Harm, MAX_DAMAGE};
pub use disk::{Disk, DiskLock};
pub use error::{AppendError, BeginError, OpenError, WriteError};
pub use fs::{JournalFs, Syncer};
pub use name::MAX_SESSION;
pub use outs::{Out, outs_from};
pub use reader::{Keep, Recovered, read};
pub use recovery::MAX_TORN;
pub use standing::{CLOSED, MAX_SINKS, Standing};
pub use unsynced::Unsynced;
pub use writer::{FLUSH_AFTER, Journal, Limits, MAX_FILE, RETRY_AFTER, Stamp, Status};
