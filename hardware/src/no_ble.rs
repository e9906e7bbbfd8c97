//! Stands in for `ble` in a build without Bluetooth LE: the same names, but no radio can be started.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

pub use crate::ble_types::*;
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
