//! Finds out who asks behind a reverse proxy.

use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;

/// The header in which a proxy adds the address of its client at the end.
const FORWARDED_FOR: &str = "x-forwarded-for";

/// The address of the visitor of a request that came from `peer`: the last address in `X-Forwarded-For` that is no trusted proxy, if a
/// trusted proxy sent it. What stands before that one is what the visitor says.
pub(super) fn of(headers: &HeaderMap, peer: IpAddr, trusted: &[IpAddr]) -> IpAddr {
    let mut visitor = peer.to_canonical();
    // A visitor may send bytes that are no text, to be taken for the proxy.
    let lines = headers.get_all(FORWARDED_FOR).iter().map(|line| String::from_utf8_lossy(line.as_bytes()));
    let named = lines.collect::<Vec<_>>().join(",");
    for named in named.rsplit(',') {
        if !trusted.contains(&visitor) {
            break;
        }
        let Some(before) = parse(named.trim()) else { break };
        visitor = before;
    }
    visitor
}

/// An address with or without a port.
fn parse(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse().or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_a_trusted_proxy_says_who_asks() {
        let trusted: Vec<IpAddr> = ["127.0.0.1", "10.0.0.2"].map(|text| text.parse().expect("an address")).into();
        for (peer, lines, visitor) in [
            ("10.0.0.9", &[][..], "10.0.0.9"),
            ("10.0.0.9", &["10.9.9.9"], "10.0.0.9"),
            ("127.0.0.1", &[], "127.0.0.1"),
            ("::ffff:127.0.0.1", &["10.9.9.9"], "10.9.9.9"),
            ("127.0.0.1", &["10.9.9.9:4711"], "10.9.9.9"),
            ("127.0.0.1", &["[2001:db8::9]:4711"], "2001:db8::9"),
            ("127.0.0.1", &["[2001:db8::9]"], "2001:db8::9"),
            ("127.0.0.1", &["::ffff:10.9.9.9"], "10.9.9.9"),
            // What the visitor sent itself stands before what the proxy added.
            ("127.0.0.1", &["10.1.1.1, 10.9.9.9"], "10.9.9.9"),
            ("127.0.0.1", &["10.1.1.1", "10.9.9.9"], "10.9.9.9"),
            ("127.0.0.1", &["10.1.1.1, 10.9.9.9, 10.0.0.2"], "10.9.9.9"),
            ("127.0.0.1", &["127.0.0.1"], "127.0.0.1"),
            ("127.0.0.1", &["10.9.9.9, nobody"], "127.0.0.1"),
            ("127.0.0.1", &["\u{e9}"], "127.0.0.1"),
            ("127.0.0.1", &["\u{e9}, 10.9.9.9"], "10.9.9.9"),
            ("127.0.0.1", &[""], "127.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            for line in lines {
                headers.append(FORWARDED_FOR, HeaderValue::from_bytes(line.as_bytes()).expect("a value"));
            }
            let parse = |text: &str| text.parse::<IpAddr>().expect("an address");
            assert_eq!(of(&headers, parse(peer), &trusted), parse(visitor), "{peer} {lines:?}");
        }
    }
}
