//! Reads and writes the header lines of a recording or journal.

use alloc::string::String;

use super::error::{Field, LineError, LineFault};
use super::parse::{checked, split, text};
use super::print::finish;
use super::{control, is_word};

/// The first line of every file.
pub const FORMAT: &str = "# flagfall trace 1";
/// The largest number of header lines in a file.
pub const MAX_HEADERS: usize = 64;
/// The longest key of a header line, in bytes.
pub const MAX_KEY: usize = super::MAX_WORD;
/// The longest value of a header line, in bytes.
pub const MAX_VALUE: usize = 1024;

/// One header line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The subject: `driver`, `device`, `firmware`, `config`, `program`, `time-control`, `profile`, `name`, `date`, ...
    pub key: &'a str,
    /// The value.
    pub value: &'a str,
    /// The line has a checksum, because a program wrote it.
    pub sealed: bool,
}

/// Appends a header line with checksum and line feed.
///
/// # Errors
/// A key that is not 1..=32 of `a-z 0-9 - _`, a value that is empty, too long, has a space at an end or a control character.
pub fn print_header(key: &str, value: &str, out: &mut String) -> Result<(), LineError> {
    if !is_word(key) {
        return err(0, LineFault::Bad(Field::Key));
    }
    if !is_value(value) {
        return err(0, LineFault::Bad(Field::Value));
    }
    let start = out.len();
    for part in ["# ", key, ": ", value] {
        out.push_str(part);
    }
    finish(out, start)
}

/// Reads one header line without its line feed; the checksum may be missing.
///
/// # Errors
/// A wrong checksum, or a key or value that [`print_header`] refuses.
pub fn parse_header(line: &[u8]) -> Result<Header<'_>, LineError> {
    let line = text(line)?;
    let sealed = split(line).is_some();
    let body = if sealed { checked(line)? } else { line };
    let Some((key, value)) = body.strip_prefix("# ").and_then(|rest| rest.split_once(": ")) else {
        return err(1, LineFault::Bad(Field::Key));
    };
    if !is_word(key) {
        return err(3, LineFault::Bad(Field::Key));
    }
    let column = key.len() + 5;
    if let Some(place) = control(value) {
        return err(column + place, LineFault::Control);
    }
    // A star nine bytes before the end shows a damaged checksum.
    let damaged = !sealed && value.len().checked_sub(9).is_some_and(|place| value.as_bytes()[place] == b'*');
    if damaged {
        return err(column, LineFault::NoChecksum);
    }
    if is_value(value) { Ok(Header { key, value, sealed }) } else { err(column, LineFault::Bad(Field::Value)) }
}

fn is_value(value: &str) -> bool {
    (1..=MAX_VALUE).contains(&value.len()) && control(value).is_none() && value.trim_matches(' ').len() == value.len()
}

fn err<T>(column: usize, fault: LineFault) -> Result<T, LineError> {
    Err(LineError { column, fault })
}
