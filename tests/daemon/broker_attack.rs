//! The embedded broker of a running daemon under attack, on both listeners at once: silent sockets, slow senders, huge CONNECT packets, and
//! as many clients of one user as there may be. An arbiter can always log in, and messages of the board go on.
#![cfg(feature = "broker")]

mod all_together;
mod few_descriptors;
mod memory;

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use flagfall::emulate::games::game;
use flagfall::system_clock::{MonotonicTime, monotonic};
use rumqttc::v5::mqttbytes::QoS;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

use crate::client::{Client, PATIENCE, options, text};
use crate::program::{RunningProgram, flagfall};
use crate::rig::{ROUND, Rig, Seat};
use crate::support::ports::free_address;
use crate::support::seconds::assert_within;
use crate::websocket::WebSocket;

/// The number of silent sockets at a time, which are more than the broker keeps, and how often each is opened.
const SILENT: u16 = 500;
const ROUNDS: u8 = 4;
/// The board plays this many times as fast as people.
const SPEED: f64 = 6.0;
const SLOW: u16 = 10;
const SCREENS: usize = 400;
/// The longest time for a login of an arbiter.
const LOGIN: Duration = Duration::from_secs(1);
/// The longest time without a message of a board on which a game is played.
const GAP: Duration = Duration::from_secs(3);
/// The time after which a client that has not logged in must be gone.
const GONE: Duration = Duration::from_secs(7);

/// Connects from one of eight addresses of attackers.
async fn connect(number: u16, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_reuseaddr(true).expect("an option");
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 1, (number % 8) as u8 + 1), 0))).expect("an address of this machine");
    socket.connect(to).await.expect("the broker accepts connections")
}

/// Waits until the broker closes the connection, and returns what it sent.
async fn read_to_end(stream: &mut TcpStream) -> Vec<u8> {
    let mut all = Vec::new();
    match timeout(PATIENCE, stream.read_to_end(&mut all)).await.expect("it is closed") {
        Ok(_) => all,
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{error}");
            all
        }
    }
}

/// A CONNECT of MQTT 3.1.1 with a clean session.
fn connect_packet(id: &str, user: &str, password: &str) -> Vec<u8> {
    let mut packet = vec![0x10, 0, 0, 4, b'M', b'Q', b'T', b'T', 4, 0xC2, 0, 120];
    for text in [id, user, password] {
        packet.extend(u16::try_from(text.len()).expect("short").to_be_bytes());
        packet.extend(text.as_bytes());
    }
    packet[1] = u8::try_from(packet.len() - 2).expect("short");
    packet
}

/// Sends one byte after the other, and returns when the connection was closed.
async fn send_slowly(number: u16, to: SocketAddr) -> Duration {
    let began = monotonic();
    let mut stream = connect(number, to).await;
    let mut ticks = interval(Duration::from_millis(200));
    for byte in connect_packet(&"x".repeat(60), "screen", "not this") {
        ticks.tick().await;
        if stream.write_all(&[byte]).await.is_err() {
            break;
        }
    }
    assert!(read_to_end(&mut stream).await.is_empty(), "a slow sender is not answered");
    monotonic().since(began)
}

/// Sends a CONNECT of a megabyte without an end, or as much of it as the broker reads.
async fn send_huge_connect(number: u16, to: SocketAddr, request: &[u8]) {
    let mut stream = connect(number, to).await;
    let mut packet = request.to_vec();
    packet.extend([0x10, 0xFF, 0xFF, 0x3F, 0, 4, b'M', b'Q', b'T', b'T', 5, 0, 0, 0]);
    packet.resize(packet.len() + (1 << 20), 0);
    let is_taken = stream.write_all(&packet).await.is_ok();
    let answer = read_to_end(&mut stream).await;
    assert!(!is_taken || answer.is_empty(), "{answer:?}");
}

async fn screen(number: usize, to: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(to).await.expect("the broker accepts connections");
    stream.write_all(&connect_packet(&format!("screen-{number}"), "screen", "secret of screen")).await.expect("sent");
    let mut answer = [0; 4];
    timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("an answer in time").expect("an answer");
    assert_eq!(answer, [0x20, 2, 0, 0], "screen {number}");
    stream
}

async fn log_in_as_anna(to: SocketAddr) -> Client {
    let mut options = options(to, "anna-tablet");
    options.set_credentials("anna", "secret of anna");
    Client::connect(options).await
}

