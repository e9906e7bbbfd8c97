//! Defines the errors of a line in a recording or journal, with their positions.

use core::fmt;

/// The reason why a line was refused or cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineError {
    /// The byte column of the error, counted from 1. It is 0 for a record that cannot be written.
    pub column: usize,
    /// The error.
    pub fault: LineFault,
}

/// The errors of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineFault {
    /// Longer than [`MAX_LINE`](super::MAX_LINE).
    TooLong,
    /// Not UTF-8.
    NotText,
    /// A control character (also a carriage return, or a line feed in a payload).
    Control,
    /// The line does not end with `" *"` and eight lower-case hex digits.
    NoChecksum,
    /// The checksum belongs to another text.
    WrongChecksum,
    /// The line ends before this field.
    Missing(Field),
    /// The field has a wrong form: see [`Field`].
    Bad(Field),
    /// The first line is not [`FORMAT`](super::FORMAT).
    BadFormatLine,
    /// More than [`MAX_HEADERS`](super::MAX_HEADERS) header lines.
    TooManyHeaders,
    /// The sequence number does not rise by exactly one.
    Sequence {
        /// The expected number.
        expected: u64,
        /// The number in the line.
        found: u64,
    },
    /// The time is before the time of the previous record.
    TimeFell,
    /// The last line has no line feed.
    NoLineFeed,
}

/// A field of a line, and its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// Decimal, below 2^64, no leading zero.
    Sequence,
    /// Decimal, below 2^64, no leading zero.
    Micros,
    /// One of the kinds of the table at the head of [`trace`](super).
    Kind,
    /// Decimal 0..=255.
    Link,
    /// Decimal 0..=255.
    Channel,
    /// Lower-case hex, an even number of digits, at least two.
    Bytes,
    /// `up` or `down`.
    UpDown,
    /// A word: 1..=32 of `a-z 0-9 - _`.
    Cause,
    /// A payload, not empty (but for `out`).
    Payload,
    /// Decimal, below 2^64, no leading zero.
    Number,
    /// `arbiter`, `live` or `public`.
    Audience,
    /// 1..=256 bytes without white space.
    Topic,
    /// `0` or `1`.
    Retain,
    /// A word: 1..=32 of `a-z 0-9 - _`.
    Sink,
    /// Lower-case hex, 1..=64 bytes.
    Digest,
    /// `# ` and a key: 1..=32 of `a-z 0-9 - _`, then `: `.
    Key,
    /// 1..=1024 bytes, no space at either end.
    Value,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.column > 0 {
            write!(f, "column {}: ", self.column)?;
        }
        match self.fault {
            LineFault::TooLong => write!(f, "longer than {} bytes", super::MAX_LINE),
            LineFault::NotText => f.write_str("not UTF-8"),
            LineFault::Control => f.write_str("control character"),
            LineFault::NoChecksum => f.write_str("no checksum at the end"),
            LineFault::WrongChecksum => f.write_str("wrong checksum"),
            LineFault::Missing(field) => write!(f, "{} missing", field.name()),
            LineFault::Bad(field) => write!(f, "not a {}", field.name()),
            LineFault::BadFormatLine => write!(f, "the first line must be `{}`", super::FORMAT),
            LineFault::TooManyHeaders => write!(f, "more than {} header lines", super::MAX_HEADERS),
            LineFault::Sequence { expected, found } => write!(f, "sequence number is {found}, expected {expected}"),
            LineFault::TimeFell => f.write_str("time is before the time of the previous record"),
            LineFault::NoLineFeed => f.write_str("no line feed at the end"),
        }
    }
}

impl core::error::Error for LineError {}

impl Field {
    /// The field's name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Field::Sequence => "sequence number",
            Field::Micros => "time in microseconds",
            Field::Kind => "known kind",
            Field::Link => "link number",
            Field::Channel => "channel number",
            Field::Bytes => "string of lower-case hex bytes",
            Field::UpDown => "word `up` or `down`",
            Field::Cause => "cause",
            Field::Payload => "payload",
            Field::Number => "number of an output",
            Field::Audience => "known audience",
            Field::Topic => "topic",
            Field::Retain => "retain flag",
            Field::Sink => "name of a sink",
            Field::Digest => "digest in lower-case hex",
            Field::Key => "header key",
            Field::Value => "header value",
        }
    }
}

/// A [`LineError`] and its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Line, counted from 1.
    pub line: usize,
    /// The error of the line.
    pub error: LineError,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, {}", self.line, self.error)
    }
}

impl core::error::Error for TraceError {}
