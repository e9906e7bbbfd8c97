//! The registry: every device family this project speaks, one row each.
//!
//! A new family is a copy of [`template`], a `pub mod` line and a row in [`DRIVERS`]; `README.md` of this crate says how.
//! `asker`, `follow`, `outbox` and `talk` are what sessions share.

use crate::driver::DriverInfo;

mod asker;
pub mod chesslink;
pub mod dgt;
pub mod dgt_bus;
pub mod dgt_pegasus;
mod follow;
mod outbox;
mod talk;
#[doc(hidden)]
pub mod template;

/// Every driver. Of families with the same USB ids the first is the likelier one.
pub const DRIVERS: &[DriverInfo] = &[dgt::INFO, chesslink::INFO, dgt_pegasus::INFO, dgt_bus::INFO];

/// The driver called `name`.
pub fn find(name: &str) -> Option<&'static DriverInfo> {
    DRIVERS.iter().find(|driver| driver.name == name)
}
