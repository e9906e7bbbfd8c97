//! The machines and people of an event: the keys of `[fleet]`. `flagfall fleet` uses them, and nodes and collectors to know which machine
//! may serve a board.

use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::Deserialize;

/// The machines and people of an event.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fleet {
    /// The broker of the hall.
    pub broker: Option<FleetBroker>,
    /// When the certificates are valid.
    pub valid: Option<Valid>,
    /// The hall's network, `192.168.1.0/24`; if none, it is made of the broker's address.
    pub net: Option<String>,
    /// The broker outside of the hall that gets what is public, with its port; if none, nothing leaves the hall.
    pub relay: Option<String>,
    /// The public key with which the organiser can log in on the Pis; if none, nobody can.
    pub ssh_key: Option<String>,
    /// The name of this hall at that broker, its user there.
    pub hall: Option<String>,
    /// The address of the folder with packages, from which the Pis get new versions; if none, they are brought by hand.
    pub packages: Option<String>,
    /// The serial numbers of spare boards, which may take the place of any board of the same family.
    pub spares: Vec<String>,
    /// The machines with boards, by their names.
    pub node: BTreeMap<String, FleetNode>,
    /// The users of the broker beside the machines and those of `[user.NAME]`.
    pub user: BTreeMap<String, FleetUser>,
}

/// The broker of the hall.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetBroker {
    /// Its name, for people and browsers.
    pub name: String,
    /// Its address, for the Pis.
    pub address: String,
    /// Its port for MQTT with TLS.
    #[serde(default = "default_port")]
    pub port: u16,
}

/// The port of MQTT with TLS, if `fleet.broker.port` names no other one.
pub(crate) const MACHINES_PORT: u16 = 8883;

const fn default_port() -> u16 {
    MACHINES_PORT
}

/// When certificates are valid.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Valid {
    /// The first day, `2026-01-01`.
    pub from: String,
    /// The number of days, 1..=800.
    pub days: u16,
}

/// A machine with boards.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetNode {
    /// The ids of its boards.
    pub boards: Vec<String>,
}

/// A user of the broker.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetUser {
    /// What the user may read and write.
    pub role: FleetRole,
}

/// What a user of the broker may read and write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FleetRole {
    /// What is public.
    Screen,
    /// What is live.
    Overlay,
    /// The program that gathers all games; the user's name is the `node.name` of its machine.
    Collector,
    /// The person who publishes the pairings.
    Organiser,
}

/// A network, `192.168.1.0/24`.
pub(super) fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = text.split_once('/')?;
    let bits = bits.bytes().all(|c| c.is_ascii_digit()).then_some(bits)?;
    let (address, bits) = (address.parse::<IpAddr>().ok()?, bits.parse::<u8>().ok()?);
    let longest = if address.is_ipv4() { 32 } else { 128 };
    (1..=longest).contains(&bits).then_some((address, bits))
}

/// The address with zeros behind its first bits.
pub(super) fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(v4) => IpAddr::V4((u32::from(v4) & u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0)).into()),
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0)).into()),
    }
}

impl Fleet {
    /// Whether this machine may serve a board: the file gives it the board, or gives the board to no machine.
    pub fn may_serve(&self, machine: &str, board: &str) -> bool {
        let mut given = self.node.iter().filter(|(_, node)| node.boards.iter().any(|own| own == board)).peekable();
        given.peek().is_none() || given.any(|(name, _)| name == machine)
    }

    /// The hall's network: the one that is configured, or the one around the broker's address, `/24` or `/64`.
    pub fn network(&self) -> Option<String> {
        if self.net.is_some() {
            return self.net.clone();
        }
        let address: IpAddr = self.broker.as_ref()?.address.parse().ok()?;
        let bits = if address.is_ipv4() { 24 } else { 64 };
        Some(format!("{}/{bits}", masked(address, bits)))
    }
}

#[cfg(test)]
mod tests;
