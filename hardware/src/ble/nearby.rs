//! Lists the Bluetooth LE devices that advertise or that the system already knows.

use std::io;
use std::time::Duration;

use btleplug::api::Central;
use tokio::time::sleep;

use super::choose::{Seen, choose};
use super::queries::{adapter, answer, around, health, listen};
use super::{Address, LinkProblem, Pace, Wanted};

/// A Bluetooth LE device that advertises, or that the system already knows.
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

impl Wanted {
    /// Returns the device that a link would connect to. A device that the system only remembers is not there.
    ///
    /// # Errors
    /// None of the devices is the wanted one, or several may be it.
    pub fn find(&self, devices: &[Nearby]) -> Result<Address, LinkProblem> {
        let seen = |device: &Nearby| {
            let Nearby { address, name, signal, connected } = device.clone();
            Seen { address, name, signal, connected }
        };
        let near: Vec<Seen> = devices.iter().map(seen).filter(Seen::is_near).collect();
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
        let one = |seen| {
            let Seen { address, name, signal, connected } = seen;
            Nearby { address, name, signal, connected }
        };
        let mut found: Vec<Nearby> = found.into_iter().map(|(seen, _)| one(seen)).collect();
        found.sort_by_key(|nearby| nearby.address);
        Ok(found)
    })
}
