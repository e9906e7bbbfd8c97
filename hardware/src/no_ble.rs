//! Stands in for `ble` in a build without Bluetooth LE: the same names, but no radio can be started.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocols::driver::Channel;

use crate::link::LinkError;
use crate::port::SendError;

/// The address of a device. There is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {}

impl fmt::Display for Address {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

/// Returns the text as a name: without Bluetooth LE no address can be read.
pub fn device(text: &str) -> (Option<Address>, Option<String>) {
    (None, Some(text.to_owned()))
}

/// The device that a link wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its address.
    pub address: Option<Address>,
    /// Its advertised name.
    pub name: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Beginnings of the family's names.
    pub family: &'static [&'static str],
    /// The channels of the family.
    pub channels: Option<&'static [Channel]>,
    /// A key that some devices need.
    pub unlock: Option<Vec<u8>>,
}

/// A characteristic of a device. There is none.
#[derive(Clone, Debug)]
pub struct Place {
    /// The number of the channel.
    pub channel: u8,
    /// The service.
    pub service: u128,
    /// The characteristic.
    pub characteristic: u128,
    /// Whether it notifies.
    pub notifies: bool,
    /// Whether it can be written.
    pub writes: bool,
    /// Why it does not notify.
    pub refused: Option<String>,
}

/// An event of a link. There is none.
#[derive(Debug)]
pub enum BleEvent<'a> {
    /// The device is connected.
    Up {
        /// Its address.
        address: Address,
        /// Its name.
        name: Option<&'a str>,
        /// The signal strength in dBm.
        signal: Option<i16>,
        /// The characteristics.
        places: &'a [Place],
    },
    /// Bytes arrived.
    Bytes {
        /// The number of the channel.
        channel: u8,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The device is not connected any more.
    Down(LinkError),
    /// There is no device.
    Missing(LinkProblem),
    /// A step of an attempt to connect.
    Attempt {
        /// The address of the device.
        address: Address,
        /// The step, for people.
        step: &'a str,
    },
}

/// Receives a link's events with their times.
pub type Sink = Box<dyn FnMut(u64, &BleEvent<'_>) -> bool + Send>;

/// This program was built without Bluetooth LE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkProblem;

impl fmt::Display for LinkProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this program was built without Bluetooth LE")
    }
}

/// The thread that communicates with BlueZ. There is none.
#[derive(Debug)]
pub enum Radio {}

impl Radio {
    /// Starts no radio.
    ///
    /// # Errors
    /// Always: this program was built without Bluetooth LE.
    pub fn start(_: Option<String>, _: fn() -> u64, _: u64) -> io::Result<Arc<Radio>> {
        Err(io::Error::new(io::ErrorKind::Unsupported, LinkProblem.to_string()))
    }
}

/// A link to one device. There is none.
#[derive(Debug)]
pub struct BleLink {
    radio: Arc<Radio>,
}

impl BleLink {
    /// No radio exists with which this could be called.
    pub fn start(radio: Arc<Radio>, _: u64, _: Wanted, _: Sink) -> BleLink {
        BleLink { radio }
    }

    /// No link exists on which this could be called.
    ///
    /// # Errors
    /// None.
    pub fn send(&self, _: u8, _: Vec<u8>) -> Result<(), SendError> {
        match *self.radio {}
    }

    /// No link exists on which this could be called.
    pub fn want(&self, _: Wanted) {
        match *self.radio {}
    }
}

/// A device that advertises. There is none.
#[derive(Clone, Debug)]
pub struct Nearby {
    /// Its address.
    pub address: Address,
    /// Its name.
    pub name: Option<String>,
    /// The signal strength in dBm.
    pub signal: Option<i16>,
    /// Some program is connected to it.
    pub connected: bool,
}

impl Wanted {
    /// Finds no device.
    ///
    /// # Errors
    /// Always: this program was built without Bluetooth LE.
    pub fn find(&self, _: &[Nearby]) -> Result<Address, LinkProblem> {
        Err(LinkProblem)
    }
}

/// Finds no devices.
///
/// # Errors
/// Always: this program was built without Bluetooth LE.
pub fn nearby(_: Option<&str>, _: Duration) -> Result<Vec<Nearby>, LinkProblem> {
    Err(LinkProblem)
}
