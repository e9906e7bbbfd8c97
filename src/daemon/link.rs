//! Opens and closes the link of a board: a serial port or a USB-HID device on the thread of the reactor, or a Bluetooth device on
//! the thread of the radio.

use std::fmt;
use std::io;
use std::sync::Arc;

use flagfall_hardware::ble::{BleEvent, BleLink};
use flagfall_hardware::hid::HidLink;
use flagfall_hardware::link::LinkError;
use flagfall_hardware::port::{PortEvent, PortLink, SendError};
use flagfall_hardware::{ble, hid, port};

use super::inbox::Inbox;
use super::line::{self, BusBoard};
use super::message::ToStation;
use super::shared::Shared;
use crate::session::station::CLOCK;
use crate::system_clock::{self, MonotonicTime};

/// The name of Bluetooth LE as a transport.
pub(super) const BLE: &str = "ble";

/// The device to which a link must be opened.
#[derive(Clone, Debug)]
pub enum Wanted {
    /// A device at a serial port.
    Port(port::Wanted),
    /// One of several devices on a serial line.
    Bus(line::Wanted),
    /// A Bluetooth LE device.
    Ble(ble::Wanted),
    /// A USB-HID device.
    Hid(hid::Wanted),
}

impl Wanted {
    /// The device's own serial number, if the device is identified by it.
    pub fn serial(&self) -> Option<&str> {
        match self {
            Wanted::Port(wanted) => wanted.serial.as_deref(),
            Wanted::Bus(wanted) => wanted.serial.as_deref(),
            Wanted::Ble(wanted) => wanted.serial.as_deref(),
            Wanted::Hid(wanted) => wanted.usb_serial.as_deref(),
        }
    }

    /// How the device is reached, for people and `device/<device>/status`.
    pub fn transport(&self) -> &'static str {
        match self {
            Wanted::Port(_) | Wanted::Bus(_) => "serial",
            Wanted::Ble(_) => BLE,
            Wanted::Hid(_) => "hid",
        }
    }

    /// Changes to another device with the same kind of link. `port` is a path, or the address or name of a Bluetooth device.
    pub(super) fn rebind(&mut self, serial: Option<String>, port: Option<String>) {
        match self {
            Wanted::Port(wanted) => {
                (wanted.serial, wanted.port, wanted.usb_serial) = (serial, port.map(Into::into), None);
            }
            // The line stays the same; only the board on it changes.
            Wanted::Bus(wanted) => {
                wanted.address = serial.as_deref().and_then(|serial| serial.parse().ok()).unwrap_or(wanted.address);
                wanted.serial = serial;
            }
            Wanted::Ble(wanted) => {
                wanted.serial = serial;
                (wanted.address, wanted.name) = port.as_deref().map(ble::device).unwrap_or_default();
            }
            Wanted::Hid(wanted) => (wanted.usb_serial, wanted.port) = (serial, port.map(Into::into)),
        }
    }
}

/// A board's link. It ends when it is dropped.
pub(super) enum Link {
    /// To a serial port.
    Port(PortLink),
    /// To a board on a line with others.
    Bus(BusBoard),
    /// To a Bluetooth device.
    Ble(BleLink),
    /// To a USB-HID device.
    Hid(HidLink),
}

impl Link {
    /// Searches for the device from now on, and puts what the device sends into the inbox. `id` is the number of the board, which
    /// no other board has, and the number of the link.
    ///
    /// # Errors
    /// The operating system gives no thread.
    pub(super) fn start(id: (u64, u8), wanted: Wanted, shared: &Shared, inbox: Arc<Inbox<ToStation>>) -> io::Result<Link> {
        let (number, link) = id;
        match wanted {
            Wanted::Port(wanted) => Ok(Link::Port(PortLink::start(&shared.reactor, wanted, cable_sink(link, inbox)))),
            Wanted::Bus(wanted) => Ok(Link::Bus(BusBoard::start(&wanted, shared, inbox))),
            Wanted::Ble(wanted) => {
                Ok(Link::Ble(BleLink::start(shared.radio()?, number * 2 + u64::from(link), wanted, ble_sink(link, inbox))))
            }
            Wanted::Hid(wanted) => Ok(Link::Hid(HidLink::start(&shared.reactor, wanted, cable_sink(link, inbox)))),
        }
    }

