//! The server of the pages: what it answers and refuses, and its way to both brokers.
#![cfg(all(feature = "broker", feature = "screens"))]

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use flagfall::broker;
use flagfall::config::{Broker, BrokerUser, Config, Event, Mqtt, Screens};
use flagfall::screens::{self, Running};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::client::PATIENCE;
use crate::mqtt_session_tls::{authority, certificate};
use crate::support::mqtt::Mosquitto;
use crate::websocket::WebSocket;

pub(crate) const ANY: &str = "127.0.0.1:0";

pub(crate) fn configured(screens: Screens) -> Config {
    let event = Event { id: "open26".to_owned(), round: "5".to_owned(), ..Event::default() };
    Config { event, screens: Screens { enabled: true, listen: ANY.to_owned(), ..screens }, ..Config::default() }
}

fn start(screens: Screens) -> Running {
    screens::start(&configured(screens), None).expect("the pages are served")
}

fn exchange(at: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(at).expect("a listener");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = Vec::new();
    // A server that closes with unread bytes resets the connection: what came until then is the answer.
    _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

pub(crate) fn request(at: SocketAddr, method: &str, path: &str, headers: &str) -> String {
    exchange(at, &format!("{method} {path} HTTP/1.1\r\nHost: {at}\r\nConnection: close\r\n{headers}\r\n"))
}

pub(crate) fn password_file(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, format!("secret of {name}\n")).expect("a password file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("a mode");
    path
}

#[test]
fn every_answer_has_the_headers_and_only_pages_are_served() {
    let embed = vec!["https://club.example".to_owned()];
    let server = start(Screens { embed, ..Screens::default() });
    let at = server.address;
    for (method, path, status, kind) in [
        ("GET", "/", "200", "text/html"),
        ("HEAD", "/arbiter/", "200", "text/html"),
        ("GET", "/operations/", "200", "text/html"),
        ("GET", "/wall/", "200", "text/html"),
        ("GET", "/board/", "200", "text/html"),
        ("GET", "/overlay/", "200", "text/html"),
        ("GET", "/overlay", "308", ""),
        ("GET", "/js/common/link.js", "200", "text/javascript"),
        ("GET", "/vendor/mqtt.js", "200", "text/javascript"),
        ("GET", "/css/base.css", "200", "text/css"),
        ("GET", "/config.json", "200", "application/json"),
        ("GET", "/vendor/update.sh", "404", ""),
        ("GET", "/vendor/package-lock.json", "404", ""),
        ("GET", "/messages.d.ts", "404", ""),
        ("GET", "/../Cargo.toml", "404", ""),
        ("GET", "/%2e%2e/Cargo.toml", "404", ""),
        ("GET", "//etc/passwd", "404", ""),
        ("GET", "/js", "404", ""),
        ("GET", "/js/", "404", ""),
        ("POST", "/", "405", ""),
        ("PUT", "/config.json", "405", ""),
        ("GET", "/mqtt", "403", ""),
    ] {
        let answer = request(at, method, path, "").to_ascii_lowercase();
        assert!(answer.starts_with(&format!("http/1.1 {status}")), "{method} {path}: {answer}");
        assert!(answer.contains(&format!("content-type: {kind}")) || kind.is_empty(), "{method} {path}: {answer}");
        let ancestors = if path == "/board/" { "https://club.example" } else { "'none'" };
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
            &format!("frame-ancestors {ancestors}\r\n"),
            "x-content-type-options: nosniff\r\n",
            "referrer-policy: no-referrer\r\n",
            "cross-origin-opener-policy: same-origin\r\n",
            "permissions-policy: camera=(), microphone=(), geolocation=()\r\n",
        ] {
            assert!(answer.contains(header), "{method} {path}: no {header} in {answer}");
        }
    }
    server.stop();
}

