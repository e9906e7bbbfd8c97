//! Copies MQTT 5 between a page and the broker. Of all packets only the login and its answer are read here ([`Logins`]): the user of the page
//! logs in at the broker, which decides what the user may read and send.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt, StreamExt};
use rumqttc::v5::mqttbytes::Error as PacketError;
use rumqttc::v5::mqttbytes::v5::{ConnAck, Packet};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::sync::watch;
use tokio::time::timeout;

use super::logins::{Logins, refusal};
use super::way::{self, Broker};
use crate::http::Ends;
use crate::strangers::{Listener, Refusal};

/// The protocol that pages ask for.
const PROTOCOL: &str = "mqtt";
/// The largest frame of a page and the largest packet of a login, and the size of the buffer in the other direction, in bytes. A page sends
/// a command in less.
const BUFFER: usize = 16 << 10;
/// The size of the buffer for what a page sends. All of it is memory from the first frame on.
const READ_BUFFER: usize = 4 << 10;
/// The first bytes of CONNECT and CONNACK.
const CONNECT: u8 = 0x10;
const CONNACK: u8 = 0x20;
/// The time in which the broker must accept the connection and answer the login, and in which the page must send its login.
const FIRST_WITHIN: Duration = Duration::from_secs(5);
/// The time in which each side must take what is sent to it. A hall's retained states are megabytes, and a phone may be slow.
const TAKEN_WITHIN: Duration = Duration::from_secs(20);

/// The way from pages to the broker.
pub(super) struct Relay {
    pub(super) broker: Broker,
    pub(super) logins: Arc<Logins>,
    pub(super) stop: watch::Receiver<bool>,
}

/// Answers a page that opens a WebSocket. The page keeps the place of its connection.
pub(super) async fn open(
    State(relay): State<Arc<Relay>>,
    Extension(ends): Extension<Ends>,
    upgrade: WebSocketUpgrade,
) -> Response {
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(BUFFER)
        .max_frame_size(BUFFER)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * BUFFER)
        .on_upgrade(move |page| serve(relay, page, ends))
}

async fn serve(relay: Arc<Relay>, mut page: WebSocket, ends: Ends) {
    let mut stop = relay.stop.clone();
    tokio::select! {
        end = copy(&relay, &mut page, &ends) => {
            if let Err(why) = end {
                tracing::debug!("screens: {}: {why}", ends.visitor);
            }
        }
        // The sender is gone if nobody holds the server any more.
        _ = stop.wait_for(|stop| *stop) => {}
        // Others wait for its place, so it is not greeted.
        () = ends.place.closed() => return,
    }
    // A page that is gone cannot be greeted, and nobody waits for one that must make room.
    tokio::select! {
        _ = timeout(FIRST_WITHIN, page.send(Message::Close(None))) => {}
        () = ends.place.closed() => {}
    }
}

/// Logs in, then copies until one side ends.
async fn copy(relay: &Relay, page: &mut WebSocket, ends: &Ends) -> Result<(), String> {
    let Ok(first) = timeout(FIRST_WITHIN, first_packet(page)).await else {
        Listener::Screens.refuses(Refusal::TooSlow, &ends.visitor);
        return Ok(());
    };
    let (mut connect, early) = first?;
    let Packet::Connect(_, _, login) = &mut connect else { return Err("the first packet is no CONNECT".to_owned()) };
    let mut attempt = match relay.logins.admit(login.as_mut(), ends.visitor).await {
        Ok(attempt) => attempt,
        Err(code) => return taken(send(page, refusal(code), BytesMut::new())).await,
    };
    let connected = timeout(FIRST_WITHIN, way::connect(&relay.broker, ends.visitor)).await;
    let connected = connected.map_err(|_| "the broker does not answer")?.map_err(|error| format!("the broker: {error}"))?;
    let (mut from_broker, mut to_broker) = tokio::io::split(connected);
    taken(to_broker.write_all(&bytes_of(&connect)?)).await?;
    let answer = timeout(FIRST_WITHIN, first_answer(&mut from_broker)).await;
    let (answer, rest) = answer.map_err(|_| "the broker does not answer the login")??;
    let answer = relay.logins.note(&mut attempt, answer, (ends.visitor, &ends.place)).await;
    taken(send(page, answer, rest)).await?;
    if !ends.place.is_logged_in() {
        return Ok(());
    }
    let (mut to_page, mut from_page) = page.split();
    let up = async {
        let mut packet = Some(early.freeze());
        while let Some(bytes) = packet {
            taken(to_broker.write_all(&bytes)).await?;
            packet = binary(from_page.next().await)?;
        }
        // The broker learns that the page has gone.
        taken(to_broker.shutdown()).await
    };
    let down = async {
        let mut buffer = vec![0; BUFFER];
        loop {
            let length = from_broker.read(&mut buffer).await.map_err(|error| error.to_string())?;
            if length == 0 {
                return Ok(());
            }
            let message = Message::Binary(Bytes::copy_from_slice(&buffer[..length]));
            taken(async { to_page.send(message).await.map_err(io::Error::other) }).await?;
        }
    };
    tokio::select! {
        end = up => end,
        end = down => end,
        () = attempt.revoked() => Err("its token was revoked".to_owned()),
    }
}

