//! Runs an MQTT broker inside this program, for machines without a broker. Only this module names its crate, `mqtt5`, so that the
//! crate can be replaced. The crate keeps sessions and routes messages; connections are accepted and judged here.
//!
//! Why this crate: it has sessions, retained messages, both versions of MQTT and a trait for rights, and it takes any stream, so that packets
//! are judged before it sees them. What it lacks (shares of users, checks of properties and topics, places of connections) is here, in some
//! 1,400 lines. With the same attacks `rumqttd` 0.20, which has no rights by topic, took 20,500 retained topics of a user, held 208 MiB more
//! after 137 retained messages of 1 MiB and 280 more for messages of QoS 2 that were not released; `rmqtt` 0.24 without plugins refused these,
//! and held 290 MiB for 3,000 absent sessions. They need 293 and 271 crates where this one needs 205. `ntex-mqtt` has neither sessions nor
//! retained messages nor rights. Mosquitto as a child process knows no shares either (`config/mosquitto/README.md`, "Limits"), and has to
//! be installed.
//!
//! The broker keeps everything in memory. After a restart it is empty, and its publishers send their retained topics again.
//!
//! * **On loopback without users** it is open: every program of this machine, and every web page that comes from this machine (a
//!   browser opens a WebSocket without asking), may read and write all topics. The daemon then accepts commands of the
//!   configured local user only. Configure users where that is too much.
//! * **With users** (needed as soon as it can be reached from another machine) every client logs in and may do only what the
//!   rules of `wire/README.md#6` allow: the filters of the user's own lists, and for a user with a role commands and their
//!   answers, `<root>/1/cmd/<user>/#` and `<root>/1/reply/<user>/#`.
//! * **No TLS.** Passwords and games can be read on the way; at an event the broker is mosquitto (`config/mosquitto/`).
//! * **Strangers cost little.** Connections that have not logged in are few and short, and wrong passwords are counted by address
//!   and name (`strangers`, `front`), web pages of foreign servers are refused (`origin`), every packet is judged before it is
//!   forwarded (`packets`, `gate`), each user has a share of memory and time (`shares`), and each kind of that is one log line a
//!   minute.
//! * A subscription that is wider than the rules is refused at SUBSCRIBE. A message that may not be sent gets a negative PUBACK;
//!   it is in the form of MQTT 5 even for a 3.1.1 client, which treats it as an error and disconnects. Every message carries user
//!   properties that name its sender (`x-mqtt-client-id`, `x-mqtt-sender`), so a client id must not contain anything secret. It ends
//!   with the name of the user, so that nobody takes over the session of another user's client.

mod access;
mod error;
mod front;
mod gate;
mod origin;
mod packets;
mod shares;
mod socket;

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use mqtt5::broker::config::{BrokerConfig, StorageConfig};
use mqtt5::topic_matches_filter;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time;

use self::access::{Access, Rights, Rules};
pub use self::error::BrokerError;
use self::front::{Front, Kind};
use self::shares::Class;
use crate::config::Config;
use crate::strangers::Limits;
use crate::wire::topics;
use crate::{config, random};

/// The largest size of a packet, in bytes. It is more than the largest message of `wire/README.md` needs.
const MAX_PACKET: usize = Class::Daemon.limits().packet;
/// The largest number of messages that wait for one client, which is away or does not keep up. The oldest make room.
const MAX_QUEUED: usize = 2_000;
/// The largest number of messages for one connected client that its connection has not taken yet, and for one that only reads. The retained
/// ones of a subscription come at once: with the earlier moves some forty for each board of a large hall, and three for the public, which
/// reads the earlier moves of one board only.
const MAX_WAITING: usize = 16_000;
const MAX_WAITING_OF_READER: usize = 2_000;
/// The largest number of bytes of the messages for a client that is away.
const MAX_QUEUED_BYTES: usize = 2 << 20;
/// The largest number of subscriptions of one client.
const MAX_SUBSCRIPTIONS: usize = 64;
/// The length of the daemon's own password, in random bytes.
const PASSWORD: usize = 24;
/// The time limit for stopping the broker. With connected clients it needs about 30 ms.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// A broker that accepts connections. If this value is dropped, the broker stops.
pub struct Running {
    /// The address for MQTT.
    pub tcp: SocketAddr,
    /// The port for MQTT at 127.0.0.1, where every address below 127 reaches it: the relay of the pages gives each visitor one of its own.
    pub local: SocketAddr,
    /// The address for MQTT over WebSocket, path `/mqtt`.
    pub websocket: Option<SocketAddr>,
    /// The login of the daemon; none where no login is needed, or where the configuration has a user of the daemon's name.
    pub own: Option<Login>,
    front: Arc<Front>,
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Running { tcp, websocket, own, .. } = self;
        f.debug_struct("Running").field("tcp", tcp).field("websocket", websocket).field("own", own).finish_non_exhaustive()
    }
}

