//! Reads a whole recording or export: its header and its records.

use alloc::vec::Vec;

use super::error::{LineError, LineFault, TraceError};
use super::header::{FORMAT, Header, MAX_HEADERS, parse_header};
use super::parse::parse_bytes;
use super::record::Record;
use crate::time::Instant;

/// A whole file: its header and its records.
///
/// This is for files that must be without errors (recordings, exports). The journal's recovery reads a journal after a power
/// cut.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// The header lines in their order.
    pub headers: Vec<Header<'a>>,
    records: Records<'a>,
}

impl<'a> Trace<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// A wrong first line or a wrong header line.
    pub fn new(text: &'a [u8]) -> Result<Trace<'a>, TraceError> {
        let mut records = Records { rest: text, line: 0, last: None, failed: false };
        match records.next_line() {
            Some(Ok(line)) if line == FORMAT.as_bytes() => {}
            Some(Err(error)) => return Err(error),
            _ => return Err(fault(1, 1, LineFault::BadFormatLine)),
        }
        let mut headers = Vec::new();
        while records.rest.first() == Some(&b'#') {
            let Some(line) = records.next_line() else { break };
            let header = parse_header(line?).map_err(|error| TraceError { line: records.line, error })?;
            if headers.len() == MAX_HEADERS {
                return Err(fault(records.line, 1, LineFault::TooManyHeaders));
            }
            headers.push(header);
        }
        Ok(Trace { headers, records })
    }

    /// Returns the value of the first header line with this key.
    pub fn header(&self, key: &str) -> Option<&'a str> {
        self.headers.iter().find(|header| header.key == key).map(|header| header.value)
    }

    /// Returns the records from the first one.
    pub fn records(&self) -> Records<'a> {
        self.records.clone()
    }
}

/// Iterates over the records of a [`Trace`]. It returns the line number and the record, or the error that ends the iteration.
#[derive(Clone, Debug)]
pub struct Records<'a> {
    rest: &'a [u8],
    line: usize,
    last: Option<(u64, Instant)>,
    failed: bool,
}

impl<'a> Records<'a> {
    fn next_line(&mut self) -> Option<Result<&'a [u8], TraceError>> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let Some(end) = self.rest.iter().position(|&b| b == b'\n') else {
            let column = self.rest.len() + 1;
            self.rest = &[];
            return Some(Err(fault(self.line, column, LineFault::NoLineFeed)));
        };
        let line = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(Ok(line))
    }

    fn in_order(&mut self, record: Record<'a>) -> Result<(usize, Record<'a>), TraceError> {
        if let Some((seq, at)) = self.last {
            let expected = seq.saturating_add(1);
            if seq == u64::MAX || record.seq != expected {
                return Err(fault(self.line, 1, LineFault::Sequence { expected, found: record.seq }));
            }
            if record.at < at {
                return Err(fault(self.line, 1, LineFault::TimeFell));
            }
        }
        self.last = Some((record.seq, record.at));
        Ok((self.line, record))
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = Result<(usize, Record<'a>), TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let result = self.next_line()?.and_then(|line| {
            let record = parse_bytes(line).map_err(|error| TraceError { line: self.line, error })?;
            self.in_order(record)
        });
        self.failed = result.is_err();
        Some(result)
    }
}

fn fault(line: usize, column: usize, fault: LineFault) -> TraceError {
    TraceError { line, error: LineError { column, fault } }
}
