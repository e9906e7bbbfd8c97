//! Runs one thread for each serial link. The thread finds the port, opens it, reads and writes. It also finds the port again
//! after the cable was pulled or when the device came back under another name.
//!
//! ```text
//!            ┌── no port fits: 100 ms, 200 ms … 1 s, or a device was plugged in, or another link asks ──┐
//!            ▼                                                                                          │
//!   want ─▶ check ─▶ open ──▶ Up ─▶ Bytes … ─▶ Down ────────────────────────────────────────────────────┘
//!            │         ▲
//!            └─ ask every port for the board's serial number (`probe`)
//! ```
//!
//! One link asks a port on behalf of all links. The answer goes to the link whose board it is. When a link finds its own board,
//! another link takes over its open questions (`shared_search`). So several boards whose cables were pulled together are found
//! as fast as one board.
//!
//! The thread sleeps in poll(2) over the port, its requests and the hotplug descriptor. While a port is open and quiet, nothing
//! wakes the thread. A write does not wake it either: the calling thread writes the bytes itself as long as the port accepts
//! them.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::{Builder, JoinHandle};

use flagfall_protocols::driver::DriverInfo;

use crate::discover::UsbId;
use crate::link::LinkError;

mod check_ports;
mod choose;
mod link_loop;
mod probe;
mod problem;
mod registry;
mod requests;
mod search;
mod shared_search;
mod silent_ports;

pub use problem::LinkProblem;
pub use registry::Ports;
pub use requests::SendError;

use link_loop::LinkLoop;
use requests::LinkRequests;

/// The device that a link wants. The fields are tried in this order: `port`, `usb_serial`, `serial`. If none is set, the link
/// uses the only port that may be a board.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The device family.
    pub driver: &'static DriverInfo,
    /// A path: the device node, or better a stable link.
    pub port: Option<PathBuf>,
    /// Serial number of the USB device.
    pub usb_serial: Option<String>,
    /// The serial number that the board itself reports. Leading zeros and case do not matter.
    pub serial: Option<String>,
    /// Folders whose entries are ports, in addition to the USB ports that the system knows.
    pub folders: Vec<PathBuf>,
}

/// An event of a link.
#[derive(Debug)]
pub enum PortEvent<'a> {
    /// A port is open: the session begins.
    Up {
        /// The device's path with links resolved.
        path: &'a Path,
        /// The USB device behind it.
        usb: Option<&'a UsbId>,
        /// The port was already open, because its board was asked for its identity.
        asked: bool,
    },
    /// Bytes arrived. Their time is the return of poll(2).
    Bytes(&'a [u8]),
    /// The port is closed. All bytes that were read before have been reported.
    Down(LinkError),
    /// No port could be opened. The event is sent once for each change of the problem.
    Missing(LinkProblem),
}

/// Receives a link's events with their times, on the link's thread. It may block; meanwhile the link reads nothing.
pub type Sink = Box<dyn FnMut(u64, PortEvent<'_>) + Send>;

/// The thread of one serial link. Dropping this value stops the thread.
pub struct PortThread {
    requests: Arc<LinkRequests>,
    thread: Option<JoinHandle<()>>,
}

impl PortThread {
    /// Starts the thread, called `name` (the kernel keeps 15 bytes of it). `shared` is the same for all links of the process;
    /// `now` returns microseconds that never go back.
    ///
    /// # Errors
    /// The system has no more threads or descriptors.
    pub fn start(name: &str, wanted: Wanted, shared: Arc<Ports>, now: fn() -> u64, sink: Sink) -> io::Result<PortThread> {
        let requests = Arc::new(LinkRequests::new()?);
        let link_loop = LinkLoop::new(wanted, shared, Arc::clone(&requests), now, sink);
        let thread = Builder::new().name(name.to_owned()).spawn(move || link_loop.run())?;
        Ok(PortThread { requests, thread: Some(thread) })
    }

    /// Writes these bytes at once, or as soon as the port accepts them and the bytes before them. This never blocks. Bytes that
    /// still wait when the port closes are dropped. A port that accepts no bytes ends the link.
    ///
    /// # Errors
    /// The link is down, or more than 256 pieces or 64 KiB wait already.
    pub fn send(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        self.requests.send(bytes)
    }

    /// Changes the device of the link. An open port is closed first, and the link forgets the serial number of the former
    /// device.
    pub fn want(&self, wanted: Wanted) {
        self.requests.change_control(|control| control.wanted = Some(wanted));
    }

    /// Stores the serial number that the device reported. If the port goes away, the link also searches for the board by this
    /// number.
    pub fn learn(&self, serial: String) {
        self.requests.change_control(|control| control.learnt = Some(serial));
    }

    /// Closes the port and ends the thread. No event follows, not even [`PortEvent::Down`]. This waits for a sink that blocks,
    /// so drop the sink's receiver first.
    pub fn stop(self) {
        drop(self);
    }

    /// Returns how often the thread has woken up. An open link that receives nothing never wakes up, even when it sends.
    pub fn wakes(&self) -> u64 {
        self.requests.wakes.load(Ordering::Relaxed)
    }
}

impl Drop for PortThread {
    fn drop(&mut self) {
        self.requests.change_control(|control| control.stop = true);
        if let Some(thread) = self.thread.take() {
            // The panic hook has already reported a sink that panicked.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for PortThread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.thread.as_ref().and_then(|thread| thread.thread().name());
        f.debug_struct("PortThread").field("name", &name).finish_non_exhaustive()
    }
}
