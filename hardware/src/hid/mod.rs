//! Links over USB-HID: the reactor finds the device, opens it, and reads and writes reports. It also finds the device again after the
//! cable was pulled and the device came back under another number.
//!
//! ```text
//!   a report from the kernel              [nn] data …     nn only if the device numbers its reports
//!   the input of the family's function     nn  data …     00 if it does not
//!   the event of the link                 channel, message
//! ```
//!
//! Vendor, product and usage page identify a device of the family. The USB serial number or a stable path distinguishes two
//! such devices. No device is asked for its identity, because other devices have the same vendor ids. The link writes only
//! bytes that the family's driver calls harmless, and only to its own device.

use std::path::PathBuf;
use std::sync::Arc;

use flagfall_protocols::driver::{DriverInfo, Hid};

use crate::port::{SendError, Sink};
use crate::reactor::{self, Handle, Reactor};

mod choose;
mod descriptor;
mod find;
mod open;

pub use descriptor::Descriptor;
pub use find::{Found, System, devices};

pub(crate) use descriptor::MAX_REPORT;
pub(crate) use open::{Devices, OpenDevice, check_devices};

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

/// A link to a HID device. Dropping this value closes the device, and no event follows. This waits until the device is free, for at
/// most two seconds if the system does not close it.
#[derive(Debug)]
pub struct HidLink(Handle);

impl HidLink {
    /// Begins to search for the device.
    pub fn start(reactor: &Arc<Reactor>, wanted: Wanted, sink: Sink) -> HidLink {
        HidLink(Handle::start(reactor, reactor::Wanted::Hid(wanted), sink))
    }

    /// Queues a message, which is written as a report. This never blocks. Messages that wait when the device goes away are
    /// dropped. A device that accepts no report ends the link.
    ///
    /// # Errors
    /// The link is down, the family's driver does not call these bytes harmless, or 64 messages wait already.
    pub fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        self.0.send(channel, bytes)
    }

    /// Changes the device of the link. An open device is closed first.
    pub fn want(&self, wanted: Wanted) {
        self.0.want(reactor::Wanted::Hid(wanted));
    }
}
