//! Chance, all of it from one seeded generator, so that a seed names a game.

use std::time::Duration;

use fastrand::Rng;

/// Draws for one game.
#[derive(Clone, Debug)]
pub struct Dice(Rng);

impl Dice {
    /// The draws of game number `game` under `seed`.
    pub fn new(seed: u64, game: u64) -> Dice {
        // Two numbers that are close give generators that are not (splitmix64's own constant).
        let mut mix = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ game.rotate_left(32));
        Dice(Rng::with_seed(mix.u64(..)))
    }

    /// True so often.
    pub fn chance(&mut self, chance: f64) -> bool {
        // Drawn even where it is certain: another chance in the table shifts nothing that is drawn later.
        self.0.f64() < chance
    }

    /// Evenly between two values.
    pub fn between(&mut self, [from, to]: [f64; 2]) -> f64 {
        from + (to - from) * self.0.f64()
    }

    /// Seconds evenly between two values.
    pub fn span(&mut self, range: [f64; 2]) -> Duration {
        seconds(self.between(range))
    }

    /// Seconds, lognormal.
    pub fn lognormal(&mut self, median: f64, spread: f64) -> Duration {
        // Box and Muller; the logarithm is of a number above zero.
        let radius = (-2.0 * (1.0 - self.0.f64()).ln()).sqrt();
        let normal = radius * (self.0.f64() * std::f64::consts::TAU).cos();
        seconds(median * (spread * normal).exp())
    }

    /// How long until the next of things that happen so often a second; none if they never do.
    pub fn until_next(&mut self, per_second: f64) -> Option<Duration> {
        let drawn = -(1.0 - self.0.f64()).ln();
        (per_second > 0.0).then(|| seconds(drawn / per_second))
    }

    /// One of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        self.0.choice(from).copied()
    }

    /// A seed for a generator elsewhere.
    pub fn seed(&mut self) -> u64 {
        self.0.u64(..)
    }
}

/// Whole microseconds; a week at most.
pub fn seconds(seconds: f64) -> Duration {
    Duration::from_micros((seconds.clamp(0.0, 604_800.0) * 1e6) as u64)
}
