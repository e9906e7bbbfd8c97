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
mod tests;
