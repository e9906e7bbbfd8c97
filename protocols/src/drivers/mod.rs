//! Lists every device family that this project supports, one row for each family. This list is the registry.
//!
//! A new family needs a copy of [`template`], a `pub mod` line and a row in [`DRIVERS`]; `README.md` of this crate describes
//! the steps. [`chessup`] only encodes and decodes messages and has no driver; its head gives the reason. Sessions share
//! `query_scheduler`, `picture_tracker`, `outbox` and `shell`.

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

/// All device families. If several families have the same USB ids, the likeliest one comes first.
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

/// Returns the driver with this name.
pub fn find(name: &str) -> Option<&'static DriverInfo> {
    DRIVERS.iter().find(|driver| driver.name == name)
}
