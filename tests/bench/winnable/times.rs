//! A stopwatch and a table of results.

use std::io::{self, Write};

use nix::time::{ClockId, clock_gettime};

/// Work that takes longer than this is measured once.
const LONG: f64 = 2e3;
/// Shorter work is measured this number of times.
const TIMES: usize = 3;

/// The CPU time of this thread in microseconds, independent of other work on the machine.
fn now() -> f64 {
    let now = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("Linux has this clock");
    now.tv_sec() as f64 * 1e6 + now.tv_nsec() as f64 / 1e3
}

/// The least of a few measurements of `work`, in microseconds.
pub fn fastest<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let mut time = || {
        let began = now();
        let made = work();
        (made, now() - began)
    };
    let (made, mut least) = time();
    for _ in 1..TIMES {
        if least < LONG {
            least = least.min(time().1);
        }
    }
    (made, least)
}

/// Microseconds of many questions.
pub struct Times {
    all: Vec<f64>,
}

impl Times {
    /// No questions yet.
    pub const fn none() -> Self {
        Self { all: Vec::new() }
    }

    /// Adds the time of one question.
    pub fn add(&mut self, microseconds: f64) {
        self.all.push(microseconds);
    }

    /// The number of questions.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The mean time of a question in microseconds; 0 if there are none.
    pub fn mean(&self) -> f64 {
        self.all.iter().sum::<f64>() / self.all.len().max(1) as f64
    }

    /// Prints one line: mean, median, 99th of 100, worst, and the mean as a multiple of another mean.
    pub fn print(&mut self, what: &str, beside: Option<&Times>, out: &mut dyn Write) -> io::Result<()> {
        self.all.sort_by(f64::total_cmp);
        let share = |part: usize| self.all.get((self.all.len() * part / 100).min(self.all.len().saturating_sub(1)));
        let at = |part: usize| span(share(part).copied().unwrap_or(0.0));
        let ratio = beside.map_or(String::new(), |beside| format!("{:.2}", self.mean() / beside.mean()));
        let line = format!("{what:44} {:>11} {:>11} {:>11} {:>11} {ratio:>7}", span(self.mean()), at(50), at(99), at(100));
        writeln!(out, "{}", line.trim_end())
    }
}

/// The line above the lines of [`Times::print`].
pub fn heading(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{:44} {:>11} {:>11} {:>11} {:>11} {:>7}", "", "mean", "median", "p99", "worst", "ratio")
}

fn span(microseconds: f64) -> String {
    if microseconds >= 1e3 { format!("{:.2} ms", microseconds / 1e3) } else { format!("{microseconds:.2} us") }
}
