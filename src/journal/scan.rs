//! Finds the valid header lines and records in the bytes of one journal file, and reports the damage between them.

use std::ops::Range;

use flagfall_protocols::trace::{FORMAT, Field, LineError, LineFault, parse_bytes, parse_header};

use super::damage::Harm;
use super::reader::Recovered;

/// The largest number of checksums that are searched for inside one damaged line. This limits the work on a malicious line.
const MAX_TRIES: usize = 64;
/// The length of `" *"` and eight hex digits, in bytes.
const SUFFIX: usize = 10;

/// The result of a scan of one file.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    /// The place of each accepted record, without its line feed.
    pub(super) records: Vec<Range<usize>>,
    /// The place after the last accepted line and its line feed.
    pub(super) end: usize,
    /// The accepted part ends with a line feed (or is empty).
    pub(super) line_feed: bool,
    /// The last line of the header is there.
    pub(super) carry: bool,
    /// Bad lines after the last accepted one: the first of them, how many, and why it was refused.
    pub(super) tail: Option<(usize, usize, LineError)>,
}

/// Reads a file as far as it is valid, and steps past each accepted record.
pub(super) fn scan(file: &str, text: &[u8], oldest: bool, recovered: &mut Recovered) -> Scanned {
    let found = Scanned { line_feed: true, ..Scanned::default() };
    let mut scanner = Scanner { file, oldest, recovered, found, line: 0 };
    let mut start = 0;
    while start < text.len() {
        let end = text[start..].iter().position(|&b| b == b'\n').map_or(text.len(), |length| start + length);
        scanner.line += 1;
        scanner.accept_line(text, start..end);
        start = end + 1;
    }
    if !scanner.found.carry && !scanner.found.records.is_empty() {
        scanner.recovered.damage.add(file, 1, Harm::NoCarry);
    }
    scanner.found
}

struct Scanner<'a> {
    file: &'a str,
    oldest: bool,
    recovered: &'a mut Recovered,
    found: Scanned,
    line: usize,
}

impl Scanner<'_> {
    fn accept_line(&mut self, text: &[u8], line: Range<usize>) {
        if self.line == 1 && &text[line.clone()] == FORMAT.as_bytes() {
            return self.advance(text, line.end);
        }
        if let Err(error) = self.accept_piece(text, line.clone()) {
            match &mut self.found.tail {
                Some((_, lines, _)) => *lines += 1,
                tail => *tail = Some((self.line, 1, error)),
            }
            self.salvage(text, line);
        }
    }

    /// Finds good lines inside a bad one: a line feed was damaged, or zeros stand before a record (pages that never reached the
    /// disk).
    fn salvage(&mut self, text: &[u8], line: Range<usize>) {
        let (mut from, mut look) = (line.start, line.start);
        for _ in 0..MAX_TRIES {
            let Some(place) = text[look..line.end].windows(SUFFIX).position(is_checksum) else { return };
            look += place + SUFFIX;
            let zeros = text[from..look].iter().rposition(|&b| b == 0).map_or(0, |last| last + 1);
            if self.accept_piece(text, from + zeros..look).is_ok() {
                // One damaged byte stands where the line feed was.
                from = look + 1;
                look = from.min(line.end);
            }
        }
    }

    /// Accepts a header line or a record, and reports what was wrong before it.
    fn accept_piece(&mut self, text: &[u8], piece: Range<usize>) -> Result<(), LineError> {
        let bytes = &text[piece.clone()];
        let expected = self.recovered.standing.next_seq;
        let mut gap = None;
        if bytes.first() == Some(&b'#') && self.found.records.is_empty() {
            let header = parse_header(bytes)?;
            if !header.sealed {
                return Err(LineError { column: bytes.len(), fault: LineFault::NoChecksum });
            }
            self.recovered.standing.read_header(&header).ok_or(LineError { column: 1, fault: LineFault::Bad(Field::Value) })?;
            self.found.carry |= header.key == "carry";
            gap = (!self.oldest && self.recovered.standing.next_seq > expected).then_some(self.recovered.standing.next_seq);
        } else {
            let record = parse_bytes(bytes)?;
            if record.seq < expected {
                return Err(LineError { column: 1, fault: LineFault::Sequence { expected, found: record.seq } });
            }
            if record.at < self.recovered.standing.last_at {
                return Err(LineError { column: 1, fault: LineFault::TimeFell });
            }
            gap = gap.or((record.seq > expected).then_some(record.seq));
            self.recovered.last_start.step_past(&record);
            self.recovered.standing.step_past(&record);
            self.found.records.push(piece.clone());
        }
        self.advance(text, piece.end);
        if let Some(found) = gap {
            self.recovered.damage.add(self.file, self.line, Harm::Gap { expected, found });
        }
        Ok(())
    }

    fn advance(&mut self, text: &[u8], end: usize) {
        self.found.line_feed = text.get(end) == Some(&b'\n');
        self.found.end = end + usize::from(self.found.line_feed);
        if let Some((line, lines, first)) = self.found.tail.take() {
            self.recovered.damage.add(self.file, line, Harm::Unreadable { lines, first });
        }
    }
}

fn is_checksum(bytes: &[u8]) -> bool {
    bytes.starts_with(b" *") && bytes[2..].iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}
