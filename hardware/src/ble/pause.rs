//! Defines the waiting times of the radio and computes the pauses between attempts to connect. The pauses grow, and a part of
//! each is random, so that not all devices are tried at the same moment.

use std::time::Duration;

use fastrand::Rng;

/// The largest number of failures that counts after a connection that was open: the pause is at most four times [`Pace::first`].
const MOST_AFTER_OPENING: u32 = 3;

/// The waiting times of a radio. The default suits real devices and BlueZ; tests with faster devices may wait less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The time in which BlueZ must answer a query about its own state: 5 s.
    pub answer: Duration,
    /// The time limit for connecting, for finding the services, and for subscribing: 20 s each.
    pub connect: Duration,
    /// The additional time for finding the services while BlueZ has a connection: 20 s.
    pub services: Duration,
    /// The least time for opening a device again that was open before: 5 s. It gets twice the time that its last opening took if
    /// that is more. After two failures the limits of a new device apply.
    pub reopen: Duration,
    /// The time without a notification after which the radio checks whether the device is still connected: 10 s.
    pub quiet: Duration,
    /// A sink that has no room for an event for this time loses the connection: 5 s. The session then begins again, so that no
    /// bytes are lost silently.
    pub no_room: Duration,
    /// The interval at which BlueZ is asked whether it is there, because it ends without notice: 5 s.
    pub health: Duration,
    /// The interval at which all devices around are checked during a search: 1 s.
    pub look: Duration,
    /// The delay of a check after a device advertised for the first time: 0.1 s.
    pub look_soon: Duration,
    /// The time of listening before a device without a known address counts as the wanted one: 3 s. Most boards advertise
    /// several times a second, so another board of the same name would also have been found by then.
    pub listen: Duration,
    /// The pause before the next try when BlueZ or the adapter is missing: 1 s.
    pub rebuild: Duration,
    /// The time from one attempt to connect to the next, for any devices: 1 s.
    pub apart: Duration,
    /// The longest pause after a device's first failure: 1 s. It doubles with each failure.
    pub first: Duration,
    /// The longest pause after many failures: 15 s.
    pub last: Duration,
    /// A connection that lasted this long was good, and its end does not count as a failure to connect: 10 s.
    pub good: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        let secs = Duration::from_secs;
        Pace {
            answer: secs(5),
            connect: secs(20),
            services: secs(20),
            reopen: secs(5),
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
    /// Returns the time for connecting to a device and finding its services, if its last opening took `opened_in`.
    pub(super) fn patience(&self, opened_in: Duration) -> Duration {
        (opened_in * 2).clamp(self.reopen, self.reopen.max(self.connect + self.services))
    }

    /// Returns the number of failures after a connection that lasted this long, or that was never open. A device that could be
    /// opened is near, so the pause after it stays short.
    pub(super) fn failures_after<E>(&self, lasted: &Result<Duration, E>, before: u32) -> u32 {
        match lasted {
            Ok(lasted) if *lasted >= self.good => 0,
            Ok(_) => before.saturating_add(1).min(MOST_AFTER_OPENING),
            Err(_) => before.saturating_add(1),
        }
    }

    /// Returns the pause after this number of failures without a success. Half of it is random.
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
    fn short_connections_lead_to_short_pauses() {
        let pace = Pace::default();
        let (good, short, never) = (Ok(pace.good), Ok(pace.good / 2), Err(()));
        for (lasted, before, after) in
            [(good, 7, 0), (short, 0, 1), (short, 2, 3), (short, 3, 3), (short, 9, 3), (never, 3, 4), (never, u32::MAX, u32::MAX)]
        {
            assert_eq!(pace.failures_after(&lasted, before), after, "{lasted:?} {before}");
        }
    }

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
