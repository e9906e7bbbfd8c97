//! Defines the interface between a driver and its caller, and the data about each device family.
//!
//! A driver decodes the messages of one device family and communicates over one link. It knows the bytes, the questions at the
//! start, the times of retries and the waiting times. It owns no link and reads no clock. The caller repeats these steps:
//!
//! 1. feed **one** [`Input`] with the time at which it happened;
//! 2. call [`Driver::poll`] until it returns `None`, and carry out each [`Output`];
//! 3. read [`Driver::deadline`]; if that moment comes before any other input, feed [`Input::Deadline`] with **that moment** as
//!    its time.
//!
//! Two inputs without draining the outputs between them are a bug, which debug builds assert. A deadline is fed before every
//! input with a later time, and after every input with the same or an earlier time. So a byte string may be cut into pieces
//! with the same time, and the outputs stay the same.
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

/// One input to a driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input<'a> {
    /// The link opened: the driver begins its start-up questions. A driver without this input stays passive: it reads and asks
    /// nothing. Recordings without host commands are read in this way.
    LinkUp,
    /// The link was open already, and the device has just reported its identity on it. The driver begins as with
    /// [`Input::LinkUp`], but without the time that a device needs after its port was opened.
    LinkTakenOver,
    /// The link is gone: the driver forgets the incomplete message and every open question.
    LinkDown,
    /// Bytes arrived on a channel: a characteristic of a Bluetooth LE device, 0 on a serial line.
    Bytes {
        /// The channel.
        channel: u8,
        /// The bytes, in any pieces.
        bytes: &'a [u8],
    },
    /// The game sends a command to the device.
    Command(DeviceCommand),
    /// The moment named by [`Driver::deadline`] has come.
    Deadline,
}

/// The questions that a daemon may ask a device. A player sees no effect of them.
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

/// One output of a driver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Write these bytes.
    Send {
        /// The channel to write to.
        channel: u8,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// The device reported something.
    Event {
        /// The board or clock on the link: 0 if there is only one, or its address on a bus.
        unit: u16,
        /// The report.
        event: DeviceEvent,
        /// The bytes of the report; empty if the driver concluded the event itself (silence).
        bytes: ByteRange,
    },
    /// The input was not as it should be.
    Anomaly {
        /// The board or clock on the link.
        unit: u16,
        /// The error.
        anomaly: Anomaly,
        /// The bytes that were wrong.
        bytes: ByteRange,
    },
}

/// The decoder and the communication of one link. The head of the module describes the contract.
pub trait Driver: Send {
    /// Handles one input. It never panics, whatever the bytes are.
    fn handle(&mut self, at: Instant, input: Input<'_>);

    /// Returns the next output, or `None` when all are drained.
    fn poll(&mut self) -> Option<Output>;

    /// Returns the time at which the driver needs [`Input::Deadline`], if it waits for anything.
    fn deadline(&self) -> Option<Instant>;

    /// Returns the progress of a driver that learns a device ([`Calibrated::learn`]); `None` from all other drivers.
    fn learned(&self) -> Option<Learned> {
        None
    }
}

/// The capabilities of a device family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// The device has squares. A clock alone has none.
    pub board: bool,
    /// The board reports which piece stands on a square, and not only that a piece stands there.
    pub identifies_pieces: bool,
    /// A clock's times and lever come over the same link.
    pub clock: bool,
    /// The board keeps its own log, which can be read after a gap.
    pub log: bool,
}

/// The speed of a device family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The time of one scan of all squares: the longest time between a change and its report.
    pub scan: Duration,
    /// The longest delay of the report of a press.
    pub press_delay: Duration,
    /// The board samples its squares one after another and reports each one in its turn, so that the reports show the speed of
    /// the board.
    pub in_turn: bool,
}

/// A channel of a Bluetooth LE device. Its number is its place in [`Ble::channels`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channel {
    /// The characteristic that bytes are written to, if any.
    pub write: Option<u128>,
    /// The characteristic that sends notifications, if any.
    pub notify: Option<u128>,
    /// A device without this channel also belongs to the family.
    pub optional: bool,
}

impl Channel {
    /// The Nordic UART. Many families use it, so it does not identify a family.
    pub const NORDIC_UART: Channel = Channel {
        write: Some(0x6e400002_b5a3_f393_e0a9_e50e24dcca9e),
        notify: Some(0x6e400003_b5a3_f393_e0a9_e50e24dcca9e),
        optional: false,
    };
}

