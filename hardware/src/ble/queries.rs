//! Asks BlueZ, the Bluetooth service of Linux, about its adapter and the devices that it knows. Every query has a time limit.

use std::time::Duration;

use btleplug::Error;
use btleplug::api::{Central, CentralState, Manager as _, Peripheral as _, ScanFilter};
use btleplug::platform::{Adapter, Manager, Peripheral};
use tokio::time::timeout;

use super::LinkProblem;
use super::Nearby;

/// Waits for an answer of BlueZ, but not longer than `within`.
pub(super) async fn answer<T>(within: Duration, question: impl Future<Output = Result<T, Error>>) -> Result<T, String> {
    match timeout(within, question).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err(format!("no answer in {} s", within.as_secs_f64())),
    }
}

/// Returns the adapter with this name, or the first one.
pub(super) async fn adapter(within: Duration, name: Option<&str>) -> Result<Adapter, LinkProblem> {
    let manager = answer(within, Manager::new()).await.map_err(LinkProblem::NoService)?;
    for adapter in answer(within, manager.adapters()).await.map_err(LinkProblem::NoService)? {
        let Some(name) = name else { return Ok(adapter) };
        // Its information begins with its name.
        let info = answer(within, adapter.adapter_info()).await.unwrap_or_default();
        if info.split(' ').next() == Some(name) {
            return Ok(adapter);
        }
    }
    Err(LinkProblem::NoAdapter)
}

/// Checks that the adapter is there and switched on.
pub(super) async fn health(within: Duration, adapter: &Adapter) -> Result<(), LinkProblem> {
    // An adapter that is gone still returns a state, but no information.
    answer(within, adapter.adapter_info()).await.map_err(LinkProblem::NoService)?;
    match answer(within, adapter.adapter_state()).await.map_err(LinkProblem::NoService)? {
        CentralState::PoweredOff => Err(LinkProblem::AdapterOff),
        CentralState::PoweredOn | CentralState::Unknown => Ok(()),
    }
}

/// Begins to listen for advertisements. Returns false if BlueZ was already listening.
pub(super) async fn listen(within: Duration, adapter: &Adapter) -> Result<bool, String> {
    let begun = async {
        match adapter.start_scan(ScanFilter::default()).await {
            // Only this text contains the name of the D-Bus error.
            Err(error) if format!("{error:?}").contains("org.bluez.Error.InProgress") => Ok(false),
            begun => begun.map(|()| true),
        }
    };
    answer(within, begun).await
}

/// Returns the devices that the system knows.
pub(super) async fn around(within: Duration, adapter: &Adapter) -> Result<Vec<(Nearby, Peripheral)>, String> {
    let mut around = Vec::new();
    for device in answer(within, adapter.peripherals()).await? {
        // A device that has gone away in the meantime is left out.
        let Ok(Some(properties)) = answer(within, device.properties()).await else { continue };
        let (name, signal) = (properties.local_name.and_then(|name| plain(&name)), properties.rssi);
        let connected = signal.is_none() && answer(within, device.is_connected()).await == Ok(true);
        let seen = Nearby { address: device.address(), name, signal, connected };
        around.push((seen, device));
    }
    Ok(around)
}

/// Returns a name without control characters, because a device can advertise any text, and a terminal would obey it.
fn plain(name: &str) -> Option<String> {
    let name: String = name.chars().filter(|c| !c.is_control()).collect();
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn control_characters_are_removed_from_names() {
        for (name, shown) in [
            ("DGT_PEGASUS_1", Some("DGT_PEGASUS_1")),
            ("Küche Brett", Some("Küche Brett")),
            ("\u{1b}[2J\u{9b}1mDGT\r\n\0", Some("[2J1mDGT")),
            ("\u{7f}\n", None),
            ("", None),
        ] {
            assert_eq!(plain(name).as_deref(), shown, "{name:?}");
        }
    }
}
