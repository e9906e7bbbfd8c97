//! Tests of links: pseudo-terminals, USB-HID on sockets, Bluetooth LE on a separate D-Bus. These tests run in real time and
//! wait for events.

// The tests of the root package use these modules too.
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
mod reactor;
