//! Measures how late a message of the gateway arrived, by its timestamp.

use core::time::Duration;

use crate::time::Instant;

/// The length of one window. Messages are compared with the quickest one of this window and the window before. In this time the
/// gateway's clock and this computer's clock drift apart by only milliseconds; after it a wrong timestamp has no effect any more.
const WINDOW: Duration = Duration::from_secs(60);

/// The longest delay of a radio. If timestamps show a longer one, the gateway has restarted and counts from zero.
const MAX_DELAY: Duration = Duration::from_secs(10);

/// Compares arrival times with timestamps. The quickest message shows the difference between the two clocks. Its own delay is not
/// known, so each delay is relative to this message.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lateness {
    /// Arrival time minus timestamp of the quickest message, in microseconds, in this window and in the previous one.
    quickest: [Option<i64>; 2],
    began: Instant,
}

impl Lateness {
    /// Returns the additional delay of this message, compared with the quickest one. `stamp` is in milliseconds.
    pub(super) fn measure(&mut self, at: Instant, stamp: u64) -> Duration {
        let stamp = i64::try_from(stamp).unwrap_or(i64::MAX).saturating_mul(1000);
        let apart = i64::try_from(at.0).unwrap_or(i64::MAX).saturating_sub(stamp);
        let late = self.after_quickest(apart);
        if late > MAX_DELAY {
            self.quickest = [None; 2];
        }
        if self.quickest == [None; 2] || at.since(self.began) >= WINDOW {
            self.quickest = [None, self.quickest[0]];
            self.began = at;
        }
        self.quickest[0] = Some(self.quickest[0].map_or(apart, |quickest| quickest.min(apart)));
        if late > MAX_DELAY { Duration::ZERO } else { late }
    }

    fn after_quickest(&self, apart: i64) -> Duration {
        let quickest = self.quickest.into_iter().flatten().min().unwrap_or(apart);
        Duration::from_micros(apart.saturating_sub(quickest).max(0).cast_unsigned())
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Returns the delays of messages with these arrivals and stamps, all in milliseconds.
    fn lateness_of(messages: &[(u64, u64)]) -> Vec<u128> {
        let mut lateness = Lateness::default();
        messages.iter().map(|&(at, stamp)| lateness.measure(Instant(at * 1000), stamp).as_millis()).collect()
    }

    #[test]
    fn delays_are_relative_to_the_quickest_message() {
        // The gateway's clock is behind or ahead of ours.
        for behind in [0, 60_000] {
            let messages = [(5_040, 5_000), (6_015, 6_000), (7_300, 7_000), (7_300, 7_250), (8_000, 8_000), (9_015, 9_000)];
            assert_eq!(lateness_of(&messages.map(|(at, stamp)| (at + behind, stamp))), [0, 0, 285, 35, 0, 15], "{behind}");
            assert_eq!(lateness_of(&messages.map(|(at, stamp)| (at, stamp + behind))), [0, 0, 285, 35, 0, 15], "{behind}");
        }
    }

    #[test]
    fn a_drift_between_the_clocks_is_corrected() {
        // Our clock gains one millisecond in ten seconds: 100 ppm.
        let late = lateness_of(&(0..1_000).map(|n| (n * 10_000 + n, n * 10_000)).collect::<Vec<_>>());
        assert!(late.iter().all(|late| *late <= 12), "{late:?}");
        assert!(late[999] >= 6, "{}", late[999]);
    }

    #[test]
    fn restarted_time_stamps_give_no_delay() {
        assert_eq!(
            lateness_of(&[(100_000, 90_000), (101_500, 91_000), (102_000, 20), (103_000, 1_000), (103_300, 1_100)]),
            [0, 500, 0, 20, 220]
        );
        // A wrong stamp is forgotten: at once if it is far off, otherwise after two minutes.
        assert_eq!(
            lateness_of(&[(1_000, u64::MAX), (2_000, 1_000), (3_200, 2_000), (3_300, u64::MAX), (4_000, 3_000)]),
            [0, 0, 200, 0, 0]
        );
        let ahead = (0..200).map(|second| (second * 1000, second * 1000 + if second == 30 { 8_000 } else { 0 }));
        let late = lateness_of(&ahead.collect::<Vec<_>>());
        assert_eq!((late[29], late[31], late[100], &late[180..]), (0, 8_000, 8_000, &[0; 20][..]));
        assert_eq!(lateness_of(&[(u64::MAX / 1000, 0), (0, u64::MAX), (1_000, 0)]), [0, 0, 0]);
    }

    #[test]
    fn the_quickest_message_is_known_after_a_long_silence() {
        assert_eq!(
            lateness_of(&[(0, 0), (7_200_300, 7_200_000), (7_200_600, 7_200_500), (14_400_200, 14_400_000)]),
            [0, 300, 100, 200]
        );
    }
}
