//! Defines the data that all stations of a node share, and the handle by which other threads reach a station.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use flagfall_game::open_matters::Unfinished;
use flagfall_hardware::ble::Radio;
use flagfall_hardware::reactor::Reactor;

use flagfall_protocols::bytes::crc32;

use super::acks::Acked;
use super::disk_queue::DiskQueue;
use super::heartbeat::Heartbeat;
use super::inbox::Inbox;
use super::line::Lines;
use super::link::{Wanted, micros};
use super::message::ToStation;
use super::scheduler::Scheduler;
use super::timeline::Timeline;
use super::worker::Question;
use crate::journal::DiskLock;
use crate::mqtt::outbox::{BoardNo, Outbox};
use crate::outputs::tap::Tap;
use crate::session::anchor::AnchorRecord;
use crate::system_clock::{self, MonotonicTime};
use crate::wire::envelope::Stamp;

/// The data that all stations of a node share.
pub(super) struct Shared {
    /// The name of this node.
    pub(super) node: String,
    /// How often the node was started.
    pub(super) boot: u64,
    /// A random value of this start, by which a second daemon with our name is recognised.
    pub(super) run: String,
    /// The messages that wait to be published.
    pub(super) outbox: Arc<Outbox>,
    /// The work of the disk thread.
    pub(super) disk: Arc<DiskQueue>,
    /// The questions for the worker.
    pub(super) worker: Arc<Inbox<Question>>,
    /// The thread of all serial and HID links.
    pub(super) reactor: Arc<Reactor>,
    /// The lines with several boards.
    pub(super) lines: Lines,
    /// The configured Bluetooth adapter; none = the first one.
    pub(super) adapter: Option<String>,
    /// The Bluetooth radio, once a board needs it.
    pub(super) radio: Mutex<Option<Arc<Radio>>>,
    /// The wall clock when the supervisor last saw it move.
    pub(super) wall_clock: Mutex<AnchorRecord>,
    /// When that was, in microseconds of the monotonic clock.
    pub(super) wall_clock_seen_at: AtomicU64,
    /// Whether the broker is connected. Raw bytes are published only then.
    pub(super) connected: AtomicBool,
    /// The daemon ends only to start anew with another round.
    pub(super) starts_anew: AtomicBool,
    /// The daemon ends: a board that has not read its journal yet need not begin.
    pub(super) stops: AtomicBool,
    /// Runs the turns of all boards.
    pub(super) scheduler: Arc<Scheduler>,
}

impl Shared {
    /// Returns the Bluetooth radio, which is started at the first call.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(super) fn radio(&self) -> io::Result<Arc<Radio>> {
        let mut radio = self.radio.lock().unwrap_or_else(PoisonError::into_inner);
        if radio.is_none() {
            // With a seed from their names, machines that were switched on together do not try at the same moments.
            let seed = u64::from(crc32(self.node.as_bytes()));
            *radio = Some(Radio::start(self.adapter.clone(), micros, seed)?);
        }
        radio.clone().ok_or_else(|| io::Error::other("no radio"))
    }

    /// The wall clock as the supervisor saw it last.
    pub(super) fn wall_clock(&self) -> AnchorRecord {
        *self.wall_clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores another time, or another time source.
    pub(super) fn set_wall_clock(&self, record: AnchorRecord) {
        *self.wall_clock.lock().unwrap_or_else(PoisonError::into_inner) = record;
    }
}

/// The condition of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Condition {
    /// It reads its journal.
    Opening,
    /// It serves its board.
    Serving,
    /// It was given up, and bytes are still recorded.
    Parked,
    /// Its journal cannot be opened.
    Refused,
    /// It has ended.
    Ended,
}

/// What another round must wait for at a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Busy {
    /// The game that is not finished.
    pub(super) game: Option<Unfinished>,
    /// The game on the board is not one of the round.
    pub(super) private: bool,
    /// Something waits for the public.
    pub(super) public_waits: bool,
}

/// What other threads may read and change of one station.
pub(super) struct StationHandle {
    /// The board's id.
    pub(super) board: String,
    /// Its inbox.
    pub(super) inbox: Arc<Inbox<ToStation>>,
    /// Its heartbeat.
    pub(super) heartbeat: Heartbeat,
    /// What programs on this machine see of it; none if they see nothing.
    pub(super) tap: Option<Arc<Tap>>,
    /// Its number in the outbox, once it has one.
    pub(super) number: Mutex<Option<BoardNo>>,
    stamp: Mutex<Option<Arc<Stamp>>>,
    timeline: Mutex<Option<Timeline>>,
    /// The lock on its journal, which a replacing station takes over.
    pub(super) lock: Mutex<Option<DiskLock>>,
    /// The events that the broker has acknowledged.
    pub(super) acked: Acked,
    journal_problem: Mutex<Option<String>>,
    /// The number and the revision of its game, for alerts that are made without the game.
    game: Mutex<(u32, u32)>,
    /// It waits for the disk and must be woken when the disk has answered.
    pub(super) awaits_disk: AtomicBool,
    wanted: Mutex<Option<Wanted>>,
    withheld: AtomicBool,
    busy: Mutex<Busy>,
    condition: AtomicU8,
    ended: Mutex<bool>,
    end: Condvar,
}

