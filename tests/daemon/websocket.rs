//! The part of WebSocket (RFC 6455) and MQTT that a test needs: binary frames, of less than 126 bytes towards the server.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::client::PATIENCE;

/// A connection that speaks MQTT over WebSocket: 3.1.1, if it does not log in with 5.
#[derive(Debug)]
pub(crate) struct WebSocket {
    stream: TcpStream,
    is_five: bool,
}

impl WebSocket {
    /// Opens `/mqtt`; panics if the server does not switch protocols.
    pub(crate) async fn open(broker: SocketAddr) -> WebSocket {
        WebSocket::open_as(broker, "127.0.0.1", None).await.unwrap_or_else(|answer| panic!("{answer}"))
    }

    /// Opens `/mqtt` from this address, as a browser does for a page of this origin. The error is the server's answer.
    pub(crate) async fn open_as(broker: SocketAddr, from: &str, origin: Option<&str>) -> Result<WebSocket, String> {
        let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
        WebSocket::open_with(broker, from, &origin).await
    }

    /// The same with these lines of headers.
    pub(crate) async fn open_with(broker: SocketAddr, from: &str, headers: &str) -> Result<WebSocket, String> {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind(SocketAddr::new(from.parse().expect("an address"), 0)).expect("an address of this machine");
        let mut stream = socket.connect(broker).await.expect("WebSocket port is open");
        let request = format!(
            "GET /mqtt HTTP/1.1\r\nHost: {broker}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             {headers}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("request is sent");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let byte = timeout(PATIENCE, stream.read_u8()).await.expect("an answer in time").expect("an answer");
            answer.push(byte);
        }
        match answer.starts_with(b"HTTP/1.1 101") {
            true => Ok(WebSocket { stream, is_five: false }),
            false => Err(String::from_utf8_lossy(&answer).into_owned()),
        }
    }

    /// Sends CONNECT with a clean session; the return code 0 means accepted.
    pub(crate) async fn connect(&mut self, name: &str, login: Option<(&str, &str)>) -> Option<u8> {
        let mut body = vec![0, 4, b'M', b'Q', b'T', b'T', 4, if login.is_some() { 0xC2 } else { 0x02 }, 0, 30];
        string(&mut body, name);
        if let Some((user, password)) = login {
            string(&mut body, user);
            string(&mut body, password);
        }
        self.send(0x10, &body).await;
        self.receive().await.map(|packet| match packet[..] {
            [0x20, 2, _, code] => code,
            _ => panic!("not a CONNACK: {packet:?}"),
        })
    }

    /// Sends CONNECT of MQTT 5 with a clean start, as pages do. Returns the reason and the token of the relay, if it gave one.
    pub(crate) async fn log_in(&mut self, name: &str, login: Option<(&str, &str)>) -> (u8, Option<String>) {
        self.try_log_in(name, login).await.expect("an answer")
    }

    /// The same; none if the server closed the connection.
    pub(crate) async fn try_log_in(&mut self, name: &str, login: Option<(&str, &str)>) -> Option<(u8, Option<String>)> {
        self.is_five = true;
        let mut body = vec![0, 4, b'M', b'Q', b'T', b'T', 5, if login.is_some() { 0xC2 } else { 0x02 }, 0, 30, 0];
        string(&mut body, name);
        if let Some((user, secret)) = login {
            string(&mut body, user);
            string(&mut body, secret);
        }
        self.send(0x10, &body).await;
        let packet = self.receive().await?;
        assert_eq!(packet[0], 0x20, "not a CONNACK: {packet:?}");
        let text = String::from_utf8_lossy(&packet);
        let at = text.find("flagfall-token-");
        let token = at.map(|at| text[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect());
        Some((packet[3], token))
    }

    /// Whether the server has closed the connection without a word.
    pub(crate) async fn is_closed(&mut self) -> bool {
        !matches!(timeout(PATIENCE, self.stream.read_u8()).await.expect("an end in time"), Ok(0x82))
    }

    /// Sends PUBLISH at QoS 1; returns the answer, or none if the server closed the connection.
    pub(crate) async fn publish(&mut self, topic: &str, payload: &str) -> Option<Vec<u8>> {
        let mut body = Vec::new();
        string(&mut body, topic);
        body.extend([0, 7]);
        body.extend(payload.as_bytes());
        self.send(0x32, &body).await;
        self.receive().await
    }

    /// Sends SUBSCRIBE at QoS 1; returns the return code.
    pub(crate) async fn subscribe(&mut self, filter: &str) -> Option<u8> {
        let mut body = if self.is_five { vec![0, 8, 0] } else { vec![0, 8] };
        string(&mut body, filter);
        body.push(1);
        self.send(0x82, &body).await;
        self.receive().await.map(|packet| match packet[..] {
            [0x90, _, 0, 8, .., code] => code,
            _ => panic!("not a SUBACK: {packet:?}"),
        })
    }

    async fn send(&mut self, kind: u8, body: &[u8]) {
        let length = u8::try_from(body.len() + 2).ok().filter(|length| *length < 126).expect("a short packet");
        // A mask of zeros leaves the payload as it is.
        let mut frame = vec![0x82, 0x80 | length, 0, 0, 0, 0, kind, length - 2];
        frame.extend(body);
        self.stream.write_all(&frame).await.expect("frame is sent");
    }

    /// Begins a frame of so many bytes.
    pub(crate) async fn announce(&mut self, length: u64) {
        self.stream.write_all(&[&[0x82, 0xFF][..], &length.to_be_bytes(), &[0; 4]].concat()).await.expect("it is sent");
    }

    /// Reads one packet, which both brokers send in one frame; none when the connection is closed.
    pub(crate) async fn receive(&mut self) -> Option<Vec<u8>> {
        let receive = async {
            let (kind, length) = (self.stream.read_u8().await.ok()?, self.stream.read_u8().await.ok()?);
            let length = match length {
                126 => self.stream.read_u16().await.ok()?,
                127 => panic!("a long frame"),
                short => u16::from(short),
            };
            let mut payload = vec![0; usize::from(length)];
            self.stream.read_exact(&mut payload).await.ok()?;
            if kind == 0x82 { Some(payload) } else { None }
        };
        timeout(PATIENCE, receive).await.expect("an answer in time")
    }
}

fn string(body: &mut Vec<u8>, text: &str) {
    body.extend(u16::try_from(text.len()).expect("a short text").to_be_bytes());
    body.extend(text.as_bytes());
}