#[test]
fn pages_are_read_again_only_if_they_changed() {
    let server = start(Screens::default());
    let first = request(server.address, "GET", "/css/base.css", "");
    let tag = first.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag");
    let again = request(server.address, "GET", "/css/base.css", &format!("If-None-Match: {tag}\r\n"));
    assert!(again.starts_with("HTTP/1.1 304") && again.ends_with("\r\n\r\n"), "{again}");
    let packed = request(server.address, "GET", "/css/base.css", "Accept-Encoding: gzip\r\n");
    assert!(packed.contains("content-encoding: gzip"), "{packed}");
    server.stop();
}

#[test]
fn a_page_learns_where_it_is_and_the_public_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let public_password_file = Some(password_file(folder.path(), "screen"));
    let server = start(Screens { public_user: Some("screen".to_owned()), public_password_file, ..Screens::default() });
    let answer = request(server.address, "GET", "/config.json", "");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
    assert!(head.contains("cache-control: no-store"), "{head}");
    let known: serde_json::Value = serde_json::from_str(body).expect("JSON");
    let expected = serde_json::json!({
        "version": env!("CARGO_PKG_VERSION"), "event": "open26", "round": "5", "root": "flagfall/1", "websocket": "/mqtt",
        "public_user": { "user": "screen", "password": "secret of screen" }
    });
    assert_eq!(known, expected);
    server.stop();
}

#[tokio::test]
async fn another_host_and_another_origin_are_refused() {
    let broker = Mosquitto::start();
    let config = configured(Screens { names: vec!["hall.local".to_owned()], ..Screens::default() });
    let mqtt = Mqtt { port: Some(broker.port()), ..Mqtt::default() };
    let server = screens::start(&Config { mqtt, ..config }, None).expect("the pages are served");
    let at = server.address;
    for (host, status) in
        [("evil.example", "421"), ("", "421"), ("hall.local", "200"), ("localhost:1", "200"), ("10.0.0.1", "421")]
    {
        let answer = exchange(at, &format!("GET / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{host}: {answer}");
    }
    let other_port = format!("http://{}:{}", at.ip(), at.port() ^ 1);
    for origin in [None, Some("http://evil.example"), Some("null"), Some(other_port.as_str())] {
        let refused = WebSocket::open_as(at, "127.0.0.1", origin).await.expect_err("refused");
        assert!(refused.starts_with("HTTP/1.1 403"), "{origin:?}: {refused}");
    }
    let mut page = WebSocket::open_as(at, "127.0.0.1", Some(&format!("http://{at}"))).await.expect("our own page");
    assert_eq!(page.log_in("screen-1", None).await.0, 0);
    assert_eq!(page.subscribe("flagfall/1/public/#").await, Some(1));
    server.stop();
    assert_eq!(page.receive().await, None, "the server closes its connections at its end");
}

/// The broker decides who logs in, and tells visitors apart.
#[tokio::test]
async fn users_log_in_at_the_embedded_broker_each_from_an_address_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let user = BrokerUser {
        password_file: password_file(folder.path(), "anna"),
        read: vec!["flagfall/1/public/#".to_owned()],
        write: Vec::new(),
    };
    let settings =
        Broker { enabled: true, tcp: ANY.to_owned(), websocket: String::new(), user: [("anna".to_owned(), user)].into() };
    let broker = broker::start(&Config { broker: settings, ..Default::default() }, "n1").await.expect("a broker");
    let server = screens::start(&configured(Screens::default()), Some(broker.tcp)).expect("the pages are served");
    let (at, origin) = (server.address, format!("http://{}", server.address));
    let login = async |from: &str, name: &str, password: &str| {
        let mut page = WebSocket::open_as(at, from, Some(&origin)).await.expect("a page");
        let (code, _) = page.log_in(name, Some(("anna", password))).await;
        (page, code)
    };
    let (mut page, code) = login("127.0.0.7", "screen-a", "secret of anna").await;
    assert_eq!((code, page.subscribe("flagfall/1/public/#").await), (0, Some(0)));
    assert_eq!(page.subscribe("flagfall/1/arbiter/#").await, Some(0x87), "the broker's rules hold");
    // Guesses from one address slow that address down, and no other.
    for guess in 0..11 {
        let (_, code) = login("127.0.0.9", &format!("guess-{guess}"), "wrong").await;
        assert_ne!(code, 0);
    }
    assert_eq!(login("127.0.0.8", "screen-b", "secret of anna").await.1, 0);
    // These two block, or wait for connections of the other one.
    tokio::task::spawn_blocking(|| server.stop()).await.expect("stops");
    broker.stop().await;
}

