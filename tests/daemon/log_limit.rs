//! Strangers cannot fill the log: whatever they do, each kind has one line at once, and its count later.
#![cfg(feature = "screens")]

use std::io::{Read, Write};
use std::net::TcpStream;

use rumqttc::v5::mqttbytes::QoS;

use crate::client::{Client, message, retained};
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
    // What comes after them is answered when they were read.
    client.subscribe("flagfall/1/reply/#", QoS::AtLeastOnce).await;
    client.publish(message("flagfall/1/cmd/nobody/open26/5/b1/resync", "{}")).await;
    client.next().await;
    let silent: Vec<TcpStream> = (0..SILENT).map(|_| TcpStream::connect(pages).expect("a connection")).collect();
    let mut asking = TcpStream::connect(pages).expect("a connection");
    asking.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    write!(asking, "GET / HTTP/1.1\r\nHost: {pages}\r\nConnection: close\r\n\r\n").expect("it is sent");
    asking.read_exact(&mut [0]).expect("an answer");
    drop(silent);
    assert!(daemon.terminate().0.success());
    let log = rig.log();
    let kinds = ["a retained command was dropped", "screens: a connection that did not log in made room for another one"];
    for kind in kinds {
        let lines: Vec<&str> = log.lines().filter(|line| line.contains(kind)).collect();
        assert!(lines.len() <= 3 && lines.last().is_some_and(|line| line.contains(" times in the last minute")), "{lines:?}");
    }
}
