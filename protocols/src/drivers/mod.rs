//! The registry: every device family this project speaks, one row each.

use crate::driver::DriverInfo;

/// Every driver.
pub const DRIVERS: &[DriverInfo] = &[];

/// The driver called `name`.
pub fn find(name: &str) -> Option<&'static DriverInfo> {
    DRIVERS.iter().find(|driver| driver.name == name)
}
