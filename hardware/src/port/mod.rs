//! One thread for each serial link: it finds the port, opens it, reads, writes, and finds it again after the cable was pulled
//! or the device came back under another name.
//!
//! ```text
//!            ┌── nothing fits: 100 ms, 200 ms … 1 s, or something was plugged in, or a sister says so ──┐
//!            ▼                                                                                         │
//!   want ─▶ look ──▶ open ──▶ Up ─▶ Bytes … ─▶ Down ───────────────────────────────────────────────────┘
//!            │         ▲
//!            └─ ask every port for the board's serial number (`probe`)
//! ```
//!
//! A port is asked by one link, for all: the answer goes to the link whose board it is, and what a link asked when it found its
//! own board another goes on with (`sisters`). So several boards whose cables were out together are back as soon as one.
//!
//! The thread sleeps in poll(2) over the port, its requests and what tells of plugging in. While a port is open and quiet,
//! nothing wakes it, and neither does writing: bytes go out on the thread that brings them, as long as the port takes them.

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

pub use probe::same_serial;
pub use problem::LinkProblem;
pub use registry::Ports;
pub use requests::SendError;

use link_loop::LinkLoop;
use requests::LinkRequests;

/// Which device a link is to. Tried in this order: `port`, `usb_serial`, `serial`; with none of them, the only port that may
/// be a board.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The device family.
    pub driver: &'static DriverInfo,
    /// A path: the device, or better a link that stays.
    pub port: Option<PathBuf>,
    /// Serial number of the USB device.
    pub usb_serial: Option<String>,
    /// The board's own serial number, as it answers when asked; zeros in front and case do not matter.
    pub serial: Option<String>,
    /// Folders whose entries are ports, beside the USB ports that the system knows.
    pub folders: Vec<PathBuf>,
}

/// What a link tells.
#[derive(Debug)]
pub enum PortEvent<'a> {
    /// A port is open: begin the session.
    Up {
        /// The device's path, links followed.
        path: &'a Path,
        /// The USB device behind it.
        usb: Option<&'a UsbId>,
        /// It was open before: its board was just asked there who it is.
        asked: bool,
    },
    /// Bytes arrived, stamped when poll(2) returned.
    Bytes(&'a [u8]),
    /// The port is closed; what had been read before was told before.
    Down(LinkError),
    /// No port could be opened, and why. Said once for each change of the trouble.
    Missing(LinkProblem),
}

/// Where a link's events go: called on the link's thread, with the time of the event. It may block; then nothing is read.
pub type Sink = Box<dyn FnMut(u64, PortEvent<'_>) + Send>;

/// The thread of one serial link. Dropping it is stopping it.
pub struct PortThread {
    requests: Arc<LinkRequests>,
    thread: Option<JoinHandle<()>>,
}

impl PortThread {
    /// Starts the thread, called `name` (the kernel keeps 15 bytes of it). `shared` is the same for all links of the process;
    /// `now` gives microseconds that never run back.
    ///
    /// # Errors
    /// No more threads or descriptors.
    pub fn start(name: &str, wanted: Wanted, shared: Arc<Ports>, now: fn() -> u64, sink: Sink) -> io::Result<PortThread> {
        let requests = Arc::new(LinkRequests::new()?);
        let link_loop = LinkLoop::new(wanted, shared, Arc::clone(&requests), now, sink);
        let thread = Builder::new().name(name.to_owned()).spawn(move || link_loop.run())?;
        Ok(PortThread { requests, thread: Some(thread) })
    }

    /// Writes these bytes: at once, or as soon as the port takes them and what waits before them. Never blocks. What still
    /// waits when the port closes is dropped; a port that cannot be written ends the link.
    ///
    /// # Errors
    /// The link is down, or more than 256 pieces or 64 KiB wait already.
    pub fn send(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        self.requests.send(bytes)
    }

    /// From now on another device: an open port is closed first. What was learnt of the former device is forgotten.
    pub fn want(&self, wanted: Wanted) {
        self.requests.change_control(|control| control.wanted = Some(wanted));
    }

    /// The device has told its serial number: if the port goes, the board is also looked for by it.
    pub fn learn(&self, serial: String) {
        self.requests.change_control(|control| control.learnt = Some(serial));
    }

    /// Closes the port and ends the thread; no event comes afterwards, not even [`PortEvent::Down`]. Waits for a sink that
    /// blocks: take its receiver away first.
    pub fn stop(self) {
        drop(self);
    }

    /// How often the thread has woken up: a link that is open and hears nothing does not, whatever is sent.
    pub fn wakes(&self) -> u64 {
        self.requests.wakes.load(Ordering::Relaxed)
    }
}

impl Drop for PortThread {
    fn drop(&mut self) {
        self.requests.change_control(|control| control.stop = true);
        if let Some(thread) = self.thread.take() {
            // A sink that panicked has been heard by the panic hook.
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
