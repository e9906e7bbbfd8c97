//! Removes a device from BlueZ. btleplug does not offer this, so BlueZ is called directly over D-Bus.

use std::time::Duration;

use btleplug::platform::PeripheralId;
use dbus::Path;
use dbus::blocking::Connection;
use dbus::blocking::stdintf::org_freedesktop_dbus::Properties;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// The name of BlueZ on the bus.
const BLUEZ: &str = "org.bluez";

/// Makes BlueZ forget a device, so that it is found anew when it advertises. A device that is paired stays, because only a person
/// can pair it again. Returns whether the device was removed.
pub(super) async fn remove(within: Duration, device: &PeripheralId) -> Result<bool, String> {
    // The id is the object's path without its beginning.
    let path = format!("/org/bluez/{device}");
    let removed = spawn_blocking(move || remove_object(within, &path));
    match timeout(within * 3, removed).await {
        Ok(Ok(Ok(removed))) => Ok(removed),
        Ok(Ok(Err(error))) => Err(error.to_string()),
        Ok(Err(panicked)) => Err(panicked.to_string()),
        Err(_) => Err(format!("no answer in {} s", (within * 3).as_secs_f64())),
    }
}

fn remove_object(within: Duration, path: &str) -> Result<bool, dbus::Error> {
    let bus = Connection::new_system()?;
    let paired: bool = bus.with_proxy(BLUEZ, path, within).get("org.bluez.Device1", "Paired")?;
    if paired {
        return Ok(false);
    }
    let adapter = path.rsplit_once('/').map_or("/org/bluez", |(adapter, _)| adapter);
    let device = Path::new(path).map_err(|why| dbus::Error::new_failed(&why))?;
    let () = bus.with_proxy(BLUEZ, adapter, within).method_call("org.bluez.Adapter1", "RemoveDevice", (device,))?;
    Ok(true)
}
