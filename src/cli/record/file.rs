//! Writes the trace file of a recording. The file contains only whole lines, even after a disk error.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, FORMAT, MAX_HEADERS, Record, print_header};

use crate::system_clock::utc;

/// The largest number of bytes in a record. Longer data is split into several records with the same time.
const MAX_PIECE: usize = 4096;
/// The number of header lines that are kept free for remarks of people.
const FOR_PEOPLE: usize = 24;

pub(super) struct TraceFile {
    file: File,
    path: PathBuf,
    line: String,
    /// How many lines the head has.
    heads: usize,
    /// The length of all whole lines.
    length: u64,
    seq: u64,
    last: Instant,
    received: u64,
    sent: u64,
}

impl TraceFile {
    /// Makes a new file with its head. An existing file is an error; a device or a pipe is written to.
    pub(super) fn create(path: &Path, driver: Option<&str>, time_control: Option<&str>) -> Result<TraceFile> {
        let file = match File::create_new(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists && !path.is_file() => {
                OpenOptions::new().write(true).open(path)
            }
            other => other,
        };
        let file = file.with_context(|| path.display().to_string())?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let name: String = stem.chars().filter(|c| c.is_ascii_alphanumeric() || "-_.+".contains(*c)).collect();
        let date = utc().to_string();
        let program = format!("flagfall {}", env!("CARGO_PKG_VERSION"));
        let headers = [
            ("driver", driver),
            ("source", Some("record")),
            ("name", Some(if name.is_empty() { "recording" } else { &name })),
            ("date", Some(&date)),
            ("program", Some(&program)),
            ("time-control", time_control),
        ];
        let mut line = format!("{FORMAT}\n");
        let mut heads = 0;
        for (key, value) in headers.into_iter().filter_map(|(key, value)| Some((key, value?))) {
            print_header(key, value, &mut line).with_context(|| format!("header `{key}: {value}`"))?;
            heads += 1;
        }
        let path = path.to_owned();
        let mut file = TraceFile { file, path, line, heads, length: 0, seq: 0, last: Instant::ZERO, received: 0, sent: 0 };
        file.write_line()?;
        Ok(file)
    }

    /// Adds a line to the head, which ends with the first record. Lines beyond the limit of readers are left out, and a note
    /// reports that.
    pub(super) fn add_header(&mut self, key: &str, value: &str) -> Result<()> {
        if self.seq > 0 {
            return Ok(());
        }
        self.heads += 1;
        if self.heads > MAX_HEADERS - FOR_PEOPLE {
            return note(&format!("not in the head of the file, which is full: {key}: {value}"));
        }
        self.line.clear();
        print_header(key, value, &mut self.line).with_context(|| format!("header `{key}: {value}`"))?;
        self.write_line()
    }

    /// Adds a record, and hands it to the operating system.
    pub(super) fn write(&mut self, at: Instant, body: Body<'_>) -> Result<()> {
        let at = at.max(self.last);
        self.last = at;
        match body {
            Body::Rx { link, channel, bytes } => {
                self.received += bytes.len() as u64;
                bytes.chunks(MAX_PIECE).try_for_each(|piece| self.add_record(at, Body::Rx { link, channel, bytes: piece.into() }))
            }
            body => {
                if let Body::Tx { bytes, .. } = &body {
                    self.sent += bytes.len() as u64;
                }
                self.add_record(at, body)
            }
        }
    }

    fn add_record(&mut self, at: Instant, body: Body<'_>) -> Result<()> {
        self.seq += 1;
        self.line.clear();
        trace::print(&Record { seq: self.seq, at, body }, &mut self.line)?;
        self.write_line()
    }

    fn write_line(&mut self) -> Result<()> {
        if let Err(error) = self.file.write_all(self.line.as_bytes()) {
            // A device has no length; on a disk only whole lines are kept.
            let _ = self.file.set_len(self.length);
            let path = self.path.display();
            return Err(error)
                .with_context(|| format!("{path}: not written any further; {} records are kept", self.seq.saturating_sub(1)));
        }
        self.length += self.line.len() as u64;
        Ok(())
    }

    /// Waits for the disk and returns what was recorded, for people. A file in which nothing was recorded is removed.
    pub(super) fn finish(self) -> Result<String> {
        if self.seq == 0 && self.path.is_file() {
            std::fs::remove_file(&self.path).with_context(|| self.path.display().to_string())?;
            return Ok("nothing was recorded".to_owned());
        }
        match self.file.sync_all() {
            // A pipe or a device cannot be synchronised.
            Err(error) if !matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
                return Err(error).with_context(|| self.path.display().to_string());
            }
            _ => {}
        }
        let seconds = self.last.0 as f64 / 1e6;
        Ok(format!("{seconds:.1} s, {} records, {} bytes received, {} sent", self.seq, self.received, self.sent))
    }
}

/// Prints a line for people, separate from the output for scripts.
pub(in crate::cli) fn note(text: &str) -> Result<()> {
    Ok(writeln!(std::io::stderr(), "flagfall: {text}")?)
}

#[cfg(test)]
mod tests {
    use flagfall_protocols::trace::Trace;

    use super::*;

    #[test]
    fn a_head_of_any_length_can_be_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("many.trace");
        let mut file = TraceFile::create(&path, None, None).expect("a file");
        for channel in 0..=255 {
            file.add_header(&format!("channel-{channel}"), "notify").expect("written");
        }
        file.write(Instant(5), Body::Link { link: 0, up: true, cause: "opened" }).expect("written");
        file.add_header("late", "no head any more").expect("nothing is written");
        file.finish().expect("kept");
        let text = std::fs::read(&path).expect("a file");
        let trace = Trace::new(&text).expect("a head that is not too long");
        assert_eq!(trace.headers.len(), MAX_HEADERS - FOR_PEOPLE);
        assert_eq!((trace.header("channel-0"), trace.header("late")), (Some("notify"), None));
        assert_eq!(trace.records().count(), 1);
    }
}
