//! Bounds what is asked for in a second. What is beyond a share waits before it is taken, so that nobody owes more than a moment's share.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use super::network;
use crate::system_clock::MonotonicTime;

/// How much may come at once, in seconds of the share.
const AT_ONCE: f64 = 0.25;
/// The longest time until something is tried again: shares grow when others have what they want.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The largest number of networks that have asked for something just now.
const MAX_NETWORKS: usize = 4_096;

/// What was taken beyond the share of the time since; `rate` is paid off in a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owed {
    price: f64,
    rate: f64,
    at: MonotonicTime,
}

impl Owed {
    pub(crate) fn new(rate: u32, now: MonotonicTime) -> Owed {
        Owed { price: 0.0, rate: f64::from(rate), at: now }
    }

    /// Whether something is owed now.
    pub(crate) fn is_owed(&mut self, now: MonotonicTime) -> bool {
        self.pay(now) > 0.0
    }

    fn pay(&mut self, now: MonotonicTime) -> f64 {
        self.price = (self.price - self.rate * now.since(self.at).as_secs_f64()).max(0.0);
        self.at = now;
        self.price
    }

    /// Takes something of this price.
    ///
    /// # Errors
    /// How long it must wait before it is tried again: the share is used up.
    pub(crate) fn take(&mut self, price: u32, now: MonotonicTime) -> Result<(), Duration> {
        let wait = self.pay(now) / self.rate - AT_ONCE;
        if wait > 0.0 {
            return Err(Duration::from_secs_f64(wait).min(LONGEST_PAUSE));
        }
        self.price += f64::from(price);
        Ok(())
    }
}

/// What networks have taken. Each may have `of_one` in a second, and all together `of_all`, which they share.
#[derive(Debug)]
pub(crate) struct NetworkRates {
    of_one: u32,
    of_all: u32,
    owed: BTreeMap<IpAddr, Owed>,
}

impl NetworkRates {
    pub(crate) const fn new(of_one: u32, of_all: u32) -> NetworkRates {
        NetworkRates { of_one, of_all, owed: BTreeMap::new() }
    }

    /// Takes something of this price for the network of an address.
    ///
    /// # Errors
    /// How long it must wait before it is tried again: the share is used up.
    pub(crate) fn take(&mut self, address: IpAddr, price: u32, now: MonotonicTime) -> Result<(), Duration> {
        self.owed.retain(|_, owed| owed.is_owed(now));
        let network = network(address);
        if self.owed.len() >= MAX_NETWORKS && !self.owed.contains_key(&network) {
            return Err(LONGEST_PAUSE);
        }
        let none = Owed::new(self.of_one, now);
        self.owed.entry(network).or_insert(none);
        let share = f64::from(self.of_all) / self.owed.len() as f64;
        self.owed.values_mut().for_each(|owed| owed.rate = share.min(none.rate));
        self.owed.entry(network).or_insert(none).take(price, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_networks_is_bounded() {
        let mut rates = NetworkRates::new(100, 200);
        let mut take = |network: u32, now| {
            let address = IpAddr::from([0x2001, (network >> 16) as u16, network as u16, 0, 0, 0, 0, 1]);
            rates.take(address, 64, MonotonicTime(now)).is_ok()
        };
        let taken = (0..2 * MAX_NETWORKS as u32).filter(|network| take(*network, 0)).count();
        assert_eq!(taken, MAX_NETWORKS);
        assert!(take(u32::MAX, 3_600_000_000), "later there is room again");
    }
}
