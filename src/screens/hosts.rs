//! Decides by which names this server may be asked. A foreign server can give its own name the address of this machine; the browser
//! then takes its pages for ours. Such a request has the foreign name in `Host`.

use std::net::{IpAddr, SocketAddr};

/// Whether `Host` names this machine: by `localhost`, by the address at which the connection arrived, or by a configured name.
pub(super) fn is_own(host: &str, arrived_at: SocketAddr, names: &[String]) -> bool {
    let name = without_port(host);
    match name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || address == arrived_at.ip().to_canonical(),
        Err(_) => name.eq_ignore_ascii_case("localhost") || names.iter().any(|known| known.eq_ignore_ascii_case(name)),
    }
}

/// Whether a page of this origin was served under this `Host`, over TLS or not (`secure`). A proxy before this server may add TLS.
pub(super) fn is_own_page(origin: &str, host: &str, secure: bool) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    (scheme == "https" || (scheme == "http" && !secure)) && authority.eq_ignore_ascii_case(host)
}

fn without_port(host: &str) -> &str {
    match (host.rfind(':'), host.rfind(']')) {
        (Some(colon), bracket) if bracket.is_none_or(|bracket| bracket < colon) => &host[..colon],
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_accepted() {
        let names = ["hall.local".to_owned()];
        let arrived_at: SocketAddr = "192.168.1.10:8080".parse().expect("an address");
        for (host, is) in [
            ("localhost:8080", true),
            ("127.0.0.1:8080", true),
            ("[::1]:8080", true),
            ("192.168.1.10:8080", true),
            ("192.168.1.10", true),
            ("hall.local", true),
            ("Hall.Local:443", true),
            ("192.168.1.11:8080", false),
            ("evil.example", false),
            ("hall.local.evil.example", false),
            ("localhost.evil.example:8080", false),
            ("", false),
        ] {
            assert_eq!(is_own(host, arrived_at, &names), is, "{host:?}");
        }
    }

    #[test]
    fn only_our_own_pages_may_connect() {
        for (origin, host, secure, is) in [
            ("http://hall.local:8080", "hall.local:8080", false, true),
            ("https://hall.local:8080", "hall.local:8080", true, true),
            ("https://hall.example", "hall.example", false, true),
            ("http://hall.local:8080", "hall.local:8080", true, false),
            ("http://hall.local", "hall.local:8080", false, false),
            ("http://evil.example", "hall.local:8080", false, false),
            ("null", "hall.local:8080", false, false),
            ("", "", false, false),
        ] {
            assert_eq!(is_own_page(origin, host, secure), is, "{origin} at {host}");
        }
    }
}
