//! What people cost who have not proved who they are: places of connections, what they ask for in a second, and guesses of passwords. Every
//! listener that strangers can reach uses these: the broker in this program, HTTP, and the relay of the pages.

#[cfg(any(feature = "broker", feature = "screens"))]
mod guesses;
#[cfg_attr(not(feature = "broker"), allow(dead_code, reason = "nobody logs in at a listener for HTTP alone"))]
mod places;
mod rates;
#[cfg_attr(not(feature = "broker"), allow(dead_code, reason = "some are the broker's"))]
mod refusals;

#[cfg(any(feature = "broker", feature = "screens"))]
pub(crate) use guesses::{Attempt, Guesses, SLOW_ANSWER};
pub(crate) use places::{Limits, Place, Places};
pub(crate) use rates::NetworkRates;
#[cfg(feature = "broker")]
pub(crate) use rates::Owed;
pub(crate) use refusals::Listener;
#[cfg(any(feature = "broker", feature = "screens"))]
pub(crate) use refusals::Refusal;

use std::net::{IpAddr, Ipv6Addr};

/// The network of an address, which has one owner: everybody with IPv6 has 2^64 addresses of one /64. With IPv4, and on this machine, it is
/// the address.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) if !v6.is_loopback() => IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64)),
        one => one,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_has_one_network() {
        for (address, of) in [
            ("10.0.0.1", "10.0.0.1"),
            ("::ffff:10.0.0.1", "10.0.0.1"),
            ("2001:db8:1:2:ffff::9", "2001:db8:1:2::"),
            ("2001:db8:1:3::9", "2001:db8:1:3::"),
            ("::1", "::1"),
        ] {
            let parse = |text: &str| text.parse::<IpAddr>().expect("an address");
            assert_eq!(network(parse(address)), parse(of), "{address}");
        }
    }
}
