//! The only HTTP listener of the program. Others give it routes: [`Pages`] holds files in memory, and the LiveChess API has its own.
//!
//! Strangers cost little: connections are few, each serves one request, its head is short and must come soon, and no body is read.

mod pages;
mod tls;

pub use pages::{MAX_PAGE, MAX_PAGES, Pages};
pub use tls::Certificate;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::Response;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time;

use crate::{listening, log_limit};

/// The bounds of one listener.
#[derive(Clone, Debug)]
pub struct Service {
    /// The largest number of connections. Others wait in the system's own queue. A WebSocket is none of them once it is open.
    pub connections: usize,
    /// One request for each connection: then nobody keeps a place without asking for something.
    pub one_request: bool,
    /// With a certificate, connections use TLS.
    pub certificate: Option<Arc<Certificate>>,
}

impl Default for Service {
    fn default() -> Service {
        Service { connections: 64, one_request: true, certificate: None }
    }
}

/// The two ends of a connection, for handlers that need them (an extension of each request).
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// The client's address.
    pub peer: SocketAddr,
    /// Our own address, by which the client reached us.
    pub own: SocketAddr,
}

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
/// The address is none, or another program has it; the text names its key, and what to do.
pub fn bind(key: &str, address: &str) -> io::Result<TcpListener> {
    let parsed: SocketAddr = address
        .parse()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, format!("{key}: {address:?} is no address with a port")))?;
    listen(parsed).map_err(|error| io::Error::new(error.kind(), listening::trouble(key, parsed, &error)))
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = listening::socket(address)?;
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
pub fn serve(listener: TcpListener, routes: Router, service: Service) -> io::Result<Running> {
    let address = listener.local_addr()?;
    let (stop, stopped) = watch::channel(false);
    let routes = if service.one_request { routes.layer(map_response(close_after)) } else { routes };
    let task = tokio::spawn(accept(listener, routes, service, stopped));
    Ok(Running { address, stop, task })
}

async fn close_after(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn accept(listener: TcpListener, routes: Router, service: Service, mut stop: watch::Receiver<bool>) {
    let places = Arc::new(Semaphore::new(service.connections));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            // The sender is gone if nobody holds the listener any more.
            () = async { _ = stop.wait_for(|stop| *stop).await } => break,
            Some(ended) = connections.join_next() => if let Err(error) = ended {
                log_limit::warn("HTTP: a connection ended by a fault of the program", &error);
            },
            accepted = accept_one(&listener, &places) => match accepted {
                Ok((stream, place)) => {
                    connections.spawn(serve_one(stream, routes.clone(), service.certificate.clone(), place));
                }
                Err(error) => {
                    log_limit::warn("HTTP: no connection can be accepted", &error);
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

async fn serve_one(stream: TcpStream, routes: Router, certificate: Option<Arc<Certificate>>, _place: OwnedSemaphorePermit) {
    // Without it small messages may wait for 40 ms; a connection that has already ended reports that later.
    _ = stream.set_nodelay(true);
    let (Ok(peer), Ok(own)) = (stream.peer_addr(), stream.local_addr()) else { return };
    let routes = routes.layer(Extension(Ends { peer, own }));
    let Some(certificate) = certificate else { return serve_requests(stream, routes).await };
    match time::timeout(HEAD_WITHIN, certificate.accept(stream)).await {
        Ok(Ok(stream)) => serve_requests(stream, routes).await,
        Ok(Err(error)) => tracing::debug!("HTTP: {peer}: TLS: {error}"),
        Err(_) => tracing::debug!("HTTP: {peer}: no TLS within {HEAD_WITHIN:?}"),
    }
}

async fn serve_requests(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, routes: Router) {
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
