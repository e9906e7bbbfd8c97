//! Records acknowledgements of the broker in the journal, at most once a second. An acknowledgement never wakes the task of a
//! station.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use flagfall_protocols::trace::Audience;

use crate::system_clock::MonotonicTime;

/// The shortest time between two records. The next record is made in the first turn after it. After a power cut the events that
/// were acknowledged since the last record are sent again.
const EVERY: Duration = Duration::from_secs(1);

/// The number up to which the broker has acknowledged the events of each audience. The network stores it, and the station reads
/// it in each turn.
#[derive(Debug, Default)]
pub(super) struct Acked([AtomicU64; 3]);

impl Acked {
    /// Stores that the broker has everything up to `number`.
    pub(super) fn note(&self, audience: Audience, number: u64) {
        self.0[audience as usize].store(number, Ordering::Relaxed);
    }
}

/// The acknowledgements that the journal holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Acks {
    recorded: [u64; 3],
    at: MonotonicTime,
}

impl Acks {
    /// Takes what the journal holds at this moment, in the order of [`Audience::ALL`].
    pub(super) const fn new(recorded: [u64; 3], now: MonotonicTime) -> Acks {
        Acks { recorded, at: now }
    }

    /// Returns what must be recorded now. At the `end` the time does not matter.
    pub(super) fn take_due(&mut self, acked: &Acked, now: MonotonicTime, end: bool) -> [Option<u64>; 3] {
        let mut news = [None; 3];
        if now.since(self.at) < EVERY && !end {
            return news;
        }
        for ((new, recorded), acked) in news.iter_mut().zip(&mut self.recorded).zip(&acked.0) {
            let number = acked.load(Ordering::Relaxed);
            if number > *recorded {
                (*recorded, *new, self.at) = (number, Some(number), now);
            }
        }
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_number_of_each_audience_is_recorded_once_a_second() {
        let (acked, mut acks) = (Acked::default(), Acks::new([5, 0, 0], MonotonicTime(0)));
        let [arbiter, live] = [Audience::Arbiter, Audience::Live].map(|audience| audience as usize);
        acked.note(Audience::Arbiter, 6);
        acked.note(Audience::Live, 7);
        assert_eq!(acks.take_due(&acked, MonotonicTime(999_999), false), [None; 3]);
        let news = acks.take_due(&acked, MonotonicTime(1_000_000), false);
        assert_eq!((news[arbiter], news[live]), (Some(6), Some(7)));
        assert_eq!(acks.take_due(&acked, MonotonicTime(9_000_000), true), [None; 3]);
        acked.note(Audience::Live, 8);
        assert_eq!(acks.take_due(&acked, MonotonicTime(1_500_000), false), [None; 3]);
        assert_eq!(acks.take_due(&acked, MonotonicTime(1_500_000), true)[live], Some(8));
    }
}
