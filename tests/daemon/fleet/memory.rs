//! The memory of the broker with the generated files, while screens do not read what is published.

use rumqttc::v5::mqttbytes::QoS;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::access::hall;
use super::hall::Hall;
use crate::client::{Client, message};

/// The largest message that the broker takes, without its header.
const MESSAGE: usize = (1 << 20) - 200;
/// The screens that read nothing.
const SCREENS: usize = 12;
/// What the broker needs beside the heap that it counts, in bytes.
const BESIDE: u64 = 32 << 20;

/// Connects as a screen, wants everything that is public at this quality, and reads nothing.
async fn reads_nothing(hall: &Hall, number: usize, quality: u8) -> TcpStream {
    let (client, user, password) = (format!("deaf-{number}"), "screen-1", hall.password("screen-1"));
    let field = |text: &str| [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat();
    let packet = |kind: u8, body: Vec<u8>| [vec![kind, body.len().try_into().expect("a short packet")], body].concat();
    // MQTT 5 with name and password, a session that stays, and a keep-alive of ten minutes.
    let flags = vec![5, 0b1100_0000, 2, 88, 5, 17, 255, 255, 255, 255];
    let connect = [field("MQTT"), flags, field(&client), field(user), field(&password)].concat();
    let subscribe = [vec![0, 1, 0], field("flagfall/1/public/#"), vec![quality]].concat();
    let mut stream = TcpStream::connect(hall.broker.tcp).await.expect("a connection");
    let packets = [packet(0x10, connect), packet(0x82, subscribe)].concat();
    stream.write_all(&packets).await.expect("sent");
    stream
}

/// A number of a line of `/proc/<pid>/status`, in bytes.
fn memory(hall: &Hall, key: &str) -> u64 {
    let status = format!("/proc/{}/status", hall.broker.pid().expect("it runs"));
    let text = std::fs::read_to_string(status).expect("the process");
    let kib = text.lines().find_map(|line| line.strip_prefix(key)?.strip_suffix("kB")?.trim().parse::<u64>().ok());
    kib.expect("its memory") << 10
}

#[tokio::test]
async fn screens_that_read_nothing_take_no_more_than_the_limit() {
    let Some(hall) = hall() else { return };
    let conf = std::fs::read_to_string(hall.out("hall/mosquitto/flagfall.conf")).expect("a file");
    let limit: u64 = conf.lines().find_map(|line| line.strip_prefix("memory_limit ")?.parse().ok()).expect("a limit");
    let mut screens = Vec::new();
    for number in 0..SCREENS {
        screens.push(reads_nothing(&hall, number, number as u8 % 2).await);
    }
    // A machine publishes twice as much as the broker may keep for the half of them that wants QoS 0, where no queue has a bound in bytes.
    // It is sent away when there is no more room.
    let machine = Client::connect(hall.login("pi-01")).await;
    for _ in 0..4 * limit / (MESSAGE * SCREENS) as u64 {
        machine.send(message("flagfall/1/public/open26/1/1/move", vec![b' '; MESSAGE])).await;
    }
    machine.wait_for_end().await;
    let peak = memory(&hall, "VmHWM:");
    assert!((limit / 2..limit + BESIDE).contains(&peak), "{peak} bytes, and the limit is {limit}");

    // When they are gone, there is room again.
    drop(screens);
    let mut carol = Client::connect(hall.login("carol")).await;
    carol.subscribe("flagfall/1/live/#", QoS::AtLeastOnce).await;
    let mut machine = Client::connect(hall.login("pi-01")).await;
    machine.publish(message("flagfall/1/live/open26/1/1/move", "e4")).await;
    assert_eq!(carol.next_text().await.1, "e4");
}
