//! Counts the connections of the relay: all of them, those of each address, and how fast one address opens them.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::system_clock::{self, MonotonicTime};

/// The largest number of connections.
const MOST: usize = 200;
/// The largest number of connections of one address.
const MOST_OF_ONE: usize = 20;
/// The largest number of connections that one address opens in [`WINDOW`].
const MOST_OPENED: u32 = 5;
const WINDOW: Duration = Duration::from_secs(1);

/// The connections.
#[derive(Debug, Default)]
pub(super) struct Places {
    by_address: Mutex<BTreeMap<IpAddr, Visitor>>,
}

#[derive(Debug)]
struct Visitor {
    connections: usize,
    /// The beginning of the second in which connections are counted, and their number.
    since: MonotonicTime,
    opened: u32,
}

/// A connection that is counted until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    address: IpAddr,
}

impl Places {
    /// Counts one more connection of this address.
    ///
    /// # Errors
    /// There is no room for it: why, for people.
    pub(super) fn enter(self: &Arc<Places>, address: IpAddr) -> Result<Place, &'static str> {
        self.enter_at(address, system_clock::monotonic())
    }

    fn enter_at(self: &Arc<Places>, address: IpAddr, now: MonotonicTime) -> Result<Place, &'static str> {
        let mut all = self.lock();
        // Addresses that have gone, and have opened nothing for a second, need no place.
        all.retain(|_, visitor| visitor.connections > 0 || now.since(visitor.since) < WINDOW);
        // An address without a connection has a line for a second only; a flood of addresses is bounded all the same.
        if all.len() >= 8 * MOST || all.values().map(|visitor| visitor.connections).sum::<usize>() >= MOST {
            return Err("too many connections");
        }
        let visitor = all.entry(address).or_insert(Visitor { connections: 0, since: now, opened: 0 });
        if now.since(visitor.since) >= WINDOW {
            (visitor.since, visitor.opened) = (now, 0);
        }
        visitor.opened = visitor.opened.saturating_add(1);
        if visitor.opened > MOST_OPENED {
            return Err("too many new connections of this address in one second");
        }
        if visitor.connections >= MOST_OF_ONE {
            return Err("too many connections of this address");
        }
        visitor.connections += 1;
        Ok(Place { places: Arc::clone(self), address })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<IpAddr, Visitor>> {
        self.by_address.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(visitor) = self.places.lock().get_mut(&self.address) {
            visitor.connections = visitor.connections.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bounded_for_each_address_and_for_all() {
        let places: Arc<Places> = Arc::default();
        let start = system_clock::monotonic();
        let address = |last: u8| IpAddr::from([10, 0, 0, last]);
        let at = |second: u64| start.after(Duration::from_secs(second));
        let mut held = Vec::new();
        for second in 0..4 {
            held.extend((0..5).map(|_| places.enter_at(address(1), at(second)).expect("a place")));
            assert!(places.enter_at(address(1), at(second)).is_err(), "the sixth in second {second}");
        }
        assert!(places.enter_at(address(1), at(9)).is_err(), "the twenty-first");
        held.pop();
        held.push(places.enter_at(address(1), at(11)).expect("one has gone"));
        for other in 2..=37 {
            held.extend((0..5).map(|_| places.enter_at(address(other), at(20)).expect("a place")));
        }
        assert_eq!(held.len(), MOST);
        assert!(places.enter_at(address(99), at(30)).is_err(), "the house is full");
        held.clear();
        assert!(places.enter_at(address(99), at(31)).is_ok());
    }
}