impl StationHandle {
    /// Makes the handle of a station that begins.
    pub(super) fn new(board: &str, tap: Option<Arc<Tap>>) -> StationHandle {
        StationHandle {
            board: board.to_owned(),
            inbox: Arc::default(),
            heartbeat: Heartbeat::default(),
            tap,
            number: Mutex::new(None),
            stamp: Mutex::new(None),
            timeline: Mutex::new(None),
            lock: Mutex::new(None),
            acked: Acked::default(),
            journal_problem: Mutex::new(None),
            game: Mutex::new((1, 0)),
            awaits_disk: AtomicBool::new(false),
            wanted: Mutex::new(None),
            withheld: AtomicBool::new(false),
            busy: Mutex::default(),
            condition: AtomicU8::new(Condition::Opening as u8),
            ended: Mutex::new(false),
            end: Condvar::new(),
        }
    }

    /// The condition of the station.
    pub(super) fn condition(&self) -> Condition {
        match self.condition.load(Ordering::Acquire) {
            0 => Condition::Opening,
            1 => Condition::Serving,
            2 => Condition::Parked,
            3 => Condition::Refused,
            _ => Condition::Ended,
        }
    }

    /// Sets the condition.
    pub(super) fn set_condition(&self, condition: Condition) {
        self.condition.store(condition as u8, Ordering::Release);
    }

    /// Why its journal cannot be written; none if it can.
    pub(super) fn journal_problem(&self) -> Option<String> {
        self.journal_problem.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes whether its journal can be written, and logs a change.
    pub(super) fn note_journal(&self, failing: Option<&dyn fmt::Display>) {
        let mut problem = self.journal_problem.lock().unwrap_or_else(PoisonError::into_inner);
        match (problem.as_ref(), failing) {
            (None, Some(error)) => {
                tracing::error!("board {}: the journal cannot be written: {error}", self.board);
                *problem = Some(error.to_string());
            }
            (Some(_), None) => {
                tracing::info!("board {}: the journal is written again", self.board);
                *problem = None;
            }
            _ => {}
        }
    }

    /// The number and the revision of its game.
    pub(super) fn game(&self) -> (u32, u32) {
        *self.game.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the number and the revision of its game.
    pub(super) fn set_game(&self, game: (u32, u32)) {
        *self.game.lock().unwrap_or_else(PoisonError::into_inner) = game;
    }

    /// Its number in the outbox.
    pub(super) fn number(&self) -> Option<BoardNo> {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The relation between the times of its journal and of this program; none before the journal is open.
    pub(super) fn timeline(&self) -> Option<Timeline> {
        *self.timeline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the relation for a station that replaces this one.
    pub(super) fn set_timeline(&self, timeline: Timeline) {
        *self.timeline.lock().unwrap_or_else(PoisonError::into_inner) = Some(timeline);
    }

    /// The time up to which everything was taken from the inbox: when the first thing that waits came, or now. A station that a busy
    /// machine or a slow disk held up finds inputs that came meanwhile; a deadline after one of them must not come before it. What a
    /// link has read and not put into the inbox yet is not known here.
    pub(super) fn taken_until(&self) -> MonotonicTime {
        let now = system_clock::monotonic();
        self.inbox.least(ToStation::at).map_or(now, |at| at.min(now))
    }

    /// The header fields that the sink adds to its messages now.
    pub(super) fn stamp(&self) -> Option<Arc<Stamp>> {
        self.stamp.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets the header fields that the sink adds from now on.
    pub(super) fn set_stamp(&self, stamp: Arc<Stamp>) {
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) = Some(stamp);
    }

    /// Waits at most `within` for the end of the station. Returns whether it has ended.
    pub(super) fn wait_until_ended(&self, within: Duration) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.end.wait_timeout_while(ended, within, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Notes that it has ended.
    pub(super) fn set_ended(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.end.notify_all();
    }

    /// The device that the last command named, if there was one.
    pub(super) fn wanted(&self) -> Option<Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores the device that a command named.
    pub(super) fn set_wanted(&self, wanted: Wanted) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(wanted);
    }

    /// Whether another node claims the board, so that this node publishes nothing of it.
    pub(super) fn is_withheld(&self) -> bool {
        self.withheld.load(Ordering::SeqCst)
    }

    /// Sets whether another node claims the board.
    pub(super) fn set_withheld(&self, withheld: bool) {
        self.withheld.store(withheld, Ordering::SeqCst);
    }

    /// Notes what another round must wait for.
    pub(super) fn set_busy(&self, busy: Busy) {
        *self.busy.lock().unwrap_or_else(PoisonError::into_inner) = busy;
    }

    /// What another round must wait for.
    pub(super) fn busy(&self) -> Busy {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Sets its number in the outbox.
    pub(super) fn set_number(&self, number: BoardNo) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) = Some(number);
    }
}
