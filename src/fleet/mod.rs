//! Makes everything that the machines of a hall need from the one file of an event, and compares with it what the hall publishes:
//! for `flagfall fleet`.
//!
//! [`files`] is a function of the event's file and of the secrets, so that it gives the same files again. Only [`Secrets`] makes
//! something random, and keeps it in a folder of its own.

mod acl;
mod certificates;
mod hall;
mod node;
mod output;
mod passwords;
mod rights;
mod secrets;
mod status;

use std::path::Path;

use crate::config::{CERTIFICATE_ENDS_SOON, Config, Venue, time_controls};
use crate::system_clock::Utc;

pub use self::output::{Change, write};
pub use self::rights::{Rights, rights};
pub use self::secrets::{Secrets, names};
pub use self::status::{Broker, Node, Report, filters, judge};

/// A day, microseconds.
const DAY: i64 = 86_400_000_000;

/// A file that is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeFile {
    /// Its path in the folder.
    pub path: String,
    /// What is in it.
    pub text: String,
    /// Whether it has a password or a key, so that other users may not read it.
    pub secret: bool,
}

impl MadeFile {
    fn open(path: impl Into<String>, text: impl Into<String>) -> MadeFile {
        MadeFile { path: path.into(), text: text.into(), secret: false }
    }

    fn secret(path: impl Into<String>, text: impl Into<String>) -> MadeFile {
        MadeFile { secret: true, ..MadeFile::open(path, text) }
    }
}

/// Makes all files of the hall and of its machines.
///
/// # Errors
/// The event's file cannot be read again.
pub fn files(venue: &Venue, secrets: &Secrets) -> Result<Vec<MadeFile>, String> {
    let mut files = hall::files(&venue.config, secrets);
    let text = std::fs::read_to_string(&venue.file).map_err(|error| format!("{}: {error}", venue.file.display()))?;
    for name in venue.config.fleet.node.keys() {
        files.extend(node::files(venue, &text, name, secrets)?);
    }
    Ok(files)
}

/// Advice about boards whose card may do more than it must, and about certificates that are not valid at `now`, a sentence each.
pub fn advice(config: &Config, now: Utc) -> Vec<String> {
    let open = config.fleet.node.iter().filter(|(_, node)| rights::devices(config, &node.boards).is_none());
    let names: Vec<&str> = open.map(|(name, _)| name.as_str()).collect();
    let mut advice = Vec::new();
    if !names.is_empty() {
        advice.push(format!(
            "The cards of {} may write the status of any device, because their boards have no serial in the file: write [[board]] with \
             id and serial, as `flagfall devices` shows it.",
            names.join(", ")
        ));
    }
    advice.extend(time_controls(config).into_iter().filter_map(|(whose, said)| Some(format!("{whose}: {}.", said.doubt?))));
    let valid = config.fleet.valid.as_ref().and_then(|valid| Some((Utc::parse(&format!("{}T00:00:00Z", valid.from))?, valid)));
    if let Some((from, valid)) = valid {
        let end = Utc(from.0 + i64::from(valid.days) * DAY);
        if now < from {
            advice.push(format!(
                "The certificates begin on {}: until then no machine reaches the broker. Choose a day in the past (fleet.valid.from).",
                valid.from
            ));
        } else if end.0 - now.0 < CERTIFICATE_ENDS_SOON * DAY {
            let end = &end.to_string()[..10];
            advice.push(format!(
                "The certificates end on {end}: choose another fleet.valid, and give all machines their files again."
            ));
        }
    }
    advice
}

/// Machines that have a folder but are no longer in the event's file.
pub fn strays(config: &Config, out: &Path) -> Vec<String> {
    let Ok(folders) = std::fs::read_dir(out.join("node")) else { return Vec::new() };
    let names = folders.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut strays: Vec<String> = names.filter(|name| !config.fleet.node.contains_key(name)).collect();
    strays.sort();
    strays
}
