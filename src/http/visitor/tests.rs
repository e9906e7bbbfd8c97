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
