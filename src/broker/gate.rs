//! Stands between the connection of a client and the broker's crate: the crate reads only whole packets that were judged
//! (`packets`) and that fit into the share of its user (`shares`). It also ends the connection of a client that does not read or acknowledge.

use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use mqtt5::broker::transport::WebSocketTransport;
use mqtt5::packet::connect::ConnectPacket;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{self, Sleep};

use super::access::Access;
use super::packets::{self, Fault, Good};
use super::shares::{ACKNOWLEDGEMENT, Class, Limits, REQUEST};
use crate::strangers::{Listener, Place, Refusal};

/// The first byte of PUBLISH with QoS 1, without the flags for a repetition and for a retained message.
const PUBLISH_QOS_1: u8 = 0x32;
/// How many bytes are read at once.
const CHUNK: usize = 4 << 10;
/// The time after which a client that has not taken a packet is behind.
const BEHIND: Duration = Duration::from_millis(250);
/// The time in which a client that may be a stranger acknowledges one of the messages that it has got.
const ACKNOWLEDGED_WITHIN: Duration = Duration::from_secs(10);
/// How often this time may pass for one packet, and while the client is behind. The messages for it wait in the memory until then.
const READ_WITHIN: u32 = 40;
const CATCH_UP_WITHIN: u32 = 240;

/// The connection of one client: a stream of bytes from which only judged packets are read.
pub(super) struct Gate<S> {
    stream: S,
    peer: SocketAddr,
    access: Arc<Access>,
    place: Arc<Place>,
    /// What was read and not judged yet.
    incoming: BytesMut,
    /// A judged packet, as far as the crate has not read it.
    judged: Bytes,
    /// What is in the CONNECT: the version of MQTT, the name of the user and that of the client.
    client: Option<Client>,
    /// What this packet costs, until it was taken from the share of the user, and how long that waits.
    price: u32,
    pause: Option<Pin<Box<Sleep>>>,
    reader: Reader,
    acknowledges: Acknowledges,
}

struct Client {
    version: u8,
    user: String,
    id: String,
}

/// Whether a client acknowledges what it reads: without that its window stays closed, and messages wait.
#[derive(Default)]
struct Acknowledges {
    /// What is written next continues a packet.
    is_within: bool,
    /// How many messages with QoS 1 it has got and not acknowledged.
    missing: u32,
    /// Runs since the last acknowledgement while some are missing.
    waiting: Option<Pin<Box<Sleep>>>,
}

