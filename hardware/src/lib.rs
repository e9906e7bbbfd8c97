//! Connects programs to electronic chess boards and clocks through links, and emulates such boards and clocks.
//!
//! This crate transfers bytes and contains no chess rules. It does not read the system clock: a caller that needs arrival times
//! passes a function that returns the time. The crate waits only in the system calls poll(2) and epoll_wait(2).
//!
//! | module | for |
//! | --- | --- |
//! | [`link`] | the operations of every link, and its errors |
//! | [`serial`] | a serial port |
//! | [`reactor`] | the thread for all links over serial ports and USB-HID: it finds, opens and reads them, and finds them again |
//! | [`port`] | serial links |
//! | [`hid`] | links over USB-HID |
//! | [`ble`] | Bluetooth LE links, through BlueZ; without the feature `ble` no such link can be opened |
//! | [`discover`] | lists the serial ports |
//! | [`hotplug`] | tells when a port is added or removed |
//! | [`ask`] | asks a device for its identity |
//! | [`holder`] | finds the process that uses a port |
//! | [`pty`] | a pseudo-terminal, which acts as a serial port |
//! | [`faulty`] | puts errors into the bytes of a recording; a seed selects the errors |
//! | [`emulator`] | emulated boards, scripts of hand motions, and a test rig that runs a driver |
#![forbid(unsafe_code)]

pub mod ask;
#[cfg(feature = "ble")]
pub mod ble;
#[cfg(not(feature = "ble"))]
pub mod ble {
    //! Stands in for Bluetooth LE links: no radio can be started.
    pub use crate::no_ble::*;
}
mod ble_types;
pub mod discover;
pub mod emulator;
pub mod faulty;
mod fd;
pub mod hid;
pub mod holder;
pub mod hotplug;
pub mod link;
#[cfg(not(feature = "ble"))]
mod no_ble;
pub mod port;
pub mod pty;
pub mod reactor;
pub mod serial;
