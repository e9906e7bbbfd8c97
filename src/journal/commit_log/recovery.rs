//! Restores bytes that a power cut removed from journal files: copies them back from the commit log, before any journal is
//! opened.

use std::collections::BTreeMap;
use std::io;

use flagfall_protocols::trace::parse_bytes;

use super::super::fs::JournalFs;
use super::super::name::FileName;
use super::entry::{Entry, entries};
use super::{HEAD, log_name, log_numbers};

/// The largest size of a log that is read, in bytes. This program writes no larger log.
const MAX_READ: u64 = 1 << 30;

/// The folder of one journal.
pub type Folder = Box<dyn JournalFs>;

/// What was done with the logs of the last run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenBack {
    /// Journal files that got bytes which they lacked.
    pub files: usize,
    /// How many bytes were written back.
    pub bytes: u64,
    /// Parts of a log that are no entry: the end that a power cut left, or damage.
    pub damaged: u64,
    /// What could not be done, for people; the logs stay then.
    pub problems: Vec<String>,
    /// Journal files that stay as they are although a log has bytes for them, and why.
    pub left_alone: Vec<String>,
}

/// Writes back what the journals' files lack, then removes the logs. `open` returns a board's folder; none if it is gone.
///
/// Every line of an entry that the file lacks is put in its place, and what the file has is written again: after a failed wait
/// for the disk, a file may read well and yet not be on the disk. A version of this program without the log may have continued
/// the journal since. Therefore nothing is put where another good record stands, or where the next file has that number.
///
/// # Errors
/// The folder of the logs cannot be read. Problems with one log or file are in [`WrittenBack::problems`].
pub fn recover(fs: &mut dyn JournalFs, open: &mut dyn FnMut(&str) -> io::Result<Option<Folder>>) -> io::Result<WrittenBack> {
    let mut done = WrittenBack::default();
    let numbers = log_numbers(fs)?;
    let mut logs = Vec::new();
    for number in &numbers {
        match read_log(fs, &log_name(*number)) {
            Ok(text) => logs.push(text),
            Err(error) => done.problems.push(format!("{}: {error}", log_name(*number))),
        }
    }
    let mut files: BTreeMap<(&str, &str), Vec<Entry<'_>>> = BTreeMap::new();
    for text in &logs {
        // A log whose head never reached the disk holds nothing.
        let text = text.strip_prefix(HEAD.as_bytes()).unwrap_or_default();
        for entry in entries(text, &mut done.damaged) {
            files.entry((entry.board, entry.file)).or_default().push(entry);
        }
    }
    for ((board, file), entries) in files {
        let written = open(board).and_then(|journal| match journal {
            Some(mut journal) => write_back(journal.as_mut(), file, &entries, &mut done),
            None => Ok(()),
        });
        if let Err(error) = written {
            done.problems.push(format!("{board}/{file}: {error}"));
        }
    }
    if done.problems.is_empty() {
        numbers.iter().try_for_each(|number| fs.remove(&log_name(*number)))?;
        fs.sync_dir()?;
    }
    Ok(done)
}

fn read_log(fs: &mut dyn JournalFs, name: &str) -> io::Result<Vec<u8>> {
    if fs.len(name)? > MAX_READ {
        return Err(io::Error::other("longer than any log that is written"));
    }
    let text = fs.read(name)?;
    let newer = text.starts_with(b"flagfall commit log ") && !HEAD.as_bytes().starts_with(&text[..text.len().min(HEAD.len())]);
    if newer { Err(io::Error::other("a newer program wrote it")) } else { Ok(text) }
}

fn write_back(fs: &mut dyn JournalFs, file: &str, entries: &[Entry<'_>], done: &mut WrittenBack) -> io::Result<()> {
    let mut content = match fs.read(file) {
        // The journal has deleted it since, as one of its oldest files.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        content => content?,
    };
    let before = content.clone();
    let below = next_file_begins_at(fs, file)?;
    let Some(first) = entries.first().map(|entry| entry.offset as usize) else { return Ok(()) };
    let mut end = first;
    'entries: for entry in entries {
        let mut place = entry.offset as usize;
        for line in entry.bytes.split_inclusive(|byte| *byte == b'\n') {
            if let Err(why) = put_line(&mut content, place, line, below) {
                done.left_alone.push(format!("{}/{file}: {why}: it stays as it is from byte {place} on", entry.board));
                break 'entries;
            }
            place += line.len();
            end = end.max(place);
        }
    }
    let changed = (first..end).filter(|&place| before.get(place) != content.get(place)).count() as u64;
    if first < end {
        fs.write_at(file, first as u64, &content[first..end])?;
        fs.sync(file)?;
    }
    done.files += usize::from(changed > 0);
    done.bytes += changed;
    Ok(())
}

/// Puts a line of an entry in its place if its sequence number is below the first number of the next file.
fn put_line(content: &mut Vec<u8>, place: usize, line: &[u8], below: Option<u64>) -> Result<(), &'static str> {
    let there = content.get(place..).ok_or("it is shorter than it was")?;
    if there.starts_with(line) {
        return Ok(());
    }
    let record = line.strip_suffix(b"\n").unwrap_or(line);
    let other = there.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if other != record && parse_bytes(other).is_ok() {
        return Err("another record stands there");
    }
    let seq = parse_bytes(record).map(|record| record.seq);
    if below.is_some_and(|below| seq.is_ok_and(|seq| seq >= below)) {
        return Err("a newer file goes on before that");
    }
    let kept = there.len().min(line.len());
    content[place..place + kept].copy_from_slice(&line[..kept]);
    content.extend_from_slice(&line[kept..]);
    Ok(())
}

/// Returns the sequence number of the first record in the files after this one; none if they hold no record. A head without
/// records proves nothing: a file that was begun and removed may be there again after a power cut.
fn next_file_begins_at(fs: &mut dyn JournalFs, file: &str) -> io::Result<Option<u64>> {
    let Some(this) = FileName::parse(file) else { return Ok(None) };
    let mut later: Vec<FileName> = fs.list()?.iter().filter_map(|name| FileName::parse(name)).collect();
    later.retain(|name| name.number > this.number);
    later.sort();
    for name in later {
        let text = fs.read(&name.to_string())?;
        let mut lines = text.split(|byte| *byte == b'\n').filter(|line| line.first() != Some(&b'#'));
        if let Some(record) = lines.find_map(|line| parse_bytes(line).ok()) {
            return Ok(Some(record.seq));
        }
    }
    Ok(None)
}
