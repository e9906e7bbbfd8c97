//! Simulates the scan of a board, which samples its squares one after another, from a8 to h1, again and again
//! (`dgt/README.md#8`).
//!
//! A piece that moves during a scan can be seen on two squares or on none, and its new square can be reported before the old
//! one. None of this is simulated explicitly; it follows from the times of the samples. A square that has not changed needs no
//! sample, so the scan is arithmetic: only changes cost time.

use std::time::Duration;

use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

/// The scan of one emulated board.
#[derive(Clone, Debug)]
pub struct Scan {
    begin: Instant,
    period: u64,
    reported: Placement,
}

impl Scan {
    /// Creates a scan that begins at a8 at `begin` and needs `period` for all squares (at least 64 microseconds). `reported`
    /// are the readings that the host already knows.
    pub fn new(begin: Instant, period: Duration, reported: Placement) -> Scan {
        Scan { begin, period: (period.as_micros() as u64).max(64), reported }
    }

    /// Returns the readings that the board would report now: each square as it was at its last sample.
    pub const fn reported(&self) -> &Placement {
        &self.reported
    }

    /// Returns the time, at `now` or later, and the square of the first sample that will find a difference between `seen` and
    /// the reported readings, if nothing changes until then.
    pub fn next(&self, seen: &Placement, now: Instant) -> Option<(Instant, Square)> {
        Square::all()
            .filter(|&square| seen.get(square) != self.reported.get(square))
            .map(|square| (self.sampled(square, now), square))
            .min_by_key(|&(at, square)| (at, squares::index(square)))
    }

    /// Records that the sample found `reading` on `square`.
    pub const fn report(&mut self, square: Square, reading: Reading) {
        self.reported.set(square, reading);
    }

    /// Returns the time of the next sample of `square`, at `now` or later.
    fn sampled(&self, square: Square, now: Instant) -> Instant {
        let offset = u64::from(squares::index(square)) * self.period / 64;
        let first = self.begin.micros().saturating_add(offset);
        let waited = now.micros().saturating_sub(first);
        Instant(first.saturating_add(waited.div_ceil(self.period).saturating_mul(self.period)))
    }
}
