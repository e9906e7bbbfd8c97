//! Accepts connections and gives each one to the broker's crate.
//!
//! The crate's own accept loops take everybody, wait ten seconds for each, open WebSockets one after the other, and spin when the
//! process has no file descriptor left. These loops never wait for a client.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use mqtt5::broker::client_handler::ClientHandler;
use mqtt5::broker::router::MessageRouter;
use mqtt5::broker::storage::QueueLimits;
use mqtt5::broker::sys_topics::BrokerStats;
use mqtt5::broker::transport::BrokerTransport;
use mqtt5::broker::websocket_server::WebSocketStreamWrapper;
use mqtt5::broker::{AuthProvider, BrokerConfig, DynamicStorage, MemoryBackend, ResourceLimits, ResourceMonitor, StorageBackend};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{broadcast, watch};
use tokio::time;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

use super::MAX_WAITING_OF_READER;
use super::access::{Access, Doorman};
use super::gate::Gate;
use super::origin;
use super::shares::Class;
use super::socket::Socket;
use crate::log_limit;
use crate::strangers::{Limits, Listener, Place, Places, Refusal};

/// The time in which a client must log in.
const LOGIN_WITHIN: Duration = Duration::from_secs(5);
/// The time between two removals of sessions and messages that have expired.
const SWEEP: Duration = Duration::from_secs(60);
/// The largest frame and message of a WebSocket, in bytes. All of it is in the memory before a packet is judged; a packet may be in several
/// frames, and one of a web page is smaller.
const MAX_FRAME: usize = 128 << 10;
/// The size of the buffer for what a WebSocket sends. All of it is memory from the first frame on.
const READ_BUFFER: usize = 4 << 10;
/// The path of MQTT over WebSocket.
const PATH: &str = "/mqtt";
/// The protocol that clients ask for in the request.
const PROTOCOL: &str = "mqtt";

/// What a listener accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Mqtt,
    WebSocket,
}

/// Everything that the connections of one broker share.
pub(super) struct Front {
    /// For clients of each class, and whether their sessions are kept.
    configs: BTreeMap<(Class, bool), Arc<BrokerConfig>>,
    router: Arc<MessageRouter>,
    storage: Arc<DynamicStorage>,
    stats: Arc<BrokerStats>,
    monitor: Arc<ResourceMonitor>,
    pub(super) access: Arc<Access>,
    pub(super) places: Arc<Places>,
}

impl Front {
    pub(super) fn new(config: BrokerConfig, access: Access, places: Limits) -> Front {
        let limits = QueueLimits {
            max_messages: config.storage_config.max_queued_messages_per_client,
            max_bytes: config.storage_config.max_queued_bytes_per_client,
        };
        let storage = Arc::new(DynamicStorage::Memory(MemoryBackend::with_queue_limits(limits)));
        let router = MessageRouter::with_storage(Arc::clone(&storage))
            .with_fallback_queue_limits(limits)
            .with_retained_limits(config.max_retained_messages, config.max_retained_message_size);
        let monitor = ResourceMonitor::new(ResourceLimits {
            max_connections: config.max_clients,
            max_message_rate_per_client: config.max_message_rate_per_client,
            max_bandwidth_per_client: config.max_bandwidth_per_client,
            ..ResourceLimits::default()
        });
        Front {
            configs: configs(&config),
            router: Arc::new(router),
            storage,
            stats: Arc::new(BrokerStats::new()),
            monitor: Arc::new(monitor),
            access: Arc::new(access),
            places: Places::new(Listener::Broker, places),
        }
    }

    /// Accepts connections until `stop` is true, then closes them and waits for their ends.
    pub(super) async fn accept(self: Arc<Front>, listener: TcpListener, kind: Kind, stop: watch::Receiver<bool>) {
        let serve = |stream, peer, place| Arc::clone(&self).serve(stream, peer, place, kind);
        let mut connections = self.places.accept(listener, stop, serve).await;
        self.places.close_all();
        while connections.join_next().await.is_some() {}
    }

    /// Removes what has expired, once a minute. It never ends.
    pub(super) async fn sweep(&self) {
        let mut ticks = time::interval(SWEEP);
        loop {
            ticks.tick().await;
            if let Err(error) = self.storage.cleanup_expired().await {
                log_limit::warn("broker: expired sessions were not removed", &error);
            }
            self.router.sweep_sessions().await;
            self.monitor.cleanup_expired_windows().await;
        }
    }

