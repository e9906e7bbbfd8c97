//! The registry: every device family this project speaks, one row each.
//!
//! A new family is a copy of [`template`], a `pub mod` line and a row in [`DRIVERS`]; `README.md` of this crate says how.
//! [`chessup`] is a codec without a driver; its head says why. `query_scheduler`, `picture_tracker`, `outbox` and `shell` are what sessions share.

use crate::driver::DriverInfo;

pub mod certabo;
pub mod chesslink;
pub mod chesslink_eone;
pub mod chessnut;
pub mod chessnut_move;
pub mod chessup;
pub mod dgt;
pub mod dgt3000_gateway;
pub mod dgt_bus;
pub mod dgt_pegasus;
pub mod gameboard;
pub mod hos;
pub mod hos_usb;
pub mod ichessone;
mod outbox;
mod picture_tracker;
mod query_scheduler;
mod shell;
pub mod square_off;
pub mod square_off_neo;
pub mod tabutronic;
#[doc(hidden)]
pub mod template;

/// Every driver. Of families with the same USB ids the first is the likelier one.
#[rustfmt::skip]
pub const DRIVERS: &[DriverInfo] = &[
    dgt::INFO,
    chesslink::INFO,
    chesslink_eone::INFO,
    dgt_pegasus::INFO,
    chessnut::INFO,
    chessnut_move::INFO,
    square_off::INFO,
    square_off_neo::INFO,
    certabo::INFO,
    tabutronic::INFO,
    dgt3000_gateway::INFO,
    ichessone::INFO,
    hos::INFO,
    hos_usb::INFO,
    gameboard::INFO,
    dgt_bus::INFO,
];

/// The driver called `name`.
pub fn find(name: &str) -> Option<&'static DriverInfo> {
    DRIVERS.iter().find(|driver| driver.name == name)
}
