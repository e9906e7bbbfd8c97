//! Connects clients with the boards: one task for each connection, on the runtime of the caller.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flagfall_protocols::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{self, MissedTickBehavior};

use super::calls::Session;
use super::envelope::{self, MAX_MESSAGE, NULL};
use super::feed::Now;
use super::hall::Hall;
use super::origin;
use super::rest;
use crate::outputs::tap::{PICTURES, Picture, Tap};
use crate::system_clock::{self, MonotonicTime};
use crate::{config, http};

/// The path of the WebSocket, and the beginning of the paths of HTTP GET.
const API: &str = "/api/v1.0";
/// The largest number of WebSocket connections at the same time.
const MAX_CLIENTS: usize = 16;
/// A message that is longer than this ends the connection; one that is only longer than [`MAX_MESSAGE`] is an error.
const MAX_FRAME: usize = 2 * MAX_MESSAGE;
/// The buffers of one connection, in bytes.
const BUFFER: usize = 8 << 10;
/// The largest number of bytes that wait for one client; the list of all boards is far smaller.
const MAX_UNSENT: usize = 1 << 20;
/// The time between two pings. A client that has sent nothing since the last one is gone.
const PING: Duration = Duration::from_secs(30);
/// The time in which a client must take a message.
const SEND_WITHIN: Duration = Duration::from_secs(10);

/// The API while it runs.
#[derive(Debug)]
pub struct Running {
    listeners: Vec<http::Running>,
    stop: watch::Sender<bool>,
}

/// What all connections share.
struct Api {
    hall: Arc<Hall>,
    origins: Vec<String>,
    places: Arc<Semaphore>,
    stop: watch::Receiver<bool>,
}

/// The API at one address.
#[derive(Clone)]
struct At {
    api: Arc<Api>,
    port: u16,
}

/// The addresses of the API, at which clients wait until it is served.
#[derive(Debug)]
pub struct Bound {
    listeners: Vec<TcpListener>,
    origins: Vec<String>,
}

/// Takes all addresses. An address that this machine does not have, such as `[::1]` without IPv6, is left out.
///
/// # Errors
/// Another program has a port, or this machine has none of the addresses.
pub fn bind(settings: &config::LiveChess) -> Result<Bound> {
    let mut listeners = Vec::new();
    for address in &settings.listen {
        match http::bind("livechess.listen", address) {
            Ok(listener) => listeners.push(listener),
            Err(error) if error.kind() == io::ErrorKind::AddrNotAvailable => tracing::warn!("{error}"),
            Err(error) => return Err(error.into()),
        }
    }
    ensure!(!listeners.is_empty(), "livechess.listen: this machine has none of these addresses");
    Ok(Bound { listeners, origins: settings.origins.clone() })
}

impl Bound {
    /// Serves the boards of a hall, on the runtime of the caller.
    ///
    /// # Errors
    /// The operating system does not tell an address.
    pub fn serve(self, hall: &Arc<Hall>) -> Result<Running> {
        let (stop, stopped) = watch::channel(false);
        let places = Arc::new(Semaphore::new(MAX_CLIENTS));
        let api = Arc::new(Api { hall: Arc::clone(hall), origins: self.origins, places, stop: stopped });
        let mut listeners = Vec::new();
        for listener in self.listeners {
            let port = listener.local_addr().context("livechess.listen")?.port();
            let running = http::serve(listener, routes(At { api: Arc::clone(&api), port }), http::Service::default())
                .context("livechess.listen")?;
            tracing::info!("LiveChess API on {}", running.address);
            listeners.push(running);
        }
        Ok(Running { listeners, stop })
    }
}

impl Running {
    /// Closes all connections and frees the ports.
    pub async fn stop(self) {
        // This fails only if there is no connection.
        _ = self.stop.send(true);
        for listener in self.listeners {
            listener.stop().await;
        }
    }
}

fn routes(at: At) -> Router {
    Router::new()
        .route(API, get(open))
        .route(&format!("{API}/{{*path}}"), get(read))
        .with_state(Arc::clone(&at.api))
        .layer(from_fn_with_state(at, guard))
}

/// Refuses web pages that are not listed and names that are not this machine's, and lets the pages that are listed read the answers.
async fn guard(State(at): State<At>, request: Request, next: Next) -> Response {
    let [origin, host] = [header::ORIGIN, header::HOST].map(|name| header_text(request.headers(), &name));
    if !origin::is_own_host(host.as_deref(), at.port) {
        return (StatusCode::FORBIDDEN, "use the name localhost or 127.0.0.1 with the port\n").into_response();
    }
    if !origin::is_allowed(origin.as_deref(), &at.api.origins) {
        return (StatusCode::FORBIDDEN, "this page is not in livechess.origins\n").into_response();
    }
    let mut response = if request.method() == Method::OPTIONS { preflight() } else { next.run(request).await };
    if let Some(origin) = origin.and_then(|origin| HeaderValue::from_str(&origin).ok()) {
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("Origin"));
    }
    response
}

/// The text of a header; an empty text if it is there and is no text.
fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| value.to_str().unwrap_or_default().to_owned())
}

/// The answer to a browser that asks before it lets a public page read from this machine.
fn preflight() -> Response {
    let allowed = [("access-control-allow-methods", "GET"), ("access-control-allow-private-network", "true")];
    (StatusCode::NO_CONTENT, allowed).into_response()
}

