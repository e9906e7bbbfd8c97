//! Feeds a trace (a recording) or a journal to a station again. The same inputs give the same outputs.

use std::time::Duration;

use anyhow::{Context, Result};
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::{Record, Trace};

use super::record_input::read_input;
use super::station::{Station, StationOutput};

/// The time for which a station continues after the last record, so that the last moves become sure.
pub const SETTLE: Duration = Duration::from_secs(3);

/// Feeds one record to a station.
///
/// # Errors
/// As [`read_input`].
pub fn feed(station: &mut Station, record: &Record<'_>, out: &mut Vec<StationOutput>) -> Result<()> {
    if let Some(input) = read_input(&record.body).with_context(|| format!("record {}", record.seq))? {
        station.feed(record.at, &input, out);
    }
    Ok(())
}

/// Feeds a whole trace and lets its end settle. Every output goes to `sink` in order.
///
/// # Errors
/// A damaged line, or an error of [`feed`]: with the line.
pub fn run(trace: &Trace<'_>, station: &mut Station, sink: &mut dyn FnMut(StationOutput) -> Result<()>) -> Result<()> {
    let mut out = Vec::new();
    let mut last = Instant::ZERO;
    for record in trace.records() {
        let (_, record) = record?;
        last = record.at;
        feed(station, &record, &mut out)?;
        out.drain(..).try_for_each(&mut *sink)?;
    }
    station.advance(last.after(SETTLE), &mut out);
    out.drain(..).try_for_each(sink)
}