    /// Serves one connection until its end.
    async fn serve(self: Arc<Front>, stream: TcpStream, peer: SocketAddr, place: Arc<Place>, kind: Kind) {
        let socket = Socket { stream, peer: peer.ip(), place: Arc::clone(&place), before_login: 0 };
        let (end, ended) = broadcast::channel(1);
        let mut connection = pin!(self.run(socket, peer, &place, ended, kind));
        let mut login = pin!(time::sleep(LOGIN_WITHIN));
        let (mut is_open, mut is_limited) = (true, true);
        loop {
            tokio::select! {
                () = &mut connection => return,
                () = place.closed(), if is_open => {
                    if !place.is_logged_in() {
                        return;
                    }
                    // A client ends in order, so that its will is sent.
                    is_open = end.send(()).is_err();
                }
                () = &mut login, if is_limited => {
                    if !place.is_logged_in() {
                        return Listener::Broker.refuses(Refusal::TooSlow, &peer.ip());
                    }
                    is_limited = false;
                }
            }
        }
    }

    async fn run(&self, socket: Socket, peer: SocketAddr, place: &Arc<Place>, ended: broadcast::Receiver<()>, kind: Kind) {
        match kind {
            Kind::Mqtt => self.run_mqtt(socket, peer, place, ended).await,
            Kind::WebSocket => {
                if let Some(stream) = self.upgrade(socket).await {
                    self.run_mqtt(stream, peer, place, ended).await;
                }
            }
        }
    }

    async fn run_mqtt<S>(&self, stream: S, peer: SocketAddr, place: &Arc<Place>, ended: broadcast::Receiver<()>)
    where
        S: AsyncRead + AsyncWrite + Send + Sync + Unpin + 'static,
    {
        let mut gate = Gate::new(stream, peer, Arc::clone(&self.access), Arc::clone(place));
        // The gate has counted why, if it was not the client that ended the connection.
        let Ok((class, is_kept)) = gate.connect().await else { return };
        // A client without a session needs no storage, which keeps a copy of every message until it is acknowledged.
        let storage = is_kept.then(|| Arc::clone(&self.storage));
        let Some(config) = self.configs.get(&(class, is_kept)) else { return };
        let (access, place) = (Arc::clone(&self.access), Arc::clone(place));
        let access: Arc<dyn AuthProvider> = Arc::new(Doorman { access, place, keeps_session: is_kept });
        let handler = ClientHandler::new(
            BrokerTransport::WebSocket(Box::new(gate)),
            peer,
            Arc::clone(config),
            Arc::clone(&self.router),
            access,
            storage,
            Arc::clone(&self.stats),
            Arc::clone(&self.monitor),
            ended,
        );
        if let Err(error) = handler.run().await {
            tracing::debug!("broker: the connection of {peer} ended: {error}");
        }
    }

    /// Opens the WebSocket; none if the client does not ask for MQTT, or is a web page from elsewhere.
    async fn upgrade(&self, socket: Socket) -> Option<WebSocketStreamWrapper<Socket>> {
        let ip = socket.peer;
        let is_open = self.access.is_open();
        let mut refused = Refusal::Upgrade;
        #[allow(clippy::result_large_err, reason = "the type of the crate's callback")]
        let answer = |request: &Request, mut response: Response| {
            let header = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
            if !origin::is_accepted(header("Origin"), header("Host"), is_open) {
                refused = Refusal::Origin;
                return Err(refusal(StatusCode::FORBIDDEN));
            }
            if request.uri().path() != PATH {
                return Err(refusal(StatusCode::NOT_FOUND));
            }
            if header("Sec-WebSocket-Protocol").is_some_and(|all| all.split(',').any(|one| one.trim() == PROTOCOL)) {
                response.headers_mut().insert("Sec-WebSocket-Protocol", HeaderValue::from_static(PROTOCOL));
            }
            Ok(response)
        };
        let largest = Some(MAX_FRAME);
        let config = WebSocketConfig::default().max_message_size(largest).max_frame_size(largest).read_buffer_size(READ_BUFFER);
        match tokio_tungstenite::accept_hdr_async_with_config(socket, answer, Some(config)).await {
            Ok(stream) => Some(WebSocketStreamWrapper::new(stream)),
            Err(_) => {
                Listener::Broker.refuses(refused, &ip);
                None
            }
        }
    }
}

/// What the crate does for clients of each class. Those that only read get QoS 0, which is the same without a session: what they do not read
/// is not sent, and no publisher waits for acknowledgements.
fn configs(config: &BrokerConfig) -> BTreeMap<(Class, bool), Arc<BrokerConfig>> {
    let of = |(class, is_kept): (Class, bool)| {
        let mut own = config.clone().with_max_packet_size(class.limits().packet);
        if class == Class::Reader {
            own = own.with_maximum_qos(0).with_client_channel_capacity(MAX_WAITING_OF_READER);
        }
        if !is_kept {
            own = own.with_session_expiry(Duration::ZERO);
        }
        ((class, is_kept), Arc::new(own))
    };
    Class::ALL.into_iter().flat_map(|class| [(class, false), (class, true)]).map(of).collect()
}

fn refusal(status: StatusCode) -> ErrorResponse {
    let mut response = ErrorResponse::new(None);
    *response.status_mut() = status;
    response
}
