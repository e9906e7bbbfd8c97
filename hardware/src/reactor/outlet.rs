//! What a link's owner and the reactor share: bytes that the port did not accept at once, and wishes of the owner.
//!
//! Bytes for a serial port are written by the calling thread as long as the port accepts them. Bytes for a HID device wait for an
//! opener thread, because the kernel lets a write to a HID device wait for the device.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::link::Wanted;
use super::mail::Mail;
use crate::link::LinkError;
use crate::serial::Writer;

/// The largest number of pieces of bytes that wait to be written to a serial port.
const MAX_PIECES: usize = 256;
/// The largest number of bytes that wait to be written to a serial port. At 9600 baud they take more than a minute.
const MAX_BYTES: usize = 65_536;
/// The largest number of messages that wait to be written to a HID device. A driver's session asks one question at a time.
const MAX_MESSAGES: usize = 64;
/// The longest time that the owner of a link waits until its port is closed.
const CLOSED_WITHIN: Duration = Duration::from_secs(2);

/// The reason why a link did not accept bytes to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendError {
    /// The link is down.
    Down,
    /// Too many bytes wait already.
    Full,
    /// The family's driver does not call these bytes harmless.
    Forbidden,
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SendError::Down => "the link is down",
            SendError::Full => "too many bytes are waiting to be sent",
            SendError::Forbidden => "the command is not on the list of allowed commands",
        })
    }
}

impl std::error::Error for SendError {}

/// How bytes go out.
#[derive(Debug, Default)]
pub(super) enum Way {
    /// The link is down.
    #[default]
    Down,
    /// To a serial port, by the calling thread.
    Port(Writer),
    /// To a HID device, by an opener thread, if this function calls the bytes harmless.
    Hid(fn(u8, &[u8]) -> bool),
}

/// Wishes of the owner. The latest one of each kind counts.
#[derive(Debug, Default)]
pub(super) struct Wishes {
    pub(super) wanted: Option<Wanted>,
    pub(super) learnt: Option<String>,
}

#[derive(Debug, Default)]
struct Inner {
    way: Way,
    queue: VecDeque<Vec<u8>>,
    /// Bytes of the first piece that have gone out.
    done: usize,
    /// The number of all waiting bytes.
    bytes: usize,
    wishes: Wishes,
    /// The owner has dropped the link. It is never reset.
    left: bool,
    /// The reactor has dropped the link, and its port is closed.
    gone: bool,
}

/// The result of writing the waiting bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flushed {
    /// At least one byte went out.
    pub(super) any: bool,
    /// Bytes still wait.
    pub(super) left: bool,
}

pub(super) struct Outlet {
    pub(super) id: u64,
    mail: Arc<Mail>,
    inner: Mutex<Inner>,
    closed: Condvar,
}

impl Outlet {
    pub(super) fn new(id: u64, mail: Arc<Mail>) -> Outlet {
        Outlet { id, mail, inner: Mutex::default(), closed: Condvar::new() }
    }

    /// Writes at once to a port if no bytes wait. The reactor later writes the other bytes, and it handles errors.
    pub(super) fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        {
            let mut inner = self.lock();
            let Inner { way, queue, done, bytes: waiting, .. } = &mut *inner;
            match way {
                Way::Down => return Err(SendError::Down),
                Way::Hid(harmless) if !harmless(channel, &bytes) => return Err(SendError::Forbidden),
                Way::Hid(_) if queue.len() == MAX_MESSAGES => return Err(SendError::Full),
                Way::Hid(_) => {}
                Way::Port(_) if bytes.is_empty() => return Ok(()),
                Way::Port(_) if queue.len() == MAX_PIECES || *waiting + bytes.len() > MAX_BYTES => return Err(SendError::Full),
                Way::Port(port) if queue.is_empty() => {
                    *done = port.write_now(&bytes).unwrap_or(0);
                    if *done == bytes.len() {
                        return Ok(());
                    }
                    *waiting = bytes.len() - *done;
                }
                Way::Port(_) => *waiting += bytes.len(),
            }
            queue.push_back(bytes);
            if queue.len() > 1 {
                // The reactor already knows the first piece.
                return Ok(());
            }
        }
        self.call();
        Ok(())
    }

    /// Writes as many of the waiting bytes as the port accepts now.
    pub(super) fn flush(&self) -> Result<Flushed, LinkError> {
        let mut inner = self.lock();
        let Inner { way: Way::Port(port), queue, done, bytes, .. } = &mut *inner else {
            return Ok(Flushed { any: false, left: false });
        };
        let mut any = false;
        while let Some(piece) = queue.front() {
            let count = port.write_now(&piece[*done..])?;
            if count == 0 {
                return Ok(Flushed { any, left: true });
            }
            any = true;
            *done += count;
            *bytes -= count;
            if *done == piece.len() {
                *done = 0;
                queue.pop_front();
            }
        }
        Ok(Flushed { any, left: false })
    }

    /// Returns the next message for a HID device.
    pub(super) fn next(&self) -> Option<Vec<u8>> {
        self.lock().queue.pop_front()
    }

    /// The owner wishes something.
    pub(super) fn wish(&self, give: impl FnOnce(&mut Wishes)) {
        give(&mut self.lock().wishes);
        self.call();
    }

    pub(super) fn take_wishes(&self) -> Wishes {
        std::mem::take(&mut self.lock().wishes)
    }

    /// Sets the way of the link. Bytes that wait are dropped.
    pub(super) fn set_way(&self, way: Way) {
        let mut inner = self.lock();
        (inner.way, inner.done, inner.bytes) = (way, 0, 0);
        inner.queue.clear();
    }

    /// The owner drops the link, and waits until its port is closed, for at most two seconds.
    pub(super) fn leave(&self) {
        self.lock().left = true;
        self.call();
        let wait = self.closed.wait_timeout_while(self.lock(), CLOSED_WITHIN, |inner| !inner.gone);
        drop(wait);
    }

    pub(super) fn has_left(&self) -> bool {
        self.lock().left
    }

    /// The reactor has dropped the link, and its port is closed.
    pub(super) fn mark_gone(&self) {
        self.lock().gone = true;
        self.closed.notify_all();
    }

    fn call(&self) {
        self.mail.put(|letters| {
            letters.calls.insert(self.id);
        });
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // No code between lock and unlock can panic halfway.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
