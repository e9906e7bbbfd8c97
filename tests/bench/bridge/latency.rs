//! The time from the last byte of a field update to its message.

use std::time::Duration;

use flagfall::system_clock::MonotonicTime;

use crate::boards::Write;
use crate::listener::ReceivedMessage;

/// The daemon sends two states in this time (`wire/README.md#3`); an update after a quiet time of this length is sent at once.
const PACE: Duration = Duration::from_millis(200);

/// The microseconds of each field update in one run.
#[derive(Default)]
pub(crate) struct Latency {
    /// The updates after a quiet time.
    pub(crate) alone: Vec<f64>,
    /// All updates.
    pub(crate) all: Vec<f64>,
}

impl Latency {
    fn add(&mut self, before: Option<MonotonicTime>, written: MonotonicTime, arrived: MonotonicTime) {
        let micros = arrived.since(written).as_micros() as f64;
        if before.is_none_or(|before| written.since(before) >= PACE) {
            self.alone.push(micros);
        }
        self.all.push(micros);
    }

    /// The yardstick publishes all bytes in order: an update has arrived when its number of bytes has arrived.
    pub(crate) fn of_copies(&mut self, writes: &[Write], received: &[&ReceivedMessage]) {
        let mut bytes = 0;
        let arrivals = received.iter().map(|received| {
            bytes += received.bytes as u64;
            (bytes, received.at)
        });
        let arrivals: Vec<(u64, MonotonicTime)> = arrivals.collect();
        let mut before = None;
        for write in writes.iter().filter(|write| write.shown.is_some()) {
            if let Some((_, at)) = arrivals.get(arrivals.partition_point(|(end, _)| *end < write.end)) {
                self.add(before, write.at, *at);
            }
            before = Some(write.at);
        }
    }

    /// The daemon publishes states of the board: an update has arrived with the first state that shows it or a later one.
    pub(crate) fn of_pictures<'a>(&mut self, writes: &[Write], received: impl Iterator<Item = (MonotonicTime, &'a str)>) {
        let fields: Vec<&Write> = writes.iter().filter(|write| write.shown.is_some()).collect();
        let mut next = 0;
        for (at, shown) in received {
            let written = fields.partition_point(|write| write.at <= at);
            let Some(upto) = (next..written).rev().find(|index| fields[*index].shown.as_deref() == Some(shown)) else { continue };
            for index in next..=upto {
                let before = index.checked_sub(1).map(|before| fields[before].at);
                self.add(before, fields[index].at, at);
            }
            next = upto + 1;
        }
    }
}

/// The value that this share of all values does not exceed; 0 if there are none.
pub(crate) fn share(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(0.0)
}
