//! The addresses that the program listens at: no two of its listeners are in each other's way, and this machine has the addresses.

use std::net::{IpAddr, SocketAddr};

use super::types::Config;
use crate::listening::{self, Refused};

/// The keys of all listeners.
pub const LISTENERS: [&str; 5] = ["broker.tcp", "broker.websocket", "livechess.listen", "http.listen", "screens.listen"];

/// The addresses of all listeners that the configuration switches on, each with its key.
fn addresses(config: &Config) -> Vec<(&'static str, SocketAddr)> {
    let [tcp, websocket, livechess, http, screens] = LISTENERS;
    let own = config.broker.enabled.then_some([(tcp, &config.broker.tcp), (websocket, &config.broker.websocket)]);
    let programs = config.livechess.listen.iter().filter(|_| config.livechess.enabled).map(|text| (livechess, text));
    let pages = config.screens.enabled.then_some((screens, &config.screens.listen));
    let all = own.into_iter().flatten().chain(programs).chain([(http, &config.http.listen)]).chain(pages);
    // An empty text is no listener, and the form of the others was checked with their keys.
    all.filter_map(|(key, text)| Some((key, text.parse().ok()?))).collect()
}

/// The listeners whose port another one of this program has already.
pub(super) fn clashes(config: &Config) -> Vec<(&'static str, String)> {
    let all = addresses(config);
    let clash = |(index, (key, address)): (usize, &(&'static str, SocketAddr))| {
        let (other, taken) = all[..index].iter().find(|(_, taken)| is_in_the_way(*taken, *address))?;
        Some((*key, format!("{address} is taken by {other}, {taken}: choose another port")))
    };
    all.iter().enumerate().filter_map(clash).collect()
}

/// Whether nobody can listen at both addresses.
fn is_in_the_way(one: SocketAddr, other: SocketAddr) -> bool {
    let (first, second) = (one.ip().to_canonical(), other.ip().to_canonical());
    // On Linux `[::]` stands for the addresses of both families.
    let covers = |all: IpAddr, one: IpAddr| all.is_unspecified() && (all.is_ipv6() || one.is_ipv4());
    // Port 0 is any free one.
    one.port() == other.port() && one.port() != 0 && (first == second || covers(first, second) || covers(second, first))
}

/// The listeners with these keys that cannot get their addresses on this machine, whatever other programs do.
pub(super) fn refused(config: &Config, keys: &[&str]) -> Vec<(&'static str, String)> {
    let all = addresses(config).into_iter().filter(|(key, _)| keys.contains(key));
    let trials: Vec<_> = all.map(|(key, address)| (key, listening::attempt(address))).collect();
    // Of several addresses of one key, those that this machine has are enough.
    let has = |refused: &Option<Refused>| refused.as_ref().is_none_or(|refused| !refused.is_missing);
    let has_one = |key: &str| trials.iter().any(|(other, refused)| *other == key && has(refused));
    let counts = |key: &str, refused: &Refused| !refused.is_missing || !has_one(key);
    let refused = trials.iter().filter_map(|(key, refused)| Some((*key, refused.as_ref()?)));
    refused.filter(|(key, refused)| counts(key, refused)).map(|(key, refused)| (key, refused.why.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_listeners_are_in_each_others_way() {
        for (one, other, are) in [
            ("127.0.0.1:80", "127.0.0.1:80", true),
            ("127.0.0.1:80", "127.0.0.1:81", false),
            ("127.0.0.1:80", "127.0.0.2:80", false),
            ("127.0.0.1:0", "127.0.0.1:0", false),
            ("0.0.0.0:80", "127.0.0.1:80", true),
            ("0.0.0.0:80", "0.0.0.0:80", true),
            ("0.0.0.0:80", "[::1]:80", false),
            ("0.0.0.0:80", "[::]:80", true),
            ("[::]:80", "127.0.0.1:80", true),
            ("[::]:80", "[::1]:80", true),
            ("[::1]:80", "127.0.0.1:80", false),
            ("[::ffff:127.0.0.1]:80", "127.0.0.1:80", true),
        ] {
            let [first, second] = [one, other].map(|text| text.parse().expect("an address"));
            assert_eq!([is_in_the_way(first, second), is_in_the_way(second, first)], [are; 2], "{one} {other}");
        }
    }
}
