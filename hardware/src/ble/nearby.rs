//! Lists the Bluetooth LE devices that advertise or that the system already knows.

use std::io;
use std::time::Duration;

use btleplug::api::Central;
use tokio::time::sleep;

use super::queries::{adapter, answer, around, health, listen};
use super::{Address, LinkProblem, Pace};

/// A Bluetooth LE device that advertises, or that the system already knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearby {
    /// Its address.
    pub address: Address,
    /// Its name.
    pub name: Option<String>,
    /// The signal strength in dBm.
    pub signal: Option<i16>,
}

/// Listens for the time `span` and returns the devices, sorted by address. It does not connect to any device.
///
/// # Errors
/// The problem with Bluetooth on this machine.
pub fn nearby(name: Option<&str>, span: Duration) -> Result<Vec<Nearby>, LinkProblem> {
    let within = Pace::default().answer;
    let failed = |error: io::Error| LinkProblem::NoService(error.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    runtime.block_on(async {
        let adapter = adapter(within, name).await?;
        health(within, &adapter).await?;
        listen(within, &adapter).await.map_err(LinkProblem::NoScan)?;
        sleep(span).await;
        let found = around(within, &adapter).await.map_err(LinkProblem::NoService)?;
        // Listening ends with this program at the latest.
        let _ = answer(within, adapter.stop_scan()).await;
        let one = |seen: super::choose::Seen| Nearby { address: seen.address, name: seen.name, signal: seen.signal };
        let mut found: Vec<Nearby> = found.into_iter().map(|(seen, _)| one(seen)).collect();
        found.sort_by_key(|nearby| nearby.address);
        Ok(found)
    })
}
