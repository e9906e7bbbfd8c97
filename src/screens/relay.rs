//! Copies MQTT between a page and the broker. Nothing is read or added here but the kind of the first packet: the user of the page logs
//! in at the broker, which decides what the user may read and send.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, anyhow};
use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use futures_util::{SinkExt, StreamExt};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use super::places::{Place, Places};
use crate::config::{self, Mqtt};
use crate::http::Ends;
use crate::log_limit;

/// The protocol that pages ask for.
const PROTOCOL: &str = "mqtt";
/// The largest frame of a page, and the size of the buffer in the other direction, in bytes.
const BUFFER: usize = 64 << 10;
/// The time in which the broker must accept the connection, and in which the page must send its first packet.
const FIRST_WITHIN: Duration = Duration::from_secs(5);
/// The time in which each side must take what is sent to it. A hall's retained states are megabytes, and a phone may be slow.
const TAKEN_WITHIN: Duration = Duration::from_secs(20);
/// The first byte of CONNECT, the first packet of every MQTT connection.
const CONNECT: u8 = 0x10;

/// Where the broker is.
#[derive(Clone)]
pub enum Broker {
    /// The broker in this program.
    Own(SocketAddr),
    /// Another one, by name and port, with TLS or without.
    Other {
        /// Its name or address.
        host: String,
        /// Its port.
        port: u16,
        /// TLS without a certificate of our own: that one would log in this node, and not the user of the page.
        tls: Option<Arc<ClientConfig>>,
    },
}

impl Broker {
    /// The broker of the configuration, or `own`.
    ///
    /// # Errors
    /// The trusted certificates cannot be read.
    pub fn new(mqtt: &Mqtt, own: Option<SocketAddr>) -> Result<Broker> {
        if let Some(own) = own {
            return Ok(Broker::Own(own));
        }
        let tls = if mqtt.tls {
            let client = config::tls_client_without_certificate(mqtt).map_err(|(key, why)| anyhow!("mqtt.{key}: {why}"))?;
            Some(Arc::new(client))
        } else {
            None
        };
        let port = mqtt.port.unwrap_or(if mqtt.tls { 8883 } else { 1883 });
        Ok(Broker::Other { host: mqtt.host.clone(), port, tls })
    }
}

/// The way from pages to the broker.
pub(super) struct Relay {
    broker: Broker,
    places: Arc<Places>,
    stop: watch::Receiver<bool>,
}

impl Relay {
    pub(super) fn new(broker: Broker, stop: watch::Receiver<bool>) -> Relay {
        Relay { broker, places: Arc::default(), stop }
    }
}

/// Answers a page that opens a WebSocket.
pub(super) async fn open(
    State(relay): State<Arc<Relay>>,
    Extension(ends): Extension<Ends>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let visitor = ends.peer.ip().to_canonical();
    let place = match relay.places.enter(visitor) {
        Ok(place) => place,
        Err(why) => {
            log_limit::warn("screens: a way to the broker was refused", &format_args!("{visitor}: {why}"));
            return (StatusCode::TOO_MANY_REQUESTS, format!("{why}\n")).into_response();
        }
    };
    upgrade
        .protocols([PROTOCOL])
        .max_message_size(BUFFER)
        .max_frame_size(BUFFER)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * BUFFER)
        .on_upgrade(move |page| serve(relay, page, visitor, place))
}

async fn serve(relay: Arc<Relay>, mut page: WebSocket, visitor: IpAddr, _place: Place) {
    let mut stop = relay.stop.clone();
    tokio::select! {
        end = copy(&relay.broker, &mut page, visitor) => {
            if let Err(why) = end {
                tracing::debug!("screens: {visitor}: {why}");
            }
        }
        // The sender is gone if nobody holds the server any more.
        _ = stop.wait_for(|stop| *stop) => {}
    }
    // A page that is gone cannot be greeted.
    _ = timeout(FIRST_WITHIN, page.send(Message::Close(None))).await;
}

