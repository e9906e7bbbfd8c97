//! Repairs the newest file of a journal before it is opened: cuts off incomplete bytes at its end and keeps them in a separate
//! file.

use std::io;

use super::damage::Harm;
use super::error::OpenError;
use super::fs::JournalFs;
use super::name::{is_torn, torn};
use super::reader::{Keep, ReadFile, Recovered, read_files};

/// The largest number of `.torn` files that are kept: the newest by name.
pub const MAX_TORN: usize = 8;

/// Reads a journal and prepares its newest file for appending. Returns the length that this file then has; none if it cannot be
/// appended to.
pub(super) fn recover(fs: &mut dyn JournalFs, keep: Keep) -> Result<(Recovered, Option<u64>), OpenError> {
    let mut recovered = read_files(fs, keep)?;
    let repaired = remove_unfinished(fs, &mut recovered).and_then(|()| cut_tail(fs, &mut recovered));
    recovered.report_tails();
    let len = repaired.unwrap_or_else(|error| {
        let name = recovered.files.last().map(|file| file.name.to_string()).unwrap_or_default();
        recovered.damage.add(&name, 1, Harm::CannotRepair(error.to_string()));
        None
    });
    Ok((recovered, len))
}

/// Removes newest files whose header was never finished; the file before is continued.
fn remove_unfinished(fs: &mut dyn JournalFs, recovered: &mut Recovered) -> io::Result<()> {
    while let Some(file) = recovered.files.last().filter(|file| file.is_unfinished()) {
        let name = file.name.to_string();
        let kept = keep_torn(fs, &torn(&name, 0), &file.text);
        fs.remove(&name)?;
        fs.sync_dir()?;
        let bytes = file.len;
        if bytes > 0 {
            recovered.damage.add(&name, 1, Harm::Torn { bytes, kept });
        }
        recovered.files.pop();
    }
    Ok(())
}

/// Cuts off the bytes after the last good line of the newest file.
fn cut_tail(fs: &mut dyn JournalFs, recovered: &mut Recovered) -> io::Result<Option<u64>> {
    let Some(ReadFile { name, text, found, .. }) = recovered.files.last() else { return Ok(None) };
    let (name, tail) = (name.to_string(), &text[found.end..]);
    let mut len = found.end as u64;
    if !tail.is_empty() {
        let kept = keep_torn(fs, &torn(&name, found.end), tail);
        fs.truncate(&name, len)?;
        let line = found.tail.map_or(1, |(line, ..)| line);
        recovered.damage.add(&name, line, Harm::Torn { bytes: tail.len(), kept });
    }
    // If the program died and the power did not, content and name of what was read may be in memory only. This holds for the
    // newest file and, if newer ones were begun without a record, for the file with the newest record. The line feed must not
    // reach the disk before the cut either.
    let with_records = recovered.files.iter().rposition(|file| file.has_records).unwrap_or(0);
    for file in &recovered.files[with_records..] {
        fs.sync(&file.name.to_string())?;
    }
    fs.sync_dir()?;
    if !found.line_feed {
        fs.append(&name, b"\n")?;
        fs.sync(&name)?;
        len += 1;
    }
    Ok(Some(len))
}

/// Keeps torn bytes in a file of their own if the disk allows it, and returns its name.
fn keep_torn(fs: &mut dyn JournalFs, name: &str, bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return None;
    }
    let mut old: Vec<String> = fs.list().ok()?.into_iter().filter(|old| is_torn(old) && old != name).collect();
    old.sort();
    // A file that cannot be removed stays; there are few.
    old.iter().rev().skip(MAX_TORN - 1).for_each(|old| drop(fs.remove(old)));
    let mut write = || {
        fs.create(name)?;
        fs.append(name, bytes)?;
        fs.sync(name)?;
        fs.sync_dir()
    };
    write().is_ok().then(|| name.to_owned())
}
