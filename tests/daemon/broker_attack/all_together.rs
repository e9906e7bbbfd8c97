//! All attacks at once at a daemon with its broker and its pages: memory stays small, an arbiter logs in and sees a flag in time.
#![cfg(feature = "screens")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use flagfall::emulate::PtyBoard;
use flagfall::system_clock::monotonic;
use flagfall_hardware::emulator::Settings;
use flagfall_hardware::emulator::script::Script;
use rumqttc::v5::mqttbytes::QoS;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::memory::memory;
use super::{LOGIN, log_in_as_anna};
use crate::broker_strangers::raw::{connect, connect_3, publish, string, whole};
use crate::client::{Client, PATIENCE, text};
use crate::rig::{ROUND, Rig, Seat};
use crate::support::ports::free_address;
use crate::support::seconds::{assert_within, is_strict};
use crate::support::waiting::wait_until;
use crate::websocket::WebSocket;

/// What the daemon may have in its memory besides its program, in bytes.
const MEMORY: u64 = 64 << 20;
/// The line of the process's status about it.
const OWN: &str = "RssAnon";
/// When the flag falls after the hands begin, and the longest time until an arbiter knows it.
const FALL: Duration = Duration::from_millis(4_900);
const FLAG: Duration = Duration::from_secs(1);
/// The pause of each attacker after each step.
const PAUSE: Duration = Duration::from_millis(50);
/// How long an attacker waits for an answer before it begins anew.
const ANSWER: Duration = Duration::from_secs(2);
/// How many attackers of each kind there are, each with an address of its own, where other tests run, and where the bounds are asserted.
const OF_EACH_KIND: u8 = 1;
const STRICT_OF_EACH_KIND: u8 = 4;
/// White presses after his first move. Black moves, does not press, and his time of three seconds ends.
const HANDS: &str = "0.2 set left 0:00:03 right 0:00:03\n1 run\n+0.3 lift e2\n+0.3 place e4\n+0.3 press left\n\
                     +0.3 lift e7\n+0.3 place e5\n+3.5 stop\n";

/// Where the three listeners are.
#[derive(Clone, Copy)]
struct Doors {
    tcp: SocketAddr,
    web: SocketAddr,
    pages: SocketAddr,
}

/// What somebody does again and again. The card of another machine was stolen; all others have the spectators' password or none.
#[derive(Clone, Copy, Debug)]
enum Attack {
    SilentSockets,
    HalfRequests,
    HugeConnects,
    Guesses,
    GuessesAtThePages,
    SessionsLeft,
    ManyFilters,
    BadPackets,
    NothingRead,
    NothingReadAtThePages,
    HugeFrames,
    CardFloods,
    CardRetains,
    CardAcknowledgesNothing,
}

const ATTACKS: [Attack; 14] = [
    Attack::SilentSockets,
    Attack::HalfRequests,
    Attack::HugeConnects,
    Attack::Guesses,
    Attack::GuessesAtThePages,
    Attack::SessionsLeft,
    Attack::ManyFilters,
    Attack::BadPackets,
    Attack::NothingRead,
    Attack::NothingReadAtThePages,
    Attack::HugeFrames,
    Attack::CardFloods,
    Attack::CardRetains,
    Attack::CardAcknowledgesNothing,
];

/// One attacker: an address, and how often it has done something.
struct Attacker {
    doors: Doors,
    from: Ipv4Addr,
    turn: u32,
}

impl Attacker {
    async fn open(&self, to: SocketAddr) -> Option<TcpStream> {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_reuseaddr(true).expect("an option");
        socket.set_recv_buffer_size(4 << 10).expect("an option");
        socket.bind(SocketAddr::new(IpAddr::V4(self.from), 0)).expect("an address of this machine");
        timeout(ANSWER, socket.connect(to)).await.ok()?.ok()
    }

