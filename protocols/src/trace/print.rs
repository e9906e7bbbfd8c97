//! Writes a record as one line of a recording or journal.

use alloc::string::String;
use core::fmt::Write;

use super::error::{Field, LineError, LineFault};
use super::record::{Body, Record};
use super::{MAX_DIGEST, MAX_LINE, SUFFIX, control, is_topic, is_word};
use crate::bytes::{crc32, push_hex};

/// Appends `record` as one line to `out`, with its line feed. Only `out` may allocate memory.
///
/// # Errors
/// A field that cannot be written in a line (a control character in a payload, an empty byte string, a cause that is not a
/// word, a line that would be too long). `out` is then unchanged.
pub fn print(record: &Record<'_>, out: &mut String) -> Result<(), LineError> {
    check(&record.body).map_err(|fault| LineError { column: 0, fault })?;
    let start = out.len();
    // Writing to a String cannot fail, here and below.
    let _ = write!(out, "{} {} {} ", record.seq, record.at.micros(), record.body.kind());
    match &record.body {
        Body::Rx { link, channel, bytes } | Body::Tx { link, channel, bytes } => {
            let _ = write!(out, "{link} {channel} ");
            push_hex(out, bytes);
        }
        Body::Link { link, up, cause } => {
            let _ = write!(out, "{link} {} {cause}", if *up { "up" } else { "down" });
        }
        Body::Cmd(payload) | Body::Answer(payload) | Body::Anchor(payload) | Body::Boot(payload) => out.push_str(payload),
        Body::Out { number, audience, topic, retain, payload } => {
            let _ = write!(out, "{number} {} {topic} {} {payload}", audience.name(), u8::from(*retain));
        }
        Body::Ack { sink, audience, number } => {
            let _ = write!(out, "{sink} {} {number}", audience.name());
        }
        Body::Snap(digest) => push_hex(out, digest),
    }
    finish(out, start)
}

/// Adds the checksum and the line feed to the line that begins at `start`. Removes the line if it is too long.
pub(super) fn finish(out: &mut String, start: usize) -> Result<(), LineError> {
    if out.len() - start + SUFFIX > MAX_LINE {
        out.truncate(start);
        return Err(LineError { column: 0, fault: LineFault::TooLong });
    }
    let crc = crc32(&out.as_bytes()[start..]);
    out.push_str(" *");
    push_hex(out, &crc.to_be_bytes());
    out.push('\n');
    Ok(())
}

fn check(body: &Body<'_>) -> Result<(), LineFault> {
    match body {
        // This is refused before it is written as hex, so that `out` does not grow without need.
        Body::Rx { bytes, .. } | Body::Tx { bytes, .. } if bytes.len() > MAX_LINE / 2 => Err(LineFault::TooLong),
        Body::Rx { bytes, .. } | Body::Tx { bytes, .. } if bytes.is_empty() => Err(LineFault::Bad(Field::Bytes)),
        Body::Rx { .. } | Body::Tx { .. } => Ok(()),
        Body::Link { cause, .. } => ok_if(is_word(cause), Field::Cause),
        Body::Cmd(payload) | Body::Answer(payload) | Body::Anchor(payload) | Body::Boot(payload) => {
            ok_if(!payload.is_empty(), Field::Payload)?;
            plain(payload)
        }
        Body::Out { topic, payload, .. } => {
            ok_if(is_topic(topic), Field::Topic)?;
            plain(payload)
        }
        Body::Ack { sink, .. } => ok_if(is_word(sink), Field::Sink),
        Body::Snap(digest) => ok_if((1..=MAX_DIGEST).contains(&digest.len()), Field::Digest),
    }
}

fn plain(payload: &str) -> Result<(), LineFault> {
    if control(payload).is_some() { Err(LineFault::Control) } else { Ok(()) }
}

fn ok_if(fine: bool, field: Field) -> Result<(), LineFault> {
    if fine { Ok(()) } else { Err(LineFault::Bad(field)) }
}