    /// Writes bytes to a channel. Never blocks.
    ///
    /// # Errors
    /// The link is down, or too many bytes wait already.
    pub(super) fn send(&self, channel: u8, bytes: Vec<u8>) -> Result<(), SendError> {
        match self {
            Link::Port(port) => port.send(bytes),
            Link::Bus(board) => board.send(bytes),
            Link::Ble(device) => device.send(channel, bytes),
            Link::Hid(device) => device.send(channel, bytes),
        }
    }

    /// The device has reported its serial number. Only serial ports need this; other links identify the device before they open
    /// it.
    pub(super) fn set_serial(&self, serial: &str) {
        if let Link::Port(port) = self {
            port.learn(serial.to_owned());
        }
    }

    /// Serves another device from now on, with the same kind of link.
    pub(super) fn change_device(&self, wanted: Wanted) {
        match (self, wanted) {
            (Link::Port(port), Wanted::Port(wanted)) => port.want(wanted),
            (Link::Bus(board), Wanted::Bus(wanted)) => board.change_address(wanted.address),
            (Link::Ble(device), Wanted::Ble(wanted)) => device.want(wanted),
            (Link::Hid(device), Wanted::Hid(wanted)) => device.want(wanted),
            (Link::Port(_) | Link::Bus(_) | Link::Ble(_) | Link::Hid(_), _) => debug_assert!(false, "a link stays of its kind"),
        }
    }
}

/// The links of a station.
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// The board's link.
    pub(super) board: Arc<Link>,
    /// The link of a clock that has one of its own.
    pub(super) clock: Option<Arc<Link>>,
}

impl Links {
    /// The link of this number.
    pub(super) fn link(&self, link: u8) -> &Link {
        self.clock.as_deref().filter(|_| link == CLOCK).unwrap_or(&self.board)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Link::Port(port) => port.fmt(f),
            Link::Bus(_) => f.write_str("a board on a line"),
            Link::Ble(device) => device.fmt(f),
            Link::Hid(device) => device.fmt(f),
        }
    }
}

/// Microseconds of the monotonic clock.
pub(super) fn micros() -> u64 {
    system_clock::monotonic().0
}

/// The reactor's thread serves all boards, so it never waits.
fn cable_sink(link: u8, inbox: Arc<Inbox<ToStation>>) -> port::Sink {
    Box::new(move |at, event| {
        let at = MonotonicTime(at);
        let item = match event {
            PortEvent::Up { path, asked, .. } => {
                ToStation::Up { at, link, asked, port: path.display().to_string(), signal: None }
            }
            PortEvent::Bytes { channel, bytes } => ToStation::Bytes { at, link, channel, bytes: bytes.to_vec() },
            PortEvent::Down(error) => ToStation::Down { at, link, cause: cause(error) },
            PortEvent::Missing(trouble) => ToStation::Missing { link, problem: trouble.to_string() },
        };
        inbox.offer_or_closed(item)
    })
}

/// The radio's thread serves all boards, so it never waits.
fn ble_sink(link: u8, inbox: Arc<Inbox<ToStation>>) -> ble::Sink {
    Box::new(move |at, event| {
        let at = MonotonicTime(at);
        let item = match event {
            BleEvent::Up { address, signal, .. } => {
                ToStation::Up { at, link, asked: false, port: address.to_string(), signal: *signal }
            }
            BleEvent::Bytes { channel, bytes } => ToStation::Bytes { at, link, channel: *channel, bytes: bytes.to_vec() },
            BleEvent::Down(error) => ToStation::Down { at, link, cause: cause(error) },
            BleEvent::Missing(trouble) => ToStation::Missing { link, problem: trouble.to_string() },
            BleEvent::Attempt { address, step } => {
                tracing::debug!("Bluetooth device {address}: {step}");
                return true;
            }
        };
        inbox.offer_or_closed(item)
    })
}

/// The cause of a `link` record, one word.
pub(super) const fn cause(error: &LinkError) -> &'static str {
    match error {
        LinkError::Unplugged => "unplugged",
        LinkError::Refused => "refused",
        LinkError::TimedOut => "timed-out",
        LinkError::Busy => "busy",
        LinkError::Denied => "denied",
        LinkError::Other(_) => "other",
    }
}
