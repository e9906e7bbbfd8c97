//! Keeps what was collected on the disk, so that a restart loses nothing and sends only what differs (`collect/README.md#2`).

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use flagfall_protocols::bytes::crc32;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tracing::warn;

use super::board_log::BoardLog;
use super::lichess_rounds::LichessRounds;
use super::model::{Model, RoundBoards};
use crate::config::OutputAudience;
use crate::files;
use crate::wire::meta::{MAX_ROUNDS, Meta, MetaEvent, MetaRound, OutputRequests};
use crate::wire::output::BoardMessage;
use crate::wire::topics::is_id;

/// The largest file that is read. Three times the texts of 512 boards with long games are less.
const LARGEST: u64 = 256 << 20;

const EVENT: &str = "event.json";
const PAIRINGS: &str = "pairings.json";
const OUTPUTS: &str = "outputs.json";
/// It stands above the events, because an id at lichess belongs to one round of one event.
const LICHESS: &str = "lichess.json";

/// What an output's receiver has of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Sent {
    /// The checksum of what was accepted last; empty if nothing was.
    pub(crate) checksum: String,
    /// When, RFC 3339.
    pub(crate) at: String,
    /// The number of half-moves in it.
    pub(crate) plies: u32,
    /// What the receiver said of single boards.
    pub(crate) boards: Vec<BoardMessage>,
    /// The organiser's requests that were carried out; none before any was read.
    pub(crate) requests: Option<OutputRequests>,
}

/// What the receivers have, by the names of the outputs, for each round.
pub(crate) type SentRounds = BTreeMap<String, BTreeMap<String, Sent>>;

/// The folder of an event.
pub(crate) struct Store {
    dir: PathBuf,
    event: PathBuf,
    /// Only one collector may use the folder. The lock ends with the program.
    _lock: File,
    /// Checksum and length of what each file has, so that only changes are written.
    written: BTreeMap<PathBuf, (u32, usize)>,
    /// The boards of each round.
    boards: BTreeMap<(OutputAudience, String), BoardLog>,
}

