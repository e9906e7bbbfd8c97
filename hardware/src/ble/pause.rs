//! How long the radio waits and for what; and when a device is tried again: later and later, and not all devices at the same moment.

use std::time::Duration;

use fastrand::Rng;

/// How long a radio waits. The default is what devices on the air and BlueZ need; who knows that his are faster may wait less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How long BlueZ may take to answer what it knows: 5 s.
    pub answer: Duration,
    /// How long connecting may take, and then finding the services, and then subscribing: 20 s each.
    pub connect: Duration,
    /// After so long without a notification it is asked whether the device is still connected: 10 s.
    pub quiet: Duration,
    /// Whoever has no room for an event for so long loses the connection: 5 s. A session that begins anew loses nothing silently.
    pub no_room: Duration,
    /// How often BlueZ is asked whether it is there, because its end is silent: every 5 s.
    pub health: Duration,
    /// While a device is looked for, all that are around are looked at so often: every 1 s.
    pub look: Duration,
    /// So soon after a device was heard for the first time they are looked at: 0.1 s.
    pub look_soon: Duration,
    /// Where no address is known a device is taken for the wanted one after so long a time of listening: 3 s. Most boards
    /// advertise several times a second, and a neighbour's of the same name was heard as well by then.
    pub listen: Duration,
    /// Without BlueZ or an adapter it is tried again after so long: 1 s.
    pub rebuild: Duration,
    /// From one attempt to connect to the next, whichever device each is for: 1 s.
    pub apart: Duration,
    /// The longest pause of a device after a first failure: 1 s. It doubles with each failure.
    pub first: Duration,
    /// The longest pause after many failures: 15 s.
    pub last: Duration,
    /// A connection that has lasted so long was a good one, and what ended it is no failure to connect: 10 s.
    pub good: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        let secs = Duration::from_secs;
        Pace {
            answer: secs(5),
            connect: secs(20),
            quiet: secs(10),
            no_room: secs(5),
            health: secs(5),
            look: secs(1),
            look_soon: Duration::from_millis(100),
            listen: secs(3),
            rebuild: secs(1),
            apart: secs(1),
            first: secs(1),
            last: secs(15),
            good: secs(10),
        }
    }
}

impl Pace {
    /// How long to wait after so many failures without a success: half of it is chance.
    pub(super) fn pause(&self, failures: u32, rng: &mut Rng) -> Duration {
        let Some(doublings) = failures.checked_sub(1) else { return Duration::ZERO };
        let whole = (self.first * (1 << doublings.min(8))).min(self.last);
        whole / 2 + whole.mul_f64(rng.f64() / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_bound_and_differ() {
        let (pace, mut rng) = (Pace::default(), Rng::with_seed(1));
        assert_eq!(pace.pause(0, &mut rng), Duration::ZERO);
        for (failures, whole) in [(1, 1), (2, 2), (4, 8), (5, 15), (u32::MAX, 15)] {
            let drawn: Vec<_> = (0..100).map(|_| pace.pause(failures, &mut rng)).collect();
            let whole = Duration::from_secs(whole);
            assert!(drawn.iter().all(|pause| (whole / 2..=whole).contains(pause)), "{failures}: {drawn:?}");
            assert!(drawn.windows(2).any(|pair| pair[0] != pair[1]));
        }
    }
}