/// How fast the client reads.
#[derive(Default)]
struct Reader {
    /// Runs while a packet waits for the client.
    waiting: Option<Pin<Box<Sleep>>>,
    /// How often the time has passed for this packet.
    waited: u32,
    /// How often it has passed since a packet went out without waiting: if not never, the client is behind.
    behind: u32,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Gate<S> {
    pub(super) fn new(stream: S, peer: SocketAddr, access: Arc<Access>, place: Arc<Place>) -> Gate<S> {
        let (incoming, judged) = (BytesMut::new(), Bytes::new());
        Gate {
            stream,
            peer,
            access,
            place,
            incoming,
            judged,
            client: None,
            price: 0,
            pause: None,
            reader: Reader::default(),
            acknowledges: Acknowledges::default(),
        }
    }

    /// Reads the first packet, which the crate gets later. Returns what the user of this name is, and whether the session of this
    /// client may be kept when it is away.
    ///
    /// # Errors
    /// The connection has ended, or its first packet is no good CONNECT.
    pub(super) async fn connect(&mut self) -> io::Result<(Class, bool)> {
        poll_fn(|context| self.poll_packet(context)).await?;
        let Some(Client { user, id, .. }) = &self.client else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        Ok((self.access.class_of(user), self.access.may_keep_session(user, self.peer.ip(), id)))
    }

    /// Waits until there is a judged packet that fits into the share of its user, or the connection has ended.
    fn poll_packet(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(waiting) = &mut self.acknowledges.waiting
            && waiting.as_mut().poll(context).is_ready()
        {
            Listener::Broker.refuses(Refusal::Unread, &format_args!("{} from {}", self.user(), self.peer.ip()));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        while self.price > 0 || self.judged.is_empty() {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(context));
                self.pause = None;
            }
            if self.price > 0 {
                match self.access.admit(self.class(), self.user(), self.peer.ip(), self.price) {
                    Ok(()) => self.price = 0,
                    Err(pause) => self.pause = Some(Box::pin(time::sleep(pause))),
                }
                continue;
            }
            match self.next_packet() {
                Ok(true) => continue,
                Ok(false) => {}
                Err(fault) => return Poll::Ready(Err(self.refuse(context, fault))),
            }
            let mut chunk = [0; CHUNK];
            let mut chunk = ReadBuf::new(&mut chunk);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut chunk))?;
            if chunk.filled().is_empty() {
                break;
            }
            self.incoming.extend_from_slice(chunk.filled());
        }
        Poll::Ready(Ok(()))
    }

    /// Judges the next packet if it is there as a whole.
    fn next_packet(&mut self) -> Result<bool, Fault> {
        let Some(size) = packets::size(&self.incoming)? else { return Ok(false) };
        let class = self.class();
        let limits = class.limits();
        if size > limits.packet {
            return Err(packets::TOO_LARGE);
        }
        if self.incoming.len() < size {
            return Ok(false);
        }
        let packet = self.incoming.split_to(size).freeze();
        self.judged = match class {
            Class::Daemon if self.client.is_some() => packet,
            _ => self.judge(packet, &limits)?,
        };
        Ok(true)
    }

    /// Judges a packet. Returns what the crate gets.
    fn judge(&mut self, packet: Bytes, limits: &Limits) -> Result<Bytes, Fault> {
        let rules = self.access.rules();
        let version = self.client.as_ref().map(|client| client.version);
        self.price = match packets::judge(&packet, version, limits, &rules.commands)? {
            Good::Connect(connect) => {
                let ConnectPacket { protocol_version: version, username, client_id, .. } = *connect;
                // Where nobody logs in, a name is no user.
                let Some(user) = username.filter(|_| !rules.users.is_empty()) else {
                    self.client = Some(Client { version, user: String::new(), id: client_id });
                    return Ok(packet);
                };
                let (packet, id) = packets::with_user(&packet, version, &user, &client_id)?;
                self.client = Some(Client { version, user, id });
                return Ok(packet);
            }
            Good::Publish(publish) => {
                let user = self.user();
                if publish.retain && rules.may_write(user, &publish.topic_name) {
                    self.access.retain(user, limits, &publish.topic_name, publish.payload.len())?;
                }
                packets::price(publish.payload.len())
            }
            Good::Request(requests) => requests * REQUEST,
            Good::Acknowledgement => {
                self.acknowledges.missing = self.acknowledges.missing.saturating_sub(1);
                self.acknowledges.waiting = (self.acknowledges.missing > 0).then(|| Box::pin(time::sleep(ACKNOWLEDGED_WITHIN)));
                ACKNOWLEDGEMENT
            }
        };
        Ok(packet)
    }

    fn user(&self) -> &str {
        self.client.as_ref().map_or("", |client| &client.user)
    }

    /// What the client is; before it has logged in, somebody who may send a CONNECT.
    fn class(&self) -> Class {
        match self.place.is_logged_in() {
            true => self.access.class_of(self.user()),
            false if self.client.is_none() => Class::Commander,
            false => Class::Reader,
        }
    }

    /// Ends when the client did not read a packet for too long, or had to make room.
    fn wait_for_reader(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        loop {
            ready!(self.reader.waiting.get_or_insert_with(|| Box::pin(time::sleep(BEHIND))).as_mut().poll(context));
            self.reader.waiting = None;
            self.reader.waited += 1;
            self.reader.behind += 1;
            if self.reader.behind == 1 && !matches!(self.class(), Class::Daemon | Class::Commander) {
                self.place.falls_behind(true);
            }
            if self.reader.waited >= READ_WITHIN || self.reader.behind >= CATCH_UP_WITHIN || !self.place.is_there() {
                Listener::Broker.refuses(Refusal::Unread, &format_args!("{} from {}", self.user(), self.peer.ip()));
                return Poll::Ready(io::ErrorKind::TimedOut.into());
            }
        }
    }

    /// Notes what goes to the client, and whether it `is_whole`.
    fn was_written(&mut self, bytes: &[u8], is_whole: bool) {
        let begins = !std::mem::replace(&mut self.acknowledges.is_within, !is_whole);
        let is_counted = begins && bytes.first().is_some_and(|first| first & 0xF6 == PUBLISH_QOS_1);
        if is_counted && matches!(self.class(), Class::Writer | Class::Publisher) {
            self.acknowledges.missing += 1;
            self.acknowledges.waiting.get_or_insert_with(|| Box::pin(time::sleep(ACKNOWLEDGED_WITHIN)));
        }
    }

    /// Notes that the client took a whole packet.
    fn was_read(&mut self) {
        let has_waited = self.reader.waiting.take().is_some() || std::mem::take(&mut self.reader.waited) > 0;
        if self.reader.behind > 0 && !has_waited {
            self.reader.behind = 0;
            self.place.falls_behind(false);
        }
    }

    /// Sends the reason to a client that understands it.
    fn refuse(&mut self, context: &mut Context<'_>, Fault(code, why): Fault) -> io::Error {
        Listener::Broker.refuses(Refusal::Packet, &format_args!("{why}, {} from {}", self.user(), self.peer.ip()));
        if self.client.as_ref().is_some_and(|client| client.version == 5) && self.place.is_logged_in() {
            // The connection ends anyway, whether this arrives or not.
            _ = Pin::new(&mut self.stream).poll_write(context, &[0xE0, 1, code.into()]);
            _ = Pin::new(&mut self.stream).poll_flush(context);
        }
        io::Error::new(io::ErrorKind::InvalidData, why)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Gate<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_packet(context))?;
        let taken = self.judged.len().min(buffer.remaining());
        buffer.put_slice(&self.judged.split_to(taken));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Gate<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => self.wait_for_reader(context).map(Err),
            Poll::Ready(written) => {
                let is_whole = written.as_ref().is_ok_and(|count| *count == bytes.len());
                self.was_written(bytes, is_whole);
                if is_whole {
                    self.was_read();
                }
                Poll::Ready(written)
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Pending => self.wait_for_reader(context).map(Err),
            flushed => flushed,
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// The crate has a variant for plain TCP, but it holds a `TcpStream`. This one takes any stream.
impl<S: AsyncRead + AsyncWrite + Send + Sync + Unpin> WebSocketTransport for Gate<S> {
    fn peer_addr(&self) -> mqtt5::error::Result<SocketAddr> {
        Ok(self.peer)
    }
}
