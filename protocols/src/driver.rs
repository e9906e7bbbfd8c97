//! The contract between a driver and whatever runs it.
//!
//! A driver is a codec and a session: it knows the bytes of one device family, what to ask at the start, when to ask again,
//! how long to wait. It owns no link and reads no clock. Whoever runs it does, again and again:
//!
//! 1. feed **one** [`Input`] with the time at which it happened;
//! 2. call [`Driver::poll`] until it gives `None`, and carry out each [`Output`];
//! 3. ask [`Driver::deadline`]; if that moment comes before anything else, feed [`Input::Deadline`] stamped **with that moment**.
//!
//! Feeding twice without draining is a bug and is asserted in debug builds. A deadline is fed before every input that is
//! stamped later, and after every input that is stamped the same or earlier: so cutting a byte string into pieces that keep
//! their stamp changes nothing.
//!
//! ```
//! use flagfall_protocols::driver::{Input, Output};
//! use flagfall_protocols::drivers;
//! use flagfall_protocols::event::DeviceEvent;
//! use flagfall_protocols::time::Instant;
//!
//! let mut board = drivers::find("dgt").expect("registered").start();
//! // Rook lifted from h1: field update, square 63 of the board's own numbering, now empty.
//! board.handle(Instant(1_000), Input::Bytes { channel: 0, bytes: &[0x8e, 0x00, 0x05, 0x3f, 0x00] });
//! match board.poll() {
//!     Some(Output::Event { unit: 0, event: DeviceEvent::Square { square, .. }, .. }) => assert_eq!(square.to_string(), "h1"),
//!     other => panic!("{other:?}"),
//! }
//! assert!(board.poll().is_none());
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::time::Duration;

use crate::calibration::{Calibrated, CalibrationError, Learned};
use crate::event::{Anomaly, ByteRange, DeviceEvent};
use crate::time::Instant;

/// One thing that happens to a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// The link opened: begin the start-up questions. A driver that is never told stays passive: it reads and asks nothing,
    /// which is how recordings without host commands are read.
    LinkUp,
    /// The link was open already, and the device has just answered on it who it is: begin as with [`Input::LinkUp`], without the
    /// time that a device needs after its port was opened.
    LinkTakenOver,
    /// The link is gone: forget half a message and every question that is open.
    LinkDown,
    /// Bytes arrived on a channel: a characteristic of a Bluetooth LE device, 0 on a serial line.
    Bytes {
        /// The channel.
        channel: u8,
        /// The bytes, in any pieces.
        bytes: &'a [u8],
    },
    /// The game asks something of the device.
    Command(DeviceCommand),
    /// The moment named by [`Driver::deadline`] has come.
    Deadline,
}

/// What a daemon may ask of a device: questions only, nothing that a player could see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceCommand {
    /// Report all squares.
    ReadBoard,
    /// Report the clock.
    ReadClock,
    /// Report the battery.
    ReadBattery,
    /// Send the board's own log ([`DeviceEvent::Log`]); the line is busy for seconds.
    ReadLog,
}

/// One thing a driver wants done or known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Write these bytes.
    Send {
        /// The channel to write to.
        channel: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The device told something.
    Event {
        /// Which board or clock on the link: 0 where there is one, the address on a bus.
        unit: u16,
        /// What it told.
        event: DeviceEvent,
        /// Where it was read; empty for what the driver concluded by itself (silence).
        bytes: ByteRange,
    },
    /// Something in the input was not as it should be.
    Anomaly {
        /// Which board or clock on the link.
        unit: u16,
        /// What was wrong.
        anomaly: Anomaly,
        /// Where.
        bytes: ByteRange,
    },
}

/// The codec and session of one link. See the module's head for the contract.
pub trait Driver: Send {
    /// Takes one input. Never panics, whatever the bytes.
    fn handle(&mut self, at: Instant, input: Input<'_>);

    /// The next output; `None` when all are drained.
    fn poll(&mut self) -> Option<Output>;

    /// When the driver wants [`Input::Deadline`], if it waits for anything.
    fn deadline(&self) -> Option<Instant>;

    /// How far it is, if it was made to learn a device ([`Calibrated::learn`]); none from all others.
    fn learned(&self) -> Option<Learned> {
        None
    }
}

/// What a device family can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// It has squares; a clock by itself has none.
    pub board: bool,
    /// The board says which piece stands on a square, not only that one does.
    pub identifies_pieces: bool,
    /// A clock's times and lever come over the same link.
    pub clock: bool,
    /// The board keeps a log of its own that can be read after a gap.
    pub log: bool,
}

/// How fast a device family is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// One scan of all squares: the longest time between a change and its report.
    pub scan: Duration,
    /// The longest time by which a press is reported late.
    pub press_delay: Duration,
    /// Squares are sampled one after another and each is told as its turn comes, so that reports tell how fast the board is.
    pub in_turn: bool,
}

