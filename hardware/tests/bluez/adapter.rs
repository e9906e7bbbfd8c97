//! `org.bluez.Adapter1`: one adapter, hci0.

use std::collections::BTreeMap;
use std::sync::Arc;

use zbus::message::Header;
use zbus::{OwnedObjectPath, OwnedVariant, fdo, interface};

use super::air::Air;
use super::refusal::Refusal;

/// The object path of the adapter.
pub(super) const PATH: &str = "/org/bluez/hci0";
/// The interface of the adapter.
pub(super) const NAME: &str = "org.bluez.Adapter1";
/// The Bluetooth address of the adapter.
const ADDRESS: &str = "02:00:00:00:00:01";

pub(super) struct Adapter1 {
    pub(super) air: Arc<Air>,
}

#[interface(name = "org.bluez.Adapter1")]
impl Adapter1 {
    async fn set_discovery_filter(&self, filter: BTreeMap<String, OwnedVariant>) {
        let _ = filter;
    }

    async fn start_discovery(&self, #[zbus(header)] header: Header<'_>) -> Result<(), Refusal> {
        let who = header.sender().map(ToString::to_string).unwrap_or_default();
        self.air.discover(&who, true).await
    }

    async fn stop_discovery(&self, #[zbus(header)] header: Header<'_>) -> Result<(), Refusal> {
        let who = header.sender().map(ToString::to_string).unwrap_or_default();
        self.air.discover(&who, false).await
    }

    async fn remove_device(&self, device: OwnedObjectPath) -> Result<(), Refusal> {
        self.air.remove(device.as_str()).await
    }

    #[zbus(property, name = "Address")]
    fn address(&self) -> &str {
        ADDRESS
    }

    #[zbus(property, name = "AddressType")]
    fn address_type(&self) -> &str {
        "public"
    }

    #[zbus(property, name = "Name")]
    fn name(&self) -> &str {
        "fake"
    }

    #[zbus(property, name = "Alias")]
    fn alias(&self) -> &str {
        "fake"
    }

    #[zbus(property, name = "Class")]
    fn class(&self) -> u32 {
        0
    }

    #[zbus(property, name = "Powered")]
    fn powered(&self) -> bool {
        self.air.state().powered
    }

    /// zbus sends the signal of the change.
    #[zbus(property, name = "Powered")]
    async fn set_powered(&self, on: bool) -> fdo::Result<()> {
        if on && self.air.state().blocked {
            return Err(fdo::Error::Failed("Blocked through rfkill".into()));
        }
        self.air.power(on).await;
        Ok(())
    }

    #[zbus(property, name = "Discoverable")]
    fn discoverable(&self) -> bool {
        false
    }

    #[zbus(property, name = "DiscoverableTimeout")]
    fn discoverable_timeout(&self) -> u32 {
        180
    }

    #[zbus(property, name = "Pairable")]
    fn pairable(&self) -> bool {
        false
    }

    #[zbus(property, name = "PairableTimeout")]
    fn pairable_timeout(&self) -> u32 {
        0
    }

    #[zbus(property, name = "Discovering")]
    fn discovering(&self) -> bool {
        self.air.state().discovering
    }

    #[zbus(property, name = "UUIDs")]
    fn uuids(&self) -> Vec<String> {
        Vec::new()
    }

    #[zbus(property, name = "Modalias")]
    fn modalias(&self) -> &str {
        "usb:v1D6Bp0246d0542"
    }
}
