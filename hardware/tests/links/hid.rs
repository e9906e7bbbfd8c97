//! Links over USB-HID, on a made-up machine: the kernel's list of devices is a folder, a device is a socket.

mod game;
mod hos;
mod links;
mod reports;
mod support;
