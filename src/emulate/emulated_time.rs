//! The time of emulated devices follows real time, but for what a busy machine takes of it: hands and clocks that were held up do not hurry
//! afterwards, as nobody's do.

use std::time::Duration;

use flagfall_protocols::time::Instant;

use crate::system_clock::{MonotonicTime, monotonic};

/// If nobody asked for the time for longer than this, it stood still meanwhile.
const HELD_UP: Duration = Duration::from_millis(100);

/// The time of an emulated device, from 0. Whoever runs the device asks for it at least every 50 ms.
#[derive(Debug)]
pub struct EmulatedTime {
    /// When it began, later by the time for which it stood still.
    began: MonotonicTime,
    asked: MonotonicTime,
    speed: f64,
}

impl EmulatedTime {
    /// Begins now, and goes `speed` times as fast as real time (0.01..=1000).
    pub fn new(speed: f64) -> EmulatedTime {
        let now = monotonic();
        EmulatedTime { began: now, asked: now, speed: if speed.is_finite() { speed.clamp(0.01, 1000.0) } else { 1.0 } }
    }

    /// The time now.
    pub fn now(&mut self) -> Instant {
        self.at(monotonic())
    }

    fn at(&mut self, now: MonotonicTime) -> Instant {
        self.began = self.began.after(now.since(self.asked).saturating_sub(HELD_UP));
        self.asked = now;
        Instant((now.since(self.began).as_micros() as f64 * self.speed) as u64)
    }

    /// How long it takes until this time.
    pub fn until(&mut self, next: Instant) -> Duration {
        next.since(self.now()).div_f64(self.speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stands_still_while_nobody_asks() {
        let mut time = EmulatedTime::new(2.0);
        let began = time.began;
        for (real, emulated) in [(0, 0), (20, 40), (120, 240), (1_000, 440), (1_050, 540), (1_150, 740)] {
            assert_eq!(time.at(began.after(Duration::from_millis(real))), Instant(emulated * 1_000), "{real} ms");
        }
    }
}
