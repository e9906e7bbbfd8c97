//! Reads and writes the bytes of one connection: splits incoming bytes into packets, and writes all outgoing packets at once.

use std::future::{Future, poll_fn};
use std::io::{Error, ErrorKind};
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::{Buf, BytesMut};
use rumqttc::v5::mqttbytes::Error as PacketError;
use rumqttc::v5::mqttbytes::v5::{Disconnect, DisconnectReasonCode, Packet, check};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::connection::ConnectionEnd;
use super::packets::LARGEST;

/// The smallest free space for one read, in bytes.
const READ: usize = 4 * 1024;
/// The number of waiting bytes from which nothing more is published until they are written.
pub(super) const FULL: usize = 64 * 1024;
/// The number of waiting bytes above which nothing is read either, since a packet may need an answer. So a broker that does not
/// read is not read from.
const LARGEST_BACKLOG: usize = 512 * 1024;

/// The first byte of a DISCONNECT packet.
const DISCONNECT: u8 = 0xe0;
/// The first byte of a PUBACK packet.
const PUBACK: u8 = 0x40;
/// The reason code for a packet that is too large.
const TOO_LARGE: u8 = 0x95;

/// A packet from the broker.
#[allow(clippy::large_enum_variant, reason = "only one exists at a time")]
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Incoming {
    Packet(Packet),
    /// The publication with this id is too large. Mosquitto says so by a reason that MQTT does not allow in a PUBACK and `Packet`
    /// does not know.
    TooLarge(u16),
}

/// A connection's byte stream, in both directions.
pub(super) trait Socket: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Socket for T {}

/// One connection.
pub(super) struct Wire {
    socket: Box<dyn Socket>,
    incoming: BytesMut,
    /// Packets to be written by [`Wire::read_and_write`].
    pub(super) outgoing: BytesMut,
    /// The socket may hold bytes back that it has taken.
    unflushed: bool,
    /// The socket takes no more bytes for now.
    blocked: bool,
}

impl Wire {
    pub(super) fn new(socket: Box<dyn Socket>) -> Wire {
        let (incoming, outgoing) = (BytesMut::with_capacity(4 * READ), BytesMut::with_capacity(4 * READ));
        Wire { socket, incoming, outgoing, unflushed: false, blocked: false }
    }

    /// Writes what waits. Returns when bytes arrived, or when everything is written after there was no room for more. It may be
    /// dropped at any moment and called again.
    ///
    /// # Errors
    /// The connection was lost.
    pub(super) async fn read_and_write(&mut self) -> Result<(), Error> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let had_no_room = !self.has_room();
        // Reading comes first, since a broker that closes the connection may have sent the reason.
        let is_full = self.outgoing.len() > LARGEST_BACKLOG;
        let mut read = if is_full { Poll::Pending } else { self.poll_read(context) };
        let written = self.poll_write(context);
        if is_full && self.outgoing.len() <= LARGEST_BACKLOG {
            read = self.poll_read(context);
        }
        match (read, written) {
            (Poll::Ready(Ok(0)), _) => Poll::Ready(Err(Error::new(ErrorKind::UnexpectedEof, "the broker closed the connection"))),
            (Poll::Ready(read), _) => Poll::Ready(read.map(|_| ())),
            (Poll::Pending, Poll::Ready(Err(error))) => Poll::Ready(Err(error)),
            (Poll::Pending, Poll::Ready(Ok(()))) if had_no_room => Poll::Ready(Ok(())),
            (Poll::Pending, _) => Poll::Pending,
        }
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Result<usize, Error>> {
        self.incoming.reserve(READ);
        pin!(self.socket.read_buf(&mut self.incoming)).poll(context)
    }

    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let mut socket = Pin::new(&mut self.socket);
        self.blocked = true;
        while self.outgoing.has_remaining() {
            match std::task::ready!(socket.as_mut().poll_write(context, &self.outgoing))? {
                0 => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                written => self.outgoing.advance(written),
            }
            self.unflushed = true;
        }
        if self.unflushed {
            std::task::ready!(socket.poll_flush(context))?;
        }
        (self.unflushed, self.blocked) = (false, false);
        Poll::Ready(Ok(()))
    }

    /// Whether more publications may be added to what waits.
    pub(super) fn has_room(&self) -> bool {
        !self.blocked && self.outgoing.len() < FULL
    }

    /// Takes the next whole packet out of the bytes that arrived.
    pub(super) fn buffered_packet(&mut self) -> Result<Option<Incoming>, ConnectionEnd> {
        let bad = |error: PacketError| ConnectionEnd::BadPacket(error.to_string());
        let disconnected = |code| Incoming::Packet(Packet::Disconnect(Disconnect::new(code)));
        let length = match check(self.incoming.iter(), Some(LARGEST)) {
            Ok(header) => header.frame_length(),
            Err(PacketError::InsufficientBytes(_)) => return Ok(None),
            Err(error) => return Err(bad(error)),
        };
        let mut packet = self.incoming.split_to(length);
        match packet[..] {
            // The short forms of MQTT 5, 3.14.2.1 and 3.14.2.2.1, which `Packet` does not know.
            [DISCONNECT, 0] => Ok(disconnected(DisconnectReasonCode::NormalDisconnection)),
            [DISCONNECT, 1, code] => code.try_into().map(disconnected).map_err(bad),
            [PUBACK, 3..=127, high, low, TOO_LARGE, ..] => Ok(Incoming::TooLarge(u16::from_be_bytes([high, low]))),
            _ => Packet::read(&mut packet, None).map(Incoming::Packet).map_err(bad),
        }
        .map(Some)
    }

    /// Waits for one packet, before anything was published.
    pub(super) async fn read_packet(&mut self) -> Result<Packet, ConnectionEnd> {
        loop {
            match self.buffered_packet()? {
                Some(Incoming::Packet(packet)) => return Ok(packet),
                Some(Incoming::TooLarge(id)) => return Err(ConnectionEnd::Lost(format!("publication {id} was not sent"))),
                None => {}
            }
            self.read_and_write().await.map_err(|error| ConnectionEnd::Lost(error.to_string()))?;
        }
    }

    /// Writes what waits, closes our direction, and returns when the broker has closed its own: with an earlier close, the broker
    /// might lose bytes that it has not read. Bytes that still arrive are ignored.
    ///
    /// # Errors
    /// The connection was lost before.
    pub(super) async fn close(mut self) -> Result<(), Error> {
        self.socket.write_all_buf(&mut self.outgoing).await?;
        self.socket.shutdown().await?;
        loop {
            self.incoming.clear();
            if self.socket.read_buf(&mut self.incoming).await? == 0 {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests;
