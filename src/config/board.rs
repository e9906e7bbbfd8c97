//! Defines the configuration of one board: its id, and how its device is found and connected.

use std::path::PathBuf;

use flagfall_protocols::drivers;
use serde::{Deserialize, Deserializer};

use crate::wire::player::Player;

/// One board and how its device is found: by `serial`, `usb_serial`, `port` or `bluetooth`, at least one of them.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Board {
    /// Its id in topics, `[a-z0-9-]{1,40}`.
    pub id: String,
    /// Name of the driver.
    pub driver: Option<String>,
    /// The board's own serial number, as it answers when it is asked.
    pub serial: Option<String>,
    /// Serial number of the USB adapter.
    pub usb_serial: Option<String>,
    /// Path of the port; better one that stays the same, from `/dev/serial/by-id`.
    pub port: Option<PathBuf>,
    /// How its device is reached. If none, the family and the other keys decide: over USB-HID only where the family has no other
    /// link.
    pub transport: Option<Transport>,
    /// Address or advertised name of a Bluetooth device.
    pub bluetooth: Option<String>,
    /// File with the key that unlocks all functions of the device, hexadecimal.
    pub unlock_file: Option<PathBuf>,
    /// The file that `flagfall calibrate` wrote, for families that need it.
    pub calibration_file: Option<PathBuf>,
    /// A clock on a link of its own, beside a board that has none.
    pub clock: Option<Clock>,
    /// White, for people.
    #[serde(deserialize_with = "player")]
    pub white: Option<Player>,
    /// Black.
    #[serde(deserialize_with = "player")]
    pub black: Option<Player>,
    /// Its time control in PGN notation, if it differs from the event's.
    pub time_control: Option<String>,
    /// The number of games of a round that the live audience and the public get; if none, all games.
    pub games: Option<u32>,
    /// When its round begins, if it differs from the event.
    pub start: Option<String>,
    /// Which display of the clock is White's.
    pub white_clock: Option<WhiteClock>,
    /// Whether it is Chess960, if it differs from the event.
    pub chess960: Option<bool>,
    /// Its rules, if they differ from the event's.
    pub profile: Option<String>,
}

impl Board {
    /// Its address on a line with others, for a family that shares a line: its serial number, 1 to 16383.
    pub fn address(&self) -> Option<u16> {
        let family = self.driver.as_deref().and_then(drivers::find).filter(|family| family.shares_line);
        let number = family.and(self.serial.as_deref())?.parse().ok()?;
        (1..=16_383).contains(&number).then_some(number)
    }

    /// Whether its device is reached over USB-HID.
    pub fn is_hid(&self) -> bool {
        if let Some(transport) = self.transport {
            return transport == Transport::Hid;
        }
        let family = self.driver.as_deref().and_then(drivers::find);
        family.is_some_and(|family| family.hid.is_some() && family.usb.is_empty() && family.ble.is_none())
    }

    /// Whether its device is reached by Bluetooth LE: that is configured, or its family has no cable and no port is named.
    pub fn is_bluetooth(&self) -> bool {
        if let Some(transport) = self.transport {
            return transport == Transport::Ble;
        }
        let family = self.driver.as_deref().and_then(drivers::find);
        let no_cable = family.is_some_and(|family| family.usb.is_empty() && family.ble.is_some());
        self.bluetooth.is_some() || (no_cable && self.port.is_none() && self.usb_serial.is_none())
    }
}

/// Reads a player: only a name, or a table.
fn player<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Player>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Name(String),
        Table(Player),
    }
    Ok(Some(match Written::deserialize(deserializer)? {
        Written::Name(name) => Player::named(&name),
        Written::Table(player) => player,
    }))
}

/// A clock on a link of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Clock {
    /// Name of the driver.
    pub driver: String,
    /// Address or advertised name of the Bluetooth device.
    #[serde(default)]
    pub bluetooth: Option<String>,
}

impl Clock {
    /// The clock in the form of a board.
    pub(crate) fn alone(&self, id: &str) -> Board {
        let (driver, bluetooth) = (Some(self.driver.clone()), self.bluetooth.clone());
        Board { id: id.to_owned(), driver, bluetooth, ..Board::default() }
    }
}

/// How a device is reached, in the words of `device.status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// A serial port.
    Serial,
    /// Bluetooth LE.
    Ble,
    /// USB-HID.
    Hid,
}

/// Which display of the clock is White's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhiteClock {
    /// The left one, seen from the front of the clock.
    Left,
    /// The right one.
    Right,
}
