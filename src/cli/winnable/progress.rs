//! Draws the progress of a batch on standard error if that is a terminal.

use std::io::{IsTerminal, Write, stderr};
use std::time::Duration;

use super::rows::Reading;
use crate::system_clock::{MonotonicTime, monotonic};

/// The shortest time between two drawings.
pub(super) const EVERY: Duration = Duration::from_millis(200);
/// The width of the progress bar, in characters.
const WIDTH: usize = 30;

/// Counts the answered rows.
#[derive(Default)]
pub(super) struct Tally {
    /// One for each verdict, in the order of [`Tally::NAMES`].
    pub(super) counts: [u64; 4],
}

impl Tally {
    pub(super) const NAMES: [&'static str; 4] = ["winnable", "unwinnable", "undecided", "invalid"];

    pub(super) fn add(&mut self, verdict: &str) {
        if let Some(place) = Self::NAMES.iter().position(|name| *name == verdict) {
            self.counts[place] += 1;
        }
    }

    fn rows(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The progress bar.
pub(super) struct Progress {
    terminal: bool,
    reading: Reading,
    began: MonotonicTime,
    drawn: MonotonicTime,
}

impl Progress {
    pub(super) fn new(reading: Reading) -> Progress {
        let began = monotonic();
        Progress { terminal: stderr().is_terminal(), reading, began, drawn: began }
    }

    /// Draws the bar if its time has come.
    pub(super) fn draw(&mut self, tally: &Tally) {
        let now = monotonic();
        if self.terminal && now.since(self.drawn) >= EVERY {
            self.drawn = now;
            // A bar that cannot be drawn does no harm.
            let _ = write!(stderr(), "\r\x1b[K{}", self.text(tally, now));
        }
    }

    /// Prints a line that stays.
    pub(super) fn print_line(&self, text: &str) {
        let clear = if self.terminal { "\r\x1b[K" } else { "" };
        // If this cannot be written, it cannot be reported.
        let _ = writeln!(stderr(), "{clear}flagfall: {text}");
    }

    /// Removes the bar, and on a terminal leaves the final counts.
    pub(super) fn end(&self, tally: &Tally) {
        if self.terminal {
            // If this cannot be written, it cannot be reported.
            let _ = writeln!(stderr(), "\r\x1b[K{}", self.text(tally, monotonic()));
        }
    }

    fn text(&self, tally: &Tally, now: MonotonicTime) -> String {
        let rows = tally.rows();
        let rate = rows as f64 / now.since(self.began).as_secs_f64().max(0.001);
        let counts = tally.counts.iter().zip(Tally::NAMES).filter(|(count, _)| **count > 0);
        let counts: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
        let bar = self.reading.size.filter(|size| *size > 0).map_or_else(String::new, |size| {
            let share = self.reading.read().min(size);
            let full = (share * WIDTH as u64 / size) as usize;
            format!("[{}{}] {:3} % read, ", "#".repeat(full), " ".repeat(WIDTH - full), share * 100 / size)
        });
        format!("{bar}{rows} rows, {rate:.0}/s: {}", counts.join(", "))
    }
}
