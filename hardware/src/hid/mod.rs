//! One thread for each link to a board over USB-HID: it finds the device, opens it, reads and writes reports, and finds it again
//! after the cable was pulled and the device came back under another number.
//!
//! ```text
//!            ┌── nothing fits: 100 ms, 200 ms … 1 s, or something was plugged in ──┐
//!            ▼                                                                    │
//!   want ─▶ look ──▶ open ──▶ Up ─▶ Bytes … ─▶ Down ──────────────────────────────┘
//!
//!   a report as the kernel gives it      [nn] data …     nn only if the device numbers its reports
//!   as the family's function takes it     nn  data …     00 if it does not
//!   what the link tells                  channel, message
//! ```
//!
//! Devices are told by vendor, product and usage page, and one from another by their USB serial number or a path that stays.
//! None is asked who it is: most vendor ids are those of other devices too, so nothing is written but what the family's driver
//! calls harmless, and only to a device that is the link's own. The thread sleeps in poll(2) over the device, its requests
//! and what tells of plugging in; nothing wakes it while the device is quiet.

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

/// Which device a link is to: the one at `port`, else the one with the serial number, else the only one of the family.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// How the family is met.
    pub hid: Hid,
    /// What may be written, as in [`DriverInfo::harmless`].
    pub harmless: fn(u8, &[u8]) -> bool,
    /// A path: the device's node, or better a link that stays.
    pub port: Option<PathBuf>,
    /// Its USB serial number; case does not matter.
    pub usb_serial: Option<String>,
    /// Where devices are looked for.
    pub system: System,
}

impl Wanted {
    /// Any device of a family, on this machine; none if the family is not met over USB-HID.
    pub fn for_driver(driver: &DriverInfo) -> Option<Wanted> {
        let (hid, harmless) = (driver.hid?, driver.harmless);
        Some(Wanted { hid, harmless, port: None, usb_serial: None, system: System::default() })
    }
}

/// What a link tells.
#[derive(Debug)]
pub enum HidEvent<'a> {
    /// A device is open: begin the session.
    Up {
        /// Its node.
        path: &'a Path,
    },
    /// A report came, stamped when poll(2) returned.
    Bytes {
        /// The channel of its message.
        channel: u8,
        /// The message, without number and padding.
        bytes: &'a [u8],
    },
    /// The device is closed; what had been read before was told before.
    Down(LinkError),
    /// No device could be opened, and why. Said once for each change of the trouble.
    Missing(LinkProblem),
}

/// Where a link's events go: called on the link's thread, with the time of the event. It may block; then nothing is read.
pub type Sink = Box<dyn FnMut(u64, HidEvent<'_>) + Send>;

/// The HID devices that links of one process have. One is made, and every link gets it.
#[derive(Debug, Default)]
pub struct Hids {
    taken: Mutex<BTreeSet<PathBuf>>,
}

impl Hids {
    fn lock(&self) -> MutexGuard<'_, BTreeSet<PathBuf>> {
        // Nothing between lock and unlock can panic halfway.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has(&self, path: &Path) -> bool {
        self.lock().contains(path)
    }

    /// Takes the device for one link; none if another has it.
    fn claim(self: &Arc<Hids>, path: &Path) -> Option<DeviceClaim> {
        self.lock().insert(path.to_owned()).then(|| DeviceClaim { hids: Arc::clone(self), path: path.to_owned() })
    }
}

/// A device that is ours until this is dropped.
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

/// The thread of one link. Dropping it is stopping it.
pub struct HidThread {
    requests: Arc<LinkRequests>,
    thread: Option<JoinHandle<()>>,
}

impl HidThread {
    /// Starts the thread, called `name` (the kernel keeps 15 bytes of it). `shared` is the same for all links of the process;
    /// `now` gives microseconds that never run back.
    ///
    /// # Errors
    /// No more threads or descriptors.
    pub fn start(name: &str, wanted: Wanted, shared: Arc<Hids>, now: fn() -> u64, sink: Sink) -> io::Result<HidThread> {
        let requests = Arc::new(LinkRequests::new()?);
        let link_loop = LinkLoop::new(wanted, shared, Arc::clone(&requests), now, sink);
        let thread = Builder::new().name(name.to_owned()).spawn(move || link_loop.run())?;
        Ok(HidThread { requests, thread: Some(thread) })
    }

    /// Has a message written as a report. Never blocks. What waits when the device goes is dropped; a device that cannot be
    /// written ends the link.
    ///
    /// # Errors
    /// The link is down, the family's driver does not call these bytes harmless, or 64 messages wait already.
    pub fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        self.requests.send(channel, bytes)
    }

    /// From now on another device: an open one is closed first.
    pub fn want(&self, wanted: Wanted) {
        self.requests.change_control(|control| control.wanted = Some(wanted));
    }

    /// How often the thread has woken up.
    pub fn wakes(&self) -> u64 {
        self.requests.wakes.load(Ordering::Relaxed)
    }
}

impl Drop for HidThread {
    /// Closes the device and ends the thread; no event comes afterwards. Waits for a sink that blocks: take its receiver away
    /// first.
    fn drop(&mut self) {
        self.requests.change_control(|control| control.stop = true);
        if let Some(thread) = self.thread.take() {
            // A sink that panicked has been heard by the panic hook.
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
