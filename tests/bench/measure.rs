//! A stopwatch and a table of results.

use std::hint::black_box;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use flagfall_protocols::bytes::crc32;

/// The number of rounds; each round measures everything once.
pub(crate) const ROUNDS: usize = 15;

#[allow(clippy::disallowed_methods, reason = "a stopwatch reads the clock")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// The time of `work` in nanoseconds, with the stopwatch's own time.
#[inline]
pub(crate) fn time(work: impl FnOnce()) -> f64 {
    let began = now();
    work();
    now().duration_since(began).as_nanos() as f64
}

/// The stopwatch's own time in nanoseconds.
pub(crate) fn own_time() -> f64 {
    middle(&mut (0..10_001).map(|_| time(|| ())).collect::<Vec<_>>())
}

/// The yardstick: a copy of the bytes and its checksum.
pub(crate) fn yardstick(bytes: &[u8], buffer: &mut Vec<u8>) {
    buffer.clear();
    buffer.extend_from_slice(black_box(bytes));
    black_box(crc32(buffer));
}

/// The middle value; 0 if there are none.
pub(crate) fn middle(values: &mut [f64]) -> f64 {
    share(values, 0.5)
}

/// The value that this share of all values does not exceed; 0 if there are none.
pub(crate) fn share(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let index = (values.len() as f64 * share) as usize;
    values.get(index.min(values.len().saturating_sub(1))).copied().unwrap_or(0.0)
}

/// A number of nanoseconds as text.
pub(crate) fn span(nanoseconds: f64) -> String {
    match Duration::from_nanos(nanoseconds.max(0.0) as u64) {
        long if long >= Duration::from_millis(1) => format!("{:.1} ms", nanoseconds / 1e6),
        _ if nanoseconds >= 100.0 => format!("{:.2} us", nanoseconds / 1e3),
        _ => format!("{nanoseconds:.0} ns"),
    }
}

/// One line of the report.
pub(crate) struct Row {
    pub(crate) what: String,
    /// The result as text.
    pub(crate) value: String,
    /// The 99th of 100 samples, or another figure that belongs to the result.
    pub(crate) more: String,
    /// The result as a multiple of the yardstick.
    pub(crate) ratio: Option<f64>,
    /// The goal, and whether it was met.
    pub(crate) goal: Option<(&'static str, bool)>,
}

/// The report.
#[derive(Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    pub(crate) fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{:44} {:>12}  {:>22}  {:>11}  goal", "", "", "", "yardsticks")?;
        for row in &self.rows {
            let ratio = row.ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"));
            let goal = row.goal.map_or(String::new(), |(goal, met)| format!("{goal}: {}", if met { "met" } else { "MISSED" }));
            writeln!(out, "{}", format!("{:44} {:>12}  {:>22}  {ratio:>11}  {goal}", row.what, row.value, row.more).trim_end())?;
        }
        Ok(())
    }
}
