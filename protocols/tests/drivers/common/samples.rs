//! Good messages of every driver, for the tests that run for all of them.

use flagfall_protocols::driver::{DriverInfo, Example};
use flagfall_protocols::drivers::{DRIVERS, template};

/// Returns all drivers: those of the registry and the template.
pub(crate) fn every() -> impl Iterator<Item = &'static DriverInfo> {
    DRIVERS.iter().chain([&template::INFO])
}

/// Returns the messages of a driver.
pub(crate) fn of(driver: &str) -> &'static [Example] {
    every().find(|info| info.name == driver).expect("registered").examples
}
