//! Ten thousand connections to each listener: the server still answers, and its memory stays as it was.

use std::io::Write;
use std::net::SocketAddr;

use socket2::{Domain, Socket, Type};

use super::client::{Client, json, request, wait_for_listener};
use crate::rig::{Rig, Seat};
use crate::support::ports::{free_address, free_port};
use crate::support::waiting::{PATIENCE, wait_until};

/// Connections that are begun at the same time; more than the queue of the system has room for.
const AT_ONCE: usize = 300;
/// The connections that are made to each listener.
const CONNECTIONS: usize = 10_000;
/// The most times that [`AT_ONCE`] connections are begun for this.
const WAVES: usize = 3_000;
/// The most by which the memory of the node may have grown at its peak, in KiB.
const GROWTH: u64 = 16 << 10;

/// The peak of the memory of a process, in KiB.
fn peak(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Begins connections without waiting for any, says something on those that are made, and leaves. Returns the number of these.
fn wave(address: SocketAddr, words: &[u8]) -> usize {
    let mut sockets = Vec::with_capacity(AT_ONCE);
    for _ in 0..AT_ONCE {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).expect("a socket");
        socket.set_nonblocking(true).expect("a mode");
        // If there is no room in the queue, it is not made.
        _ = socket.connect(&address.into());
        sockets.push(socket);
    }
    sockets.retain(|socket| socket.peer_addr().is_ok());
    for socket in &mut sockets {
        // The server may have closed it.
        _ = socket.write(words);
    }
    sockets.len()
}

#[test]
fn ten_thousand_connections_change_nothing() {
    let (api, http) = (free_address(), free_address());
    let rig = Rig::new(free_port(), "", &[Seat { id: "b1", time_control: "300" }]);
    rig.add(&format!("[livechess]\nenabled = true\nlisten = [\"{api}\"]\n[http]\nlisten = \"{http}\"\n"));
    let daemon = rig.start();
    [api, http].into_iter().for_each(wait_for_listener);
    let mut follower = Client::open(api, None).unwrap_or_else(|answer| panic!("{answer}"));
    let before = peak(daemon.pid());
    let upgrade = format!(
        "GET /api/v1.0 HTTP/1.1\r\nHost: {api}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    let words: [&[u8]; 4] = [b"", b"GET /api/v1.0/eboards HTTP/1.1\r\nHost:", upgrade.as_bytes(), &[0xFF; 900]];
    for address in [api, http] {
        let mut made = 0;
        for number in 0.. {
            made += wave(address, words[number % words.len()]);
            // A client that was there before is served meanwhile.
            assert_eq!(follower.call(r#"{"id":1,"call":"eboards"}"#)["response"], "call");
            if made >= CONNECTIONS {
                break;
            }
            assert!(number < WAVES, "{made} connections were made to {address}");
        }
    }
    wait_until("the pages are served", PATIENCE, || request(http, "GET", "/healthz", "").ends_with("ok\n"));
    assert_eq!(json(api, "/api/v1.0/eboards")[0]["serialnr"], "b1");
    wait_until("there is room for a client", PATIENCE, || {
        Client::open(api, None).is_ok_and(|mut client| client.call(r#"{"id":1,"call":"eboards"}"#)["response"] == "call")
    });
    let grown = peak(daemon.pid()).saturating_sub(before);
    assert!(grown < GROWTH, "the memory has grown by {grown} KiB");
    assert!(daemon.terminate().0.success());
    assert!(!rig.log().contains("panicked"), "{}", rig.log());
}
