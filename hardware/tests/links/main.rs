//! Links: pseudo-terminals, USB-HID on sockets, Bluetooth LE on a D-Bus of its own. Here time passes; what is waited for is awaited.

// The two machines that tests of the root package use too lie beside this folder.
#[path = "../bluez/mod.rs"]
mod bluez;
#[path = "../hid/usb.rs"]
mod usb;

mod ble_fake;
mod ble_link;
mod hid;
mod links;
mod ports;
mod pty;
