//! The only HTTP listener of the program. Others give it routes: [`Pages`] holds files in memory, and the LiveChess API has its own.
//!
//! Strangers cost little: connections are few, each serves one request, its head is short and must come soon, and no body is read.

mod pages;

pub use pages::{MAX_PAGE, MAX_PAGES, Pages};

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time;

/// The largest number of connections of one listener. Others wait in the system's own queue. A WebSocket is none of them once it is open.
pub const MAX_CONNECTIONS: usize = 64;
/// The largest head of a request, in bytes.
pub const MAX_HEAD: usize = 8 << 10;
/// The time in which the head of a request must come.
const HEAD_WITHIN: Duration = Duration::from_secs(10);
/// The time after which a connection is closed, whatever the client has read of the answer.
const SERVED_WITHIN: Duration = Duration::from_secs(30);
/// The most that the operating system keeps for a client that does not read, in bytes.
const SEND_BUFFER: u32 = 256 << 10;
/// The number of connections that wait in the system's own queue.
const BACKLOG: u32 = 128;
/// The pause after the operating system gave no socket.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A listener that accepts connections. If this value is dropped, it stops.
#[derive(Debug)]
pub struct Running {
    /// Its address.
    pub address: SocketAddr,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Running {
    /// Closes the listener and its connections.
    pub async fn stop(self) {
        // This fails only if the task has ended.
        _ = self.stop.send(true);
        if let Err(error) = self.task.await {
            tracing::error!("HTTP on {}: ended by a fault of the program: {error}", self.address);
        }
    }
}

/// Opens a listener.
///
/// # Errors
/// The address is none, or another program has it; the text names it.
pub fn bind(address: &str) -> io::Result<TcpListener> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}"));
    let parsed: SocketAddr = address.parse().map_err(|_| named(io::ErrorKind::InvalidInput.into()))?;
    listen(parsed).map_err(named)
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    // The connections have the sizes of their listener.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves these routes on the runtime of the caller.
///
/// # Errors
/// The operating system does not tell the address.
pub fn serve(listener: TcpListener, routes: Router) -> io::Result<Running> {
    let address = listener.local_addr()?;
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(accept(listener, routes.layer(map_response(close_after)), stopped));
    Ok(Running { address, stop, task })
}

/// One request for each connection: then nobody keeps a place without asking for something.
async fn close_after(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn accept(listener: TcpListener, routes: Router, mut stop: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            // The sender is gone if nobody holds the listener any more.
            () = async { _ = stop.wait_for(|stop| *stop).await } => break,
            Some(ended) = connections.join_next() => if let Err(error) = ended {
                tracing::error!("HTTP: a connection ended by a fault of the program: {error}");
            },
            accepted = accept_one(&listener, &places) => match accepted {
                Ok((stream, place)) => {
                    connections.spawn(serve_one(stream, routes.clone(), place));
                }
                Err(error) => {
                    tracing::warn!("HTTP: no connection can be accepted: {error}");
                    time::sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
}

async fn accept_one(listener: &TcpListener, places: &Arc<Semaphore>) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    Ok((listener.accept().await?.0, place))
}

async fn serve_one(stream: TcpStream, routes: Router, _place: OwnedSemaphorePermit) {
    // Without it small messages may wait for 40 ms; a connection that has already ended reports that later.
    _ = stream.set_nodelay(true);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(routes))
        .with_upgrades();
    match time::timeout(SERVED_WITHIN, connection).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!("HTTP: {error}"),
        Err(_) => tracing::debug!("HTTP: a client took longer than {SERVED_WITHIN:?}"),
    }
}