    /// Sends these bytes as far as they are taken.
    async fn send(&self, to: SocketAddr, bytes: &[u8]) -> Option<TcpStream> {
        let mut stream = self.open(to).await?;
        timeout(ANSWER, stream.write_all(bytes)).await.ok()?.ok()?;
        Some(stream)
    }

    /// Logs in as this user, sends these bytes, and keeps the connection.
    async fn log_in(&self, user: &str, then: &[u8]) -> Option<TcpStream> {
        let id = format!("{}-{}", self.from, self.turn);
        let mut stream = self.send(self.doors.tcp, &connect(&id, user, 0)).await?;
        timeout(ANSWER, stream.read_u8()).await.ok()?.ok()?;
        timeout(ANSWER, stream.write_all(then)).await.ok()?.ok()?;
        Some(stream)
    }

    /// Opens a WebSocket and sends this packet in one frame.
    async fn send_frame(&self, to: SocketAddr, packet: &[u8]) -> Option<TcpStream> {
        let request = format!(
            "GET /mqtt HTTP/1.1\r\nHost: {to}\r\nOrigin: http://{to}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
        );
        let mut stream = self.send(to, request.as_bytes()).await?;
        timeout(ANSWER, stream.read_u8()).await.ok()?.ok()?;
        let length = u64::try_from(packet.len()).expect("a length").to_be_bytes();
        // The mask is zero.
        let frame = [&[0x82, 0xFF][..], &length, &[0; 4], packet].concat();
        // It is closed as soon as the length is read.
        _ = timeout(ANSWER, stream.write_all(&frame)).await;
        Some(stream)
    }

    /// Does it once; a connection that is returned stays open.
    async fn step(&self, attack: Attack) -> Option<TcpStream> {
        let Doors { tcp, web, pages } = self.doors;
        let (door, card) = ([tcp, web, pages][self.turn as usize % 3], "card");
        match attack {
            Attack::SilentSockets => self.open(door).await,
            Attack::HalfRequests => self.send(door, b"GET /arbiter/ HTTP/1.1\r\nHost: ").await,
            Attack::HugeConnects => {
                let huge = [&[0x10, 0xFF, 0xFF, 0x3F, 0, 4][..], b"MQTT", &[5, 0, 0, 0], &vec![0; 1 << 20]].concat();
                self.send(tcp, &huge).await
            }
            Attack::Guesses => self.send(tcp, &guess(connect_3("guess", "anna"))).await,
            Attack::GuessesAtThePages => self.send_frame(pages, &guess(connect("guess", "anna", 0))).await,
            Attack::SessionsLeft => {
                let mut kept = connect_3(&format!("{}-{}", self.from, self.turn), "screen");
                kept[9] &= !0x02;
                self.send(tcp, &kept).await
            }
            Attack::ManyFilters => {
                let filters: Vec<u8> =
                    (0..61).flat_map(|n| [string(&format!("flagfall/1/public/t/{}/{n}", self.turn)), vec![1]].concat()).collect();
                self.log_in("screen", &whole(0x82, &[&[0, 9, 0][..], &filters].concat()).repeat(20)).await
            }
            Attack::BadPackets => {
                let bad = [
                    publish(0x32, "flagfall/1/public/t/a", &[0x21, 0, 9], b"x"),
                    publish(0x33, "flagfall/1/public/t/\u{FFFE}", &[], b"x"),
                    publish(0x34, "#", &[], b"x"),
                ];
                self.log_in("screen", &bad[self.turn as usize % 3]).await
            }
            Attack::NothingRead => self.log_in("screen", &subscribe("flagfall/1/public/#")).await,
            Attack::CardAcknowledgesNothing => self.log_in(card, &subscribe("flagfall/1/public/#")).await,
            Attack::NothingReadAtThePages => {
                let packets =
                    [connect(&format!("{}-{}", self.from, self.turn), "screen", 0), subscribe("flagfall/1/public/#")].concat();
                self.send_frame(pages, &packets).await
            }
            Attack::HugeFrames => self.send_frame([web, pages][self.turn as usize % 2], &vec![0x10; 4 << 20]).await,
            Attack::CardFloods => {
                self.log_in(card, &publish(0x30, "flagfall/1/public/t/a", &[], &vec![b'x'; 60 << 10]).repeat(8)).await
            }
            Attack::CardRetains => {
                let many = (0..50).flat_map(|n| {
                    publish(0x31, &format!("flagfall/1/public/t/{}/{}/{n}", self.from, self.turn), &[], &[b'x'; 1 << 10])
                });
                self.log_in(card, &many.collect::<Vec<u8>>()).await
            }
        }
    }

