//! How a board looks at its squares: one after another, a8 to h1, round and round (`dgt/README.md#8`).
//!
//! A piece that moves while the scan is on its way can be seen on two squares or on none, and its new square can be reported
//! before the old one. Nothing of that is simulated by itself; it follows from when each square is sampled. Squares that do
//! not differ from what was reported need no sampling, so the scan is arithmetic: cost only where something changed.

use std::time::Duration;

use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

/// The scan of one board.
#[derive(Clone, Debug)]
pub struct Scan {
    begin: Instant,
    period: u64,
    reported: Placement,
}

impl Scan {
    /// A scan that begins at a8 at `begin`, takes `period` for all squares (at least 64 microseconds), and takes `reported`
    /// for known.
    pub fn new(begin: Instant, period: Duration, reported: Placement) -> Scan {
        Scan { begin, period: (period.as_micros() as u64).max(64), reported }
    }

    /// What the board would answer now: each square as it was when it was sampled last.
    pub const fn reported(&self) -> &Placement {
        &self.reported
    }

    /// The first square, at `now` or later, at whose sampling a difference between `seen` and what was reported will be found,
    /// if nothing changes until then.
    pub fn next(&self, seen: &Placement, now: Instant) -> Option<(Instant, Square)> {
        Square::all()
            .filter(|&square| seen.get(square) != self.reported.get(square))
            .map(|square| (self.sampled(square, now), square))
            .min_by_key(|&(at, square)| (at, squares::index(square)))
    }

    /// The sampling found `reading` on `square`.
    pub const fn report(&mut self, square: Square, reading: Reading) {
        self.reported.set(square, reading);
    }

    /// When `square` is sampled next, at `now` or later.
    fn sampled(&self, square: Square, now: Instant) -> Instant {
        let offset = u64::from(squares::index(square)) * self.period / 64;
        let first = self.begin.micros().saturating_add(offset);
        let waited = now.micros().saturating_sub(first);
        Instant(first.saturating_add(waited.div_ceil(self.period).saturating_mul(self.period)))
    }
}
