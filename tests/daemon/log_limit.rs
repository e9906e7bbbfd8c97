//! Strangers cannot fill the log: whatever they do, each kind has one line at once, and its count later.
#![cfg(feature = "screens")]

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::client::{Client, retained};
use crate::rig::{Rig, Seat};
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_address;
use crate::support::waiting::{PATIENCE, wait_until};

/// How often each stranger tries.
const TIMES: usize = 100;

/// Asks for a way to the broker, and returns the first bytes of the answer.
fn open_relay(at: SocketAddr) -> String {
    let mut stream = TcpStream::connect(at).expect("a connection");
    let head = format!(
        "GET /mqtt HTTP/1.1\r\nHost: {at}\r\nOrigin: http://{at}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("written");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn strangers_cannot_fill_the_log() {
    let broker = Mosquitto::start();
    let rig = Rig::new(broker.port(), "", &[Seat { id: "b1", time_control: "300" }]);
    let pages = free_address();
    rig.add(&format!("[screens]\nenabled = true\nlisten = \"{pages}\"\n"));
    let daemon = rig.start();
    wait_until("the daemon", PATIENCE, || rig.log().contains("everything that waited is published"));
    let mut client = Client::plain(broker.tcp, "stranger").await;
    for number in 0..TIMES {
        client.publish(retained(&format!("flagfall/1/cmd/nobody/open26/5/b1/resync-{number}"), "{}")).await;
    }
    let answers: Vec<String> = (0..TIMES).map(|_| open_relay(pages)).collect();
    let refused = answers.iter().filter(|answer| answer.ends_with("429")).count();
    assert!(refused > TIMES / 2, "{answers:?}");
    let kinds = ["a retained command was dropped", "screens: a way to the broker was refused"];
    wait_until("both kinds", PATIENCE, || kinds.iter().all(|kind| rig.log().contains(kind)));
    assert!(daemon.terminate().0.success());
    let log = rig.log();
    for kind in kinds {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(kind)).collect();
        assert!(lines.len() <= 3 && lines.last().is_some_and(|line| line.contains(" times in the last minute")), "{lines:?}");
    }
}
