//! Converts captures (recordings of other programs) into traces, the recordings of this program.
//!
//! A capture consists of JSON lines with `dir` (`board->host` or `host->board`), `hex`, and sometimes `t` in seconds. A capture
//! without times gets them from the clock messages: if a display has lost a second, a second has passed. The pieces between two
//! clock messages are spread evenly over the time between them.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use flagfall_protocols::bytes::unhex;
use flagfall_protocols::driver::{Driver, DriverInfo, Input, Output};
use flagfall_protocols::event::{ClockReading, DeviceEvent};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{self, Body, Record};
use serde::Deserialize;

/// The shortest time before a clock message while a clock runs. A press, for example, is reported before a second has passed.
const PART_OF_A_SECOND: Duration = Duration::from_millis(500);
/// The shortest time between two messages. A message takes this long on a slow line.
const LEAST_GAP: Duration = Duration::from_millis(20);
/// The time between two messages while no clock runs.
const NO_CLOCK_GAP: Duration = Duration::from_millis(250);

#[derive(Deserialize)]
struct Line {
    dir: String,
    hex: String,
    #[serde(default)]
    t: Option<f64>,
}

struct Piece {
    /// The line of the capture, from 1.
    line: usize,
    from_board: bool,
    bytes: Vec<u8>,
    seconds: Option<f64>,
}

/// Turns a capture into the text of a trace for `driver`, with these header lines beside the driver's name.
///
/// # Errors
/// A line is not such JSON, holds no hex, or is earlier than the one before: with its number.
pub fn import(capture: &str, driver: &DriverInfo, headers: &[(&str, &str)]) -> Result<String> {
    let mut pieces = Vec::new();
    for (index, text) in capture.lines().enumerate() {
        if !text.trim().is_empty() {
            let line = index + 1;
            let piece = piece(line, text).with_context(|| format!("line {line}"))?;
            pieces.push(piece);
        }
    }
    let timed = pieces.iter().filter(|piece| piece.seconds.is_some()).count();
    let times = match timed {
        0 => {
            let messages = whole_messages(pieces, driver);
            let times = times_from_clock(&messages);
            pieces = messages.into_iter().map(|(piece, _)| piece).collect();
            times
        }
        _ if timed == pieces.len() => times_of_lines(&pieces)?,
        _ => bail!("{timed} of {} lines have a time: all or none must", pieces.len()),
    };
    let mut out = String::from(trace::FORMAT);
    out.push('\n');
    for (key, value) in [("driver", driver.name)].iter().chain(headers) {
        trace::print_header(key, value, &mut out).with_context(|| format!("header `{key}: {value}`"))?;
    }
    for (seq, (piece, at)) in pieces.into_iter().zip(times).enumerate() {
        let bytes = piece.bytes.into();
        let body = match piece.from_board {
            true => Body::Rx { link: 0, channel: 0, bytes },
            false => Body::Tx { link: 0, channel: 0, bytes },
        };
        trace::print(&Record { seq: seq as u64 + 1, at, body }, &mut out)?;
    }
    Ok(out)
}

fn piece(line: usize, text: &str) -> Result<Piece> {
    let Line { dir, hex, t } = serde_json::from_str(text)?;
    let from_board = match dir.as_str() {
        "board->host" | "rx" => true,
        "host->board" | "tx" => false,
        other => bail!("dir `{other}` is neither `board->host` nor `host->board`"),
    };
    let bytes = unhex(&hex.to_ascii_lowercase()).with_context(|| format!("hex `{hex}`"))?;
    if bytes.is_empty() {
        bail!("hex is empty");
    }
    if let Some(t) = t.filter(|t| !(0.0..1e11).contains(t)) {
        bail!("t {t} is not a number of seconds from 0 on");
    }
    Ok(Piece { line, from_board, bytes, seconds: t })
}

/// Returns the times of the lines, counted from the first one.
fn times_of_lines(pieces: &[Piece]) -> Result<Vec<Instant>> {
    let mut times = Vec::with_capacity(pieces.len());
    let mut last = f64::NEG_INFINITY;
    let mut first = None;
    for (line, seconds) in pieces.iter().filter_map(|piece| Some((piece.line, piece.seconds?))) {
        if seconds < last {
            bail!("line {line}: t {seconds} is before that of the line before");
        }
        last = seconds;
        times.push(Instant(((seconds - *first.get_or_insert(seconds)) * 1e6).round() as u64));
    }
    Ok(times)
}

/// Cuts the capture again at the ends of messages, and returns each message with its clock report. Without times nothing shows
/// how long a message that was captured in pieces was on its way.
fn whole_messages(pieces: Vec<Piece>, driver: &DriverInfo) -> Vec<(Piece, Option<ClockReading>)> {
    let mut driver = driver.start();
    let mut messages = Vec::with_capacity(pieces.len());
    let message = |line, bytes| Piece { line, from_board: true, bytes, seconds: None };
    let (mut begun, mut line) = (Vec::new(), 0);
    for piece in pieces {
        line = piece.line;
        if !piece.from_board {
            messages.push((piece, None));
            continue;
        }
        for byte in piece.bytes {
            begun.push(byte);
            if let Some(clock) = feed_byte(driver.as_mut(), byte) {
                messages.push((message(line, std::mem::take(&mut begun)), clock));
            }
        }
    }
    if !begun.is_empty() {
        messages.push((message(line, begun), None));
    }
    messages
}

/// Feeds one more byte to the driver. Returns none if it reports nothing, and otherwise the clock's times if it reports them.
fn feed_byte(driver: &mut dyn Driver, byte: u8) -> Option<Option<ClockReading>> {
    driver.handle(Instant::ZERO, Input::Bytes { channel: 0, bytes: &[byte] });
    let mut reported = None;
    while let Some(output) = driver.poll() {
        let clock = match output {
            Output::Event { event: DeviceEvent::Clock(reading), .. } => Some(reading),
            _ => None,
        };
        reported = Some(clock.or(reported.flatten()));
    }
    reported
}

/// Makes times from the clock messages.
fn times_from_clock(messages: &[(Piece, Option<ClockReading>)]) -> Vec<Instant> {
    let mut times = Vec::with_capacity(messages.len());
    let mut last: Option<&ClockReading> = None;
    let mut now = Instant::ZERO;
    let mut waiting = 0u32;
    for (_, reading) in messages {
        let Some(reading) = reading else {
            waiting += 1;
            continue;
        };
        let passed = match last {
            Some(before) if before.running => time_lost(before, reading).max(PART_OF_A_SECOND),
            _ => NO_CLOCK_GAP * (waiting + 1),
        };
        let step = (passed / (waiting + 1)).max(LEAST_GAP);
        for _ in 0..=waiting {
            now = now.after(step);
            times.push(now);
        }
        waiting = 0;
        last = Some(reading);
    }
    for _ in 0..waiting {
        now = now.after(NO_CLOCK_GAP);
        times.push(now);
    }
    times
}

/// The time that the display which lost more has lost.
fn time_lost(before: &ClockReading, now: &ClockReading) -> Duration {
    let fall = |was: u32, is: u32| u64::from(was.saturating_sub(is));
    let left = fall(before.left.time.millis(), now.left.time.millis());
    let right = fall(before.right.time.millis(), now.right.time.millis());
    Duration::from_millis(left.max(right))
}