/// Copies until one side ends.
async fn copy(broker: &Broker, page: &mut WebSocket, visitor: IpAddr) -> Result<(), String> {
    let first = timeout(FIRST_WITHIN, next(page)).await.map_err(|_| "no packet within five seconds")??;
    let Some(first) = first else { return Ok(()) };
    if first.first() != Some(&CONNECT) {
        return Err("the first packet is not CONNECT".to_owned());
    }
    let connected = timeout(FIRST_WITHIN, connect(broker, visitor)).await.map_err(|_| "the broker does not answer")?;
    let (mut from_broker, mut to_broker) = tokio::io::split(connected.map_err(|error| format!("the broker: {error}"))?);
    let (mut to_page, mut from_page) = page.split();
    let up = async {
        let mut packet = Some(first);
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
    }
}

async fn taken(send: impl Future<Output = io::Result<()>>) -> Result<(), String> {
    timeout(TAKEN_WITHIN, send).await.map_err(|_| "nothing was taken for 20 seconds")?.map_err(|error| error.to_string())
}

async fn next(page: &mut WebSocket) -> Result<Option<Bytes>, String> {
    binary(page.recv().await)
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

trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Connection for T {}

async fn connect(broker: &Broker, visitor: IpAddr) -> io::Result<Box<dyn Connection>> {
    match broker {
        Broker::Own(address) => {
            let tcp = connect_own(*address, visitor).await?;
            tcp.set_nodelay(true)?;
            Ok(Box::new(tcp))
        }
        Broker::Other { host, port, tls } => {
            let tcp = TcpStream::connect((host.as_str(), *port)).await?;
            tcp.set_nodelay(true)?;
            let Some(tls) = tls else { return Ok(Box::new(tcp)) };
            let name = ServerName::try_from(host.clone()).map_err(io::Error::other)?;
            Ok(Box::new(TlsConnector::from(Arc::clone(tls)).connect(name, tcp).await?))
        }
    }
}

/// The broker in this program counts wrong passwords by address, so each visitor has an address of its own there.
async fn connect_own(address: SocketAddr, visitor: IpAddr) -> io::Result<TcpStream> {
    let SocketAddr::V4(v4) = address else { return TcpStream::connect(address).await };
    if !(v4.ip().is_loopback() || v4.ip().is_unspecified()) {
        return TcpStream::connect(address).await;
    }
    let socket = TcpSocket::new_v4()?;
    socket.bind((stand_in(visitor), 0).into())?;
    socket.connect((Ipv4Addr::LOCALHOST, v4.port()).into()).await
}

/// An address of this machine that stands for a visitor: the same one for the same visitor, or, with IPv6, for the same network of 64
/// bits.
fn stand_in(visitor: IpAddr) -> Ipv4Addr {
    let [b, c, d] = match visitor {
        IpAddr::V4(v4) => {
            let [_, b, c, d] = v4.octets();
            [b, c, d]
        }
        IpAddr::V6(v6) if v6.is_loopback() => [0, 0, 1],
        IpAddr::V6(v6) => {
            let network = v6.octets();
            let part = |from: usize| network[from] ^ network[from + 3] ^ network[(from + 6) % 8];
            [part(0), part(1), part(2)]
        }
    };
    match [b, c, d] {
        // The ends of the range are no addresses of a machine.
        [0, 0, 0] | [255, 255, 255] => Ipv4Addr::new(127, 1, 1, 1),
        [b, c, d] => Ipv4Addr::new(127, b, c, d),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_visitor_has_an_address_of_its_own_at_the_broker() {
        for (visitor, address) in
            [("127.0.0.1", "127.0.0.1"), ("192.168.1.20", "127.168.1.20"), ("10.0.0.0", "127.1.1.1"), ("::1", "127.0.0.1")]
        {
            assert_eq!(stand_in(visitor.parse().expect("an address")).to_string(), address, "{visitor}");
        }
        let of = |text: &str| stand_in(text.parse().expect("an address"));
        assert_eq!(of("2001:db8:1:2::5"), of("2001:db8:1:2:ffff::9"), "one network");
        assert_ne!(of("2001:db8:1:2::5"), of("2001:db8:1:3::5"));
        assert!(of("2001:db8:1:2::5").is_loopback());
    }
}
