//! A broker that sends what it keeps in two parts, with a pause between them.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use super::*;
use crate::config::Mqtt;

/// A retained message with the payload `x`.
fn kept(topic: u8) -> [u8; 7] {
    [0x31, 5, 0, 1, topic, 0, b'x']
}

/// The answer to a subscription to one filter.
fn answer(subscription: &[u8]) -> [u8; 6] {
    assert_eq!(subscription[0], 0x82, "a subscription");
    [0x90, 4, subscription[2], subscription[3], 0, 0]
}

/// Reads the next packet. None: nothing has come within the socket's time limit, or the client has left.
fn packet(socket: &mut TcpStream) -> Option<Vec<u8>> {
    let mut head = [0; 2];
    socket.read_exact(&mut head).ok()?;
    let mut body = vec![0; head[1].into()];
    socket.read_exact(&mut body).ok()?;
    Some([&head[..], &body].concat())
}

#[test]
fn what_the_broker_sends_after_a_pause_is_read_too() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let broker = std::thread::Builder::new().name("broker".to_owned()).spawn(move || {
        let (mut socket, _) = listener.accept().expect("a client");
        packet(&mut socket).expect("a connection");
        socket.write_all(&[0x20, 3, 0, 0, 0]).expect("accepted");
        let first = answer(&packet(&mut socket).expect("a subscription"));
        socket.write_all(&[&kept(b'a')[..], &first].concat()).expect("sent");
        let second = answer(&packet(&mut socket).expect("a question behind it"));
        socket.set_read_timeout(Some(3 * QUIET)).expect("a time limit");
        assert_eq!(packet(&mut socket), None, "the client goes on waiting");
        socket.set_read_timeout(None).expect("no time limit");
        socket.write_all(&[&kept(b'b')[..], &second].concat()).expect("sent");
        while packet(&mut socket).is_some() {}
    });
    let broker = broker.expect("a thread");
    let mqtt = Mqtt { host: "127.0.0.1".to_owned(), port: Some(port), ..Mqtt::default() };
    let identity = Identity::read(&mqtt, "organiser").expect("no files");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let found = runtime.block_on(read_retained(&identity, "client", &["+".to_owned()])).expect("an answer");
    assert_eq!(found, [("a".to_owned(), b"x".to_vec()), ("b".to_owned(), b"x".to_vec())]);
    broker.join().expect("no fault");
}
