//! Runs `flagfall devices --bluetooth`: lists the devices that advertise over Bluetooth LE.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use flagfall_hardware::ble::{Nearby, nearby};
use flagfall_protocols::drivers::DRIVERS;
use serde::Serialize;

/// The time for which the radio listens. Most boards advertise several times a second, some only every few seconds.
const LISTEN: Duration = Duration::from_secs(5);

/// One device.
#[derive(Serialize)]
struct Device {
    address: String,
    name: Option<String>,
    signal_dbm: Option<i16>,
    /// The families whose device names begin like this one.
    drivers: Vec<&'static str>,
}

impl Device {
    fn from_advertisement(found: Nearby) -> Device {
        let name = found.name.clone().unwrap_or_default().to_ascii_lowercase();
        let is_its = |start: &&str| name.starts_with(&start.to_ascii_lowercase());
        let families = DRIVERS.iter().filter(|info| info.ble.is_some_and(|ble| ble.names.iter().any(&is_its)));
        Device {
            address: found.address.to_string(),
            name: found.name,
            signal_dbm: found.signal,
            drivers: families.map(|info| info.name).collect(),
        }
    }
}

/// Listens, and prints the devices that were received.
///
/// # Errors
/// Bluetooth is not available, or the output is closed.
pub(super) fn print(json: bool) -> Result<ExitCode> {
    let found = match nearby(None, LISTEN) {
        Ok(found) => found,
        Err(trouble) => bail!("{trouble}"),
    };
    let devices: Vec<Device> = found.into_iter().map(Device::from_advertisement).collect();
    let mut out = std::io::stdout().lock();
    if json {
        writeln!(out, "{}", serde_json::to_string_pretty(&devices)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if devices.is_empty() {
        writeln!(out, "no device advertises (a board that is connected to another program does not)")?;
    }
    for device in &devices {
        let signal = device.signal_dbm.map(|signal| format!(", {signal} dBm")).unwrap_or_default();
        writeln!(out, "{}  {}{signal}", device.address, device.name.as_deref().unwrap_or("(no name)"))?;
        if !device.drivers.is_empty() {
            writeln!(out, "    {:<9} {}", "may be", device.drivers.join(", "))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