    /// Does it again and again with up to 20 connections at a time.
    async fn go_on(mut self, attack: Attack, done: Arc<AtomicUsize>) {
        let mut open = Vec::new();
        loop {
            if let Some(stream) = self.step(attack).await {
                open.push(stream);
                done.fetch_add(1, Ordering::Relaxed);
            }
            if open.len() > 20 {
                open.remove(0);
            }
            self.turn += 1;
            sleep(PAUSE).await;
        }
    }
}

/// A CONNECT as anna with a wrong password.
fn guess(mut connect: Vec<u8>) -> Vec<u8> {
    *connect.last_mut().expect("a password") ^= 1;
    connect
}

fn subscribe(filter: &str) -> Vec<u8> {
    whole(0x82, &[&[0, 9, 0][..], &string(filter), &[1]].concat())
}

/// Lets Black's flag fall, and returns the time from the fall until the arbiter has the ruling.
async fn flag_time(anna: &mut Client, board: &PtyBoard) -> Duration {
    let fall = monotonic().after(FALL);
    board.load(&Script::parse(HANDS).expect("a script")).expect("hands");
    let topic = format!("flagfall/1/arbiter/{ROUND}/b1/ruling");
    loop {
        let message = anna.next().await;
        if message.topic == topic.as_bytes() && text(&message.payload).contains("\"flag\":\"black\"") {
            return monotonic().since(fall);
        }
    }
}

/// Logs in again and again, at least twice, and returns how often and the longest time.
async fn log_in_again(doors: Doors, until: Arc<AtomicBool>) -> (usize, Duration) {
    let (mut logins, mut longest) = (0, Duration::ZERO);
    while !until.load(Ordering::Relaxed) || logins < 2 {
        longest = longest.max(log_in(doors).await);
        logins += 1;
        sleep(PAUSE).await;
    }
    (logins, longest)
}

/// Logs in at the broker and at the pages, and returns the longer time. Where the machine is too busy for a login within its five seconds, it
/// tries again.
async fn log_in(doors: Doors) -> Duration {
    let began = monotonic();
    while !logs_in_at_broker(doors.tcp).await {}
    let at_broker = monotonic().since(began);
    let began = monotonic();
    loop {
        let origin = format!("Origin: http://{}\r\n", doors.pages);
        let mut page = WebSocket::open_with(doors.pages, "127.0.0.1", &origin).await.expect("a page");
        if let Some((reason, _)) = page.try_log_in("", Some(("anna", "secret of anna"))).await {
            assert_eq!(reason, 0, "anna logs in");
            return at_broker.max(monotonic().since(began));
        }
    }
}

async fn logs_in_at_broker(tcp: SocketAddr) -> bool {
    let mut stream = TcpStream::connect(tcp).await.expect("the broker accepts connections");
    stream.write_all(&connect("anna-laptop", "anna", 0)).await.expect("sent");
    let mut answer = [0; 4];
    let is_answered = timeout(PATIENCE, stream.read_exact(&mut answer)).await.expect("an answer in time").is_ok();
    assert!(!is_answered || (answer[0], answer[3]) == (0x20, 0), "anna logs in: {answer:?}");
    is_answered
}

