//! The registry: every device family this project speaks, one row each.
//!
//! A new family is a copy of [`template`], a `pub mod` line and a row in [`DRIVERS`]; `README.md` of this crate says how.

use crate::driver::DriverInfo;

pub mod dgt;
#[doc(hidden)]
pub mod template;

/// Every driver.
pub const DRIVERS: &[DriverInfo] = &[dgt::INFO];

/// The driver called `name`.
pub fn find(name: &str) -> Option<&'static DriverInfo> {
    DRIVERS.iter().find(|driver| driver.name == name)
}
