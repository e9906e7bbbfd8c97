//! The time of emulated devices follows real time, but for what a busy machine takes of it: hands and clocks that were held up do not hurry
//! afterwards, as nobody's do.

use std::time::Duration;

use flagfall_protocols::time::Instant;

use crate::system_clock::{MonotonicTime, monotonic};

/// If nobody asked for the time for longer than this, it stood still meanwhile.
const HELD_UP: Duration = Duration::from_millis(100);

/// The time of an emulated device, from 0. Whoever runs the device asks for it at least every 50 ms, or sleeps as long as
/// [`EmulatedTime::sleep_until`] says.
#[derive(Debug)]
pub struct EmulatedTime {
    /// When it began, later by the time for which it stood still.
    began: MonotonicTime,
    /// When somebody asked last, or will ask at the latest.
    asked: MonotonicTime,
    speed: f64,
}

impl EmulatedTime {
    /// Begins now, and goes `speed` times as fast as real time (0.01..=1000).
    pub fn new(speed: f64) -> EmulatedTime {
        EmulatedTime::after(Duration::ZERO, speed)
    }

    /// The same, but it begins later.
    pub fn after(wait: Duration, speed: f64) -> EmulatedTime {
        let now = monotonic().after(wait);
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

    /// The same, at most `most`, for somebody who does not ask again before that: the time does not stand still meanwhile.
    pub fn sleep_until(&mut self, next: Option<Instant>, most: Duration) -> Duration {
        let now = monotonic();
        let begins = self.began.since(now);
        let wait = next.map_or(most, |next| most.min(begins + next.since(self.at(now)).div_f64(self.speed)));
        self.asked = now.after(wait);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_goes_on_while_nobody_needs_to_ask() {
        let mut time = EmulatedTime::after(Duration::from_secs(3600), 2.0);
        assert_eq!(time.now(), Instant(0), "it has not begun");
        let wait = time.sleep_until(Some(Instant(2_000_000)), Duration::MAX);
        assert!(wait > Duration::from_secs(3590), "{wait:?}");
        let (began, due) = (time.began, time.asked);
        assert_eq!(time.at(due), Instant(due.since(began).as_micros() as u64 * 2), "the whole time of the sleep");
        assert_eq!(time.at(due.after(Duration::from_millis(300))), Instant(due.since(began).as_micros() as u64 * 2 + 200_000));
    }

    #[test]
    fn it_stands_still_while_nobody_asks() {
        let mut time = EmulatedTime::new(2.0);
        let began = time.began;
        for (real, emulated) in [(0, 0), (20, 40), (120, 240), (1_000, 440), (1_050, 540), (1_150, 740)] {
            assert_eq!(time.at(began.after(Duration::from_millis(real))), Instant(emulated * 1_000), "{real} ms");
        }
    }
}