#[allow(clippy::print_stderr, reason = "memory and times are measured")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_attacks_together_cost_little_memory_and_no_arbiter_waits() {
    let doors = Doors { tcp: free_address(), web: free_address(), pages: free_address() };
    let rig = Rig::new(doors.tcp.port(), "", &[Seat { id: "b1", time_control: "3" }]);
    let users = [
        ("anna", "read = [\"flagfall/1/#\"]"),
        ("screen", "read = [\"flagfall/1/public/#\"]"),
        ("card", "read = [\"flagfall/1/public/#\"]\nwrite = [\"flagfall/1/public/t/#\"]"),
    ];
    let users = users
        .map(|(name, rights)| format!("[broker.user.{name}]\npassword_file = '{}'\n{rights}\n", rig.password(name).display()));
    rig.add(&format!(
        "[screens]\nenabled = true\nlisten = \"{}\"\npublic_user = \"screen\"\npublic_password_file = '{}'\n\
         [broker]\nenabled = true\ntcp = \"{}\"\nwebsocket = \"{}\"\n{}",
        doors.pages,
        rig.password("screen").display(),
        doors.tcp,
        doors.web,
        users.concat()
    ));
    let board = rig.board("b1", Settings::default(), 1.0);
    let daemon = rig.start();
    let process = daemon.pid();
    wait_until("the broker", PATIENCE, || rig.log().contains("broker: MQTT on"));
    let mut anna = log_in_as_anna(doors.tcp).await;
    anna.subscribe(&format!("flagfall/1/arbiter/{ROUND}/#"), QoS::AtLeastOnce).await;
    while !text(&anna.next().await.payload).contains("\"stage\":\"armed\"") {}
    let before = memory(process, OWN);

    let (mut attackers, done) = (JoinSet::new(), ATTACKS.map(|_| Arc::new(AtomicUsize::new(0))));
    for (kind, attack) in (0u8..).zip(ATTACKS) {
        for number in 0..if is_strict() { STRICT_OF_EACH_KIND } else { OF_EACH_KIND } {
            let attacker = Attacker { doors, from: Ipv4Addr::new(127, 0, 3 + number, 1 + kind), turn: 0 };
            attackers.spawn(attacker.go_on(attack, Arc::clone(&done[usize::from(kind)])));
        }
    }
    let over = Arc::new(AtomicBool::new(false));
    let logins = tokio::spawn(log_in_again(doors, Arc::clone(&over)));
    let mut most = before;
    let flag = {
        let mut flag = pin!(flag_time(&mut anna, &board));
        loop {
            tokio::select! {
                took = &mut flag => break took,
                () = sleep(PAUSE) => most = most.max(memory(process, OWN)),
            }
        }
    };
    over.store(true, Ordering::Relaxed);
    let (logins, longest) = logins.await.expect("anna logs in");
    // On a slow machine an attacker may need several tries.
    let all_did_something = async {
        while done.iter().any(|count| count.load(Ordering::Relaxed) == 0) {
            sleep(PAUSE).await;
        }
    };
    // What they did is asserted below.
    _ = timeout(PATIENCE, all_did_something).await;
    attackers.shutdown().await;
    let counts: Vec<String> =
        ATTACKS.iter().zip(&done).map(|(attack, count)| format!("{attack:?} {}", count.load(Ordering::Relaxed))).collect();
    eprintln!(
        "memory {} MiB before and {} MiB at most; {logins} logins, {longest:?} at most; a flag after {flag:?}; {}",
        before >> 20,
        most >> 20,
        counts.join(", ")
    );
    assert!(done.iter().all(|count| count.load(Ordering::Relaxed) > 0), "an attack did nothing: {counts:?}");
    assert!(logins > 1, "{logins} logins");
    assert_within(longest, LOGIN, "a login of an arbiter");
    assert_within(flag, FLAG, "a flag under attack");
    assert!(most <= MEMORY, "{most} bytes");
    assert!(daemon.terminate().0.success(), "it ends in order");
}
