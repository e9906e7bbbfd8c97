//! Lists the Bluetooth LE devices that advertise or that the system already knows.

use std::io;
use std::time::Duration;

use btleplug::api::Central;
use tokio::time::sleep;

use super::Nearby;
use super::choose::choose;
use super::queries::{adapter, answer, around, health, listen};
use super::{Address, LinkProblem, Pace, Wanted};

impl Wanted {
    /// Returns the device that a link would connect to. A device that the system only remembers is not there.
    ///
    /// # Errors
    /// None of the devices is the wanted one, or several may be it.
    pub fn find(&self, devices: &[Nearby]) -> Result<Address, LinkProblem> {
        let near: Vec<Nearby> = devices.iter().filter(|device| device.is_near()).cloned().collect();
        choose(self, &near, &[]).map(|device| device.address)
    }
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
        let mut found: Vec<Nearby> = found.into_iter().map(|(device, _)| device).collect();
        found.sort_by_key(|nearby| nearby.address);
        Ok(found)
    })
}
