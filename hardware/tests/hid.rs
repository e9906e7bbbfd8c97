//! Links over USB-HID, on a made-up machine: the kernel's list of devices is a folder, a device is a socket.

#[path = "hid/game.rs"]
mod game;
#[path = "hid/hos.rs"]
mod hos;
#[path = "hid/links.rs"]
mod links;
#[path = "hid/reports.rs"]
mod reports;
#[path = "hid/support.rs"]
mod support;
#[path = "hid/usb.rs"]
mod usb;
