//! Runs one thread for each link over USB-HID. The thread finds the device, opens it, and reads and writes reports. It also
//! finds the device again after the cable was pulled and the device came back under another number.
//!
//! ```text
//!            ┌── no device fits: 100 ms, 200 ms … 1 s, or one was plugged in ─────┐
//!            ▼                                                                    │
//!   want ─▶ check ─▶ open ──▶ Up ─▶ Bytes … ─▶ Down ──────────────────────────────┘
//!
//!   a report from the kernel              [nn] data …     nn only if the device numbers its reports
//!   the input of the family's function     nn  data …     00 if it does not
//!   the event of the link                 channel, message
//! ```
//!
//! Vendor, product and usage page identify a device of the family. The USB serial number or a stable path distinguishes two
//! such devices. No device is asked for its identity, because other devices have the same vendor ids. The link writes only
//! bytes that the family's driver calls harmless, and only to its own device. The thread sleeps in poll(2) over the device, its
//! requests and the hotplug descriptor. Nothing wakes it while the device is quiet.

use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use flagfall_protocols::driver::{DriverInfo, Hid};

use crate::link::LinkError;
use crate::port::{LinkProblem, SendError};

mod choose;
mod descriptor;
mod find;
mod link_loop;
mod requests;
mod search;

pub use descriptor::Descriptor;
pub use find::{Found, System, devices};

use link_loop::LinkLoop;
use requests::LinkRequests;

/// The device that a link wants: the one at `port`, else the one with the serial number, else the only one of the family.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The HID ids and reports of the family.
    pub hid: Hid,
    /// Tells which bytes may be written, as in [`DriverInfo::harmless`].
    pub harmless: fn(u8, &[u8]) -> bool,
    /// A path: the device node, or better a stable link.
    pub port: Option<PathBuf>,
    /// Its USB serial number; case does not matter.
    pub usb_serial: Option<String>,
    /// Where the kernel lists its devices.
    pub system: System,
}

impl Wanted {
    /// Wants any device of a family on this machine. Returns `None` if the family has no USB-HID devices.
    pub fn for_driver(driver: &DriverInfo) -> Option<Wanted> {
        let (hid, harmless) = (driver.hid?, driver.harmless);
        Some(Wanted { hid, harmless, port: None, usb_serial: None, system: System::default() })
    }
}

/// An event of a link.
#[derive(Debug)]
pub enum HidEvent<'a> {
    /// A device is open: the session begins.
    Up {
        /// Its node.
        path: &'a Path,
    },
    /// A report came. Its time is the return of poll(2).
    Bytes {
        /// The channel of its message.
        channel: u8,
        /// The message, without number and padding.
        bytes: &'a [u8],
    },
    /// The device is closed. All reports that were read before have been reported.
    Down(LinkError),
    /// No device could be opened. The event is sent once for each change of the problem.
    Missing(LinkProblem),
}

/// Receives a link's events with their times, on the link's thread. It may block; meanwhile the link reads nothing.
pub type Sink = Box<dyn FnMut(u64, HidEvent<'_>) + Send>;

/// The HID devices that the links of one process have claimed. The process creates one value and passes it to every link.
#[derive(Debug, Default)]
pub struct Hids {
    taken: Mutex<BTreeSet<PathBuf>>,
}

impl Hids {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        // No code between lock and unlock can panic halfway.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has(&self, path: &Path) -> bool {
        self.lock().contains(path)
    }

    /// Claims the device for one link. Returns `None` if another link has claimed it.
    fn claim(self: &Arc<Hids>, path: &Path) -> Option<DeviceClaim> {
        self.lock().insert(path.to_owned()).then(|| DeviceClaim { hids: Arc::clone(self), path: path.to_owned() })
    }
}

/// A claim of a device by one link, until this value is dropped.
#[derive(Debug)]
struct DeviceClaim {
    hids: Arc<Hids>,
    path: PathBuf,
}

impl Drop for DeviceClaim {
    fn drop(&mut self) {
        self.hids.lock().remove(&self.path);
    }
}

/// The thread of one link. Dropping this value stops the thread.
pub struct HidThread {
    requests: Arc<LinkRequests>,
    thread: Option<JoinHandle<()>>,
}

impl HidThread {
    /// Starts the thread, called `name` (the kernel keeps 15 bytes of it). `shared` is the same for all links of the process;
    /// `now` returns microseconds that never go back.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub fn start(name: &str, wanted: Wanted, shared: Arc<Hids>, now: fn() -> u64, sink: Sink) -> io::Result<HidThread> {
        let requests = Arc::new(LinkRequests::new()?);
        let link_loop = LinkLoop::new(wanted, shared, Arc::clone(&requests), now, sink);
        let thread = Builder::new().name(name.to_owned()).spawn(move || link_loop.run())?;
        Ok(HidThread { requests, thread: Some(thread) })
    }

    /// Queues a message, which is written as a report. This never blocks. Messages that wait when the device goes away are
    /// dropped. A device that accepts no report ends the link.
    ///
    /// # Errors
    /// The link is down, the family's driver does not call these bytes harmless, or 64 messages wait already.
    pub fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        self.requests.send(channel, bytes)
    }

    /// Changes the device of the link. An open device is closed first.
    pub fn want(&self, wanted: Wanted) {
        self.requests.change_control(|control| control.wanted = Some(wanted));
    }

    /// Returns how often the thread has woken up.
    pub fn wakes(&self) -> u64 {
        self.requests.wakes.load(Ordering::Relaxed)
    }
}

impl Drop for HidThread {
    /// Closes the device and ends the thread. No event follows. This waits for a sink that blocks, so drop the sink's receiver
    /// first.
    fn drop(&mut self) {
        self.requests.change_control(|control| control.stop = true);
        if let Some(thread) = self.thread.take() {
            // The panic hook has already reported a sink that panicked.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for HidThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.thread.as_ref().and_then(|thread| thread.thread().name());
        f.debug_struct("HidThread").field("name", &name).finish_non_exhaustive()
    }
}
