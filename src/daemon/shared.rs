//! What all stations of a node share, and what the supervisor sees of each.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use flagfall_hardware::ble::Radio;
use flagfall_hardware::hid::Hids;
use flagfall_hardware::port::Ports;

use flagfall_protocols::bytes::crc32;

use super::acks::Acked;
use super::disk_queue::DiskQueue;
use super::heartbeat::Heartbeat;
use super::inbox::Inbox;
use super::line::Lines;
use super::link::{Wanted, micros};
use super::message::ToStation;
use super::worker::Question;
use crate::journal::DiskLock;
use crate::mqtt::outbox::{BoardNo, Outbox};
use crate::session::anchor::AnchorRecord;
use crate::wire::envelope::Stamp;

/// What all stations share.
pub(super) struct Shared {
    /// This machine's name.
    pub(super) node: String,
    /// How often the node was started.
    pub(super) boot: u64,
    /// What waits to be published.
    pub(super) outbox: Arc<Outbox>,
    /// The journal thread's work.
    pub(super) disk: Arc<DiskQueue>,
    /// The worker's work.
    pub(super) worker: Arc<Inbox<Question>>,
    /// Which ports are open.
    pub(super) ports: Arc<Ports>,
    /// Which HID devices are open.
    pub(super) hids: Arc<Hids>,
    /// Lines with several boards.
    pub(super) lines: Lines,
    /// The Bluetooth adapter that is to be used; none = the first.
    pub(super) adapter: Option<String>,
    /// Bluetooth, once a board needs it.
    pub(super) radio: Mutex<Option<Arc<Radio>>>,
    /// What time it was when the supervisor saw it change last.
    pub(super) wall_clock: Mutex<AnchorRecord>,
    /// When that was, microseconds of the steady clock.
    pub(super) wall_clock_seen_at: AtomicU64,
    /// The broker is there: bytes for looking into faults are published only then.
    pub(super) connected: AtomicBool,
}

impl Shared {
    /// Bluetooth, started if nobody needed it before.
    ///
    /// # Errors
    /// There are no more threads.
    pub(super) fn radio(&self) -> io::Result<Arc<Radio>> {
        let mut radio = self.radio.lock().unwrap_or_else(PoisonError::into_inner);
        if radio.is_none() {
            // Machines that were switched on together do not try together.
            let seed = u64::from(crc32(self.node.as_bytes()));
            *radio = Some(Radio::start(self.adapter.clone(), micros, seed)?);
        }
        radio.clone().ok_or_else(|| io::Error::other("no radio"))
    }

    /// What time it is, as the supervisor saw it last.
    pub(super) fn wall_clock(&self) -> AnchorRecord {
        *self.wall_clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another time, or another source of it.
    pub(super) fn set_wall_clock(&self, record: AnchorRecord) {
        *self.wall_clock.lock().unwrap_or_else(PoisonError::into_inner) = record;
    }
}

/// How a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Condition {
    /// Reading its journal.
    Opening,
    /// At work.
    Serving,
    /// Given up: bytes are still recorded.
    Parked,
    /// Its journal cannot be opened.
    Refused,
    /// Come to its end.
    Ended,
}

/// What the supervisor and the network see of one station.
pub(super) struct StationHandle {
    /// The board's id.
    pub(super) board: String,
    /// Its inbox.
    pub(super) inbox: Arc<Inbox<ToStation>>,
    /// Its sign of life.
    pub(super) heartbeat: Heartbeat,
    /// Its place in the outbox, once it has one.
    pub(super) number: Mutex<Option<BoardNo>>,
    stamp: Mutex<Option<Arc<Stamp>>>,
    /// The lock on its journal, so that another thread can go on with it.
    pub(super) lock: Mutex<Option<DiskLock>>,
    /// What the broker has of its events.
    pub(super) acked: Acked,
    /// Its journal takes what it is given.
    pub(super) journal_ok: AtomicBool,
    /// It waits for the disk, and is woken when that has answered.
    pub(super) awaits_disk: AtomicBool,
    wanted: Mutex<Option<Wanted>>,
    withheld: AtomicBool,
    condition: AtomicU8,
    ended: Mutex<bool>,
    end: Condvar,
}

impl StationHandle {
    /// A station that begins.
    pub(super) fn new(board: &str) -> StationHandle {
        StationHandle {
            board: board.to_owned(),
            inbox: Arc::default(),
            heartbeat: Heartbeat::default(),
            number: Mutex::new(None),
            stamp: Mutex::new(None),
            lock: Mutex::new(None),
            acked: Acked::default(),
            journal_ok: AtomicBool::new(true),
            awaits_disk: AtomicBool::new(false),
            wanted: Mutex::new(None),
            withheld: AtomicBool::new(false),
            condition: AtomicU8::new(Condition::Opening as u8),
            ended: Mutex::new(false),
            end: Condvar::new(),
        }
    }

    /// How it is.
    pub(super) fn condition(&self) -> Condition {
        match self.condition.load(Ordering::Acquire) {
            0 => Condition::Opening,
            1 => Condition::Serving,
            2 => Condition::Parked,
            3 => Condition::Refused,
            _ => Condition::Ended,
        }
    }

    /// It is so from now on.
    pub(super) fn set_condition(&self, condition: Condition) {
        self.condition.store(condition as u8, Ordering::Release);
    }

    /// Its place in the outbox.
    pub(super) fn number(&self) -> Option<BoardNo> {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the sink adds to its messages now.
    pub(super) fn stamp(&self) -> Option<Arc<Stamp>> {
        self.stamp.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what the sink adds from now on.
    pub(super) fn set_stamp(&self, stamp: Arc<Stamp>) {
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) = Some(stamp);
    }

    /// Waits for its end, at most so long; says whether it came.
    pub(super) fn wait_until_ended(&self, within: Duration) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.end.wait_timeout_while(ended, within, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Its thread is about to end.
    pub(super) fn set_ended(&self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.end.notify_all();
    }

    /// The device that it is to have now, if a command named one.
    pub(super) fn wanted(&self) -> Option<Wanted> {
        self.wanted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A command named a device.
    pub(super) fn set_wanted(&self, wanted: Wanted) {
        *self.wanted.lock().unwrap_or_else(PoisonError::into_inner) = Some(wanted);
    }

    /// Another node claims the board, so nothing of it is published here.
    pub(super) fn is_withheld(&self) -> bool {
        self.withheld.load(Ordering::SeqCst)
    }

    /// Another node claims the board from now on, or none does any more.
    pub(super) fn set_withheld(&self, withheld: bool) {
        self.withheld.store(withheld, Ordering::SeqCst);
    }

    /// Notes its place in the outbox.
    pub(super) fn set_number(&self, number: BoardNo) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) = Some(number);
    }
}
