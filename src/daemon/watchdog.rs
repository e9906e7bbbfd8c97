//! Measures how close the program came to the moment at which systemd's watchdog restarts it.

use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// The times at which systemd was told that the program is alive.
#[derive(Debug)]
pub(super) struct Watchdog {
    /// The time without a report after which systemd restarts the program; none if no watchdog is set.
    limit: Option<Duration>,
    reported_at: MonotonicTime,
    /// The longest time without a report since the margin was last reset.
    longest: Duration,
}

impl Watchdog {
    /// The watchdog of a program that has just been started.
    pub(super) fn new(limit: Option<Duration>, now: MonotonicTime) -> Watchdog {
        Watchdog { limit, reported_at: now, longest: Duration::ZERO }
    }

    /// Notes a report to systemd.
    pub(super) fn note_report(&mut self, now: MonotonicTime) {
        self.longest = self.longest.max(now.since(self.reported_at));
        self.reported_at = now;
    }

    /// The least time that was left since the margin was reset, zero if it was over; none without a watchdog.
    pub(super) fn margin(&self, now: MonotonicTime) -> Option<Duration> {
        let longest = self.longest.max(now.since(self.reported_at));
        Some(self.limit?.saturating_sub(longest))
    }

    /// Begins to measure the margin anew.
    pub(super) fn reset(&mut self) {
        self.longest = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_margin_is_what_was_left_after_the_longest_silence() {
        let seconds = Duration::from_secs;
        let at = |second: u64| MonotonicTime(second * 1_000_000);
        assert_eq!(Watchdog::new(None, at(0)).margin(at(99)), None);
        let mut watchdog = Watchdog::new(Some(seconds(10)), at(100));
        assert_eq!(watchdog.margin(at(101)), Some(seconds(9)));
        watchdog.note_report(at(104));
        watchdog.note_report(at(105));
        assert_eq!(watchdog.margin(at(105)), Some(seconds(6)), "four seconds were silent");
        watchdog.reset();
        assert_eq!(watchdog.margin(at(106)), Some(seconds(9)));
        assert_eq!(watchdog.margin(at(200)), Some(seconds(0)));
    }
}