/// Takes messages until `until` ends. Returns the longest time between two while the board is `playing`, and their number.
async fn longest_gap<T>(
    watcher: &mut Client,
    playing: impl Fn() -> bool,
    until: impl Future<Output = T>,
) -> (Duration, usize, T) {
    let (mut last, mut longest, mut count) = (monotonic(), Duration::ZERO, 0);
    let mut note = |last: &mut MonotonicTime| {
        let now = monotonic();
        if playing() {
            longest = longest.max(now.since(*last));
        }
        *last = now;
    };
    let mut until = std::pin::pin!(until);
    loop {
        tokio::select! {
            done = &mut until => {
                note(&mut last);
                return (longest, count, done);
            }
            _ = watcher.next() => {
                count += 1;
                note(&mut last);
            }
        }
    }
}

/// A daemon's folder, with anna and screen as users of its broker.
fn guarded_rig(tcp: SocketAddr, web: SocketAddr, time_control: &str) -> Rig {
    let rig = Rig::new(tcp.port(), "", &[Seat { id: "b1", time_control }]);
    let users = ["anna", "screen"].map(|name| {
        let file = rig.password(name);
        format!("[broker.user.{name}]\npassword_file = '{}'\nread = [\"flagfall/1/#\", \"t/#\"]\n", file.display())
    });
    rig.add(&format!("[broker]\nenabled = true\ntcp = \"{tcp}\"\nwebsocket = \"{web}\"\n{}", users.concat()));
    rig
}

#[tokio::test]
async fn an_arbiter_logs_in_and_publishing_goes_on_under_attack() {
    let (tcp, web) = (free_address(), free_address());
    let game = game(0);
    let rig = guarded_rig(tcp, web, game.time_control);
    let board = rig.board("b1", game.settings(101), SPEED);
    let mut daemon = RunningProgram::start(flagfall(&["run", "--config"]).arg(rig.config()));
    daemon.wait_for_line("broker: MQTT on");
    let mut anna = log_in_as_anna(tcp).await;
    anna.subscribe(&format!("flagfall/1/+/{ROUND}/b1/#"), QoS::AtLeastOnce).await;
    while !text(&anna.next().await.payload).contains("\"stage\":\"armed\"") {}
    board.load(&game.script()).expect("it runs");

    let screens: Vec<TcpStream> = {
        let mut all = Vec::new();
        for number in 0..SCREENS {
            all.push(screen(number, tcp).await);
        }
        all
    };
    let mut attack = JoinSet::new();
    for number in 0..SILENT {
        let to = [tcp, web][usize::from(number % 2)];
        attack.spawn(async move {
            for _ in 0..ROUNDS {
                read_to_end(&mut connect(number, to).await).await;
            }
        });
    }
    let request = b"GET /mqtt HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    for number in 0..SLOW {
        let to = [tcp, web][usize::from(number % 2)];
        attack.spawn(async move { assert_within(send_slowly(number, to).await, GONE, "a slow sender is closed") });
        attack.spawn(async move { send_huge_connect(number, to, if to == web { request } else { b"" }).await });
    }
    let mut logins = (Duration::ZERO, 0);
    let arbiter = async {
        while attack.join_next().await.inspect(|ended| assert!(ended.is_ok(), "{ended:?}")).is_some() {
            let began = monotonic();
            let mut options = options(tcp, "anna-laptop");
            options.set_credentials("anna", "secret of anna");
            Client::connect(options).await.leave().await;
            let mut page = WebSocket::open(web).await;
            assert_eq!(page.connect("anna-page", Some(("anna", "secret of anna"))).await, Some(0));
            logins = (logins.0.max(monotonic().since(began) / 2), logins.1 + 1);
        }
    };
    let (gap, messages, ()) = longest_gap(&mut anna, || !board.wait_done(Duration::ZERO), arbiter).await;
    assert!(logins.1 > usize::from(SLOW), "{logins:?}");
    assert_within(logins.0, LOGIN, "a login of an arbiter");
    assert!(messages > 10, "a game is played: {messages}");
    assert_within(gap, GAP, "the next message of the board");
    drop(screens);
    let log = daemon.stop("-TERM");
    // Each of the nine kinds has a line at once, and one with its count at the end.
    let refused = log.lines().filter(|line| line.contains("WARN broker: ")).count();
    assert!((2..=18).contains(&refused) && log.contains(" times in the last minute"), "{log}");
    assert!(log.lines().count() < 60, "{log}");
}
