//! Opens the pages of the demonstration in the browser of the desktop (`--open`).

use std::io;
use std::process::{Child, Command, Stdio};

/// The program that knows the browser of the desktop (freedesktop.org, Debian's package xdg-utils).
const OPENER: &str = "xdg-open";

/// The opener while it runs.
pub(super) struct Opening(Child);

/// Opens this address.
///
/// # Errors
/// What to do, in words.
pub(super) fn open(address: &str) -> Result<Opening, String> {
    let nothing = Stdio::null;
    match Command::new(OPENER).arg(address).stdin(nothing()).stdout(nothing()).stderr(nothing()).spawn() {
        Ok(child) => Ok(Opening(child)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(format!("{OPENER} (package xdg-utils) is missing: open the page yourself."))
        }
        Err(error) => Err(format!("{OPENER}: {error}: open the page yourself.")),
    }
}

impl Opening {
    /// Returns words if the opener has ended and found no browser.
    pub(super) fn trouble(&mut self) -> Option<String> {
        let ended = self.0.try_wait().ok().flatten()?;
        (!ended.success()).then(|| format!("{OPENER} found no browser: open the page yourself."))
    }
}