async fn read(State(api): State<Arc<Api>>, Path(path): Path<String>) -> Response {
    match rest::get(&path, &api.hall.programme(), &api.hall.shown()) {
        Some(body) => ([(header::CONTENT_TYPE, "application/json")], body).into_response(),
        None => (StatusCode::NOT_FOUND, "there is no such call\n").into_response(),
    }
}

async fn open(State(api): State<Arc<Api>>, upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>) -> Response {
    match upgrade {
        Ok(upgrade) => {
            let upgrade = upgrade.max_message_size(MAX_FRAME).max_frame_size(MAX_FRAME);
            let upgrade = upgrade.read_buffer_size(BUFFER).write_buffer_size(BUFFER).max_write_buffer_size(MAX_UNSENT);
            upgrade.on_upgrade(move |socket| serve(api, Client(socket)))
        }
        Err(_) => (StatusCode::UPGRADE_REQUIRED, "this is a WebSocket; with HTTP GET read /api/v1.0/eboards\n").into_response(),
    }
}

/// The socket of one client.
struct Client(WebSocket);

impl Client {
    /// Sends one message. Returns false if the client did not take it.
    async fn send(&mut self, message: Message) -> bool {
        matches!(time::timeout(SEND_WITHIN, self.0.send(message)).await, Ok(Ok(())))
    }

    async fn send_all(&mut self, messages: Vec<String>) -> bool {
        for message in messages {
            if !self.send(Message::Text(message.into())).await {
                return false;
            }
        }
        true
    }
}

fn now() -> Now {
    Now { at: Instant(system_clock::monotonic().0), utc_ms: system_clock::utc().0 / 1000 }
}

/// Serves one client until one of both ends the connection.
async fn serve(api: Arc<Api>, mut client: Client) {
    let Ok(_place) = Arc::clone(&api.places).try_acquire_owned() else {
        let refusal = envelope::error(NULL, &format!("there are {MAX_CLIENTS} connections already"), now().utc_ms);
        if client.send_all(vec![refusal]).await {
            client.send(Message::Close(None)).await;
        }
        return;
    };
    let mut stop = api.stop.clone();
    let mut session = Session::default();
    let mut readers = Readers::new();
    let mut pings = time::interval(PING);
    pings.reset();
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut has_answered = true;
    loop {
        let due = session.deadline().map(|due| MonotonicTime(due.0).since(system_clock::monotonic()));
        let messages = tokio::select! {
            () = async { _ = stop.wait_for(|stop| *stop).await } => break,
            received = client.0.recv() => {
                has_answered = true;
                match received {
                    Some(Ok(Message::Text(text))) => session.handle(&text, &api.hall.shown(), now()),
                    Some(Ok(Message::Binary(_))) => vec![envelope::error(NULL, "a message must be text", now().utc_ms)],
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Vec::new(),
                    Some(Ok(Message::Close(_)) | Err(_)) | None => break,
                }
            }
            (board, picture) = readers.next() => session.see(&board, &picture, now()),
            () = time::sleep(due.unwrap_or_default()), if due.is_some() => session.wake(now()),
            _ = pings.tick() => {
                if !std::mem::take(&mut has_answered) || !client.send(Message::Ping(Default::default())).await {
                    break;
                }
                Vec::new()
            }
        };
        if !client.send_all(messages).await {
            break;
        }
        readers.follow(session.boards(), &api.hall);
    }
    // A client that is gone does not take it.
    client.send(Message::Close(None)).await;
}

/// The tasks that read the boards of one client. If the client is slow they wait, miss pictures, and go on with the latest one.
struct Readers {
    sender: mpsc::Sender<(String, Arc<Picture>)>,
    pictures: mpsc::Receiver<(String, Arc<Picture>)>,
    tasks: JoinSet<()>,
    running: BTreeMap<String, AbortHandle>,
}

impl Readers {
    fn new() -> Readers {
        let (sender, pictures) = mpsc::channel(PICTURES);
        Readers { sender, pictures, tasks: JoinSet::new(), running: BTreeMap::new() }
    }

    /// Reads the boards with these ids from now on, and no others.
    fn follow(&mut self, wanted: BTreeSet<String>, hall: &Hall) {
        self.running.retain(|board, task| {
            let keep = wanted.contains(board);
            if !keep {
                task.abort();
            }
            keep
        });
        for board in wanted {
            if let Entry::Vacant(place) = self.running.entry(board)
                && let Some(tap) = hall.tap(place.key())
            {
                let task = self.tasks.spawn(forward(tap, self.sender.clone()));
                place.insert(task);
            }
        }
    }

    /// The next picture of any board, with the id of the board.
    async fn next(&mut self) -> (String, Arc<Picture>) {
        match self.pictures.recv().await {
            Some(next) => next,
            // We have a sender ourselves.
            None => std::future::pending().await,
        }
    }
}

async fn forward(tap: Arc<Tap>, sender: mpsc::Sender<(String, Arc<Picture>)>) {
    let (mut picture, mut changes) = tap.subscribe();
    loop {
        if sender.send((tap.seat.id.clone(), picture)).await.is_err() {
            return;
        }
        picture = match changes.recv().await {
            Ok(next) => next,
            Err(RecvError::Lagged(_)) => {
                let (latest, later) = tap.subscribe();
                changes = later;
                latest
            }
            Err(RecvError::Closed) => return,
        };
    }
}
