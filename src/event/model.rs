//! Reads and writes the organiser's file `<id>.json`, and makes the messages below `meta/` of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::wire::envelope;
use crate::wire::meta::{MAX_META, MAX_ROUNDS, Meta, MetaError, MetaEvent, MetaRound};
use crate::wire::topics;
use crate::{files, random};

/// The version of the file's format.
const VERSION: u32 = 1;
/// The largest file that is read, in bytes.
pub const MAX_FILE: u64 = 32 << 20;
/// The largest number of files of a folder in which an event is looked for.
const MAX_FILES: usize = 4096;

/// An event with all its rounds. It is the master: nodes and collectors get copies of it as messages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventFile {
    /// The version of the format.
    flagfall_event: u32,
    /// The id of the event in topics.
    pub id: String,
    /// The number of the last publication; 0 before the first one.
    pub rev: u64,
    /// What is said of the event.
    pub event: MetaEvent,
    /// The rounds by number; the id of a round in topics is its number.
    #[serde(default)]
    pub rounds: BTreeMap<u32, MetaRound>,
    /// The rounds that were published.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub published: BTreeSet<u32>,
}

/// The reason why a file of an event cannot be used.
#[derive(Debug)]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The reason, for people.
    pub why: String,
}

impl FileError {
    fn new(path: &Path, why: impl fmt::Display) -> FileError {
        FileError { path: path.to_owned(), why: why.to_string() }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

impl std::error::Error for FileError {}

/// A retained message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The topic.
    pub topic: String,
    /// The payload, JSON.
    pub payload: String,
}

impl EventFile {
    /// Makes an event without rounds.
    ///
    /// # Errors
    /// The id or a value cannot be.
    pub fn new(id: &str, event: MetaEvent) -> Result<EventFile, MetaError> {
        let file = EventFile {
            flagfall_event: VERSION,
            id: id.to_owned(),
            rev: 0,
            event,
            rounds: BTreeMap::new(),
            published: BTreeSet::new(),
        };
        file.check()?;
        Ok(file)
    }

    /// Makes the file again from what is published. The rounds are given with their ids.
    ///
    /// # Errors
    /// A value cannot be, or a round has another number than its id.
    pub fn from_meta(id: &str, event: Meta<MetaEvent>, rounds: Vec<(String, Meta<MetaRound>)>) -> Result<EventFile, MetaError> {
        let mut file = EventFile::new(id, event.body)?;
        file.rev = event.rev;
        for (round, meta) in rounds {
            let number = meta.body.number;
            if round != number.to_string() {
                return Err(MetaError(format!("the round {round} has the number {number}")));
            }
            file.rev = file.rev.max(meta.rev);
            file.rounds.insert(number, meta.body);
            file.published.insert(number);
        }
        file.check()?;
        Ok(file)
    }

    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, it is too large, it is not such a file (with line and column), or a value cannot be.
    pub fn read(path: &Path) -> Result<EventFile, FileError> {
        let text = read_bounded(path, MAX_FILE).map_err(|error| FileError::new(path, error))?;
        let file: EventFile = serde_json::from_slice(&text).map_err(|error| FileError::new(path, error))?;
        if file.flagfall_event != VERSION {
            let why = format!("its format has version {}, this program reads version {VERSION}", file.flagfall_event);
            return Err(FileError::new(path, why));
        }
        file.check().map_err(|error| FileError::new(path, error))?;
        Ok(file)
    }

    /// Writes the file: under a temporary name beside it, to the disk, then renamed.
    ///
    /// # Errors
    /// The folder or the disk does not take it.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        // The keys are text and numbers, so writing JSON does not fail.
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        files::replace(path, text.as_bytes(), files::SHARED).map_err(|error| FileError::new(path, error))
    }

    /// Checks all values.
    ///
    /// # Errors
    /// The first value that cannot be.
    pub fn check(&self) -> Result<(), MetaError> {
        if !topics::is_id(&self.id) {
            return Err(MetaError(format!("the id {:?} is not 1 to 40 of a-z, 0-9 and -", self.id)));
        }
        self.event.check()?;
        for (number, round) in &self.rounds {
            let in_round = |error: MetaError| MetaError(format!("round {number}: {error}"));
            round.check().map_err(in_round)?;
            if round.number != *number || *number > self.event.rounds {
                let why = format!("the number is {}, and the event has {} rounds", round.number, self.event.rounds);
                return Err(in_round(MetaError(why)));
            }
        }
        Ok(())
    }

    /// The number of the current round.
    pub fn current(&self) -> Option<u32> {
        self.event.round.parse().ok().filter(|number| (1..=MAX_ROUNDS).contains(number))
    }

    /// Raises the number of the publication and returns the messages: the rounds first, so that the pairings of a round are there when
    /// the event names it.
    ///
    /// # Errors
    /// A round is too large for a message.
    pub fn publish(&mut self, root: &str) -> Result<Vec<Publication>, MetaError> {
        self.check()?;
        let rev = self.rev.checked_add(1).ok_or_else(|| MetaError(format!("`rev` is {}, and no number is higher", self.rev)))?;
        let mut messages = Vec::new();
        for (number, round) in &self.rounds {
            let topic = topics::meta_round(root, &self.id, &number.to_string());
            messages.push(message(topic, "meta.round", rev, round)?);
        }
        messages.push(message(topics::meta_event(root, &self.id), "meta.event", rev, &self.event)?);
        self.rev = rev;
        self.published.extend(self.rounds.keys());
        Ok(messages)
    }
}

fn message<T: Serialize>(topic: String, kind: &str, rev: u64, body: &T) -> Result<Publication, MetaError> {
    let meta = Meta { v: envelope::VERSION.to_owned(), kind: kind.to_owned(), rev, body };
    // The keys are text, so writing JSON does not fail.
    let payload = serde_json::to_string(&meta).unwrap_or_default();
    if payload.len() > MAX_META {
        return Err(MetaError(format!("{topic}: the message has {} bytes, the limit is {MAX_META}", payload.len())));
    }
    Ok(Publication { topic, payload })
}

/// Makes an id of an event for all machines, a random UUID.
///
/// # Errors
/// The operating system gives no random bytes.
pub fn new_uuid() -> io::Result<String> {
    let hex = random::hex(16)?;
    // The digits of version 4 and of its variant.
    Ok(format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..]))
}

/// Finds the only event file of a folder.
///
/// # Errors
/// The folder cannot be read, or it has none or several.
pub fn find(folder: &Path) -> Result<PathBuf, FileError> {
    let entries = fs::read_dir(folder).map_err(|error| FileError::new(folder, error))?;
    let paths = entries.take(MAX_FILES).filter_map(|entry| Some(entry.ok()?.path()));
    let json = paths.filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut found: Vec<PathBuf> = json.filter(|path| is_event_file(path)).collect();
    found.sort();
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            let names: Vec<String> = found.iter().chain([&last]).map(|path| path.display().to_string()).collect();
            Err(FileError::new(folder, format!("there are several events: choose one with --file: {}", names.join(", "))))
        }
        (None, _) => Err(FileError::new(folder, "there is no event here: make one with `flagfall event new`, or give --file")),
    }
}

fn is_event_file(path: &Path) -> bool {
    #[derive(Deserialize)]
    struct Mark {
        #[allow(dead_code, reason = "only whether it is there")]
        flagfall_event: u32,
    }
    read_bounded(path, MAX_FILE).is_ok_and(|text| serde_json::from_slice::<Mark>(&text).is_ok())
}

/// Reads a file of at most this number of bytes.
///
/// # Errors
/// It cannot be read, or it is larger.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
pub(crate) mod tests;