#[test]
fn pages_are_written_for_another_web_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("pages");
    let without = screens::export(&configured(Screens::default()), &out).expect_err("no address of the broker");
    assert!(without.to_string().starts_with("screens.websocket: "), "{without}");
    let config = configured(Screens { websocket: Some("wss://hall.example:9443/mqtt".to_owned()), ..Screens::default() });
    let written = screens::export(&config, &out).expect("pages");
    assert!(written > 20);
    for name in ["index.html", "wall/index.html", "js/common/link.js", "vendor/mqtt.js", "config.json"] {
        assert!(out.join(name).is_file(), "{name}");
    }
    let nginx = fs::read_to_string(out.join("nginx.conf.example")).expect("an example");
    assert!(nginx.contains("connect-src 'self' wss://hall.example:9443;") && nginx.contains("nosniff"), "{nginx}");
    let again = screens::export(&config, &out).expect_err("not empty");
    assert!(again.to_string().ends_with("is not empty"), "{again}");
}

/// The pages over TLS, with the certificate `hall` of the authority `ca`, whose files are in the folder.
pub(crate) fn over_tls(folder: &Path) -> Config {
    let at = |name: &str| folder.join(name);
    authority(folder, "ca");
    certificate(folder, "hall", "ca");
    fs::set_permissions(at("hall.key"), fs::Permissions::from_mode(0o600)).expect("a mode");
    let (certificate_file, key_file) = (Some(at("hall.pem")), Some(at("hall.key")));
    configured(Screens { certificate_file, key_file, ..Screens::default() })
}

/// A client of the pages over TLS.
pub(crate) fn tls_client(authority: &Path) -> ClientConnection {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority).expect("a certificate")).expect("an authority");
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions of TLS")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    ClientConnection::new(Arc::new(config), name).expect("a client")
}

/// Loads the first page over TLS. Returns the certificate that was served, and the answer.
pub(crate) fn load_over_tls(at: SocketAddr, authority: &Path) -> (Vec<u8>, String) {
    let mut stream = StreamOwned::new(tls_client(authority), TcpStream::connect(at).expect("a listener"));
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("a request");
    let mut answer = Vec::new();
    // A server need not say goodbye.
    _ = stream.read_to_end(&mut answer);
    let served = stream.conn.peer_certificates().expect("a certificate")[0].to_vec();
    (served, String::from_utf8_lossy(&answer).into_owned())
}

#[test]
fn a_certificate_is_replaced_while_the_pages_are_served() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let config = over_tls(folder.path());
    certificate(folder.path(), "second", "ca");
    let server = screens::start(&config, None).expect("the pages are served");
    let (first, answer) = load_over_tls(server.address, &at("ca.pem"));
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(!request(server.address, "GET", "/", "").starts_with("HTTP/1.1 200"), "nothing without TLS");
    // A certificate that cannot be read changes nothing.
    fs::write(at("hall.pem"), "none").expect("a file");
    server.reload(&config);
    assert_eq!(load_over_tls(server.address, &at("ca.pem")).0, first);
    fs::copy(at("second.pem"), at("hall.pem")).expect("a copy");
    fs::copy(at("second.key"), at("hall.key")).expect("a copy");
    server.reload(&config);
    assert_ne!(load_over_tls(server.address, &at("ca.pem")).0, first);
    server.stop();
}
