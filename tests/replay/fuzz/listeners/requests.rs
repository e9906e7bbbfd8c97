//! Heads of HTTP requests at the server of the pages.

use std::net::{Ipv4Addr, SocketAddr};

use flagfall::config::Config;
use flagfall::http::MAX_HEAD;
use flagfall::screens;
use tokio::task::JoinSet;

use super::watched::{Watched, assert_no_panic};
use super::{connect_from, exchange, runtime, upgrade};
use crate::fuzz::{BYTES, campaign};
use crate::support::nearly::{mutated_bytes, run_until};

/// A name that is not this machine's. A page of that name must read nothing.
const FOREIGN: &str = "evil.example";
/// How many connections there are at a time.
const AT_ONCE: usize = 16;
/// Heads are refused by the HTTP server itself with these: too long, or no head at all. All other answers come from the pages.
const BY_SERVER: [u16; 3] = [400, 414, 431];

/// Requests without the empty line at their end, and the status of the answer.
fn requests(address: SocketAddr) -> Vec<(String, u16)> {
    let many: String = (0..60).map(|number| format!("\r\nX-{number}: {}", "x".repeat(100))).collect();
    let with = |lines: &str| format!("HTTP/1.1\r\nHost: {address}{lines}");
    let token = "\r\nAuthorization: Bearer flagfall-token-0123456789\r\nFlagfall-Pin: 4711";
    vec![
        (format!("GET / {}", with("")), 200),
        ("HEAD /wall/?board=7 HTTP/1.1\r\nHost: LocalHost:1\r\nAccept-Encoding: br;q=0.5, gzip;q=1.0".to_owned(), 200),
        (format!("GET http://{address}/css/base.css {}", with("\r\nIf-None-Match: W/\"7\", *")), 304),
        ("GET /overlay HTTP/1.0\r\nHost: [::1]:80\r\nConnection: keep-alive".to_owned(), 308),
        (format!("POST /session {}", with(&format!("{token}\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n4711"))), 401),
        (format!("PUT /session {}", with(&format!("{token}\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n4711\r\n0"))), 401),
        (format!("DELETE / {}", with("\r\nX-Forwarded-For: 10.1.1.1, [2001:db8::9]:4711, ::ffff:10.2.2.2")), 405),
        (format!("GET /config.json HTTP/1.1\r\nHost: {FOREIGN}\r\nX-Forwarded-For: 10.1.1.1\r\nX-Forwarded-For: none"), 421),
        (format!("GET /%2e%2e/Cargo.toml {}\r\n\r\nGET / {}", with(""), with("")), 404),
        (format!("GET /js/ {}", with(&many)), 404),
        (format!("GET / {}{many}{many}", with("")), 431),
        (upgrade("/mqtt", address).trim_end().to_owned(), 101),
        (upgrade("/mqtt", address).trim_end().replace("Origin: http://", "Origin: https://x."), 403),
    ]
}

/// The status of an answer, whose head is complete.
fn status(answer: &str, sent: &str) -> u16 {
    let (head, _) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {answer:?} for {sent:?}"));
    let after = head.strip_prefix("HTTP/1.1 ").or_else(|| head.strip_prefix("HTTP/1.0 "));
    let status = after.and_then(|after| after.get(..3)?.parse().ok()).unwrap_or_else(|| panic!("no status: {head}"));
    let policy = "\r\ncontent-security-policy: default-src 'none';";
    assert!(BY_SERVER.contains(&status) || head.contains(policy), "every page has its policy: {head}");
    status
}

/// One connection.
struct Try<'a> {
    request: &'a str,
    /// The status of the answer; none if the request was changed.
    status: Option<u16>,
    sent: Vec<u8>,
    /// Whether it is more than empty lines, after which the server waits for a request.
    is_request: bool,
    from: Ipv4Addr,
}

impl Try<'_> {
    fn new<'a>(random: &mut fastrand::Rng, requests: &'a [(String, u16)]) -> Try<'a> {
        let (request, status) = &requests[random.usize(..requests.len())];
        let is_changed = random.u8(..) < 240;
        let mut sent = if is_changed { mutated_bytes(random, &[request]) } else { request.clone().into_bytes() };
        sent.extend(b"\r\n\r\n");
        let is_request = !sent.iter().all(|byte| b"\r\n".contains(byte));
        // A proxy or anybody.
        let from = match random.bool() {
            true => Ipv4Addr::new(127, random.u8(4..255), random.u8(..), random.u8(1..255)),
            false => Ipv4Addr::new(127, 3, 0, random.u8(1..255)),
        };
        Try { request, status: (!is_changed).then_some(*status), sent, is_request, from }
    }

    fn check(&self, answer: &[u8]) {
        // The end of a connection with bytes that were not read may overtake the answer.
        if !self.is_request || (self.sent.len() > MAX_HEAD && answer.is_empty()) {
            return;
        }
        let Try { request, sent, .. } = self;
        let status = status(&String::from_utf8_lossy(answer), &String::from_utf8_lossy(sent));
        assert!(status < 500 && self.status.is_none_or(|wanted| status == wanted), "{status} for {request}");
        assert!(status >= 400 || !request.contains(FOREIGN), "{status} under a foreign name");
    }
}

#[test]
fn the_pages_take_any_heads() {
    let runtime = runtime();
    let mut config = Config::default();
    config.screens.listen = "127.0.0.1:0".to_owned();
    config.screens.trusted_proxies = (1..255).map(|last| Ipv4Addr::new(127, 3, 0, last).into()).collect();
    let screens = screens::start(&config, None).expect("they are served");
    let address = screens.address;
    let requests = requests(address);
    let mut watched = Watched::new();
    let mut one = |random: &mut fastrand::Rng| {
        let tries: Vec<Try> = (0..AT_ONCE).map(|_| Try::new(random, &requests)).collect();
        let answers = runtime.block_on(async {
            let mut exchanges = JoinSet::new();
            for (number, Try { sent, is_request, from, .. }) in tries.iter().enumerate() {
                let (sent, is_request, from) = (sent.clone(), *is_request, *from);
                exchanges
                    .spawn(async move { (number, exchange(&mut connect_from(from, address).await, &sent, is_request).await) });
            }
            exchanges.join_all().await
        });
        assert_no_panic("screens");
        answers.iter().for_each(|(number, answer)| tries[*number].check(answer));
        tries.iter().map(|one| one.sent.len()).sum()
    };
    campaign("fuzz of requests at the pages", 0..1, |seed| watched.after(run_until(seed, BYTES / 5, &mut one)));
    screens.stop();
}