/// A channel of a Bluetooth LE device. Its number is its place in [`Ble::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The characteristic that bytes are written to, if any.
    pub write: Option<u128>,
    /// The characteristic that notifies of bytes, if any.
    pub notify: Option<u128>,
    /// A device that has not this channel is one of the family all the same.
    pub optional: bool,
}

impl Channel {
    /// The Nordic UART, which many families share: it tells nothing about who speaks.
    pub const NORDIC_UART: Channel = Channel {
        write: Some(0x6e400002_b5a3_f393_e0a9_e50e24dcca9e),
        notify: Some(0x6e400003_b5a3_f393_e0a9_e50e24dcca9e),
        optional: false,
    };
}

/// How devices of a family are met over Bluetooth LE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ble {
    /// Beginnings of the names they advertise.
    pub names: &'static [&'static str],
    /// What they are talked to through.
    pub channels: &'static [Channel],
}

/// How devices of a family are met over USB-HID, where each report carries one message.
///
/// A report begins with its number: 00 on a device that does not number them.
#[derive(Clone, Copy, Debug)]
pub struct Hid {
    /// USB vendor id.
    pub vendor: u16,
    /// The first and the last USB product id.
    pub products: (u16, u16),
    /// Usage page of the interface that is talked through.
    pub usage_page: u16,
    /// The channel of a report, and what the driver is fed of it: the message without the padding behind it. Of a report that is
    /// none of the family's nothing is left out.
    pub message: fn(&[u8]) -> (u8, &[u8]),
}

impl Hid {
    /// Whether a device with these ids may be one of the family.
    pub const fn fits(&self, vendor: u16, product: u16, usage_page: u16) -> bool {
        let (first, last) = self.products;
        vendor == self.vendor && usage_page == self.usage_page && first <= product && product <= last
    }
}

/// A message as a device sends it, for the tests that every driver passes: read alone, with no anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The channel it comes on.
    pub channel: u8,
    /// Its bytes, whole.
    pub bytes: &'static [u8],
    /// What stands somewhere in the text of what it is read as (`Debug`).
    pub read: &'static str,
}

impl Example {
    /// A message on channel 0, which is the only one of a serial line.
    pub const fn new(bytes: &'static [u8], read: &'static str) -> Example {
        Example { channel: 0, bytes, read }
    }
}

/// One device family: the registry's row.
#[derive(Clone, Copy, Debug)]
pub struct DriverInfo {
    /// Short name used in configuration, traces and on the command line.
    pub name: &'static str,
    /// Makers' names of the devices.
    pub devices: &'static [&'static str],
    /// USB vendor and product ids of the devices' serial ports.
    pub usb: &'static [(u16, u16)],
    /// How they are met over Bluetooth LE; none = they are not.
    pub ble: Option<Ble>,
    /// How they are met over USB-HID; none = they are not.
    pub hid: Option<Hid>,
    /// Baud rate, 8N1, where the link is a serial line.
    pub baud: u32,
    /// Several devices are on one serial line, each with its serial number as its address.
    pub shares_line: bool,
    /// What the family can do.
    pub capabilities: Capabilities,
    /// What it must be told about each device before its men have names; none = nothing.
    pub calibrated: Option<Calibrated>,
    /// Why it is of use only in games without arbiters, for people; none = it is not so.
    pub casual_only: Option<&'static str>,
    /// How fast it is.
    pub timing: Timing,
    /// Whether bytes may be written to a channel: everything that the session says, and nothing that a player could see or that
    /// outlives the session.
    pub harmless: fn(u8, &[u8]) -> bool,
    /// Messages that its devices send, at least one; the first one needs no other before it.
    pub examples: &'static [Example],
    /// Makes a driver for one link.
    pub make: fn() -> Box<dyn Driver>,
}

impl DriverInfo {
    /// The word for a source of times where there is none.
    pub const NO_CLOCK: &str = "none";

    /// The word for where the times of the clock come from: this driver, or nowhere.
    pub const fn clock_source(&self) -> &'static str {
        if self.capabilities.clock { self.name } else { DriverInfo::NO_CLOCK }
    }

    /// A new driver for one link.
    pub fn start(&self) -> Box<dyn Driver> {
        (self.make)()
    }

    /// A new driver that is told this about its device.
    ///
    /// # Errors
    /// The item that is wrong; or the family needs to be told nothing.
    pub fn start_with(&self, calibration: &str) -> Result<Box<dyn Driver>, CalibrationError> {
        match self.calibrated {
            Some(calibrated) => (calibrated.with)(calibration),
            None => Err(CalibrationError::new(0, "boards of this family need no calibration")),
        }
    }
}
