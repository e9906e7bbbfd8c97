//! Reads the rows of a CSV file, plain or compressed with gzip, one line at a time.

use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use flate2::read::MultiGzDecoder;
use shakmaty::Color;

/// The largest length of a row, in bytes.
const MAX_LINE: usize = 1 << 16;
/// No FEN has more characters: 71 for the men, and 22 for the other fields with numbers of five digits.
const LONGEST_FEN: usize = 93;

/// The file from which questions are read.
pub(super) struct Source {
    reader: Box<dyn BufRead + Send>,
    /// Lines read.
    lines: u64,
}

/// How far the file has been read.
#[derive(Clone)]
pub(super) struct Reading {
    /// The size of the file on the disk; none for a pipe.
    pub(super) size: Option<u64>,
    read: Arc<AtomicU64>,
}

impl Reading {
    /// Bytes read.
    pub(super) fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }
}

/// One line.
pub(super) struct Line {
    /// The number of the line, from 1.
    pub(super) number: u64,
    /// Its text, or what is wrong with it.
    pub(super) text: Result<String, Unreadable>,
}

/// A line that cannot be read.
pub(super) struct Unreadable {
    /// The beginning of its text, so that a person finds the line again.
    pub(super) beginning: String,
    /// What is wrong with it.
    pub(super) problem: &'static str,
}

impl Unreadable {
    fn of(bytes: &[u8], problem: &'static str) -> Unreadable {
        let beginning = String::from_utf8_lossy(bytes).chars().take(LONGEST_FEN).collect();
        Unreadable { beginning, problem }
    }
}

struct Counting {
    inner: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl Source {
    /// Opens a file, or standard input for `-`.
    ///
    /// # Errors
    /// It cannot be opened or read.
    pub(super) fn open(path: &Path) -> Result<(Source, Reading)> {
        let (inner, size): (Box<dyn Read + Send>, _) = if path == Path::new("-") {
            (Box::new(std::io::stdin()), None)
        } else {
            let file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
            let size = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|data| data.len());
            (Box::new(file), size)
        };
        let progress = Reading { size, read: Arc::default() };
        let mut counting = Counting { inner, read: Arc::clone(&progress.read) };
        let mut magic = Vec::new();
        counting.by_ref().take(2).read_to_end(&mut magic).with_context(|| path.display().to_string())?;
        let zipped = magic == [0x1f, 0x8b];
        let whole = Cursor::new(magic).chain(counting);
        let reader: Box<dyn BufRead + Send> =
            if zipped { Box::new(BufReader::new(MultiGzDecoder::new(whole))) } else { Box::new(BufReader::new(whole)) };
        Ok((Source { reader, lines: 0 }, progress))
    }

    /// Returns the next line that is not empty; none at the end.
    ///
    /// # Errors
    /// The file cannot be read any further.
    pub(super) fn next_line(&mut self) -> Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            let mut long = false;
            loop {
                let buffer = self.reader.fill_buf().with_context(|| format!("after line {}", self.lines))?;
                let (part, used, ended) = match buffer.iter().position(|byte| *byte == b'\n') {
                    Some(place) => (&buffer[..place], place + 1, true),
                    None => (buffer, buffer.len(), buffer.is_empty()),
                };
                if bytes.len() + part.len() <= MAX_LINE {
                    bytes.extend_from_slice(part);
                } else {
                    long = true;
                }
                let over = used == 0;
                self.reader.consume(used);
                if over && bytes.is_empty() && !long {
                    return Ok(None);
                }
                if ended {
                    break;
                }
            }
            self.lines += 1;
            let text = match String::from_utf8(bytes) {
                Ok(text) if long => Err(Unreadable::of(text.as_bytes(), "too long")),
                Err(error) if long => Err(Unreadable::of(error.as_bytes(), "too long")),
                Ok(text) => Ok(text.trim_start_matches('\u{feff}').trim_end_matches('\r').to_owned()),
                Err(error) => Err(Unreadable::of(error.as_bytes(), "not UTF-8")),
            };
            if !matches!(&text, Ok(text) if text.trim().is_empty()) {
                return Ok(Some(Line { number: self.lines, text }));
            }
        }
    }
}

/// Splits a line into its fields (RFC 4180, without line ends inside quotes).
///
/// # Errors
/// A quote is not closed, or something follows it.
pub(super) fn split_fields(line: &str) -> Result<Vec<String>, &'static str> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let mut field = String::new();
        if let Some(quoted) = rest.strip_prefix('"') {
            rest = quoted;
            loop {
                let (part, after) = rest.split_once('"').ok_or("a quote is not closed")?;
                field.push_str(part);
                rest = after;
                match after.strip_prefix('"') {
                    Some(after) => {
                        field.push('"');
                        rest = after;
                    }
                    None => break,
                }
            }
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            field.push_str(&rest[..end]);
            rest = &rest[end..];
        }
        fields.push(field);
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            None if rest.is_empty() => return Ok(fields),
            None => return Err("something follows a closed quote"),
        }
    }
}

/// The places of the two columns.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    fen: usize,
    side: usize,
}

impl Columns {
    /// Finds the columns in the first line.
    ///
    /// # Errors
    /// Names the column that is missing or that occurs twice.
    pub(super) fn from_header(header: &str) -> Result<Columns, String> {
        let names = split_fields(header)?;
        let find = |name: &str| {
            let mut places = names.iter().enumerate().filter(|(_, field)| field.trim().eq_ignore_ascii_case(name));
            match (places.next(), places.next()) {
                (Some((place, _)), None) => Ok(place),
                (Some((one, _)), Some((other, _))) => {
                    Err(format!("the columns {} and {} are both named {name}", one + 1, other + 1))
                }
                (None, _) => Err(format!("a header with the columns fen and intended_winner is needed, and {name} is missing")),
            }
        };
        Ok(Columns { fen: find("fen")?, side: find("intended_winner")? })
    }

    /// Returns FEN and side of a row as they are written.
    ///
    /// # Errors
    /// What is wrong with the row, and what it has instead of a FEN: the FEN if only the side is missing, otherwise the
    /// beginning of the line.
    pub(super) fn read(self, line: &str) -> Result<(String, String), Unreadable> {
        let fields = split_fields(line).map_err(|problem| Unreadable::of(line.as_bytes(), problem))?;
        let [fen, side] = [self.fen, self.side].map(|column| fields.get(column).cloned());
        match (fen, side) {
            (Some(fen), Some(side)) => Ok((fen, side)),
            (fen, _) => Err(Unreadable::of(fen.as_deref().unwrap_or(line).as_bytes(), "too few columns")),
        }
    }
}

/// Parses `white`, `black`, `w` or `b`.
pub(super) fn side(text: &str) -> Option<Color> {
    match text.trim().to_ascii_lowercase().as_str() {
        "white" | "w" => Some(Color::White),
        "black" | "b" => Some(Color::Black),
        _ => None,
    }
}
