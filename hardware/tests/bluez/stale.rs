//! Peripherals of which bluetoothd has an object that is out of date.

use super::Bluez;

impl Bluez {
    /// Makes the object of a peripheral stale: the host gets connections, but no services are found until it removes the object.
    /// bluetoothd was seen in this state after the controller of a connected peripheral had been reset.
    pub(crate) fn make_stale(&self, address: &str) {
        self.with(address, |radio| radio.stale = true);
    }

    /// Pairs the host with the peripheral.
    pub(crate) fn pair(&self, address: &str) {
        self.with(address, |radio| radio.paired = true);
    }

    /// Changes the handles of all attributes of a peripheral, which is not connected.
    pub(crate) fn move_handles(&self, address: &str) {
        let (air, address) = (self.air.clone(), address.to_owned());
        self.wait(async move { air.move_handles(&address).await });
    }
}
