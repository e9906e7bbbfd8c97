//! The only HTTP listener of the program. Others give it routes: [`Pages`] holds files in memory, and the LiveChess API has its own.
//!
//! Strangers cost little: connections are few, with a share for each network (`strangers::Places`), the head of a request is short and must come
//! soon, and no body is read.

mod pages;
mod tls;
mod visitor;

pub use pages::{MAX_PAGE, MAX_PAGES, Pages};
pub use tls::Certificate;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time;

use crate::listening;
use crate::strangers::{Limits, Listener, Place, Places};

/// The bounds of one listener.
#[derive(Clone, Debug)]
pub struct Service {
    /// The places of connections. A WebSocket keeps its place as long as its handler keeps it.
    pub(crate) places: Arc<Places>,
    /// One request for each connection: then nobody keeps a place without asking for something.
    pub one_request: bool,
    /// With a certificate, connections use TLS.
    pub certificate: Option<Arc<Certificate>>,
    /// The addresses of reverse proxies, which name their visitors in `X-Forwarded-For`. Nobody else's header is believed.
    pub trusted_proxies: Arc<[IpAddr]>,
}

impl Default for Service {
    fn default() -> Service {
        // All may be one reverse proxy's.
        let limits = Limits { waiting: 64, waiting_of_network: 64, ..Limits::default() };
        Service {
            places: Places::new(Listener::Http, limits),
            one_request: true,
            certificate: None,
            trusted_proxies: Arc::default(),
        }
    }
}

/// The two ends of a connection, for handlers that need them (an extension of each request).
#[derive(Clone, Debug)]
pub struct Ends {
    /// The address of whoever asks, as a trusted proxy says, else that of the other end.
    pub visitor: IpAddr,
    /// Our own address, by which the client reached us.
    pub own: SocketAddr,
    /// The place of the connection.
    pub(crate) place: Arc<Place>,
}

/// The largest head of a request, in bytes.
pub const MAX_HEAD: usize = 8 << 10;
/// The time in which the head of a request must come, and before it a TLS handshake.
const HEAD_WITHIN: Duration = Duration::from_secs(2);
/// The time after which a connection is closed, whatever the client has read of the answer.
const SERVED_WITHIN: Duration = Duration::from_secs(30);
/// The most that the operating system keeps for a client that does not read, in bytes.
const SEND_BUFFER: u32 = 256 << 10;
/// The number of connections that wait in the system's own queue. One that finds no room there comes again after a second, so a flood of
/// thousands must fit; they are accepted within milliseconds.
const BACKLOG: u32 = 4096;

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
    let task = tokio::spawn(async move {
        let serve = |stream, peer, place| serve_one(stream, peer, routes.clone(), service.clone(), place);
        // Connections that have not ended are closed with their tasks.
        drop(service.places.accept(listener, stopped, serve).await);
    });
    Ok(Running { address, stop, task })
}

async fn close_after(mut response: Response) -> Response {
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

async fn serve_one(stream: TcpStream, peer: SocketAddr, routes: Router, service: Service, place: Arc<Place>) {
    let Ok(own) = stream.local_addr() else { return };
    let ends = Ends { visitor: peer.ip(), own, place: Arc::clone(&place) };
    let serve = async {
        let Some(certificate) = &service.certificate else { return serve_requests(stream, ends, routes, &service).await };
        match certificate.accept(stream, peer.ip()).await {
            Ok(stream) => serve_requests(stream, ends, routes, &service).await,
            Err(error) => tracing::debug!("HTTP: {peer}: TLS: {error}"),
        }
    };
    tokio::select! {
        () = serve => {}
        () = place.closed() => {}
    }
}

async fn serve_requests(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    ends: Ends,
    routes: Router,
    Service { trusted_proxies, .. }: &Service,
) {
    let routes = TowerToHyperService::new(routes);
    let answer = service_fn(|mut request: hyper::Request<hyper::body::Incoming>| {
        let visitor = visitor::of(request.headers(), ends.visitor, trusted_proxies);
        ends.place.asked(visitor);
        request.extensions_mut().insert(Ends { visitor, ..ends.clone() });
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_WITHIN)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), answer)
        .with_upgrades();
    match time::timeout(SERVED_WITHIN, connection).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!("HTTP: {error}"),
        Err(_) => tracing::debug!("HTTP: a client took longer than {SERVED_WITHIN:?}"),
    }
}
