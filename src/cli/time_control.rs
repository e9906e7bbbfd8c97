//! Says time controls in words: nobody should play seconds who meant minutes.

use std::io::Write;

use anyhow::{Context, Result};
use flagfall_game::clock::control::TimeControl;

use crate::config::{Config, InWords, time_controls};
#[cfg(feature = "tools")]
use crate::wire::meta::MetaEvent;

/// Reads the option `--time-control` and says on standard error what it means.
///
/// # Errors
/// The text is no time control.
pub(super) fn read_option(text: &str) -> Result<TimeControl> {
    let control = TimeControl::parse(text).with_context(|| format!("--time-control {text}"))?;
    writeln!(std::io::stderr(), "Time control {control}: {}", control.words())?;
    Ok(control)
}

/// Writes the time controls of a configuration to the log.
pub(super) fn log(config: &Config) {
    for (whose, InWords { text, doubt }) in time_controls(config) {
        tracing::info!("{whose}: time control {text}");
        if let Some(doubt) = doubt {
            tracing::warn!("{whose}: {doubt}");
        }
    }
}

/// Prints the time control of an organiser's event, if it has one.
///
/// # Errors
/// The output is closed.
#[cfg(feature = "tools")]
pub(super) fn print(id: &str, event: &MetaEvent, out: &mut dyn Write) -> Result<()> {
    let said = event.time_control.as_ref().and_then(|control| InWords::of(control, event.profile.as_deref()));
    let Some(InWords { text, doubt }) = said else { return Ok(()) };
    writeln!(out, "Event {id}: time control {text}")?;
    if let Some(doubt) = doubt {
        let unsaid = if event.profile.is_none() { ". The event names no profile, so nodes use this one" } else { "" };
        writeln!(out, "WARNING: {doubt}{unsaid}")?;
    }
    Ok(())
}
