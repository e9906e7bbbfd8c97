//! Defines the socket of a client, which limits the bytes that are read before the client has logged in. Somebody without a
//! password could otherwise fill the memory with packets that are as large as those of a client may be.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::strangers::{Listener, Place, Refusal};

/// The largest number of bytes before the login: the request of a WebSocket, and a CONNECT with name, password and will.
const MAX_LOGIN_BYTES: usize = 64 << 10;

/// A TCP connection of a client.
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) peer: IpAddr,
    pub(super) place: Arc<Place>,
    /// The number of bytes that were read before the login.
    pub(super) before_login: usize,
}

impl AsyncRead for Socket {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if !self.place.is_logged_in() {
            self.before_login += buffer.filled().len() - before;
            if self.before_login > MAX_LOGIN_BYTES {
                Listener::Broker.refuses(Refusal::TooLong, &self.peer);
                return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
            }
        }
        read
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
