//! Strangers cannot fill the log: whatever they do, each kind has one line at once, and its count later.
#![cfg(feature = "screens")]

use std::net::TcpStream;

use crate::client::{Client, retained};
use crate::rig::{Rig, Seat};
use crate::support::mqtt::Mosquitto;
use crate::support::ports::free_address;
use crate::support::waiting::{PATIENCE, wait_until};

/// How often each stranger tries.
const TIMES: usize = 100;
/// The connections of a stranger who says nothing; 128 of them have places.
const SILENT: usize = 300;

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
    let silent: Vec<TcpStream> = (0..SILENT).map(|_| TcpStream::connect(pages).expect("a connection")).collect();
    let kinds = ["a retained command was dropped", "screens: a connection that did not log in made room for another one"];
    wait_until("both kinds", PATIENCE, || kinds.iter().all(|kind| rig.log().contains(kind)));
    drop(silent);
    assert!(daemon.terminate().0.success());
    let log = rig.log();
    for kind in kinds {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(kind)).collect();
        assert!(lines.len() <= 3 && lines.last().is_some_and(|line| line.contains(" times in the last minute")), "{lines:?}");
    }
}
