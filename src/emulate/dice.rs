//! Draws random values for a game, all from one generator, so that the seed determines the whole game.

use std::time::Duration;

use fastrand::Rng;

/// The random generator of one game.
#[derive(Clone, Debug)]
pub struct Dice(Rng);

impl Dice {
    /// Makes the draws of game number `game` under `seed`.
    pub fn new(seed: u64, game: u64) -> Dice {
        // Two close numbers must give generators that differ (splitmix64's own constant).
        let mut mix = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ game.rotate_left(32));
        Dice(Rng::with_seed(mix.u64(..)))
    }

    /// Draws true with this probability.
    pub fn chance(&mut self, chance: f64) -> bool {
        // A number is drawn even if the result is certain, so that another chance in the table does not change later draws.
        self.0.f64() < chance
    }

    /// Draws evenly between two values.
    pub fn between(&mut self, [from, to]: [f64; 2]) -> f64 {
        from + (to - from) * self.0.f64()
    }

    /// Draws seconds evenly between two values.
    pub fn span(&mut self, range: [f64; 2]) -> Duration {
        seconds(self.between(range))
    }

    /// Draws seconds with a lognormal distribution.
    pub fn lognormal(&mut self, median: f64, spread: f64) -> Duration {
        // Box and Muller; the logarithm is of a number above zero.
        let radius = (-2.0 * (1.0 - self.0.f64()).ln()).sqrt();
        let normal = radius * (self.0.f64() * std::f64::consts::TAU).cos();
        seconds(median * (spread * normal).exp())
    }

    /// Draws the time until the next of events with this rate; none if the rate is 0.
    pub fn until_next(&mut self, per_second: f64) -> Option<Duration> {
        let drawn = -(1.0 - self.0.f64()).ln();
        (per_second > 0.0).then(|| seconds(drawn / per_second))
    }

    /// Draws one of these.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        self.0.choice(from).copied()
    }

    /// Draws a seed for another generator.
    pub fn seed(&mut self) -> u64 {
        self.0.u64(..)
    }
}

/// Converts seconds to whole microseconds, a week at most.
pub fn seconds(seconds: f64) -> Duration {
    Duration::from_micros((seconds.clamp(0.0, 604_800.0) * 1e6) as u64)
}
