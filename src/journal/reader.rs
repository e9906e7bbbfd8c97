//! Reads all files of a journal, without changing them.

use flagfall_protocols::trace::{FORMAT, Record, parse_bytes, parse_header};

use super::damage::{DamageReport, Harm};
use super::error::OpenError;
use super::fs::JournalFs;
use super::last_start::LastStart;
use super::name::FileName;
use super::scan::{Scanned, scan};
use super::standing::Standing;
use super::writer::MAX_FILE;

/// The contents of a journal's files.
#[derive(Debug, Default)]
pub struct Recovered {
    /// Where the journal stands after the last record.
    pub standing: Standing,
    /// What was wrong with the files.
    pub damage: DamageReport,
    pub(super) files: Vec<ReadFile>,
    pub(super) last_start: LastStart,
}

/// Which files of a journal stay in memory after they were scanned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// All of them.
    All,
    /// Those of the newest session, which a daemon continues. The journals of all boards of a node may be larger than its memory.
    NewestSession,
}

/// One file, as far as it was accepted.
#[derive(Debug)]
pub(super) struct ReadFile {
    pub(super) name: FileName,
    /// The number of its bytes.
    pub(super) len: usize,
    /// Whether there is an accepted record.
    pub(super) has_records: bool,
    /// Empty if it was not kept, as are the places of its records.
    pub(super) text: Vec<u8>,
    pub(super) found: Scanned,
}

impl Recovered {
    /// The session of the newest file: the current game, or the last one that ended.
    pub fn session(&self) -> Option<&str> {
        self.files.last().map(|file| file.name.session.as_str())
    }

    /// The value of a key in the head of the first file of [`Recovered::session`].
    pub fn session_header(&self, key: &str) -> Option<&str> {
        let text = &self.files.get(self.session_start())?.text;
        let head = text.split(|byte| *byte == b'\n').take_while(|line| line.first() == Some(&b'#'));
        head.filter_map(|line| parse_header(line).ok()).find(|header| header.key == key).map(|header| header.value)
    }

    /// All records that are in memory, oldest first: see [`Keep`].
    pub fn records(&self) -> impl DoubleEndedIterator<Item = Record<'_>> {
        self.files.iter().flat_map(ReadFile::records)
    }

    /// The records of [`Recovered::session`].
    pub fn session_records(&self) -> impl Iterator<Item = Record<'_>> {
        self.files[self.session_start()..].iter().flat_map(ReadFile::records)
    }

    /// Whether there has never been a record.
    pub fn is_new(&self) -> bool {
        self.standing.next_seq == 1
    }

    /// Whether the last record is the mark of a clean stop: everything that was sent is in the journal.
    pub fn is_closed(&self) -> bool {
        self.last_start.closed
    }

    /// The number of each audience, arbiter, live, public, up to which the journal holds the outputs without a gap.
    /// Gaps before the last start do not count.
    pub fn whole_up_to(&self) -> [u64; 3] {
        self.last_start.before_gap.unwrap_or_else(|| self.standing.last_outs())
    }

    /// Frees the files of all sessions but the newest, if there is a record or a whole head of it.
    fn keep_newest_session(&mut self) {
        let start = self.session_start();
        if self.files.last().is_some_and(|file| !file.is_unfinished()) {
            for file in &mut self.files[..start] {
                file.text = Vec::new();
                file.found.records = Vec::new();
            }
        }
    }

    /// Reports the bytes after the last good line of every file but the newest.
    pub(super) fn report_tails(&mut self) {
        let older = self.files.len().saturating_sub(1);
        for file in &self.files[..older] {
            if let Some((line, lines, first)) = file.found.tail {
                self.damage.add(&file.name.to_string(), line, Harm::Unreadable { lines, first });
            }
        }
    }

    /// Index of the first file of the newest session.
    pub(super) fn session_start(&self) -> usize {
        self.files.iter().rposition(|file| Some(file.name.session.as_str()) != self.session()).map_or(0, |other| other + 1)
    }
}

impl ReadFile {
    /// The header was never finished, so no record can have been written after it.
    pub(super) fn is_unfinished(&self) -> bool {
        !self.found.carry && !self.has_records
    }

    fn records(&self) -> impl DoubleEndedIterator<Item = Record<'_>> {
        // Each range was parsed when the file was scanned, and the text has not changed since.
        self.found.records.iter().map(|range| parse_bytes(&self.text[range.clone()]).expect("was parsed by the scan"))
    }
}

/// Reads a journal and changes nothing, for tools that read a journal which another process may be writing. A torn tail is
/// reported and left out.
///
/// # Errors
/// As [`Journal::open`](super::Journal::open), but for the lock.
pub fn read(fs: &mut dyn JournalFs) -> Result<Recovered, OpenError> {
    let mut recovered = read_files(fs, Keep::All)?;
    recovered.report_tails();
    if let Some(file) = recovered.files.last()
        && let Some((line, ..)) = file.found.tail
    {
        let bytes = file.len - file.found.end;
        recovered.damage.add(&file.name.to_string(), line, Harm::Torn { bytes, kept: None });
    }
    Ok(recovered)
}

/// Reads all files. The bytes after the last good line of each file are not reported yet.
pub(super) fn read_files(fs: &mut dyn JournalFs, keep: Keep) -> Result<Recovered, OpenError> {
    let names = fs.list().map_err(|error| OpenError::Io { doing: "listing", file: "the directory".to_owned(), error })?;
    let mut names: Vec<FileName> = names.iter().filter_map(|name| FileName::parse(name)).collect();
    names.sort();
    let newest = names.last().cloned();
    let mut recovered = Recovered::default();
    for name in names {
        let file = name.to_string();
        let text = match read_bounded(fs, &file) {
            Ok(text) => text,
            // Numbers cannot continue from a file that cannot be read. The header of the next file sums up an older one.
            Err(error) if Some(&name) == newest.as_ref() => return Err(error),
            Err(error) => {
                recovered.damage.add(&file, 1, Harm::CannotRead(error.to_string()));
                continue;
            }
        };
        let oldest = recovered.files.is_empty();
        let before = recovered.standing.clone();
        let found = scan(&file, &text, oldest, &mut recovered);
        if found.end == 0 && is_newer(&text) {
            return Err(OpenError::NewerFormat { file });
        }
        let file = ReadFile { name, len: text.len(), has_records: !found.records.is_empty(), text, found };
        if file.is_unfinished() {
            // The file will be removed, and the result must not depend on whether it was.
            recovered.standing = before;
        }
        recovered.files.push(file);
        if keep == Keep::NewestSession {
            recovered.keep_newest_session();
        }
    }
    Ok(recovered)
}

fn read_bounded(fs: &mut dyn JournalFs, file: &str) -> Result<Vec<u8>, OpenError> {
    let wrap = |error| OpenError::Io { doing: "reading", file: file.to_owned(), error };
    let len = fs.len(file).map_err(wrap)?;
    if len > MAX_FILE * 2 {
        return Err(OpenError::TooLong { file: file.to_owned(), len });
    }
    fs.read(file).map_err(wrap)
}

/// Whether the text begins with the whole format line of another version.
fn is_newer(text: &[u8]) -> bool {
    let version = FORMAT.len() - 1;
    let line = text.split(|&b| b == b'\n').next().unwrap_or_default();
    text.len() > line.len()
        && line.len() > version
        && line[..version] == FORMAT.as_bytes()[..version]
        && line[version..].iter().all(u8::is_ascii_digit)
        && line != FORMAT.as_bytes()
}
