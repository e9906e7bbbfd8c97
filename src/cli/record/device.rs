//! Opens the link that is recorded or calibrated: a serial port or a Bluetooth device.

use std::io;
use std::path::Path;

use flagfall_hardware::ble::{self, BleEvent, BleLink, Place, Radio};
use flagfall_hardware::port::{PortEvent, PortLink, Wanted};
use flagfall_hardware::reactor::Reactor;
use flagfall_protocols::driver::DriverInfo;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::system_clock::monotonic;

/// The largest number of events that wait while the recording is written to the disk.
const MAX_WAITING: usize = 1024;

/// An event of the link that is recorded.
pub(in crate::cli) enum LinkEvent {
    /// It is up: lines for the head of the recording, and for people the channels that are left out.
    Up(Vec<(String, String)>, Vec<String>),
    /// Bytes of a channel.
    Bytes(u8, Vec<u8>),
    /// It was lost: the cause.
    Down(String),
    /// There is no device: the problem, and whether it may still come.
    Missing(String, bool),
}

/// The events of a link, each with its time.
pub(in crate::cli) type Events = Receiver<(u64, LinkEvent)>;

/// A link that is recorded.
pub(in crate::cli) enum Device {
    Port(PortLink),
    Ble(BleLink),
}

impl Device {
    /// Opens a port with the settings of a family.
    pub(in crate::cli) fn port(path: &Path, driver: &'static DriverInfo) -> io::Result<(Device, Events)> {
        let wanted = Wanted { driver, port: Some(path.to_owned()), usb_serial: None, serial: None, folders: Vec::new() };
        let (to, events) = channel(MAX_WAITING);
        let sink = move |at: u64, event: PortEvent<'_>| {
            let event = match event {
                PortEvent::Up { .. } => LinkEvent::Up(Vec::new(), Vec::new()),
                PortEvent::Bytes { channel, bytes } => LinkEvent::Bytes(channel, bytes.to_vec()),
                PortEvent::Down(error) => LinkEvent::Down(error.to_string()),
                PortEvent::Missing(trouble) => LinkEvent::Missing(trouble.to_string(), false),
            };
            offer(&to, at, event)
        };
        let reactor = Reactor::start(|| monotonic().0)?;
        Ok((Device::Port(PortLink::start(&reactor, wanted, Box::new(sink))), events))
    }

    /// Searches for a Bluetooth device by address or name. Without a family every channel that notifies is recorded.
    pub(in crate::cli) fn ble(named: &str, family: Option<&'static DriverInfo>) -> io::Result<(Device, Events)> {
        let (address, name) = ble::device(named);
        let wanted = ble::Wanted {
            address,
            name,
            serial: None,
            family: &[],
            channels: family.and_then(|family| family.ble).map(|ble| ble.channels),
            unlock: None,
        };
        let (to, events) = channel(MAX_WAITING);
        let radio = Radio::start(None, || monotonic().0, 0)?;
        Ok((Device::Ble(BleLink::start(radio, 0, wanted, Box::new(move |at, event| forward(&to, at, event)))), events))
    }

    /// Writes bytes. A link that was lost meanwhile is reported separately.
    pub(in crate::cli) fn send(&self, channel: u8, bytes: Vec<u8>) {
        let _ = match self {
            Device::Port(port) => port.send(bytes),
            Device::Ble(device) => device.send(channel, bytes),
        };
    }
}

fn forward(to: &Sender<(u64, LinkEvent)>, at: u64, event: &BleEvent<'_>) -> bool {
    let event = match event {
        BleEvent::Up { name, places, .. } => LinkEvent::Up(head(*name, places), left_out(places)),
        BleEvent::Bytes { channel, bytes } => LinkEvent::Bytes(*channel, bytes.to_vec()),
        BleEvent::Down(error) => LinkEvent::Down(error.to_string()),
        BleEvent::Missing(trouble) => LinkEvent::Missing(trouble.to_string(), true),
        BleEvent::Attempt { .. } => return true,
    };
    offer(to, at, event)
}

/// Returns false if there is no room; true also if the recording has ended.
fn offer(to: &Sender<(u64, LinkEvent)>, at: u64, event: LinkEvent) -> bool {
    match to.try_send((at, event)) {
        Ok(()) => true,
        Err(error) => matches!(error, tokio::sync::mpsc::error::TrySendError::Closed(_)),
    }
}

/// Names the channels that refused to notify.
fn left_out(places: &[Place]) -> Vec<String> {
    let refused = places.iter().filter_map(|place| Some((place.channel, place.refused.as_ref()?)));
    refused.map(|(channel, cause)| format!("channel {channel} is left out: {cause}")).collect()
}

/// The header lines that a reader of the recording needs about the device. Its address is private and left out.
fn head(name: Option<&str>, places: &[Place]) -> Vec<(String, String)> {
    let name: String = name.unwrap_or_default().chars().filter(|c| !c.is_control()).collect();
    let mut lines =
        vec![("bluetooth".to_owned(), if name.trim().is_empty() { "no name".to_owned() } else { name.trim().to_owned() })];
    for place in places {
        let ways = [(place.notifies, "notify"), (place.refused.is_some(), "refused"), (place.writes, "write")];
        let ways: Vec<&str> = ways.into_iter().filter(|(has, _)| *has).map(|(_, way)| way).collect();
        let text = format!("{} {:032x}, service {:032x}", ways.join(" "), place.characteristic, place.service);
        lines.push((
            format!("channel-{}{}", place.channel, if place.notifies || place.refused.is_some() { "" } else { "-w" }),
            text,
        ));
    }
    lines
}
