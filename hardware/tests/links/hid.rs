//! Links over USB-HID on a simulated machine: the kernel's list of devices is a folder, and each device is a socket.

mod game;
mod hos;
mod links;
mod reports;
pub(crate) mod support;
