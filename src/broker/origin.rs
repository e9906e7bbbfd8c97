//! Decides whether a web page may connect. A browser opens a WebSocket to this machine for any page, without asking anybody; only
//! the header `Origin` says from which server the page came.

use std::net::IpAddr;

/// Whether a connection with these headers is accepted. A program that is no browser sends no `Origin`.
///
/// A page is accepted if it came from this machine, or from the host that it connects to: a screen's page is often served by
/// another program on the broker's machine. If the broker has no users (`is_open`), only the first counts: a foreign server can
/// give its own name the address of this machine, and then both hosts are the same.
pub(super) fn is_accepted(origin: Option<&str>, host: Option<&str>, is_open: bool) -> bool {
    let Some(origin) = origin else { return true };
    // `null` is the origin of pages that hide theirs.
    let Some((_, authority)) = origin.split_once("://") else { return false };
    let own = name(authority);
    is_this_machine(own) || (!is_open && host.is_some_and(|host| name(host).eq_ignore_ascii_case(own)))
}

/// The host of `host:port`.
fn name(authority: &str) -> &str {
    match authority.split_once(']') {
        Some((address, _)) => address.trim_start_matches('['),
        None => authority.split_once(':').map_or(authority, |(name, _)| name),
    }
}

fn is_this_machine(name: &str) -> bool {
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_from_elsewhere_are_refused() {
        // Origin, Host, accepted with users, accepted without.
        for (origin, host, guarded, open) in [
            (None, "127.0.0.1:9001", true, true),
            (Some("http://localhost:8080"), "127.0.0.1:9001", true, true),
            (Some("https://127.0.0.1"), "192.168.1.10:9001", true, true),
            (Some("http://[::1]:8080"), "[::1]:9001", true, true),
            (Some("http://hall.local"), "hall.local:9001", true, false),
            (Some("http://Hall.local:8080"), "hall.LOCAL:9001", true, false),
            (Some("http://192.168.1.10"), "192.168.1.10:9001", true, false),
            (Some("http://[fe80::1]:8080"), "[fe80::1]:9001", true, false),
            (Some("https://evil.example"), "127.0.0.1:9001", false, false),
            (Some("https://localhost.evil.example"), "127.0.0.1:9001", false, false),
            (Some("https://127.0.0.1.evil.example"), "127.0.0.1:9001", false, false),
            (Some("null"), "127.0.0.1:9001", false, false),
            (Some(""), "127.0.0.1:9001", false, false),
            (Some("http://"), "127.0.0.1:9001", false, false),
        ] {
            assert_eq!(is_accepted(origin, Some(host), false), guarded, "{origin:?} {host}");
            assert_eq!(is_accepted(origin, Some(host), true), open, "{origin:?} {host} without users");
        }
        assert!(!is_accepted(Some("http://hall.local"), None, false));
    }
}