/// The names and channels of a family over Bluetooth LE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ble {
    /// The beginnings of the advertised names.
    pub names: &'static [&'static str],
    /// The channels of the devices.
    pub channels: &'static [Channel],
}

/// The ids and reports of a family over USB-HID. Each report carries one message.
///
/// A report begins with its number. The number is 00 on a device that does not number its reports.
#[derive(Clone, Copy, Debug)]
pub struct Hid {
    /// USB vendor id.
    pub vendor: u16,
    /// The first and the last USB product id.
    pub products: (u16, u16),
    /// Usage page of the interface of the board.
    pub usage_page: u16,
    /// Returns the channel of a report and the bytes for the driver: the message without its padding. A report of another form
    /// is returned whole.
    pub message: fn(&[u8]) -> (u8, &[u8]),
}

impl Hid {
    /// Returns whether a device with these ids may belong to the family.
    pub const fn fits(&self, vendor: u16, product: u16, usage_page: u16) -> bool {
        let (first, last) = self.products;
        vendor == self.vendor && usage_page == self.usage_page && first <= product && product <= last
    }
}

/// A message of a device, for the tests of every driver. The driver must read it alone and without an anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The channel of the message.
    pub channel: u8,
    /// All its bytes.
    pub bytes: &'static [u8],
    /// A text that the `Debug` output of the resulting event contains.
    pub read: &'static str,
}

impl Example {
    /// Creates a message on channel 0, the only channel of a serial line.
    pub const fn new(bytes: &'static [u8], read: &'static str) -> Example {
        Example { channel: 0, bytes, read }
    }
}

/// One device family: a row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct DriverInfo {
    /// The short name in configuration, traces and on the command line.
    pub name: &'static str,
    /// The makers' names of the devices.
    pub devices: &'static [&'static str],
    /// USB vendor and product ids of the devices' serial ports.
    pub usb: &'static [(u16, u16)],
    /// Names and channels over Bluetooth LE; `None` if the family has no Bluetooth LE.
    pub ble: Option<Ble>,
    /// Ids and reports over USB-HID; `None` if the family has no USB-HID.
    pub hid: Option<Hid>,
    /// Baud rate, 8N1, where the link is a serial line.
    pub baud: u32,
    /// Several devices share one serial line. The address of each device is its serial number.
    pub shares_line: bool,
    /// The capabilities of the family.
    pub capabilities: Capabilities,
    /// How the family gets the calibration that it needs to identify the pieces of each device; `None` if it needs none.
    pub calibrated: Option<Calibrated>,
    /// The reason, for people, why the family is usable only in games without arbiters; `None` if there is no such limit.
    pub casual_only: Option<&'static str>,
    /// The speed of the family.
    pub timing: Timing,
    /// Returns whether bytes may be written to a channel. It accepts everything that the session sends, and nothing that a
    /// player could see or that has an effect after the session.
    pub harmless: fn(u8, &[u8]) -> bool,
    /// Messages that its devices send, at least one. The first one must be readable without any message before it.
    pub examples: &'static [Example],
    /// Creates a driver for one link.
    pub make: fn() -> Box<dyn Driver>,
}

impl DriverInfo {
    /// The word for the source of the clock times if there is no clock.
    pub const NO_CLOCK: &str = "none";

    /// Returns the word for the source of the clock times: this driver's name, or [`NO_CLOCK`](DriverInfo::NO_CLOCK).
    pub const fn clock_source(&self) -> &'static str {
        if self.capabilities.clock { self.name } else { DriverInfo::NO_CLOCK }
    }

    /// Creates a driver for one link.
    pub fn start(&self) -> Box<dyn Driver> {
        (self.make)()
    }

    /// Creates a driver with a calibration of its device.
    ///
    /// # Errors
    /// The wrong item of the calibration, or the family needs no calibration.
    pub fn start_with(&self, calibration: &str) -> Result<Box<dyn Driver>, CalibrationError> {
        match self.calibrated {
            Some(calibrated) => (calibrated.with)(calibration),
            None => Err(CalibrationError::new(0, "boards of this family need no calibration")),
        }
    }
}
