//! `org.bluez.Device1`: a peripheral that has been received.

use std::sync::Arc;

use zbus::{fdo, interface};

use super::adapter;
use super::air::Air;
use super::gatt::uuid_text;
use super::refusal::Refusal;

/// The interface of a peripheral.
pub(super) const NAME: &str = "org.bluez.Device1";

/// Returns the object path of the peripheral with this address.
pub(super) fn path(address: &str) -> String {
    format!("{}/dev_{}", adapter::PATH, address.replace(':', "_"))
}

pub(super) struct Device1 {
    pub(super) air: Arc<Air>,
    pub(super) address: String,
}

#[interface(name = "org.bluez.Device1")]
impl Device1 {
    async fn connect(&self) -> Result<(), Refusal> {
        self.air.connect(&self.address).await
    }

    async fn disconnect(&self) -> Result<(), Refusal> {
        self.air.disconnect(&self.address).await
    }

    async fn pair(&self) -> Result<(), Refusal> {
        Err(Refusal::NotSupported("Operation is not supported".into()))
    }

    #[zbus(property, name = "Address")]
    fn address(&self) -> &str {
        &self.address
    }

    #[zbus(property, name = "AddressType")]
    fn address_type(&self) -> &str {
        "random"
    }

    #[zbus(property, name = "Name")]
    fn name(&self) -> String {
        self.air.radio(&self.address, |radio| radio.name.clone()).unwrap_or_default()
    }

    #[zbus(property, name = "Alias")]
    fn alias(&self) -> String {
        self.name()
    }

    #[zbus(property, name = "Paired")]
    fn paired(&self) -> bool {
        self.air.radio(&self.address, |radio| radio.paired).unwrap_or(false)
    }

    #[zbus(property, name = "Bonded")]
    fn bonded(&self) -> bool {
        false
    }

    #[zbus(property, name = "Trusted")]
    fn trusted(&self) -> bool {
        false
    }

    #[zbus(property, name = "Blocked")]
    fn blocked(&self) -> bool {
        false
    }

    #[zbus(property, name = "LegacyPairing")]
    fn legacy_pairing(&self) -> bool {
        false
    }

    #[zbus(property, name = "Connected")]
    fn connected(&self) -> bool {
        self.air.radio(&self.address, |radio| radio.linked).unwrap_or(false)
    }

    #[zbus(property, name = "ServicesResolved")]
    fn services_resolved(&self) -> bool {
        self.air.radio(&self.address, |radio| radio.resolved).unwrap_or(false)
    }

    #[zbus(property, name = "RSSI")]
    fn rssi(&self) -> fdo::Result<i16> {
        let received = |radio: &mut super::radio::Radio| {
            radio.seen.queries += 1;
            radio.received.then_some(radio.rssi)
        };
        let received = self.air.radio(&self.address, received).flatten();
        received.ok_or_else(|| fdo::Error::InvalidArgs("No such property 'RSSI'".into()))
    }

    #[zbus(property, name = "UUIDs")]
    fn uuids(&self) -> Vec<String> {
        let services = |radio: &mut super::radio::Radio| radio.services.iter().map(|(uuid, _)| uuid_text(*uuid)).collect();
        self.air.radio(&self.address, services).unwrap_or_default()
    }
}