impl Store {
    /// Opens the folder, and locks it for this program.
    ///
    /// # Errors
    /// It cannot be made, or another collector uses it.
    pub(crate) fn open(dir: &Path, event: &str) -> io::Result<Store> {
        let of_event = dir.join(event);
        files::make_private_folder(&of_event)?;
        let lock = File::options().create(true).truncate(false).write(true).mode(files::PRIVATE).open(dir.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => io::Error::other("another collector on this machine uses this folder"),
            fs::TryLockError::Error(error) => error,
        })?;
        Ok(Store { dir: dir.to_owned(), event: of_event, _lock: lock, written: BTreeMap::new(), boards: BTreeMap::new() })
    }

    /// Counts the starts. A start that cannot be counted has the number 0.
    pub(crate) fn count_start(&self) -> u64 {
        let file = self.dir.join("boot");
        let last = fs::read_to_string(&file).ok().and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or_default();
        let start = last.saturating_add(1);
        match files::replace(&file, start.to_string().as_bytes(), files::PRIVATE) {
            Ok(()) => start,
            Err(error) => {
                warn!("{}: this start is not counted: {error}", file.display());
                0
            }
        }
    }

    /// Reads everything into the model. What cannot be read is logged and counts as lost.
    pub(crate) fn load(&mut self, model: &mut Model) -> SentRounds {
        model.event = read::<Meta<MetaEvent>>(&self.event.join(EVENT)).filter(|event| event.body.check().is_ok());
        let entries = fs::read_dir(&self.event).into_iter().flatten().filter_map(Result::ok);
        let rounds = entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(|name| is_id(name));
        let mut rounds: Vec<String> = rounds.take(MAX_ROUNDS as usize).collect();
        rounds.sort_unstable();
        let mut sent = SentRounds::new();
        for round in rounds {
            let folder = self.event.join(&round);
            if let Some(told) = read::<Meta<MetaRound>>(&folder.join(PAIRINGS)).filter(|told| told.body.check().is_ok()) {
                model.pairings.insert(round.clone(), told);
            }
            for audience in AUDIENCES {
                let file = folder.join(boards_file(audience));
                let Some(bytes) = read_whole(&file) else { continue };
                let (texts, damaged) = BoardLog::read(&bytes);
                if damaged > 0 {
                    warn!("{}: {damaged} lines are damaged and not used", file.display());
                }
                let boards = texts.into_iter().filter_map(|(id, text)| Some((id, parse(&file, text.as_bytes())?)));
                model.restore(audience, &round, RoundBoards { boards: boards.collect() });
            }
            sent.extend(read(&folder.join(OUTPUTS)).map(|outputs| (round, outputs)));
        }
        sent
    }

    /// Writes what the model has, as far as it has changed.
    ///
    /// # Errors
    /// The first file that cannot be written; the others are tried all the same.
    pub(crate) fn save(&mut self, model: &mut Model) -> io::Result<()> {
        let mut done = Ok(());
        if let Some(event) = &model.event {
            done = done.and(self.write(&self.event.join(EVENT), event));
        }
        for (round, told) in &model.pairings {
            done = done.and(self.write(&self.event.join(round).join(PAIRINGS), told));
        }
        for key in std::mem::take(&mut model.unstored) {
            let (audience, round) = &key;
            let Some(boards) = model.rounds.get(&key) else { continue };
            let log = || BoardLog::new(&self.event.join(round).join(boards_file(*audience)));
            let written = self.boards.entry(key.clone()).or_insert_with(log).save(boards);
            if written.is_err() {
                model.unstored.insert(key);
            }
            done = done.and(written);
        }
        done
    }

    /// Reads which ids at lichess were used. What cannot be read is logged and counts as lost.
    pub(crate) fn load_lichess(&self) -> LichessRounds {
        read(&self.dir.join(LICHESS)).unwrap_or_default()
    }

    /// Writes what the receivers have, and which ids at lichess were used.
    ///
    /// # Errors
    /// The first file that cannot be written.
    pub(crate) fn save_sent(&mut self, sent: &SentRounds, lichess: &LichessRounds) -> io::Result<()> {
        let mut done = self.write(&self.dir.join(LICHESS), lichess);
        for (round, outputs) in sent {
            done = done.and(self.write(&self.event.join(round).join(OUTPUTS), outputs));
        }
        done
    }

    fn write(&mut self, file: &Path, contents: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_string(contents)?;
        let mark = (crc32(text.as_bytes()), text.len());
        if self.written.get(file) == Some(&mark) {
            return Ok(());
        }
        if let Some(folder) = file.parent() {
            files::make_private_folder(folder)?;
        }
        files::replace(file, text.as_bytes(), files::PRIVATE)?;
        self.written.insert(file.to_owned(), mark);
        Ok(())
    }
}

/// The bytes of a file. A file that is not there has none; one that cannot be read is logged, and has none.
fn read_whole(file: &Path) -> Option<Vec<u8>> {
    let read = || {
        let opened = File::open(file)?;
        // An earlier version may have made it for all.
        _ = files::close(&opened);
        let mut bytes = Vec::new();
        opened.take(LARGEST).read_to_end(&mut bytes).map(|_| bytes)
    };
    let is_there = |error: &io::Error| error.kind() != io::ErrorKind::NotFound;
    read().inspect_err(|error| _ = is_there(error).then(|| warn!("{}: cannot be read: {error}", file.display()))).ok()
}

/// Reads JSON of a file. What cannot be read is logged.
fn parse<T: DeserializeOwned>(file: &Path, bytes: &[u8]) -> Option<T> {
    let parsed = serde_json::from_slice(bytes);
    parsed.inspect_err(|error| warn!("{}: is damaged and not used: {error}", file.display())).ok()
}

fn read<T: DeserializeOwned>(file: &Path) -> Option<T> {
    parse(file, &read_whole(file)?)
}

const AUDIENCES: [OutputAudience; 2] = [OutputAudience::Public, OutputAudience::Live];

fn boards_file(audience: OutputAudience) -> &'static str {
    match audience {
        OutputAudience::Public => "boards.log",
        OutputAudience::Live => "live-boards.log",
    }
}
