//! The part of HTTP and WebSocket (RFC 6455) that a test needs, with bounded waits.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::support::waiting::{PATIENCE, wait_until};

/// Waits until somebody listens.
pub(crate) fn wait_for_listener(address: SocketAddr) {
    wait_until("a listener", PATIENCE, || TcpStream::connect(address).is_ok());
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("a listener");
    stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
    stream
}

/// Sends a request and returns the whole answer.
pub(crate) fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = connect(address);
    // A server that refuses a request may not read all of it.
    _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    String::from_utf8(answer).expect("text")
}

/// The answer to a request for `path` with these further headers.
pub(crate) fn request(address: SocketAddr, method: &str, path: &str, headers: &str) -> String {
    exchange(address, &format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n"))
}

/// The JSON at a path.
pub(crate) fn json(address: SocketAddr, path: &str) -> Value {
    let answer = request(address, "GET", path, "");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
    serde_json::from_str(body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"))
}

/// A WebSocket to the API.
#[derive(Debug)]
pub(crate) struct Client {
    stream: TcpStream,
}

impl Client {
    /// Connects, as a page of this origin does. The error is the server's answer.
    pub(crate) fn open(address: SocketAddr, origin: Option<&str>) -> Result<Client, String> {
        let mut stream = connect(address);
        let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
        let request = format!(
            "GET /api/v1.0 HTTP/1.1\r\nHost: {address}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             {origin}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("request is sent");
        let (mut answer, mut byte) = (Vec::new(), [0]);
        while !answer.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        match answer.starts_with(b"HTTP/1.1 101") {
            true => Ok(Client { stream }),
            false => Err(String::from_utf8_lossy(&answer).into_owned()),
        }
    }

    /// Sends a frame with this opcode; returns false if the server has closed the connection.
    pub(crate) fn send_frame(&mut self, opcode: u8, payload: &[u8]) -> bool {
        let mut frame = vec![0x80 | opcode];
        // A mask of zeros leaves the payload as it is.
        match payload.len() {
            short @ 0..126 => frame.push(0x80 | short as u8),
            long @ 126..0x1_0000 => {
                frame.push(0xFE);
                frame.extend((long as u16).to_be_bytes());
            }
            longest => {
                frame.push(0xFF);
                frame.extend((longest as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(payload);
        self.stream.write_all(&frame).is_ok()
    }

    pub(crate) fn send(&mut self, text: &str) {
        assert!(self.send_frame(1, text.as_bytes()), "the connection is closed");
    }

    /// The next message; none when the server has closed the connection.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        loop {
            let mut head = [0; 2];
            self.read(&mut head)?;
            let length = match head[1] {
                126 => {
                    let mut length = [0; 2];
                    self.read(&mut length)?;
                    usize::from(u16::from_be_bytes(length))
                }
                short => usize::from(short),
            };
            assert!(length < 0xFFFF && head[1] < 127, "a long message");
            let mut payload = vec![0; length];
            self.read(&mut payload)?;
            match head[0] {
                0x81 => return Some(serde_json::from_slice(&payload).expect("JSON")),
                0x88 => return None,
                0x89 => assert!(self.send_frame(0xA, &payload)),
                other => panic!("a strange frame: {other:#x}"),
            }
        }
    }

    fn read(&mut self, bytes: &mut [u8]) -> Option<()> {
        match self.stream.read_exact(bytes) {
            Ok(()) => Some(()),
            Err(error) if matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset) => None,
            Err(error) => panic!("no message: {error}"),
        }
    }

    /// Sends a call and returns the next message.
    pub(crate) fn call(&mut self, text: &str) -> Value {
        self.send(text);
        self.receive().expect("an answer")
    }

    /// The parameter of the next message of a feed.
    pub(crate) fn event(&mut self) -> Value {
        let mut message = self.receive().expect("a message");
        assert_eq!(message["response"], "feed", "{message}");
        message["param"].take()
    }

    /// From now on there is little room for messages that nobody reads, and a write waits at most so long.
    pub(crate) fn become_slow(&mut self, limit: Duration) {
        self.stream.set_write_timeout(Some(limit)).expect("a limit");
        socket2::SockRef::from(&self.stream).set_recv_buffer_size(4 << 10).expect("a size");
    }
}
