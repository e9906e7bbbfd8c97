//! Links to electronic chess boards and clocks, and emulated boards.
//!
//! This crate moves bytes and knows no chess. It does not read the system clock: a caller that needs the time of a byte passes
//! a function that returns the time. Every wait happens in poll(2).
//!
//! | module | for |
//! | --- | --- |
//! | [`link`] | the operations of every link, and the few causes of failure |
//! | [`serial`] | a serial port |
//! | [`port`] | the thread of a serial link: it finds the port, opens it, reads and writes, and finds the port again |
//! | [`hid`] | the thread of a link over USB-HID |
//! | `ble` | Bluetooth LE links, through BlueZ (feature `ble`) |
//! | [`discover`] | lists the serial ports |
//! | [`hotplug`] | wakes a thread when a port comes or goes |
//! | [`ask`] | asks a device for its identity |
//! | [`holder`] | finds the program that has a port open |
//! | [`pty`] | a serial port without a cable |
//! | [`replay`] | a link that plays a recording |
//! | [`tap`] | hands a copy of all bytes of a link to a function |
//! | [`faulty`] | damages a link or a recording; a seed selects the damage |
//! | [`emulator`] | emulated boards, scripts of hand motions, and a rig that runs a driver |
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
