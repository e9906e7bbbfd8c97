//! A clean stop while many messages wait and the broker is slow.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::system_clock;

use crate::support::mqtt::node::settings;
use crate::support::mqtt::packets::{Packet, packets};
use crate::support::mqtt::{Node, PATIENCE, thread};
use crate::support::seconds::assert_within;

/// The number of unacknowledged publications that the slow broker takes.
const WINDOW: u8 = 32;

/// A broker that acknowledges one publication after the other with this pause; its thread returns all packets when the client is
/// gone.
fn slow_broker(apart: Duration, acknowledged: Arc<AtomicUsize>) -> (u16, JoinHandle<Vec<Packet>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("its address").port();
    let broker = thread("slow broker", move || {
        let (mut stream, _) = listener.accept().expect("a client");
        stream.set_read_timeout(Some(Duration::from_millis(5))).expect("a time-out");
        let (mut bytes, mut answered, mut subscriptions) = (Vec::new(), 0, 0);
        let (mut waiting, mut next) = (std::collections::VecDeque::new(), system_clock::monotonic());
        let end = next.after(PATIENCE);
        while is_open(&mut stream, &mut bytes) && system_clock::monotonic() < end {
            let all = packets(&bytes);
            for packet in all.iter().skip(answered) {
                match packet {
                    Packet::Connect { .. } => write_to(&mut stream, &[0x20, 6, 0, 0, 3, 0x21, 0, WINDOW]),
                    // The client's first ids; the requests have one filter, three, and two for its board.
                    Packet::Other(0x82) => {
                        subscriptions += 1;
                        let codes = [1, 3, 2][subscriptions - 1];
                        write_to(
                            &mut stream,
                            &[&[0x90, 3 + codes, 0, subscriptions as u8, 0][..], &vec![1; codes.into()]].concat(),
                        );
                    }
                    Packet::Publish { id: Some(id), .. } => waiting.push_back(*id),
                    _ => {}
                }
            }
            answered = all.len();
            if system_clock::monotonic() >= next
                && let Some(id) = waiting.pop_front()
            {
                next = system_clock::monotonic().after(apart);
                write_to(&mut stream, &[&[0x40, 2][..], &u16::to_be_bytes(id)].concat());
                acknowledged.fetch_add(1, Ordering::SeqCst);
            }
        }
        packets(&bytes)
    });
    (port, broker)
}

fn is_open(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> bool {
    let mut buffer = [0; 4096];
    match stream.read(&mut buffer) {
        Ok(count) => {
            bytes.extend_from_slice(&buffer[..count]);
            count > 0
        }
        Err(error) => matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

fn write_to(stream: &mut TcpStream, bytes: &[u8]) {
    // If the client is gone, the next read reports it.
    _ = stream.write_all(bytes);
}

#[test]
fn a_clean_stop_is_published_however_much_waits() {
    // The acknowledgements of all messages in flight take longer than a stop.
    let apart = Duration::from_millis(150);
    let acknowledged = Arc::new(AtomicUsize::new(0));
    let (port, broker) = slow_broker(apart, Arc::clone(&acknowledged));
    let node = Node::with(settings(port, |_| ()), 1, 500);
    let end = system_clock::monotonic().after(PATIENCE);
    while node.outbox.counters().flying < usize::from(WINDOW) || acknowledged.load(Ordering::SeqCst) < 3 {
        assert!(system_clock::monotonic() < end, "the window is not full: {:?}", node.outbox.counters());
        _ = node.reports.recv_timeout(Duration::from_millis(10));
    }
    let before = system_clock::monotonic();
    node.stop();
    let took = system_clock::monotonic().since(before);
    assert_within(took, Duration::from_secs(6), "the stop");
    let read = broker.join().expect("no panic");
    let is_stopped = |packet: &Packet| matches!(packet, Packet::Publish { payload, .. } if payload.contains("stopped"));
    let place = read.iter().position(is_stopped).expect("the last status");
    assert_eq!(read[place + 1..], [Packet::Other(0xe0)], "the DISCONNECT follows at once");
}
