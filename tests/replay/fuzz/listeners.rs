//! What strangers send to the listeners of the program: frames of pages at the relay, requests of browsers (`requests`), and calls of programs
//! (`calls`).

mod calls;
mod requests;
mod watched;

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flagfall::config::Config;
use flagfall::screens;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use self::watched::Watched;
use super::{BYTES, campaign};
use crate::support::nearly::{mutated_bytes, run_until};
use crate::support::seeds::ordinary;

/// The largest answer that is read, in bytes.
const ANSWER: u64 = 16 << 20;
/// The longest time until the program has answered and closed a connection whose other end is closed.
const WITHIN: Duration = Duration::from_secs(20);

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Connects from an address that nobody had before, so that each is a stranger of its own.
async fn connect(to: SocketAddr) -> (TcpStream, IpAddr) {
    static CONNECTIONS: AtomicU32 = AtomicU32::new(0);
    let own = Ipv4Addr::from_bits(0x7f01_0000 + CONNECTIONS.fetch_add(1, Ordering::Relaxed) % 0x00fe_0000);
    (connect_from(own, to).await, own.into())
}

async fn connect_from(own: Ipv4Addr, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((own, 0).into()).expect("an address of this machine");
    socket.connect(to).await.expect("somebody listens")
}

/// Sends these bytes, and their end when the answer begins or none is expected. Returns everything that is answered.
async fn exchange(stream: &mut TcpStream, bytes: &[u8], is_answered: bool) -> Vec<u8> {
    let answered = async {
        // A server that refuses a request may not read all of it, and closes the connection.
        _ = stream.write_all(bytes).await;
        let mut answer = Vec::new();
        if is_answered {
            answer.extend(stream.read_u8().await.ok());
        }
        _ = stream.shutdown().await;
        _ = stream.take(ANSWER).read_to_end(&mut answer).await;
        answer
    };
    timeout(WITHIN, answered).await.expect("the program closes the connection in time")
}

/// The request of a page that opens a WebSocket.
fn upgrade(path: &str, address: SocketAddr) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
    )
}

/// A frame of a client. A mask of zeros leaves the payload as it is.
fn frame(opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x80 | opcode];
    match payload.len() {
        short @ 0..126 => frame.push(0x80 | short as u8),
        long => {
            frame.push(0xfe);
            frame.extend(u16::try_from(long).expect("a short payload").to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// What the broker got from each visitor.
type Got = Arc<Mutex<BTreeMap<IpAddr, Vec<u8>>>>;

/// A broker that notes what it gets. It lets everybody log in, and gives back what comes after that.
async fn broker(listener: TcpListener, got: Got) {
    while let Ok((mut stream, visitor)) = listener.accept().await {
        let got = Arc::clone(&got);
        tokio::spawn(async move {
            let mut bytes = vec![0; 1 << 16];
            let mut answer: &[u8] = b"\x20\x03\x00\x00\x00";
            while let Ok(length @ 1..) = stream.read(&mut bytes).await {
                got.lock().expect("no panic").entry(visitor.ip()).or_default().extend(&bytes[..length]);
                let first = std::mem::take(&mut answer);
                _ = stream.write_all(if first.is_empty() { &bytes[..length] } else { first }).await;
            }
        });
    }
}

#[test]
fn the_relay_takes_any_frames() {
    const CONNECT: &[u8] = b"\x10\x11\x00\x04MQTT\x05\x02\x00\x1e\x00\x00\x04page";
    const SUBSCRIBE: &[u8] = b"\x82\x0e\x00\x08\x00\x09flagfall/\x01";
    let runtime = runtime();
    let (got, listener) = (Got::default(), runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port"));
    let mut config = Config::default();
    config.screens.listen = "127.0.0.1:0".to_owned();
    let screens = screens::start(&config, listener.local_addr().ok()).expect("they are served");
    runtime.spawn(broker(listener, Arc::clone(&got)));
    let address = screens.address;
    let pieces: [&[&[u8]]; 4] =
        [&[CONNECT, SUBSCRIBE], &[CONNECT, b"", b"\xe0\x00"], &[&CONNECT[..9], &CONNECT[9..]], &[SUBSCRIBE]];
    let long = vec![0x32; 60_000];
    let mut passed_on = 0;
    let mut watched = Watched::new();
    let mut one = |random: &mut fastrand::Rng| {
        let pieces = pieces[random.usize(..pieces.len())];
        let mut payloads: Vec<Vec<u8>> = pieces.iter().map(|piece| piece.to_vec()).collect();
        if random.u8(..) < 10 {
            payloads.push(long.clone());
        }
        let is_changed = random.bool();
        if is_changed {
            payloads = payloads.iter().map(|payload| mutated_bytes(random, &[payload])).collect();
        }
        let frames: Vec<u8> = payloads.iter().flat_map(|payload| frame(2, payload)).collect();
        let is_damaged = random.bool();
        let sent = if is_damaged { mutated_bytes(random, &[&frames]) } else { frames };
        let head = upgrade("/mqtt", address);
        let (visitor, answer) = runtime.block_on(async {
            let (mut stream, visitor) = connect(address).await;
            (visitor, exchange(&mut stream, &[head.as_bytes(), &sent].concat(), true).await)
        });
        watched::assert_no_panic("screens");
        let shown = String::from_utf8_lossy(&answer[..answer.len().min(200)]).into_owned();
        assert!(answer.starts_with(b"HTTP/1.1 101"), "{shown}");
        let passed = got.lock().expect("no panic").remove(&visitor).unwrap_or_default();
        assert!(passed.first().is_none_or(|first| *first == 0x10), "something else than CONNECT came first: {passed:?}");
        // The relay writes the CONNECT anew.
        assert!(passed.len() <= sent.len() + CONNECT.len());
        passed_on += passed.len();
        let begins = payloads[0].first() == Some(&0x10);
        if !is_damaged && !is_changed && begins {
            assert!(payloads.concat().starts_with(&passed), "what came is what was sent");
        }
        sent.len()
    };
    campaign("fuzz of frames at the relay", 0..1, |seed| watched.after(run_until(seed, BYTES / 20, &mut one)));
    assert!(passed_on > 0 || !ordinary());
    screens.stop();
}
