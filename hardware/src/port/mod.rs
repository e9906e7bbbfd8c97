//! Serial links: the port of a board is found, opened, read and written by the reactor, and found again after the cable was pulled or
//! when the device came back under another name.
//!
//! The reactor asks a port for its board's serial number on behalf of all links. The answer goes to the link whose board it is. So
//! several boards whose cables were pulled together are found as fast as one board.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall_protocols::driver::DriverInfo;

use crate::discover::UsbId;
use crate::link::LinkError;
use crate::reactor::{self, Handle, Reactor};

mod answered;
mod choose;
mod probe;
mod problem;
mod silent_ports;

pub use crate::reactor::outlet::SendError;
pub use problem::LinkProblem;

pub(crate) use answered::Answered;
pub(crate) use choose::{Candidate, Choice, choose, fits};
pub(crate) use probe::{Probe, Verdict};
pub(crate) use silent_ports::SilentPorts;

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

/// An event of a link over a cable.
#[derive(Clone, Copy, Debug)]
pub enum PortEvent<'a> {
    /// A port or device is open: the session begins.
    Up {
        /// The device's path with links resolved.
        path: &'a Path,
        /// The USB device behind a serial port.
        usb: Option<&'a UsbId>,
        /// The port was already open, because its board was asked for its identity.
        asked: bool,
    },
    /// Bytes arrived. Their time is the return of epoll_wait(2).
    Bytes {
        /// The channel of a report from a HID device; always 0 for a serial port.
        channel: u8,
        /// The bytes, or the message in a report without number and padding.
        bytes: &'a [u8],
    },
    /// The port is closed and free. All bytes that were read before have been reported.
    Down(&'a LinkError),
    /// No port could be opened. The event is sent once for each change of the problem.
    Missing(&'a LinkProblem),
}

/// Receives a link's events with their times in microseconds, on the reactor's thread, so it must not block. It returns false if
/// there is no room. Then the link reads nothing more and offers the event again every 20 ms.
pub type Sink = Box<dyn FnMut(u64, PortEvent<'_>) -> bool + Send>;

/// A serial link. Dropping this value closes the port, and no event follows. This waits until the port is free, for at most two
/// seconds if the system does not close it.
#[derive(Debug)]
pub struct PortLink(Handle);

impl PortLink {
    /// Begins to search for the port.
    pub fn start(reactor: &Arc<Reactor>, wanted: Wanted, sink: Sink) -> PortLink {
        PortLink(Handle::start(reactor, reactor::Wanted::Port(wanted), sink))
    }

    /// Writes these bytes at once, or as soon as the port accepts them and the bytes before them. This never blocks. Bytes that
    /// still wait when the port closes are dropped. A port that accepts no bytes ends the link.
    ///
    /// # Errors
    /// The link is down, or more than 256 pieces or 64 KiB wait already.
    pub fn send(&self, bytes: Vec<u8>) -> Result<(), SendError> {
        self.0.send(0, bytes)
    }

    /// Changes the device of the link. An open port is closed first, and the link forgets the serial number of the former
    /// device.
    pub fn want(&self, wanted: Wanted) {
        self.0.want(reactor::Wanted::Port(wanted));
    }

    /// Stores the serial number that the device reported. If the port goes away, the link also searches for the board by this
    /// number.
    pub fn learn(&self, serial: String) {
        self.0.learn(serial);
    }
}
