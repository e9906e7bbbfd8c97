//! Who gets a place at the server of the pages, and who may log in through its relay: floods, guests with the public password, guesses
//! behind proxies, tokens.
#![cfg(all(feature = "broker", feature = "screens"))]

use std::io::{ErrorKind, Write};
use std::net::{self, IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use flagfall::broker;
use flagfall::config::{Broker, BrokerUser, Config, Role, Screens, User};
use flagfall::screens::{self, Running};
use flagfall::system_clock::monotonic;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::client::PATIENCE;
use crate::screens_server::{ANY, configured, load_over_tls, over_tls, password_file, request, tls_client};
use crate::support::seconds::assert_within;
use crate::websocket::WebSocket;

/// The sockets of a flood, and the descriptors that this process needs besides.
const FLOOD: u64 = 5_000;
const OTHERS: u64 = 1_000;
/// The handshakes of a flood.
const HANDSHAKES: usize = 600;
/// The share of one address that has asked for nothing.
const SHARE: usize = 128;
/// The places of pages that have logged in.
const PLACES: usize = 200;

/// The pages with the broker inside the program, whose users are an arbiter, a helper without a role, and the public user.
struct Hall {
    config: Config,
    broker: broker::Running,
    server: Running,
    _folder: TempDir,
}

impl Hall {
    async fn start(trusted_proxies: Vec<IpAddr>) -> Hall {
        let folder = tempfile::tempdir().expect("a folder");
        let user = ["anna", "helper", "screen"].map(|name| (name.to_owned(), reader(folder.path(), name)));
        let settings = Broker { enabled: true, tcp: ANY.to_owned(), websocket: String::new(), user: user.into() };
        let public_password_file = Some(password_file(folder.path(), "screen"));
        let screens =
            Screens { public_user: Some("screen".to_owned()), public_password_file, trusted_proxies, ..Screens::default() };
        let role = User { role: Role::Arbiter, boards: Vec::new() };
        let config = Config { broker: settings, user: [("anna".to_owned(), role)].into(), ..configured(screens) };
        let broker = broker::start(&config, "n1").await.expect("a broker");
        let server = screens::start(&config, Some(broker.tcp)).expect("the pages are served");
        Hall { config, broker, server, _folder: folder }
    }

    /// Logs in from an address. Returns the connection, the reason and the token.
    async fn log_in(&self, from: &str, user: &str, secret: &str) -> (WebSocket, u8, Option<String>) {
        let mut page = open_page(self.server.address, from, "").await;
        let (reason, token) = page.log_in("", Some((user, secret))).await;
        (page, reason, token)
    }

    async fn session(&self, method: &'static str, token: &str, pin: &str) -> String {
        let (at, headers) = (self.server.address, format!("Authorization: Bearer {token}\r\nFlagfall-Pin: {pin}\r\n"));
        let asked = tokio::task::spawn_blocking(move || request(at, method, "/session", &headers)).await;
        asked.expect("an answer").split(' ').nth(1).expect("a status").to_owned()
    }

    async fn stop(self) {
        // These two block, or wait for connections of the other one.
        tokio::task::spawn_blocking(|| self.server.stop()).await.expect("stops");
        self.broker.stop().await;
    }
}

async fn open_page(at: SocketAddr, from: &str, headers: &str) -> WebSocket {
    WebSocket::open_with(at, from, &format!("Origin: http://{at}\r\n{headers}")).await.expect("a page")
}

/// Tries a wrong password for a visitor whom `from` names.
async fn guess(at: SocketAddr, from: &str, visitor: String) -> u8 {
    let mut page = open_page(at, from, &format!("X-Forwarded-For: 10.7.7.7, {visitor}\r\n")).await;
    page.log_in("", Some(("anna", "wrong"))).await.0
}

fn reader(folder: &Path, name: &str) -> BrokerUser {
    let read = vec!["flagfall/1/public/#".to_owned()];
    BrokerUser { password_file: password_file(folder, name), read, write: Vec::new() }
}

async fn connect(from: &str, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind(SocketAddr::new(from.parse().expect("an address"), 0)).expect("an address of this machine");
    socket.connect(to).await.expect("the server accepts connections")
}

async fn load(from: &str, at: SocketAddr) -> String {
    let mut stream = connect(from, at).await;
    let request = format!("GET /arbiter/ HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("a request");
    let mut answer = String::new();
    timeout(PATIENCE, stream.read_to_string(&mut answer)).await.expect("an answer in time").expect("an answer");
    answer
}

/// The number of these sockets that the server has not closed.
fn open(sockets: &[net::TcpStream]) -> usize {
    let is_open = |socket: &&net::TcpStream| socket.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    sockets.iter().filter(is_open).count()
}

/// Sockets of one address that say nothing, or half of a request, keep nobody else off: neither another address nor their own.
#[tokio::test]
async fn a_flood_of_one_address_delays_nobody() {
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("a limit");
    let limit = hard.min(soft.max(FLOOD + OTHERS));
    setrlimit(Resource::RLIMIT_NOFILE, limit, hard).expect("more descriptors");
    let server = screens::start(&configured(Screens::default()), None).expect("the pages are served");
    let at = server.address;
    let mut flood = Vec::new();
    for number in 0..FLOOD.min(limit.saturating_sub(OTHERS)) {
        let mut socket = connect("127.0.0.5", at).await.into_std().expect("a socket");
        if number % 2 == 0 {
            // Some are closed already.
            _ = socket.write(b"GET / HTTP/1.1\r\nHost: ");
        }
        flood.push(socket);
    }
    for from in ["127.0.0.6", "127.0.0.5"] {
        let began = monotonic();
        let answer = load(from, at).await;
        assert_within(monotonic().since(began), Duration::from_millis(100), format_args!("an answer to {from}"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{from}: {answer}");
        assert!(open(&flood) <= SHARE, "{} of {} are open", open(&flood), flood.len());
    }
    drop(flood);
    server.stop();
}

/// A handshake takes much of the time of the one thread that serves all pages. Those of one address wait for each other, and nobody waits
/// for them.
#[tokio::test]
async fn handshakes_of_one_address_delay_nobody() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = screens::start(&over_tls(folder.path()), None).expect("the pages are served");
    let (at, authority) = (server.address, folder.path().join("ca.pem"));
    let mut hello = Vec::new();
    tls_client(&authority).write_tls(&mut hello).expect("a first message");
    let (began, mut flood) = (monotonic(), Vec::new());
    for _ in 0..HANDSHAKES {
        let mut socket = connect("127.0.0.5", at).await.into_std().expect("a socket");
        // Some are closed already.
        _ = socket.write(&hello);
        flood.push(socket);
    }
    let asked = monotonic();
    let answer = tokio::task::spawn_blocking(move || load_over_tls(at, &authority).1).await.expect("an answer");
    assert_within(monotonic().since(asked), Duration::from_millis(100), "an answer to another address");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let answered = flood.iter().filter(|socket| socket.peek(&mut [0]).is_ok_and(|count| count > 0)).count();
    let share = 25 + (monotonic().since(began).as_secs_f64() * 100.0) as usize;
    assert!((1..=share + 5).contains(&answered), "{answered} handshakes, and the share is {share}");
    drop(flood);
    server.stop();
}

/// Everybody has the public password. The places belong to whoever has few of them, and an arbiter gets one even from an address that
/// has most.
#[tokio::test]
async fn guests_with_the_public_password_keep_no_arbiter_off() {
    let hall = Hall::start(Vec::new()).await;
    let mut guests = Vec::new();
    for number in 0..PLACES {
        let (page, reason, token) = hall.log_in(&format!("127.0.1.{}", 1 + number % 10), "screen", "secret of screen").await;
        assert_eq!((reason, token), (0, None), "guest {number}; a password that everybody knows needs no token");
        guests.push(page);
    }
    let (_, reason, _) = hall.log_in("127.0.1.1", "screen", "secret of screen").await;
    assert_eq!(reason, 0x89, "this address has as many as any");
    let (mut visitor, reason, _) = hall.log_in("127.0.2.1", "helper", "secret of helper").await;
    assert_eq!((reason, visitor.subscribe("flagfall/1/public/#").await), (0, Some(0)));
    assert!(guests[0].is_closed().await, "the oldest of those that have most");
    let (mut anna, reason, _) = hall.log_in("127.0.1.2", "anna", "secret of anna").await;
    assert_eq!((reason, anna.subscribe("flagfall/1/public/#").await), (0, Some(1)));
    assert_eq!(guests[5].subscribe("flagfall/1/public/#").await, Some(0), "the others stay");
    drop((guests, visitor, anna));
    hall.stop().await;
}

/// A token opens the door of its user until it is revoked, by the page, by wrong PINs, or because the user's rights change.
#[tokio::test]
async fn a_page_has_a_token_that_can_be_revoked() {
    let hall = Hall::start(Vec::new()).await;
    let log_in = async |user, secret: &str| hall.log_in("127.0.0.1", user, secret).await;
    assert_eq!(log_in("anna", "wrong").await.2, None);
    let token = log_in("anna", "secret of anna").await.2.expect("a token");
    let (mut page, reason, another) = log_in("anna", &token).await;
    assert_eq!((reason, another, page.subscribe("flagfall/1/public/#").await), (0, None, Some(1)));
    for (user, secret) in [("helper", token.clone()), ("anna", format!("{token}0")), ("anna", "flagfall-token-".to_owned())] {
        assert_eq!(log_in(user, &secret).await.1, 0x86, "{user} {secret}");
    }

    // The PIN of the lock screen.
    for (method, pin, status) in
        [("PUT", "4711", "204"), ("PUT", "0000", "401"), ("POST", "0000", "403"), ("POST", "4711", "204"), ("GET", "4711", "405")]
    {
        assert_eq!(hall.session(method, &token, pin).await, status, "{method} {pin}");
    }
    for status in ["403", "403", "403", "403", "401", "401"] {
        assert_eq!(hall.session("POST", &token, "0000").await, status);
    }
    assert_eq!(log_in("anna", &token).await.1, 0x86, "five wrong PINs");

    let (mut page, _, left) = log_in("anna", "secret of anna").await;
    let left = left.expect("a token");
    let mut thief = log_in("anna", &left).await.0;
    assert_eq!(hall.session("DELETE", &left, "").await, "204");
    assert!(page.is_closed().await && thief.is_closed().await, "whoever has the token");
    assert_eq!(log_in("anna", &left).await.1, 0x86, "logged out");

    let (mut page, _, token) = log_in("anna", "secret of anna").await;
    let (mut helper, _, helpers) = log_in("helper", "secret of helper").await;
    let mut changed = hall.config.clone();
    changed.user.get_mut("anna").expect("anna").role = Role::Operator;
    hall.server.reload(&changed);
    assert!(page.is_closed().await, "anna has another role");
    assert_eq!(log_in("anna", &token.expect("a token")).await.1, 0x86);
    assert_eq!(helper.subscribe("flagfall/1/public/#").await, Some(0));
    assert_eq!(log_in("helper", &helpers.expect("a token")).await.1, 0);
    hall.stop().await;
}

/// Wrong passwords count for the address that a trusted proxy names, and for no address that somebody else names.
#[tokio::test]
async fn guesses_behind_a_proxy_count_for_the_visitor() {
    let trusted = "127.0.0.3".parse().expect("an address");
    let hall = Hall::start(vec![trusted]).await;
    for (from, spreads) in [("127.0.0.3", true), ("127.0.0.4", false)] {
        for number in 0..10 {
            assert_eq!(guess(hall.server.address, from, format!("10.0.0.{number}")).await, 0x86, "{from}");
        }
        let mut crowd = JoinSet::new();
        for number in 0..8 {
            crowd.spawn(guess(hall.server.address, from, format!("10.0.1.{number}")));
        }
        // Those that have no turn within three seconds are refused at once.
        let mut reasons = Vec::new();
        while let Some(reason) = crowd.join_next().await
            && !reasons.contains(&0x9F)
        {
            reasons.push(reason.expect("no panic"));
        }
        assert_eq!(!reasons.contains(&0x9F), spreads, "{from}: {reasons:?}");
    }
    hall.stop().await;
}
