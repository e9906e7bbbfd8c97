//! The memory of a daemon whose broker is attacked by clients with a login that may only read.

use std::fs;
use std::net::SocketAddr;

use rumqttc::v5::mqttbytes::QoS;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::{guarded_rig, log_in_as_anna};
use crate::client::{Client, message, options};
use crate::program::{RunningProgram, flagfall};
use crate::support::ports::free_address;

/// How many sessions are left behind, and how many clients do not read.
const SESSIONS: usize = 100;
const UNREAD: usize = 40;
/// How many bytes are published while they do not read, and how much of that the daemon may hold at most.
const PUBLISHED: usize = 16 << 20;
const MESSAGE: usize = 16 << 10;
const MOST: u64 = 64 << 20;

/// A line of the process's status, in bytes.
pub(super) fn memory(process: u32, line: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let found = status.lines().find_map(|text| text.strip_prefix(line)).expect("the line is there");
    found.trim_matches([':', '\t', ' ']).trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

/// A client of MQTT 3.1.1 that keeps its session; then it subscribes.
async fn subscribed(number: usize, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4 << 10).expect("an option");
    let mut stream = socket.connect(to).await.expect("the broker accepts connections");
    let mut bytes = super::connect_packet(&format!("screen-{number}"), "screen", "secret of screen");
    bytes[9] &= !0x02;
    bytes.extend([0x82, 8, 0, 1, 0, 3, b't', b'/', b'#', 1]);
    stream.write_all(&bytes).await.expect("sent");
    let mut answer = [0; 9];
    stream.read_exact(&mut answer).await.expect("an answer");
    assert_eq!(answer, [0x20, 2, 0, 0, 0x90, 3, 0, 1, 0], "client {number}");
    stream
}

#[tokio::test]
async fn clients_that_leave_sessions_and_do_not_read_cost_little_memory() {
    let (tcp, web) = (free_address(), free_address());
    let rig = guarded_rig(tcp, web, "40/5400+30:1800+30");
    rig.add(&format!("[broker.user.feeder]\npassword_file = '{}'\nwrite = [\"t/#\"]\n", rig.password("feeder").display()));
    let mut daemon = RunningProgram::start(flagfall(&["run", "--config"]).arg(rig.config()));
    daemon.wait_for_line("broker: MQTT on");
    let mut anna = log_in_as_anna(tcp).await;
    let before = memory(daemon.child.id(), "VmRSS");
    for number in 0..SESSIONS {
        subscribed(number, tcp).await.shutdown().await.expect("it ends");
    }
    let mut unread = Vec::new();
    for number in 0..UNREAD {
        unread.push(subscribed(SESSIONS + number, tcp).await);
    }
    let mut feeder = {
        let mut options = options(tcp, "feeder");
        options.set_credentials("feeder", "secret of feeder");
        Client::connect(options).await
    };
    anna.subscribe("t/end", QoS::AtLeastOnce).await;
    for _ in 0..PUBLISHED / MESSAGE {
        feeder.publish(message("t/a", vec![b'x'; MESSAGE])).await;
    }
    feeder.publish(message("t/end", "")).await;
    anna.next().await;
    daemon.wait_for_line("it did not read");
    let most = memory(daemon.child.id(), "VmHWM").saturating_sub(before);
    assert!(most <= MOST, "{most} bytes more");
    drop(unread);
    daemon.stop("-TERM");
}
