//! Limits how often states are published (`wire/README.md#3`): a board changes its state more often than anybody can see.

use std::time::Duration;

use crate::session::station::DirtyStates;
use crate::system_clock::MonotonicTime;

/// The time in which at most two states of a kind are published, that is ten a second. The second one may follow at once, since a
/// press comes right after its move.
const TWO_STATES: Duration = Duration::from_millis(200);
/// The time between two publications of clock times while a clock runs.
const CLOCK_EVERY: Duration = Duration::from_millis(500);
/// The time between two publications of clock times while no clock runs.
const CLOCK_IDLE: Duration = Duration::from_secs(30);

/// The times at which states were made: the last two times for the arbiter state and the live state, and the last time for the
/// clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateRateLimit {
    arbiter: [MonotonicTime; 2],
    live: [MonotonicTime; 2],
    clock: MonotonicTime,
}

impl StateRateLimit {
    /// Begins as if all states were made at this moment.
    pub(super) const fn new(now: MonotonicTime) -> StateRateLimit {
        StateRateLimit { arbiter: [now; 2], live: [now; 2], clock: now }
    }

    /// Returns which of the `dirty` states must be made now, and notes that they are made.
    pub(super) fn due(&mut self, dirty: DirtyStates, now: MonotonicTime) -> DirtyStates {
        let passed = |last: MonotonicTime, span: Duration| now.since(last) >= span;
        let due = DirtyStates {
            arbiter: dirty.arbiter && passed(self.arbiter[0], TWO_STATES),
            live: dirty.live && passed(self.live[0], TWO_STATES),
            clock: dirty.running_changed || dirty.clock && passed(self.clock, CLOCK_EVERY) || passed(self.clock, CLOCK_IDLE),
            running_changed: dirty.running_changed,
        };
        for (_, times) in [(due.arbiter, &mut self.arbiter), (due.live, &mut self.live)].into_iter().filter(|(made, _)| *made) {
            *times = [times[1], now];
        }
        if due.clock {
            self.clock = now;
        }
        due
    }

    /// When the next state is due.
    pub(super) fn next(&self, dirty: DirtyStates) -> MonotonicTime {
        let clock = self.clock.after(if dirty.clock { CLOCK_EVERY } else { CLOCK_IDLE });
        let arbiter = dirty.arbiter.then(|| self.arbiter[0].after(TWO_STATES));
        let live = dirty.live.then(|| self.live[0].after(TWO_STATES));
        [arbiter, live].into_iter().flatten().fold(clock, MonotonicTime::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: DirtyStates = DirtyStates { arbiter: false, live: false, clock: false, running_changed: false };

    #[test]
    fn states_keep_their_distance() {
        let ms = |ms: u64| MonotonicTime(ms * 1000);
        let all = DirtyStates { arbiter: true, live: true, clock: true, running_changed: false };
        let mut rate_limit = StateRateLimit::new(ms(0));
        assert_eq!(rate_limit.due(all, ms(150)), NONE);
        assert_eq!(rate_limit.next(all), ms(200));
        let states = DirtyStates { clock: false, ..all };
        assert_eq!(rate_limit.due(all, ms(200)), states);
        assert_eq!(rate_limit.due(all, ms(201)), states, "a press right after its move");
        assert_eq!(rate_limit.due(all, ms(202)), NONE);
        assert_eq!(rate_limit.next(states), ms(400));
        assert_eq!(rate_limit.due(all, ms(399)), NONE);
        assert_eq!(rate_limit.due(all, ms(400)), states);
        assert_eq!(
            rate_limit.due(DirtyStates { arbiter: false, live: false, ..all }, ms(500)),
            DirtyStates { clock: true, ..NONE }
        );
    }

    #[test]
    fn a_change_of_the_running_clock_is_due_at_once_and_a_standing_clock_every_half_minute() {
        let ms = |ms: u64| MonotonicTime(ms * 1000);
        let mut rate_limit = StateRateLimit::new(ms(0));
        let changed = DirtyStates { clock: true, running_changed: true, ..NONE };
        assert!(rate_limit.due(changed, ms(1)).clock);
        assert_eq!(rate_limit.next(NONE), ms(30_001));
        assert!(!rate_limit.due(NONE, ms(30_000)).clock);
        assert!(rate_limit.due(NONE, ms(30_001)).clock);
    }
}
