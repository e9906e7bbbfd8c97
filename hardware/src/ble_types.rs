//! Defines what a Bluetooth LE link wants and reports, for builds with and without the feature `ble`.

use std::fmt;

use flagfall_protocols::driver::Channel;

use crate::ble::{Address, LinkProblem};
use crate::link::LinkError;

/// The device that a link wants: the one with the address, else the one with the name, else the only one whose name begins like
/// the family's names and ends with the serial number. Without an address the device must advertise, and no other device may
/// fit.
#[derive(Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Its address.
    pub address: Option<Address>,
    /// Its whole advertised name; case does not matter.
    pub name: Option<String>,
    /// Its serial number, for families that end their names with it.
    pub serial: Option<String>,
    /// Beginnings of the family's names.
    pub family: &'static [&'static str],
    /// The channels of the family. `None` subscribes everything that notifies; this is for devices that are not known yet.
    pub channels: Option<&'static [Channel]>,
    /// A key that some devices need. It is written to channel 0 once in each connection, as soon as the device has sent
    /// something and before any other bytes. It is never logged or reported.
    pub unlock: Option<Vec<u8>>,
}

/// Prints everything but the key; only its presence is shown.
impl fmt::Debug for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Wanted { address, name, serial, family, channels, unlock } = self;
        let mut wanted = f.debug_struct("Wanted");
        wanted.field("address", address).field("name", name).field("serial", serial).field("family", family);
        wanted.field("channels", channels).field("unlock", &unlock.as_ref().map(|_| format_args!("not shown"))).finish()
    }
}

/// An event of a link.
#[derive(Debug)]
pub enum BleEvent<'a> {
    /// The device is connected and all channels are subscribed: the session begins.
    Up {
        /// Its address.
        address: Address,
        /// Its name.
        name: Option<&'a str>,
        /// The signal strength in dBm.
        signal: Option<i16>,
        /// The characteristics of the channels, by channel number.
        places: &'a [Place],
    },
    /// Bytes arrived in one notification.
    Bytes {
        /// The number of the channel.
        channel: u8,
        /// The bytes.
        bytes: &'a [u8],
    },
    /// The device is not connected any more.
    Down(LinkError),
    /// There is no device. The event is sent once for each change of the problem.
    Missing(LinkProblem),
    /// A step of an attempt to connect, for a log. It may be dropped.
    Attempt {
        /// The address of the device.
        address: Address,
        /// The step, for people.
        step: &'a str,
    },
}

/// Receives a link's events with their times. It must not block. It returns false if there is no room, and the event is then
/// offered again.
pub type Sink = Box<dyn FnMut(u64, &BleEvent<'_>) -> bool + Send>;

/// The characteristic of the device that a channel of the driver uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The channel number.
    pub channel: u8,
    /// The service.
    pub service: u128,
    /// The characteristic.
    pub characteristic: u128,
    /// It sends bytes.
    pub notifies: bool,
    /// Bytes may be written to it.
    pub writes: bool,
    /// The reason why it sends no bytes although it notifies. The device is usable because other channels work or this one is
    /// optional.
    pub refused: Option<String>,
}

/// A Bluetooth LE device that the system knows, because it advertises now or advertised earlier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearby {
    /// Its address.
    pub address: Address,
    /// Its name.
    pub name: Option<String>,
    /// The signal strength in dBm; `None` if it has not advertised since listening began.
    pub signal: Option<i16>,
    /// Some program is connected to it, so that it does not advertise.
    pub connected: bool,
}
