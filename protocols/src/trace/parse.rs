//! Reads one line of a recording or journal into a record.

use alloc::borrow::Cow;

use super::error::{Field, LineError, LineFault};
use super::record::{Audience, Body, Record};
use super::{MAX_DIGEST, MAX_LINE, SUFFIX, control, is_topic, is_word};
use crate::bytes::{crc32, unhex};
use crate::time::Instant;

/// Reads one record; `line` has no line feed.
///
/// # Errors
/// Any difference from the form that [`print`](super::print()) writes, with its byte column.
pub fn parse(line: &str) -> Result<Record<'_>, LineError> {
    let body = checked(line)?;
    let mut fields = Fields { column: 1, rest: Some(body) };
    let seq = fields.number(Field::Sequence)?;
    let at = Instant(fields.number(Field::Micros)?);
    let (kind, column) = fields.word(Field::Kind)?;
    let body = match kind {
        "rx" => Body::Rx { link: fields.small(Field::Link)?, channel: fields.small(Field::Channel)?, bytes: fields.bytes()? },
        "tx" => Body::Tx { link: fields.small(Field::Link)?, channel: fields.small(Field::Channel)?, bytes: fields.bytes()? },
        "link" => {
            Body::Link { link: fields.small(Field::Link)?, up: fields.up_down()?, cause: fields.last(Field::Cause, is_word)? }
        }
        "cmd" => Body::Cmd(fields.payload()?),
        "answer" => Body::Answer(fields.payload()?),
        "anchor" => Body::Anchor(fields.payload()?),
        "boot" => Body::Boot(fields.payload()?),
        "out" => Body::Out {
            number: fields.number(Field::Number)?,
            audience: fields.audience()?,
            topic: fields.check(Field::Topic, is_topic)?,
            retain: fields.flag()?,
            payload: fields.last(Field::Payload, |_| true)?,
        },
        "ack" => Body::Ack {
            sink: fields.check(Field::Sink, is_word)?,
            audience: fields.audience()?,
            number: fields.number(Field::Number)?,
        },
        "snap" => Body::Snap(fields.digest()?),
        _ => return bad(column, Field::Kind),
    };
    fields.end()?;
    Ok(Record { seq, at, body })
}

/// The same as [`parse`], for bytes that may not be text.
///
/// # Errors
/// The same as for [`parse`], or [`LineFault::NotText`] with the column of the first wrong byte.
pub fn parse_bytes(line: &[u8]) -> Result<Record<'_>, LineError> {
    parse(text(line)?)
}

/// Returns `line` as text, if it is not too long.
pub(super) fn text(line: &[u8]) -> Result<&str, LineError> {
    if line.len() > MAX_LINE {
        return err(MAX_LINE + 1, LineFault::TooLong);
    }
    core::str::from_utf8(line).or_else(|error| err(error.valid_up_to() + 1, LineFault::NotText))
}

/// Returns the text before the checksum, if the checksum is right and the text has no control character.
pub(super) fn checked(line: &str) -> Result<&str, LineError> {
    if line.len() > MAX_LINE {
        return err(MAX_LINE + 1, LineFault::TooLong);
    }
    let (body, crc) =
        split(line).ok_or(LineError { column: line.len().saturating_sub(SUFFIX) + 1, fault: LineFault::NoChecksum })?;
    if crc32(body.as_bytes()) != crc {
        return err(body.len() + 1, LineFault::WrongChecksum);
    }
    match control(body) {
        Some(place) => err(place + 1, LineFault::Control),
        None => Ok(body),
    }
}

/// Returns the text and the checksum, if the line ends with a checksum.
pub(super) fn split(line: &str) -> Option<(&str, u32)> {
    let (body, suffix) = line.split_at_checked(line.len().checked_sub(SUFFIX)?)?;
    let digits = suffix.strip_prefix(" *")?;
    digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).then_some(())?;
    Some((body, u32::from_str_radix(digits, 16).ok()?))
}

