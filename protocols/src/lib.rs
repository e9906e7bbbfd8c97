//! Decodes and encodes the messages of electronic chess boards and clocks.
//!
//! **The promise:** this crate does no input or output (IO), does not read the system clock or the environment, and spawns no
//! thread. No input makes it panic. Its memory is limited by the largest message of a protocol. The caller passes the arrival
//! time with the bytes ([`time::Instant`]), so the same input gives the same output on every computer.
//!
//! | module | for |
//! | --- | --- |
//! | [`time`], [`square`], [`event`] | the types that every driver uses, whatever its device |
//! | [`driver`] | the interface between a driver and its caller |
//! | [`calibration`] | the data that some device families need about each device, and how a driver obtains them |
//! | [`drivers`] | one module per device family, and the registry of all families |
//! | [`trace`] | the text format of recordings and journals, one line an entry |
//! | [`bytes`] | hexadecimal, binary-coded decimal (BCD), checksums |
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod bytes;
pub mod calibration;
pub mod driver;
pub mod drivers;
pub mod event;
pub mod square;
pub mod time;
pub mod trace;
