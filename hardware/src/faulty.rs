//! Damages a stream of bytes as cables, adapters and radios do. A seed selects the damage: the same seed and the same pieces
//! give the same result.

use std::time::Duration;

use fastrand::Rng;
use flagfall_protocols::time::Instant;

/// The probability of each fault, 0.0..=1.0. By default there are no faults.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// A byte is lost.
    pub drop: f64,
    /// One bit of a byte is inverted.
    pub flip: f64,
    /// A byte arrives twice.
    pub duplicate: f64,
    /// A piece arrives late, and so do all pieces after it: a line keeps its order.
    pub delay: f64,
    /// The longest delay of a piece.
    pub longest_delay: Duration,
    /// A piece is cut in two at a random place; the second half may be late too.
    pub cut: f64,
    /// The line goes dead after a piece: all bytes are lost for [`Rates::silence_lasts`].
    pub silence: f64,
    /// How long the line is dead.
    pub silence_lasts: Duration,
    /// Random bytes arrive before a piece.
    pub garbage: f64,
    /// The largest number of random bytes in one burst.
    pub longest_garbage: usize,
    /// The first piece loses its beginning, as when the port is opened while the device sends.
    pub start_mid_message: bool,
}

impl Rates {
    /// A bad line that is still usable: every kind of fault, each about once in a few hundred messages.
    pub const ROUGH: Rates = Rates {
        drop: 0.0005,
        flip: 0.0005,
        duplicate: 0.0005,
        delay: 0.02,
        longest_delay: Duration::from_millis(300),
        cut: 0.1,
        silence: 0.001,
        silence_lasts: Duration::from_secs(3),
        garbage: 0.003,
        longest_garbage: 12,
        start_mid_message: true,
    };
}

/// The number of faults of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Made {
    /// Bytes lost one by one.
    pub dropped: u64,
    /// Bits inverted.
    pub flipped: u64,
    /// Bytes doubled.
    pub duplicated: u64,
    /// Pieces delayed.
    pub delayed: u64,
    /// Pieces cut in two.
    pub cut: u64,
    /// Times the line went dead.
    pub silences: u64,
    /// Bytes lost while the line was dead.
    pub silenced: u64,
    /// Random bytes inserted.
    pub garbage: u64,
    /// Bytes lost from the beginning of the first piece.
    pub beheaded: u64,
}

/// The state of one damaged stream.
#[derive(Clone, Debug)]
pub struct Faults {
    rates: Rates,
    rng: Rng,
    dead_until: Instant,
    last: Instant,
    begun: bool,
    made: Made,
}

impl Faults {
    /// Creates faults with these `rates`, drawn from `seed`.
    pub fn new(seed: u64, rates: Rates) -> Faults {
        Faults {
            rates,
            rng: Rng::with_seed(seed),
            dead_until: Instant::ZERO,
            last: Instant::ZERO,
            begun: false,
            made: Made::default(),
        }
    }

    /// The number of faults so far.
    pub const fn made(&self) -> Made {
        self.made
    }

    /// Damages one piece and appends the result to `out`: zero to three pieces. No piece has a time before `at` or before the
    /// piece that precedes it.
    pub fn piece(&mut self, at: Instant, bytes: &[u8], out: &mut Vec<(Instant, Vec<u8>)>) {
        if bytes.is_empty() {
            return;
        }
        if at < self.dead_until {
            self.made.silenced += bytes.len() as u64;
            return;
        }
        let mut bytes = bytes;
        if !self.begun && self.rates.start_mid_message {
            let gone = self.rng.usize(..bytes.len());
            self.made.beheaded += gone as u64;
            bytes = &bytes[gone..];
        }
        self.begun = true;
        if self.chance(self.rates.garbage) && self.rates.longest_garbage > 0 {
            let burst: Vec<u8> = (0..self.rng.usize(1..=self.rates.longest_garbage)).map(|_| self.rng.u8(..)).collect();
            self.made.garbage += burst.len() as u64;
            self.emit(at, burst, out);
        }
        let damaged = self.damaged(bytes);
        if damaged.len() > 1 && self.chance(self.rates.cut) {
            self.made.cut += 1;
            let (head, tail) = damaged.split_at(self.rng.usize(1..damaged.len()));
            self.emit(at, head.to_vec(), out);
            self.emit(at, tail.to_vec(), out);
        } else {
            self.emit(at, damaged, out);
        }
        if self.chance(self.rates.silence) {
            self.made.silences += 1;
            self.dead_until = at.after(self.rates.silence_lasts);
        }
    }

    fn damaged(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut damaged = Vec::with_capacity(bytes.len());
        for &byte in bytes {
            if self.chance(self.rates.drop) {
                self.made.dropped += 1;
                continue;
            }
            let mut byte = byte;
            if self.chance(self.rates.flip) {
                self.made.flipped += 1;
                byte ^= 1 << self.rng.u8(..8);
            }
            damaged.push(byte);
            if self.chance(self.rates.duplicate) {
                self.made.duplicated += 1;
                damaged.push(byte);
            }
        }
        damaged
    }

    fn emit(&mut self, at: Instant, bytes: Vec<u8>, out: &mut Vec<(Instant, Vec<u8>)>) {
        if bytes.is_empty() {
            return;
        }
        let mut at = at;
        if self.chance(self.rates.delay) {
            self.made.delayed += 1;
            at = at.after(self.rates.longest_delay.mul_f64(self.rng.f64()));
        }
        self.last = self.last.max(at);
        out.push((self.last, bytes));
    }

    /// This draws a number even for a probability of 0 or 1, so that a change of one rate does not shift the draws of the
    /// others.
    fn chance(&mut self, probability: f64) -> bool {
        self.rng.f64() < probability
    }
}

/// Returns the whole stream `pieces` with damage.
pub fn damage(seed: u64, rates: Rates, pieces: &[(Instant, Vec<u8>)]) -> Vec<(Instant, Vec<u8>)> {
    let mut faults = Faults::new(seed, rates);
    let mut out = Vec::with_capacity(pieces.len());
    for (at, bytes) in pieces {
        faults.piece(*at, bytes, &mut out);
    }
    out
}
