//! A client that sends any bytes.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::PATIENCE;

/// A connection to the broker.
pub(crate) struct Raw(TcpStream);

impl Raw {
    /// Connects and sends these bytes.
    pub(crate) async fn open(to: SocketAddr, bytes: &[u8]) -> Raw {
        let mut raw = Raw(TcpStream::connect(to).await.expect("the broker accepts connections"));
        raw.send(bytes).await;
        raw
    }

    /// Sends this CONNECT, and takes the broker's consent.
    pub(crate) async fn log_in(to: SocketAddr, connect: &[u8]) -> Raw {
        let mut raw = Raw::open(to, connect).await;
        let mut head = [0; 2];
        raw.read(&mut head).await;
        let mut body = vec![0; usize::from(head[1])];
        raw.read(&mut body).await;
        assert!(head[0] == 0x20 && body[1] == 0, "{head:?} {body:?}");
        raw
    }

    async fn read(&mut self, bytes: &mut [u8]) {
        timeout(PATIENCE, self.0.read_exact(bytes)).await.expect("an answer in time").expect("an answer");
    }

    /// Sends these bytes, as far as the broker still reads.
    pub(crate) async fn send(&mut self, bytes: &[u8]) {
        let _ = self.0.write_all(bytes).await;
    }

    /// Waits until the broker has read everything.
    pub(crate) async fn is_served(&mut self) -> bool {
        self.send(&[0xC0, 0]).await;
        let mut answer = [0; 2];
        self.read(&mut answer).await;
        answer == [0xD0, 0]
    }

    /// Waits until the broker closes the connection, and returns what it sent.
    pub(crate) async fn read_to_end(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        // After a reset, what came before it counts.
        let _ = timeout(PATIENCE, self.0.read_to_end(&mut all)).await.expect("it is closed");
        all
    }
}

/// A packet with this first byte and this body.
pub(crate) fn whole(first: u8, body: &[u8]) -> Vec<u8> {
    let (mut packet, mut length) = (vec![first], body.len());
    while length >= 128 {
        packet.push((length % 128) as u8 | 0x80);
        length /= 128;
    }
    packet.push(length as u8);
    packet.extend(body);
    packet
}

/// Text with its length.
pub(crate) fn string(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

/// A list of properties with its length, below 16,384 bytes.
fn properties(list: &[u8]) -> Vec<u8> {
    let length = match list.len() {
        short @ 0..128 => vec![short as u8],
        long => vec![(long % 128) as u8 | 0x80, (long / 128) as u8],
    };
    [length, list.to_vec()].concat()
}

/// A CONNECT of MQTT 5 with a clean start; `will` is added to its flags.
pub(crate) fn connect(id: &str, user: &str, will: u8) -> Vec<u8> {
    let password = string(&format!("secret of {user}"));
    whole(0x10, &[string("MQTT"), vec![5, 0xC2 | will, 0, 60, 0], string(id), string(user), password].concat())
}

/// A CONNECT of the user `writer` with a will; `flags` are added to those of the will.
pub(crate) fn connect_with_will(topic: &str, list: &[u8], flags: u8) -> Vec<u8> {
    let head = [string("MQTT"), vec![5, 0xC6 | flags, 0, 60, 0], string("will")].concat();
    let will = [properties(list), string(topic), string("gone")].concat();
    whole(0x10, &[head, will, string("writer"), string("secret of writer")].concat())
}

/// A CONNECT of MQTT 3.1.1 with a clean session.
pub(crate) fn connect_3(id: &str, user: &str) -> Vec<u8> {
    let password = string(&format!("secret of {user}"));
    whole(0x10, &[string("MQTT"), vec![4, 0xC2, 0, 60], string(id), string(user), password].concat())
}

/// A PUBLISH of MQTT 5 with this first byte; those of QoS 1 and 2 have the number 7.
pub(crate) fn publish(first: u8, topic: &str, list: &[u8], payload: &[u8]) -> Vec<u8> {
    let number: &[u8] = if first & 0x06 == 0 { &[] } else { &[0, 7] };
    whole(first, &[&string(topic)[..], number, &properties(list), payload].concat())
}