/// The first packet of a page, and what came after it.
async fn first_packet(page: &mut WebSocket) -> Result<(Packet, BytesMut), String> {
    let mut bytes = BytesMut::new();
    loop {
        bytes.extend_from_slice(&binary(page.recv().await)?.ok_or("it has gone")?);
        if let Some(packet) = packet(&mut bytes, CONNECT)? {
            return Ok((packet, bytes));
        }
    }
}

/// The answer of the broker, and what came after it.
async fn first_answer(broker: &mut (impl AsyncRead + Unpin)) -> Result<(ConnAck, BytesMut), String> {
    let mut bytes = BytesMut::with_capacity(READ_BUFFER);
    while broker.read_buf(&mut bytes).await.map_err(|error| error.to_string())? > 0 {
        if let Some(Packet::ConnAck(answer)) = packet(&mut bytes, CONNACK)? {
            return Ok((answer, bytes));
        }
    }
    Err("the broker closed the connection".to_owned())
}

/// Takes the first packet, which must be of this kind; none as long as it is not complete.
fn packet(bytes: &mut BytesMut, kind: u8) -> Result<Option<Packet>, String> {
    if bytes.first().is_some_and(|first| *first != kind) {
        return Err(format!("the first packet begins with {:#x} and not with {kind:#x}", bytes[0]));
    }
    match Packet::read(bytes, Some(BUFFER as u32)) {
        Ok(packet) => Ok(Some(packet)),
        Err(PacketError::InsufficientBytes(_)) => Ok(None),
        Err(error) => Err(format!("the first packet: {error}")),
    }
}

fn bytes_of(packet: &Packet) -> Result<BytesMut, String> {
    let mut bytes = BytesMut::new();
    packet.write(&mut bytes, None).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// Sends the answer to a login, and what follows it.
async fn send(page: &mut WebSocket, answer: ConnAck, rest: BytesMut) -> io::Result<()> {
    let mut bytes = bytes_of(&Packet::ConnAck(answer)).map_err(io::Error::other)?;
    bytes.unsplit(rest);
    page.send(Message::Binary(bytes.freeze())).await.map_err(io::Error::other)
}

async fn taken(send: impl Future<Output = io::Result<()>>) -> Result<(), String> {
    timeout(TAKEN_WITHIN, send).await.map_err(|_| "nothing was taken for 20 seconds")?.map_err(|error| error.to_string())
}

/// The bytes of a message; none at the end. Pings and pongs carry none.
fn binary(message: Option<Result<Message, axum::Error>>) -> Result<Option<Bytes>, String> {
    match message {
        Some(Ok(Message::Binary(bytes))) => Ok(Some(bytes)),
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(Some(Bytes::new())),
        Some(Ok(Message::Text(_))) => Err("text is not MQTT".to_owned()),
        Some(Ok(Message::Close(_))) | None => Ok(None),
        Some(Err(error)) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A login of MQTT 5: with a will, properties, name and password.
    const LOGIN: &[u8] =
        b"\x10\x32\0\x04MQTT\x05\xc6\0\x3c\x05\x11\0\0\0\0\0\x01x\x05\x18\0\0\0\x05\0\x04gone\0\x02no\0\x04anna\0\x07guessed";

    #[test]
    fn a_login_is_read_when_it_is_complete() {
        for cut in 0..LOGIN.len() {
            assert_eq!(packet(&mut BytesMut::from(&LOGIN[..cut]), CONNECT), Ok(None), "{cut}");
        }
        let mut bytes = BytesMut::from(&[LOGIN, b"more"].concat()[..]);
        let read = packet(&mut bytes, CONNECT).expect("a packet").expect("it is complete");
        assert_eq!(bytes, b"more"[..]);
        assert_eq!(bytes_of(&read).expect("bytes"), LOGIN);
        for wrong in [&b"\x30\x02\0\0"[..], b"\x10\xff\xff\xff\x7f", b"\x10\xff\xff\xff\xff\xff", b"GET / HTTP/1.1", b"\x10\0"] {
            assert!(packet(&mut BytesMut::from(wrong), CONNECT).is_err(), "{wrong:?}");
        }
    }

    /// Bytes that a stranger makes up are read or refused, and nothing panics.
    #[test]
    fn no_login_is_too_strange() {
        let mut dice = fastrand::Rng::with_seed(43);
        let mut read = 0;
        for _ in 0..50_000 {
            let mut bytes = BytesMut::from(LOGIN);
            for _ in 0..dice.usize(1..4) {
                let at = dice.usize(1..bytes.len());
                bytes[at] = dice.u8(..);
            }
            bytes.truncate(dice.usize(bytes.len() / 2..2 * bytes.len()));
            if let Ok(Some(packet)) = packet(&mut bytes, CONNECT) {
                read += usize::from(bytes_of(&packet).is_ok());
            }
        }
        assert!(read > 1_000, "{read}");
    }
}
