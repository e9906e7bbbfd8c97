//! How often pictures are published (`mqtt.md` section 3): serialising one costs as much as the game is long.

use std::time::Duration;

use crate::station::Stale;
use crate::wall::Mono;

/// States follow each other no faster.
const STATE_EVERY: Duration = Duration::from_millis(100);
/// Times while a clock runs.
const CLOCK_EVERY: Duration = Duration::from_millis(500);
/// And while none does.
const CLOCK_IDLE: Duration = Duration::from_secs(30);

/// When each picture was made last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    arbiter: Mono,
    live: Mono,
    clock: Mono,
}

impl Pace {
    /// All pictures were made at this moment.
    pub(super) const fn new(now: Mono) -> Pace {
        Pace { arbiter: now, live: now, clock: now }
    }

    /// What of this is to be made now, and notes that it was.
    pub(super) fn due(&mut self, stale: Stale, now: Mono) -> Stale {
        let passed = |last: Mono, span: Duration| now.since(last) >= span;
        let due = Stale {
            arbiter: stale.arbiter && passed(self.arbiter, STATE_EVERY),
            live: stale.live && passed(self.live, STATE_EVERY),
            clock: stale.running_changed || stale.clock && passed(self.clock, CLOCK_EVERY) || passed(self.clock, CLOCK_IDLE),
            running_changed: stale.running_changed,
        };
        for (made, last) in [(due.arbiter, &mut self.arbiter), (due.live, &mut self.live), (due.clock, &mut self.clock)] {
            if made {
                *last = now;
            }
        }
        due
    }

    /// When to ask again.
    pub(super) fn next(&self, stale: Stale) -> Mono {
        let clock = self.clock.after(if stale.clock { CLOCK_EVERY } else { CLOCK_IDLE });
        let arbiter = stale.arbiter.then(|| self.arbiter.after(STATE_EVERY));
        let live = stale.live.then(|| self.live.after(STATE_EVERY));
        [arbiter, live].into_iter().flatten().fold(clock, Mono::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Stale = Stale { arbiter: false, live: false, clock: false, running_changed: false };

    #[test]
    fn pictures_keep_their_distance() {
        let ms = |ms: u64| Mono(ms * 1000);
        let all = Stale { arbiter: true, live: true, clock: true, running_changed: false };
        let mut pace = Pace::new(ms(0));
        assert_eq!(pace.due(all, ms(50)), NONE);
        assert_eq!(pace.next(all), ms(100));
        assert_eq!(pace.due(all, ms(100)), Stale { clock: false, ..all });
        assert_eq!(pace.due(all, ms(150)), NONE);
        assert_eq!(pace.due(Stale { arbiter: false, live: false, ..all }, ms(500)), Stale { clock: true, ..NONE });
    }

    #[test]
    fn another_running_clock_is_told_at_once_and_a_standing_one_every_half_minute() {
        let ms = |ms: u64| Mono(ms * 1000);
        let mut pace = Pace::new(ms(0));
        let changed = Stale { clock: true, running_changed: true, ..NONE };
        assert!(pace.due(changed, ms(1)).clock);
        assert_eq!(pace.next(NONE), ms(30_001));
        assert!(!pace.due(NONE, ms(30_000)).clock);
        assert!(pace.due(NONE, ms(30_001)).clock);
    }
}
