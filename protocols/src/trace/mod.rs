//! Defines the line format of recordings and journals. Both use one plain text format, so that a copy of a real event becomes a
//! test.
//!
//! ```text
//! # flagfall trace 1                                       the format line, always first, always exactly this
//! # driver: dgt *0f3a9c11                                  header lines: key, value, checksum
//! # device: board on table 12                              written by hand: no checksum (recordings only)
//! 1 0 anchor {"utc":"2026-11-21T13:02:11.412Z"} *5d0c4b1e  records: sequence, microseconds, kind, fields, checksum
//! 2 1043 link 0 up opened *…
//! 3 2210 tx 0 0 44 *…
//! 4 9876 rx 0 0 8e00053f00 *…
//! ```
//!
//! | kind | fields |
//! | --- | --- |
//! | `rx`, `tx` | link, channel, bytes as lower-case hex |
//! | `link` | link, `up` or `down`, cause (one word) |
//! | `cmd`, `answer`, `anchor`, `boot` | JSON text, not parsed here |
//! | `out` | number (0 = not numbered), `arbiter` / `live` / `public`, topic, retain `0` / `1`, payload (empty = delete) |
//! | `ack` | sink, audience, number up to which the sink has everything |
//! | `snap` | digest as lower-case hex |
//!
//! Exactly one space separates two fields, and numbers are decimal without leading zeros. Every record has only one form, so
//! `print(parse(line)) == line`. The checksum is the CRC-32 of everything before `" *"`. A line ends with one line feed,
//! contains no control character and is at most [`MAX_LINE`] bytes long. Sequence numbers rise by exactly one, and times never
//! fall.

mod error;
mod header;
mod parse;
mod print;
mod reader;
mod record;

pub use error::{Field, LineError, LineFault, TraceError};
pub use header::{FORMAT, Header, MAX_HEADERS, MAX_KEY, MAX_VALUE, parse_header, print_header};
pub use parse::{parse, parse_bytes};
pub use print::print;
pub use reader::{Records, Trace};
pub use record::{Audience, Body, Record};

/// The longest line, in bytes, without its line feed.
pub const MAX_LINE: usize = 1 << 20;
/// The longest word (such as a cause or the name of a sink), in bytes.
pub const MAX_WORD: usize = 32;
/// The longest topic, in bytes.
pub const MAX_TOPIC: usize = 256;
/// The longest digest of a `snap` record, in bytes.
pub const MAX_DIGEST: usize = 64;

/// The length of the end of a line, `" *"` and eight hexadecimal digits, in bytes.
const SUFFIX: usize = 10;

/// Returns whether `word` is 1..=[`MAX_WORD`] bytes of `a-z 0-9 - _`.
fn is_word(word: &str) -> bool {
    (1..=MAX_WORD).contains(&word.len()) && word.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_'))
}

/// Returns whether `topic` is 1..=[`MAX_TOPIC`] bytes without white space or control characters.
fn is_topic(topic: &str) -> bool {
    (1..=MAX_TOPIC).contains(&topic.len()) && topic.bytes().all(|b| b > b' ' && b != 0x7f)
}

/// Returns the position of the first control character in `text`.
fn control(text: &str) -> Option<usize> {
    text.bytes().position(|b| b < b' ' || b == 0x7f)
}
