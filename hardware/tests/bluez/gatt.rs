//! `org.bluez.GattService1` and `GattCharacteristic1`: the services of a connected peripheral.

use std::collections::BTreeMap;
use std::sync::Arc;

use zbus::{OwnedObjectPath, OwnedVariant, interface};

use super::air::Air;
use super::device;
use super::refusal::Refusal;

/// The interface of a characteristic.
pub(super) const NAME: &str = "org.bluez.GattCharacteristic1";

/// Returns a UUID as D-Bus writes it.
pub(super) fn uuid_text(uuid: u128) -> String {
    let digits = format!("{uuid:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

/// Returns the object path of a peripheral's service, by its place in the list.
pub(super) fn service_path(address: &str, service: usize) -> String {
    format!("{}/service{:04x}", device::path(address), 0x10 + 0x100 * service)
}

/// Returns the object path of a characteristic, by its place and that of its service.
pub(super) fn characteristic_path(address: &str, service: usize, characteristic: usize) -> String {
    format!("{}/char{:04x}", service_path(address, service), 0x11 + 0x100 * service + 3 * characteristic)
}

pub(super) struct Service1 {
    pub(super) uuid: u128,
    pub(super) address: String,
}

#[interface(name = "org.bluez.GattService1")]
impl Service1 {
    #[zbus(property, name = "UUID")]
    fn uuid(&self) -> String {
        uuid_text(self.uuid)
    }

    #[zbus(property, name = "Primary")]
    fn primary(&self) -> bool {
        true
    }

    #[zbus(property, name = "Device")]
    fn device(&self) -> OwnedObjectPath {
        object(&device::path(&self.address))
    }
}

pub(super) struct Characteristic1 {
    pub(super) air: Arc<Air>,
    pub(super) address: String,
    pub(super) service: usize,
    pub(super) uuid: u128,
    pub(super) flags: Vec<&'static str>,
    pub(super) mtu: u16,
}

// The calls do not get tasks of their own, so that writes are carried out in their order.
#[interface(name = "org.bluez.GattCharacteristic1", spawn = false)]
impl Characteristic1 {
    async fn start_notify(&self) -> Result<(), Refusal> {
        self.may("notify")?;
        self.air.subscribe(&self.address, self.uuid, true)
    }

    async fn stop_notify(&self) -> Result<(), Refusal> {
        self.air.subscribe(&self.address, self.uuid, false)
    }

    async fn read_value(&self, options: BTreeMap<String, OwnedVariant>) -> Result<Vec<u8>, Refusal> {
        let _ = options;
        Err(Refusal::NotSupported("Operation is not supported".into()))
    }

    async fn write_value(&self, value: Vec<u8>, options: BTreeMap<String, OwnedVariant>) -> Result<(), Refusal> {
        let asked = options.get("type").and_then(|kind| kind.downcast_ref::<String>().ok());
        match asked.as_deref() {
            Some("command") => self.may("write-without-response")?,
            Some("request") => self.may("write")?,
            _ => self.may("write").or_else(|_| self.may("write-without-response"))?,
        }
        self.air.write(&self.address, self.uuid, value, asked.as_deref() == Some("command"))
    }

    #[zbus(property, name = "UUID")]
    fn uuid(&self) -> String {
        uuid_text(self.uuid)
    }

    #[zbus(property, name = "Service")]
    fn service(&self) -> OwnedObjectPath {
        object(&service_path(&self.address, self.service))
    }

    #[zbus(property, name = "Flags")]
    fn flags(&self) -> Vec<String> {
        self.flags.iter().map(|&flag| flag.into()).collect()
    }

    #[zbus(property, name = "Notifying")]
    fn notifying(&self) -> bool {
        self.air.radio(&self.address, |radio| radio.notifying.contains(&self.uuid)).unwrap_or(false)
    }

    #[zbus(property, name = "MTU")]
    fn mtu(&self) -> u16 {
        self.mtu
    }
}

impl Characteristic1 {
    fn may(&self, flag: &str) -> Result<(), Refusal> {
        let known = self.flags.contains(&flag);
        known.then_some(()).ok_or_else(|| Refusal::NotSupported("Operation is not supported".into()))
    }
}

fn object(path: &str) -> OwnedObjectPath {
    OwnedObjectPath::try_from(path.to_owned()).expect("made of digits")
}