/// The user name and password of the daemon. They are new at every start.
#[derive(Clone)]
pub struct Login {
    /// The node's name.
    pub user: String,
    /// Known to this process only.
    pub password: String,
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

impl Running {
    /// Replaces the users by those of these settings. A client whose password or rights have changed is disconnected, and logs in
    /// again if it can. The addresses stay as they are.
    ///
    /// # Errors
    /// As [`start`]; or there would be a login where there was none, which needs a new start. Then nothing has changed.
    pub fn reload(&self, config: &Config, node: &str) -> Result<(), BrokerError> {
        let settings = &config.broker;
        if needs_own(settings, node) != self.own.is_some() || settings.user.is_empty() != self.front.access.is_open() {
            return Err(BrokerError::Restart);
        }
        if !settings.user.is_empty() {
            let changed = self.front.access.replace(rules(config, node, self.own.as_ref())?);
            self.front.places.close_users(&changed);
        }
        Ok(())
    }

    /// Closes every connection and frees the ports.
    pub async fn stop(mut self) {
        // This fails only if the task has ended.
        _ = self.stop.send(true);
        if time::timeout(STOP_WITHIN, &mut self.task).await.is_err() {
            tracing::warn!("broker: not stopped within {STOP_WITHIN:?}, aborted");
            self.task.abort();
        }
    }
}

/// Starts the broker on the runtime of the caller, and returns when it accepts connections. `node` is the daemon's name.
///
/// # Errors
/// See [`BrokerError`].
pub async fn start(config: &Config, node: &str) -> Result<Running, BrokerError> {
    let settings = &config.broker;
    let (tcp, websocket) = addresses(settings)?;
    let own = match needs_own(settings, node) {
        false => None,
        true => Some(Login {
            user: node.to_owned(),
            password: random::hex(PASSWORD).map_err(|error| BrokerError::Other(error.to_string()))?,
        }),
    };
    let rules = rules(config, node, own.as_ref())?;
    let mqtt = listen("broker.tcp", tcp).await?;
    let web = match websocket {
        Some(address) => Some(listen("broker.websocket", address).await?),
        None => None,
    };
    let bound = |listener: &TcpListener| listener.local_addr().map_err(|error| BrokerError::Other(error.to_string()));
    let (tcp, websocket) = (bound(&mqtt)?, web.as_ref().map(bound).transpose()?);
    let is_reached = |ip: IpAddr| ip.is_ipv4() && (ip.is_loopback() || ip.is_unspecified());
    let pages = match is_reached(tcp.ip()) {
        true => None,
        false => Some(listen("broker.tcp", (Ipv4Addr::LOCALHOST, 0).into()).await?),
    };
    let local = pages.as_ref().map(bound).transpose()?.unwrap_or((Ipv4Addr::LOCALHOST, tcp.port()).into());
    let access = match settings.user.len() {
        0 => "without users: everybody who can connect may read and write everything".to_owned(),
        1 => "1 user".to_owned(),
        users => format!("{users} users"),
    };
    let places = Limits::for_descriptors(crate::descriptors::allow());
    tracing::info!("broker: at most {} clients, {access}", places.clients);
    let front = Arc::new(Front::new(limits(places.clients), Access::new(rules), places));
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(run(Arc::clone(&front), [Some(mqtt), pages], web, stopped));
    Ok(Running { tcp, local, websocket, own, front, stop, task })
}

/// Both addresses. Where other machines can connect, there must be users.
fn addresses(settings: &config::Broker) -> Result<(SocketAddr, Option<SocketAddr>), BrokerError> {
    let tcp = address("tcp", &settings.tcp)?;
    let websocket = if settings.websocket.is_empty() { None } else { Some(address("websocket", &settings.websocket)?) };
    match [Some(tcp), websocket].into_iter().flatten().find(|address| !address.ip().is_loopback()) {
        Some(address) if settings.user.is_empty() => return Err(BrokerError::NoUsers(address)),
        Some(address) => {
            tracing::warn!("broker: {address} can be reached from other machines without TLS; passwords can be read on the way");
        }
        None => {}
    }
    Ok((tcp, websocket))
}

async fn listen(key: &'static str, address: SocketAddr) -> Result<TcpListener, BrokerError> {
    TcpListener::bind(address).await.map_err(|error| BrokerError::Listen(key, address, error))
}

/// Whether the daemon logs in with a user of its own, because the others log in and none has its name.
fn needs_own(settings: &config::Broker, node: &str) -> bool {
    !settings.user.is_empty() && !settings.user.contains_key(node)
}

/// Runs until it is stopped.
async fn run(front: Arc<Front>, mqtt: [Option<TcpListener>; 2], web: Option<TcpListener>, stop: watch::Receiver<bool>) {
    let accept = async |listener: Option<TcpListener>, kind| {
        if let Some(listener) = listener {
            Arc::clone(&front).accept(listener, kind, stop.clone()).await;
        }
    };
    let [mqtt, pages] = mqtt;
    let accepting = async { tokio::join!(accept(mqtt, Kind::Mqtt), accept(pages, Kind::Mqtt), accept(web, Kind::WebSocket)) };
    tokio::select! {
        _ = accepting => {}
        () = front.sweep() => {}
    }
}

fn address(key: &'static str, value: &str) -> Result<SocketAddr, BrokerError> {
    value.parse().map_err(|_| BrokerError::Address(key, value.to_owned()))
}

/// Every limit is set here: the crate has none by default.
fn limits(clients: usize) -> BrokerConfig {
    let storage =
        StorageConfig::new().with_max_queued_messages_per_client(MAX_QUEUED).with_max_queued_bytes_per_client(MAX_QUEUED_BYTES);
    let mut config = BrokerConfig::new()
        .with_storage(storage)
        .with_max_packet_size(MAX_PACKET)
        .with_max_clients(clients)
        .with_max_subscriptions_per_client(MAX_SUBSCRIPTIONS)
        .with_client_channel_capacity(MAX_WAITING)
        .with_session_expiry(shares::SESSION_EXPIRY)
        // Messages of QoS 2 would wait for their release, as many as the sender likes.
        .with_maximum_qos(1)
        .with_sys_topics_enabled(false);
    config.topic_alias_maximum = 0;
    config.shared_subscription_available = false;
    config
}

/// Whether somebody with these filters may write the messages of the organiser or the PGN of a round, which are large.
fn writes_large(filters: &[String], root: &str, event: &str) -> bool {
    let large = [topics::meta_event(root, event), topics::round_pgn(root, event, "1")];
    filters.iter().any(|filter| large.iter().any(|topic| topic_matches_filter(topic, filter)))
}

/// The users that may log in, and their rights; nothing else is allowed.
fn rules(config: &Config, node: &str, own: Option<&Login>) -> Result<Rules, BrokerError> {
    let (root, event) = (&config.mqtt.root, &config.event.id);
    let roles = config.commanders();
    let mut users = BTreeMap::new();
    for (name, user) in &config.broker.user {
        let password = config::password_of(name, user, root).map_err(|(key, why)| BrokerError::User(name.clone(), key, why))?;
        let class = match () {
            () if name == node => Class::Daemon,
            () if writes_large(&user.write, root, event) => Class::Publisher,
            () if !user.write.is_empty() => Class::Writer,
            () if roles.contains_key(name) => Class::Commander,
            () => Class::Reader,
        };
        let (mut read, mut write) = (user.read.clone(), user.write.clone());
        if !read.is_empty() {
            // Who may read anything may also read which nodes are alive and what the event is called.
            read.extend([format!("{root}/1/node/+/status"), format!("{root}/1/meta/{event}")]);
        }
        if roles.contains_key(name) {
            read.push(format!("{root}/1/reply/{name}/#"));
            write.push(format!("{root}/1/cmd/{name}/#"));
        }
        users.insert(name.clone(), Rights { class, password, read, write });
    }
    if let Some(Login { user, password }) = own {
        let below = |what: &[&str]| what.iter().map(|what| format!("{root}/1/{what}/#")).collect::<Vec<_>>();
        let read = below(&["cmd", "meta", "node", "public", "live", "arbiter"]);
        let write = below(&["public", "live", "arbiter", "reply", "device", &format!("node/{user}")]);
        users.insert(user.clone(), Rights { class: Class::Daemon, password: password.clone(), read, write });
    }
    Ok(Rules { users, commands: format!("{root}/1/cmd/") })
}
