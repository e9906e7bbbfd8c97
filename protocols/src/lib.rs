//! Bytes of electronic chess boards and clocks, and what they mean.
//!
//! **The promise:** nothing here does IO, reads a clock, spawns a thread or looks at the environment; no input, however odd,
//! makes it panic; memory is bounded by the protocol's own largest message. Time comes in with the bytes ([`time::Instant`]),
//! so the same input gives the same output on every machine.
//!
//! | module | for |
//! | --- | --- |
//! | [`time`], [`square`], [`event`] | the neutral vocabulary every driver speaks |
//! | [`driver`] | the contract between a driver and whatever runs it |
//! | [`calibration`] | what some families must be told about each device, and how it is learned |
//! | [`drivers`] | one device family each, and the registry of them all |
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