/// The fields of a line that are not read yet. `rest` is `None` after a field without a space after it.
struct Fields<'a> {
    column: usize,
    rest: Option<&'a str>,
}

impl<'a> Fields<'a> {
    /// Returns the next field and its column.
    fn word(&mut self, field: Field) -> Result<(&'a str, usize), LineError> {
        let column = self.column;
        let rest = self.rest.ok_or(LineError { column, fault: LineFault::Missing(field) })?;
        let (word, rest) = match rest.split_once(' ') {
            Some((word, rest)) => (word, Some(rest)),
            None => (rest, None),
        };
        self.column += word.len() + 1;
        self.rest = rest;
        Ok((word, column))
    }

    fn number(&mut self, field: Field) -> Result<u64, LineError> {
        let (word, column) = self.word(field)?;
        let canonical = word == "0" || (!word.starts_with('0') && word.bytes().all(|b| b.is_ascii_digit()));
        match word.parse() {
            Ok(number) if canonical => Ok(number),
            _ => bad(column, field),
        }
    }

    fn small(&mut self, field: Field) -> Result<u8, LineError> {
        let column = self.column;
        u8::try_from(self.number(field)?).or_else(|_| bad(column, field))
    }

    fn check(&mut self, field: Field, fine: fn(&str) -> bool) -> Result<&'a str, LineError> {
        let (word, column) = self.word(field)?;
        if fine(word) { Ok(word) } else { bad(column, field) }
    }

    /// Returns the rest of the line, including spaces.
    fn last(&mut self, field: Field, fine: fn(&str) -> bool) -> Result<&'a str, LineError> {
        match self.rest.take() {
            None => err(self.column, LineFault::Missing(field)),
            Some(rest) if fine(rest) => Ok(rest),
            Some(_) => bad(self.column, field),
        }
    }

    fn payload(&mut self) -> Result<&'a str, LineError> {
        self.last(Field::Payload, |payload| !payload.is_empty())
    }

    fn up_down(&mut self) -> Result<bool, LineError> {
        match self.word(Field::UpDown)? {
            ("up", _) => Ok(true),
            ("down", _) => Ok(false),
            (_, column) => bad(column, Field::UpDown),
        }
    }

    fn flag(&mut self) -> Result<bool, LineError> {
        match self.word(Field::Retain)? {
            ("0", _) => Ok(false),
            ("1", _) => Ok(true),
            (_, column) => bad(column, Field::Retain),
        }
    }

    fn audience(&mut self) -> Result<Audience, LineError> {
        let (word, column) = self.word(Field::Audience)?;
        Audience::find(word).map_or_else(|| bad(column, Field::Audience), Ok)
    }

    fn bytes(&mut self) -> Result<Cow<'a, [u8]>, LineError> {
        let column = self.column;
        match unhex(self.last(Field::Bytes, |_| true)?) {
            Some(bytes) if !bytes.is_empty() => Ok(Cow::Owned(bytes)),
            _ => bad(column, Field::Bytes),
        }
    }

    fn digest(&mut self) -> Result<Cow<'a, [u8]>, LineError> {
        let column = self.column;
        match unhex(self.last(Field::Digest, |_| true)?) {
            Some(bytes) if (1..=MAX_DIGEST).contains(&bytes.len()) => Ok(Cow::Owned(bytes)),
            _ => bad(column, Field::Digest),
        }
    }

    /// Checks that nothing follows. Only an `ack` record can have a rest here.
    fn end(&self) -> Result<(), LineError> {
        if self.rest.is_some() { bad(self.column - 1, Field::Number) } else { Ok(()) }
    }
}

fn bad<T>(column: usize, field: Field) -> Result<T, LineError> {
    err(column, LineFault::Bad(field))
}

fn err<T>(column: usize, fault: LineFault) -> Result<T, LineError> {
    Err(LineError { column, fault })
}
