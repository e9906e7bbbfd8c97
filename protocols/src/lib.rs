//! The bytes of electronic chess boards and clocks, and their meaning.
//!
//! **The promise:** nothing here does IO, reads a clock, spawns a thread or reads the environment. No input makes it panic.
//! Memory is bounded by the largest message of the protocol. The caller passes the time with the bytes ([`time::Instant`]), so
//! the same input gives the same output on every machine.
//!
//! | module | for |
//! | --- | --- |
//! | [`time`], [`square`], [`event`] | the neutral types that every driver uses |
//! | [`driver`] | the contract between a driver and its caller |
//! | [`calibration`] | the data that some families need about each device, and how a driver learns them |
//! | [`drivers`] | one module per device family, and the registry of all families |
//! | [`trace`] | the line format of recordings and journals |
//! | [`bytes`] | hex, BCD, checksums |
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
