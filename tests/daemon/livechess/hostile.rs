//! Pages and programs that should not be there, or that behave badly.

use std::net::TcpStream;
use std::time::Duration;

use flagfall::emulate::games::game;
use serde_json::Value;

use super::client::{Client, exchange, json, request, wait_for_listener};
use super::{Offered, PAGE};
use crate::rig::{Rig, Seat};
use crate::support::ports::{free_address, free_port};

const EBOARDS: &str = r#"{"id":1,"call":"eboards"}"#;
const LONGEST: usize = 64 << 10;
const CONNECTIONS: usize = 16;
/// More calls than fit with their answers into the buffers of the system.
const FLOOD: usize = 100_000;

#[test]
fn only_pages_that_are_listed_get_in() {
    let offered = Offered::start();
    let api = offered.api;
    for origin in ["https://evil.example", "null", "http://lichess.org", "https://lichess.org.evil.example"] {
        let refused = Client::open(api, Some(origin)).expect_err(origin);
        assert!(refused.starts_with("HTTP/1.1 403") && !refused.contains("access-control-allow-origin"), "{origin}: {refused}");
        let refused = request(api, "GET", "/api/v1.0/eboards", &format!("Origin: {origin}\r\n"));
        assert!(refused.starts_with("HTTP/1.1 403"), "{origin}: {refused}");
    }
    for host in ["evil.example", "localhost", "localhost:1", "127.0.0.1.evil.example:1982"] {
        let refused = exchange(api, &format!("GET /api/v1.0/eboards HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert!(refused.starts_with("HTTP/1.1 403"), "{host}: {refused}");
    }
    assert!(exchange(api, "GET /api/v1.0/eboards HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 403"));
    assert!(Client::open(api, None).is_ok() && Client::open(api, Some(PAGE)).is_ok());
    let asked =
        request(api, "OPTIONS", "/api/v1.0/eboards", &format!("Origin: {PAGE}\r\nAccess-Control-Request-Method: GET\r\n"));
    assert!(asked.starts_with("HTTP/1.1 204") && asked.contains("access-control-allow-private-network: true"), "{asked}");
    for (method, path, status) in [
        ("POST", "/api/v1.0/eboards", "405"),
        ("DELETE", "/api/v1.0", "405"),
        ("GET", "/api/v1.0", "426"),
        ("GET", "/api/v1.0/teapot", "404"),
        ("GET", "/etc/passwd", "404"),
    ] {
        let answer = request(api, method, path, "");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{method} {path}: {answer}");
    }
    let long = request(api, "GET", "/api/v1.0/eboards", &format!("X-Long: {}\r\n", "x".repeat(9_000)));
    assert!(long.is_empty() || long.starts_with("HTTP/1.1 431"), "{long}");
    assert!(exchange(api, "\u{1}\u{2}\r\n\r\n").starts_with("HTTP/1.1 400"));
    offered.stop();
}

#[test]
fn bad_messages_are_errors_and_the_others_go_on() {
    let offered = Offered::start();
    let _board = offered.rig.board("b1", game(1).settings(101), 1.0);
    let mut client = offered.connect();
    for bad in ["", "{", "[]", "null", "\u{0}", r#"{"id":1}"#, r#"{"id":1,"call":"teapot"}"#] {
        assert_eq!(client.call(bad)["response"], "error", "{bad}");
    }
    assert!(client.send_frame(2, &[0xFF; 8]));
    assert_eq!(client.receive().expect("an answer")["response"], "error");
    assert_eq!(client.call(&" ".repeat(LONGEST + 1))["response"], "error");
    assert_eq!(client.call(EBOARDS)["response"], "call");
    // Far more than may be sent ends the connection.
    let mut other = offered.connect();
    other.send_frame(1, &vec![b' '; 4 * LONGEST]);
    assert_eq!(other.receive(), None);
    // A frame that is no text.
    let mut other = offered.connect();
    other.send_frame(1, &[0xFF; 8]);
    assert_eq!(other.receive(), None);
    many_connections(&offered, client);
    offered.stop();
}

/// As many clients as there may be, one of which reads nothing; silent sockets that come and go.
fn many_connections(offered: &Offered, mut first: Client) {
    let mut clients: Vec<Client> = (1..CONNECTIONS).map(|_| offered.connect()).collect();
    assert!(clients.iter_mut().all(|client| client.call(EBOARDS)["response"] == "call"));
    let mut refused = offered.connect();
    let refusal = refused.receive().expect("an answer");
    assert_eq!((&refusal["response"], &refusal["id"], refused.receive()), (&Value::from("error"), &Value::Null, None));
    let mut slow = clients.pop().expect("a client");
    slow.become_slow(Duration::from_millis(500));
    let long = format!("{EBOARDS:<1024}");
    let flooded = (0..FLOOD).take_while(|_| slow.send_frame(1, long.as_bytes())).count();
    assert!(flooded < FLOOD, "the daemon kept all answers");
    assert_eq!(first.call(EBOARDS)["response"], "call");
    let silent: Vec<TcpStream> = (0..150).filter_map(|_| TcpStream::connect(offered.api).ok()).collect();
    assert!(silent.len() > 64 && first.call(EBOARDS)["response"] == "call");
    drop((silent, slow, clients));
    assert_eq!(json(offered.api, "/api/v1.0/eboards")[0]["comment"], Value::Null);
    let place = || offered.connect().call(EBOARDS)["response"] == "call";
    crate::support::waiting::wait_until("places are free again", Duration::from_secs(20), place);
}

#[test]
fn pages_over_http_have_a_listener_of_their_own() {
    let http = free_address();
    let rig = Rig::new(free_port(), "", &[Seat { id: "b1", time_control: "300" }]);
    rig.add(&format!("[http]\nlisten = \"{http}\"\n"));
    let daemon = rig.start();
    wait_for_listener(http);
    let healthy = request(http, "GET", "/healthz", "Origin: https://anybody.example\r\n");
    assert!(healthy.starts_with("HTTP/1.1 200") && healthy.ends_with("ok\n"), "{healthy}");
    assert!(healthy.contains("access-control-allow-origin: *\r\n") && healthy.contains("connection: close\r\n"), "{healthy}");
    let head = request(http, "HEAD", "/healthz", "");
    assert!(head.starts_with("HTTP/1.1 200") && head.ends_with("\r\n\r\n"), "{head}");
    for (method, path, status) in
        [("GET", "/open26/games.pgn", "404"), ("GET", "/%2e%2e/etc/passwd", "404"), ("POST", "/healthz", "405")]
    {
        let answer = request(http, method, path, "");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{method} {path}: {answer}");
    }
    assert!(daemon.terminate().0.success());
}
