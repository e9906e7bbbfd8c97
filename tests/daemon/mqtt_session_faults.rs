//! The MQTT session with brokers that break the rules or disappear.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::mqtt::{ReconnectDelays, Settings};
use flagfall::system_clock;

use crate::support::mqtt::node::settings;
use crate::support::mqtt::packets::{Packet, packets};
use crate::support::mqtt::{Node, PATIENCE, SessionReport, thread};
use crate::support::seconds::assert_within;

const WELCOME: [u8; 5] = [0x20, 3, 0, 0, 0];
const PING: u8 = 0xc0;

/// A broker of this test; it closes its connection and ends when it is dropped.
struct Broker {
    port: u16,
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A broker that calls `serve` for one client after the other.
fn broker(mut serve: impl FnMut(usize, TcpStream) + Send + 'static) -> Broker {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("its address").port();
    let over = Arc::new(AtomicBool::new(false));
    let ends = over.clone();
    let thread = thread("broker", move || {
        for (number, stream) in listener.incoming().enumerate() {
            if ends.load(Ordering::SeqCst) {
                return;
            }
            let stream = stream.expect("a client");
            stream.set_read_timeout(Some(Duration::from_millis(5))).expect("a time-out");
            serve(number, stream);
        }
    });
    Broker { port, over, thread: Some(thread) }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.over.store(true, Ordering::SeqCst);
        _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

fn settings_for(broker: &Broker) -> Settings {
    let (first, longest, good) = (Duration::from_millis(10), Duration::from_millis(10), Duration::from_secs(30));
    Settings { reconnect: ReconnectDelays { first, longest, good }, ..settings(broker.port, |_| ()) }
}

/// Reads packets and calls `handle` with each, until it returns false or the client is gone.
fn read(stream: &mut TcpStream, mut handle: impl FnMut(&mut TcpStream, &Packet) -> bool) {
    let (mut bytes, mut buffer, mut done) = (Vec::new(), [0; 4096], 0);
    let end = system_clock::monotonic().after(PATIENCE);
    while system_clock::monotonic() < end {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => bytes.extend_from_slice(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return,
        }
        let all = packets(&bytes);
        for packet in all.iter().skip(done) {
            if !handle(stream, packet) {
                return;
            }
        }
        done = all.len();
    }
}

/// Writes bytes to a client. If the client is gone, the next read reports it.
fn write_to(stream: &mut TcpStream, bytes: &[u8]) {
    _ = stream.write_all(bytes);
}

fn acknowledge(stream: &mut TcpStream, id: u16) {
    write_to(stream, &[&[0x40, 2][..], &id.to_be_bytes()].concat());
}

#[test]
fn a_broker_that_breaks_the_rules_is_left_and_the_cause_is_reported() {
    // The bytes after the client's first packet, the cause of the end, and whether it is a bad packet.
    let table: [(&[u8], &str, bool); 12] = [
        (&[0x34, 7, 0, 1, b't', 0, 1, 0, b'x'], "QoS 2", true),
        (&[0x50, 2, 0, 1], "did not ask for", true),
        (&[0x20, 3, 0, 0, 0], "did not ask for", true),
        (&[0xf0, 2, 0, 0], "", true),
        (&[0x30, 5, 0, 9, b't', 0, b'x'], "boundary", true),
        (&[0x30, 5, 0, 1, 0xff, 0, b'x'], "not text", true),
        (&[0x30, 7, 0, 0, 3, 0x23, 0, 1, b'x'], "without a topic", true),
        (&[0x30, 0x80, 0x80, 0x40, 0, 1, b't'], "1048576", true),
        (&[0x40, 2, 0, 9], "publication 9", false),
        (&[0x90, 4, 0, 9, 0, 1], "subscription 9", false),
        (&[0xe0, 1, 0x8b], "ServerShuttingDown", false),
        (&[], "closed the connection", false),
    ];
    let broker = broker(move |number, mut stream| {
        read(&mut stream, |stream, packet| {
            if matches!(packet, Packet::Connect { .. }) {
                let bytes = table[number % table.len()].0;
                write_to(stream, &[&WELCOME, bytes].concat());
                if bytes.is_empty() {
                    // If the client is gone, the next read reports it.
                    _ = stream.shutdown(Shutdown::Write);
                }
            }
            // Unread bytes would make the kernel discard the written ones, so all are read until the client is gone.
            true
        });
    });
    let node = Node::with(settings_for(&broker), 1, 0);
    let mut bad = 0;
    for (bytes, cause, is_bad) in table {
        let down = node.wait_until_down();
        bad += u64::from(is_bad);
        assert!(down.cause.contains(cause) && down.bad_packets == bad, "{bytes:x?}: {down:?}");
    }
    node.stop();
}

#[test]
fn a_server_without_a_welcome_is_no_broker() {
    let table: [(&[u8], &str); 5] = [
        (b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nWhat is this supposed to mean? Please go away at once, and do not come back.", ""),
        (&[0x40, 2, 0, 1], "first packet is not a welcome"),
        (&[0x20, 6, 0, 0, 3, 0x21, 0, 0], "allows nothing"),
        (&[0x20, 3, 0, 0x88, 0], "refuses us"),
        (&[0xe0, 2, 0x89, 0], "ServerBusy"),
    ];
    let broker = broker(move |number, mut stream| {
        read(&mut stream, |stream, _| {
            write_to(stream, table[number % table.len()].0);
            true
        });
    });
    let node = Node::with(settings_for(&broker), 1, 0);
    for (bytes, cause) in table {
        let down = node.wait_until_down();
        assert!(down.cause.contains(cause) && !down.cause.contains("five seconds"), "{bytes:x?}: {down:?}");
    }
}

#[test]
fn a_client_whose_connection_is_taken_over_comes_back_with_another_id() {
    // Mosquitto's form of the packet, without a property length; then a broker that gives no reason.
    let (sender, ids) = sync_channel(100);
    let broker = broker(move |number, mut stream| {
        read(&mut stream, |stream, packet| {
            if let Packet::Connect { client_id, .. } = packet {
                sender.send(client_id.clone()).expect("the receiver waits");
                let over: &[u8] = if number < 3 { &[0xe0, 1, 0x8e] } else { &[] };
                write_to(stream, &[&WELCOME, over].concat());
                return number < 3;
            }
            true
        });
    });
    let node = Node::with(settings_for(&broker), 1, 0);
    for takeovers in [1, 2, 3, 3, 3, 3] {
        let down = node.wait_until_down();
        let said = if takeovers < 3 { "took over" } else { "" };
        assert!(down.takeovers == takeovers && down.cause.contains(said) && !down.name_taken, "{down:?}");
    }
    node.stop();
    let ids: Vec<String> = ids.try_iter().take(6).collect();
    let other = |place: usize| ids[place] != ids[place - 1];
    assert!([1, 2, 3].into_iter().all(other), "after each takeover the id is another one: {ids:?}");
    assert!(!other(4) && other(5), "two connections that are lost soon may be one too: {ids:?}");
    assert!(ids.iter().all(|id| id.starts_with("flagfall-n1-") && id.len() == "flagfall-n1-".len() + 24), "{ids:?}");
}

/// A broker that accepts the client with these properties. It calls `handle` for every packet but the subscriptions, and for the
/// first one before the welcome.
fn welcoming(properties: &'static [u8], mut handle: impl FnMut(&mut TcpStream, &Packet) -> bool + Send + 'static) -> Broker {
    let welcome = [&[0x20, 3 + properties.len() as u8, 0, 0, properties.len() as u8], properties].concat();
    broker(move |_, mut stream| {
        let mut subscriptions = 0;
        read(&mut stream, |stream, packet| {
            match packet {
                Packet::Connect { .. } => {
                    let goes_on = handle(stream, packet);
                    write_to(stream, &welcome);
                    return goes_on;
                }
                // The client's first ids; the requests have one filter, three, and two for its board.
                Packet::Other(0x82) => {
                    subscriptions += 1;
                    let codes = [1, 3, 2][subscriptions - 1];
                    let head = [0x90, 3 + codes, 0, subscriptions as u8, 0];
                    write_to(stream, &[&head[..], &vec![1; codes.into()]].concat());
                }
                packet => return handle(stream, packet),
            }
            true
        });
    })
}

#[test]
fn a_broker_that_gives_no_sign_of_life_is_left() {
    let (sender, stamps) = sync_channel(10);
    let mut answered = 0;
    // The broker demands a ping every second.
    let broker = welcoming(&[0x13, 0, 1], move |stream, packet| {
        match packet {
            // All timers of the node begin after this moment, however late anybody reads.
            Packet::Connect { .. } => sender.send(system_clock::monotonic()).expect("the receiver waits"),
            Packet::Publish { id: Some(id), .. } => acknowledge(stream, *id),
            Packet::Other(PING) => {
                sender.send(system_clock::monotonic()).expect("the receiver waits");
                answered += 1;
                if answered == 1 {
                    write_to(stream, &[0xd0, 0]);
                }
            }
            _ => {}
        }
        true
    });
    let node = Node::with(settings_for(&broker), 1, 0);
    node.wait_until_ready();
    let [welcomed, _, second] = [(); 3].map(|()| stamps.recv_timeout(PATIENCE).expect("a welcome, and two pings"));
    let down = node.wait_until_down();
    let ended = system_clock::monotonic();
    assert!(second.since(welcomed) >= Duration::from_secs(2), "{:?}", second.since(welcomed));
    assert!(down.cause.contains("no sign of life") && down.bad_packets == 0, "{down:?}");
    // The second ping is not answered: five seconds pass.
    assert!(ended.since(welcomed) >= Duration::from_secs(7), "{:?}", ended.since(welcomed));
    assert_within(ended.since(second), Duration::from_secs(8), "the end after the last ping");
}

#[test]
fn no_more_is_in_flight_than_the_broker_accepts() {
    let mut open = Vec::new();
    // A receive maximum of two.
    let broker = welcoming(&[0x21, 0, 2], move |stream, packet| {
        if let Packet::Publish { id: Some(id), .. } = packet {
            open.push(*id);
            // The broker acknowledges the last publication first.
            if open.len() == 2 {
                acknowledge(stream, open.remove(1));
            } else if open.len() > 2 {
                write_to(stream, &[0xe0, 1, 0x93]);
            }
        }
        true
    });
    let node = Node::with(settings_for(&broker), 1, 40);
    node.wait("the cursor", |report| match report {
        SessionReport::Connection(state) if !state.up => panic!("{state:?}"),
        SessionReport::Acked(38) => Some(()),
        _ => None,
    });
}

#[test]
fn a_broker_that_stops_to_read_keeps_nobody_from_stopping() {
    const LARGE: usize = 4 << 20;
    let (sender, full) = sync_channel(1);
    let broker = welcoming(&[], move |stream, packet| {
        if let Packet::Publish { id: Some(id), payload, .. } = packet {
            if payload.len() > 1000 {
                // The broker stops reading, and the connection stays open.
                sender.send(stream.try_clone().expect("a connection")).expect("the receiver waits");
                return false;
            }
            acknowledge(stream, *id);
        }
        true
    });
    let node = Node::with(settings_for(&broker), 1, 0);
    node.wait_until_ready();
    let large = "x".repeat(LARGE);
    (0..64).for_each(|number| node.keep_state(&format!("flagfall/1/live/open26/5/b1/{number}"), &large));
    let _stays = full.recv_timeout(PATIENCE).expect("the broker has stopped reading");
    node.add_events(100);
    // A message that is larger than all that may be in flight is sent alone.
    let under_way = node.outbox.counters().flying;
    assert!((1..=2).contains(&under_way), "{under_way} of {LARGE} bytes each: perhaps with the status");
    let before = system_clock::monotonic();
    node.stop();
    let took = system_clock::monotonic().since(before);
    assert_within(took, Duration::from_secs(5), "the stop");
}
