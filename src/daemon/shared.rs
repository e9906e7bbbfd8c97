//! What all stations of a node share, and what the supervisor sees of each.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use flagfall_hardware::port::Ports;

use super::disk::DiskWork;
use super::inbox::Inbox;
use super::message::ToStation;
use super::pulse::Pulse;
use super::worker::Question;
use crate::anchor::AnchorRecord;
use crate::journal::DiskLock;
use crate::publish::envelope::Stamp;
use crate::publish::outbox::{BoardNo, Outbox};

/// What all stations share.
pub struct Shared {
    /// This machine's name.
    pub node: String,
    /// How often the node was started.
    pub boot: u64,
    /// What waits to be published.
    pub outbox: Arc<Outbox>,
    /// The journal thread's work.
    pub disk: Arc<Inbox<DiskWork>>,
    /// The worker's work.
    pub worker: Arc<Inbox<Question>>,
    /// Which ports are open.
    pub ports: Arc<Ports>,
    /// What time it is, as the supervisor saw it last.
    pub wall: Mutex<AnchorRecord>,
    /// The broker is there: bytes for looking into faults are published only then.
    pub connected: AtomicBool,
}

impl Shared {
    /// What time it is, as the supervisor saw it last.
    pub fn wall(&self) -> AnchorRecord {
        *self.wall.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another time, or another source of it.
    pub fn set_wall(&self, wall: AnchorRecord) {
        *self.wall.lock().unwrap_or_else(PoisonError::into_inner) = wall;
    }
}

/// How a station is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Condition {
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
pub struct Face {
    /// The board's id.
    pub board: String,
    /// Its inbox.
    pub inbox: Arc<Inbox<ToStation>>,
    /// Its sign of life.
    pub pulse: Pulse,
    /// Its place in the outbox, once it has one.
    pub number: Mutex<Option<BoardNo>>,
    stamp: Mutex<Option<Arc<Stamp>>>,
    /// The lock on its journal, so that another thread can go on with it.
    pub lock: Mutex<Option<DiskLock>>,
    /// Its journal takes what it is given.
    pub journal_ok: AtomicBool,
    condition: AtomicU8,
}

impl Face {
    /// A station that begins.
    pub fn new(board: &str) -> Face {
        Face {
            board: board.to_owned(),
            inbox: Arc::default(),
            pulse: Pulse::default(),
            number: Mutex::new(None),
            stamp: Mutex::new(None),
            lock: Mutex::new(None),
            journal_ok: AtomicBool::new(true),
            condition: AtomicU8::new(Condition::Opening as u8),
        }
    }

    /// How it is.
    pub fn condition(&self) -> Condition {
        match self.condition.load(Ordering::Acquire) {
            0 => Condition::Opening,
            1 => Condition::Serving,
            2 => Condition::Parked,
            3 => Condition::Refused,
            _ => Condition::Ended,
        }
    }

    /// It is so from now on.
    pub fn set_condition(&self, condition: Condition) {
        self.condition.store(condition as u8, Ordering::Release);
    }

    /// Its place in the outbox.
    pub fn number(&self) -> Option<BoardNo> {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the sink adds to its messages now.
    pub fn stamp(&self) -> Option<Arc<Stamp>> {
        self.stamp.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes what the sink adds from now on.
    pub fn set_stamp(&self, stamp: Arc<Stamp>) {
        *self.stamp.lock().unwrap_or_else(PoisonError::into_inner) = Some(stamp);
    }

    /// Notes its place in the outbox.
    pub fn set_number(&self, number: BoardNo) {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) = Some(number);
    }
}
