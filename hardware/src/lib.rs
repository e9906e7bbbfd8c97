//! Links to electronic chess boards and clocks, and boards that only exist here.
//!
//! This crate moves bytes and knows no chess. It reads no clock: whoever needs the time of a byte brings a function that says
//! what time it is, and everything that waits does so in poll(2).
//!
//! | module | for |
//! | --- | --- |
//! | [`link`] | what every link can do, and the few ways in which it fails |
//! | [`serial`] | a serial port |
//! | [`port`] | the thread of a serial link: finds the port, opens it, reads, writes, finds it again |
//! | [`hid`] | the same of a link over USB-HID |
//! | `ble` | Bluetooth LE links, through BlueZ (feature `ble`) |
//! | [`discover`] | which ports there are |
//! | [`hotplug`] | wakes when one comes or goes |
//! | [`ask`] | asks a device who it is |
//! | [`holder`] | which program holds one |
//! | [`pty`] | a serial port without a cable |
//! | [`replay`] | a link that plays a recording |
//! | [`tap`] | listens to a link |
//! | [`faulty`] | damages a link or a recording, by a seed |
//! | [`emulator`] | boards that answer, scripts of hand motions, and a rig for drivers |
#![forbid(unsafe_code)]

pub mod ask;
#[cfg(feature = "ble")]
pub mod ble;
pub mod discover;
pub mod emulator;
pub mod faulty;
mod fd;
pub mod hid;
pub mod holder;
pub mod hotplug;
pub mod link;
pub mod port;
pub mod pty;
pub mod replay;
pub mod serial;
pub mod tap;
