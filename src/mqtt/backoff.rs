//! Determines how long to wait between attempts to connect to the broker.

use std::time::Duration;

use super::types::ReconnectDelays;
use crate::system_clock::{MonotonicTime, Utc};

/// The number of attempts that failed in a row, from which the next wait follows.
#[derive(Default)]
pub(crate) struct Backoff {
    failed: u32,
}

impl Backoff {
    /// Returns the wait after a connection that lasted this long. `chance` is any number that differs from node to node.
    pub(crate) fn next_wait(&mut self, delays: &ReconnectDelays, lasted: Duration, chance: u64) -> Duration {
        if lasted >= delays.good {
            self.failed = 0;
        }
        let doubled = delays.first.saturating_mul(1 << self.failed.min(16));
        self.failed = self.failed.saturating_add(1);
        jittered(doubled.min(delays.longest), chance)
    }

    /// Returns the wait after a refusal that will probably last.
    pub(crate) fn longest_wait(&mut self, delays: &ReconnectDelays, chance: u64) -> Duration {
        self.failed = self.failed.saturating_add(1);
        jittered(delays.longest, chance)
    }

    pub(super) fn failed(&self) -> u32 {
        self.failed
    }
}

/// The wall clock at the beginning of a wait. A machine without a battery for its clock learns the time late, and then a certificate
/// that was not valid yet is valid: there is no reason to wait longer.
pub(super) struct WallClock {
    /// Microseconds between the two clocks.
    offset: i64,
}

impl WallClock {
    /// A clock that moved by less makes no certificate valid.
    const MOVED: Duration = Duration::from_secs(60);

    pub(super) fn at(now: MonotonicTime, utc: Utc) -> WallClock {
        WallClock { offset: utc.0.saturating_sub_unsigned(now.0) }
    }

    pub(super) fn has_moved(&self, now: MonotonicTime, utc: Utc) -> bool {
        self.offset.abs_diff(WallClock::at(now, utc).offset) >= WallClock::MOVED.as_micros() as u64
    }
}

/// Changes the wait by up to a quarter, so that many nodes do not return at the same moment.
fn jittered(wait: Duration, chance: u64) -> Duration {
    // SplitMix64's last step: neighbouring numbers give unlike ones.
    let mixed = (chance ^ (chance >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let part = ((mixed >> 33) % 501) as u32;
    wait * (750 + part) / 1000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_to_the_longest_and_begin_again_after_a_good_connection() {
        let (delays, mut backoff) = (ReconnectDelays::default(), Backoff::default());
        for (lasted, expected) in
            [(0, 500), (0, 1000), (5, 2000), (29, 4000), (0, 8000), (0, 15000), (0, 15000), (30, 500), (0, 1000)]
        {
            let wait = backoff.next_wait(&delays, Duration::from_secs(lasted), 7).as_millis();
            assert!((expected * 3 / 4..=expected * 5 / 4).contains(&wait), "{lasted} s: {wait} ms instead of about {expected}");
        }
    }

    #[test]
    fn a_clock_moves_when_it_does_not_run_as_the_other() {
        let began = (MonotonicTime(10_000_000), Utc(1_735_689_600_000_000));
        let start = WallClock::at(began.0, began.1);
        for (passed, shown, moved) in [
            (0, 0, false),
            (15, 15, false),
            (15, 74, false),
            (15, 75, true),
            (15, 60_000_000, true),
            (15, -44, false),
            (15, -45, true),
        ] {
            let now = MonotonicTime(began.0.0 + passed * 1_000_000);
            assert_eq!(start.has_moved(now, Utc(began.1.0 + shown * 1_000_000)), moved, "{passed} {shown}");
        }
    }

    #[test]
    fn waits_differ_by_a_quarter() {
        let waits: Vec<_> = (0..100).map(|chance| jittered(Duration::from_secs(10), chance * 1_000_003).as_millis()).collect();
        assert!(waits.iter().all(|wait| (7_500..=12_500).contains(wait)), "{waits:?}");
        assert!(waits.iter().any(|wait| *wait < 8_500) && waits.iter().any(|wait| *wait > 11_500), "{waits:?}");
    }
}
