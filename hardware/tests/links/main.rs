//! Links: pseudo-terminals, USB-HID on sockets, Bluetooth LE on a D-Bus of its own. Here time passes; what is waited for is awaited.

// What tests of the root package use too.
#[path = "../bluez/mod.rs"]
mod bluez;
#[path = "../../../tests/support/seconds.rs"]
mod seconds;
#[path = "../hid/usb.rs"]
mod usb;

mod ble_fake;
mod ble_link;
mod hid;
mod links;
mod ports;
mod pty;
