//! Runs an MQTT broker inside this program, for machines without a broker. Only this file names its crate, `mqtt5`, so that the
//! crate can be replaced.
//!
//! The broker keeps everything in memory. After a restart it is empty, and its publishers send their retained topics again.
//!
//! * **On loopback without users** it is open: every program of this machine, and every web page that is opened in a browser on
//!   it (a browser opens a WebSocket without asking), may read and write all topics. The daemon then accepts commands of the
//!   configured local user only. Configure users where that is too much.
//! * **With users** (needed as soon as it can be reached from another machine) every client logs in and may do only what the
//!   rules of `wire/README.md#6` allow: `<root>/1/cmd/<user>/#` may be written, `<root>/1/reply/<user>/#` read, and the filters
//!   of the user's own lists.
//! * **No TLS.** Passwords and games can be read on the way; at an event the broker is mosquitto (`config/mosquitto/`).
//! * A subscription that is wider than the rules is refused at SUBSCRIBE. A message that may not be sent gets a negative PUBACK;
//!   it is in the form of MQTT 5 even for a 3.1.1 client, which treats it as an error and disconnects. Every message carries user
//!   properties that name its sender (`x-mqtt-client-id`, `x-mqtt-sender`), so a client id must not contain anything secret.

mod error;
mod user;

use std::fmt;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use mqtt5::broker::auth::{AllowAllAuthProvider, AuthProvider, AuthRateLimiter, RateLimitedAuthProvider};
use mqtt5::broker::config::{BrokerConfig, StorageBackend, StorageConfig, WebSocketConfig};
use mqtt5::broker::{
    AclManager, BrokerShutdownHandle, ComprehensiveAuthProvider, MqttBroker, PasswordAuthProvider, Permission, RoleRule,
};
use tokio::task::JoinHandle;
use tokio::time;

pub use self::error::BrokerError;
use crate::{config, random};

/// The largest size of a packet, in bytes. It is more than the largest message of `wire/README.md` needs.
const MAX_PACKET: usize = 1 << 20;
/// The largest number of clients at the same time. A hall has far fewer screens and arbiters.
const MAX_CLIENTS: usize = 1_000;
/// The largest number of retained topics. A thousand boards need about ten topics each.
const MAX_RETAINED: usize = 20_000;
/// The largest number of messages that wait for one client that is away.
const MAX_QUEUED: usize = 10_000;
/// The largest number of bytes of these messages.
const MAX_QUEUED_BYTES: usize = 16 << 20;
/// The time for which the session of an absent client is kept.
const SESSION_EXPIRY: Duration = Duration::from_hours(24);
/// The largest number of wrong passwords from one address or for one name within [`LOGIN_WINDOW`]. This is enough to stop
/// guessing, and a wrong setting on one screen does not exclude its computer for long.
const LOGIN_ATTEMPTS: u32 = 10;
/// The time in which wrong passwords are counted, in seconds.
const LOGIN_WINDOW: u64 = 60;
/// The pause after too many wrong passwords, in seconds.
const LOGIN_PAUSE: u64 = 60;
/// The length of the daemon's own password, in random bytes.
const PASSWORD: usize = 24;
/// The time limit for stopping the broker. With connected clients it needs about 30 ms.
const STOP_WITHIN: Duration = Duration::from_secs(5);

/// A broker that accepts connections. If this value is dropped, the broker runs until the runtime ends.
#[derive(Debug)]
pub struct Running {
    /// The address for MQTT.
    pub tcp: SocketAddr,
    /// The address for MQTT over WebSocket, path `/mqtt`.
    pub websocket: Option<SocketAddr>,
    /// The login of the daemon; none where no login is needed, or where the configuration has a user of the daemon's name.
    pub own: Option<Login>,
    stop: Stop,
    task: JoinHandle<()>,
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

struct Stop(BrokerShutdownHandle);

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stop")
    }
}

impl Running {
    /// Closes every connection and frees the ports. For clients the connection ends without a DISCONNECT.
    pub async fn stop(mut self) {
        self.stop.0.shutdown();
        if time::timeout(STOP_WITHIN, &mut self.task).await.is_err() {
            tracing::warn!("broker: not stopped within {STOP_WITHIN:?}, aborted");
            self.task.abort();
        }
    }
}

/// Starts the broker on the runtime of the caller, and returns when it accepts connections. `root` is the first level of the
/// daemon's topics, `event` the event's id, `node` the daemon's name.
///
/// # Errors
/// See [`BrokerError`].
pub async fn start(settings: &config::Broker, root: &str, event: &str, node: &str) -> Result<Running, BrokerError> {
    let tcp = address("tcp", &settings.tcp)?;
    let websocket = if settings.websocket.is_empty() { None } else { Some(address("websocket", &settings.websocket)?) };
    let reachable = [Some(tcp), websocket].into_iter().flatten().find(|address| !address.ip().is_loopback());
    if let Some(address) = reachable {
        if settings.user.is_empty() {
            return Err(BrokerError::NoUsers(address));
        }
        tracing::warn!("broker: {address} can be reached from other machines without TLS; passwords can be read on the way");
    }
    let limiter = Arc::new(AuthRateLimiter::new(LOGIN_ATTEMPTS, LOGIN_WINDOW, LOGIN_PAUSE));
    let own = match settings.user.is_empty() || settings.user.contains_key(node) {
        true => None,
        false => Some(Login {
            user: node.to_owned(),
            password: random::hex(PASSWORD).map_err(|error| BrokerError::Other(error.to_string()))?,
        }),
    };
    let access: Arc<dyn AuthProvider> = if settings.user.is_empty() {
        Arc::new(AllowAllAuthProvider)
    } else {
        let rules = rules(settings, root, event, own.as_ref()).await?;
        Arc::new(RateLimitedAuthProvider::new(Arc::new(rules), Arc::clone(&limiter)))
    };

    let broker = MqttBroker::with_config(limits(tcp, websocket)).await.map_err(|error| match TcpListener::bind(tcp) {
        Err(why) => BrokerError::Listen("MQTT", tcp, why),
        Ok(_) => BrokerError::Other(error.to_string()),
    })?;
    let listening = broker.local_addr().ok_or_else(|| BrokerError::Other("no address".to_owned()))?;
    let websocket = match (websocket, broker.ws_local_addr()) {
        (None, _) => None,
        (Some(_), Some(bound)) => Some(bound),
        // The crate only logs this error.
        (Some(wanted), None) => {
            let why = TcpListener::bind(wanted).err().unwrap_or_else(|| io::ErrorKind::AddrInUse.into());
            return Err(BrokerError::Listen("WebSocket", wanted, why));
        }
    };
    let broker = broker.with_auth_provider(access);
    let (stop, mut ready) = (Stop(broker.shutdown_handle()), broker.ready_receiver());
    let task = tokio::spawn(run(broker, limiter));
    if ready.wait_for(|ready| *ready).await.is_err() {
        return Err(BrokerError::Other("ended before it was ready".to_owned()));
    }
    Ok(Running { tcp: listening, websocket, own, stop, task })
}

/// Runs until it is stopped. Records of wrong logins are removed in time, so that they do not grow.
async fn run(mut broker: MqttBroker, limiter: Arc<AuthRateLimiter>) {
    let mut sweep = time::interval(Duration::from_secs(LOGIN_WINDOW));
    let run = broker.run();
    tokio::pin!(run);
    let result = loop {
        tokio::select! {
            result = &mut run => break result,
            _ = sweep.tick() => limiter.cleanup_expired(),
        }
    };
    if let Err(error) = result {
        tracing::error!("broker: ended: {error}");
    }
}

fn address(key: &'static str, value: &str) -> Result<SocketAddr, BrokerError> {
    value.parse().map_err(|_| BrokerError::Address(key, value.to_owned()))
}

/// Every limit is set here: the crate's defaults listen on all addresses, keep files in the working folder and have no limits.
fn limits(tcp: SocketAddr, websocket: Option<SocketAddr>) -> BrokerConfig {
    let storage = StorageConfig::new()
        .with_backend(StorageBackend::Memory)
        .with_max_queued_messages_per_client(MAX_QUEUED)
        .with_max_queued_bytes_per_client(MAX_QUEUED_BYTES)
        .with_cleanup_interval(Duration::from_secs(60));
    let config = BrokerConfig::new()
        .with_bind_address(tcp)
        .with_storage(storage)
        .with_max_packet_size(MAX_PACKET)
        .with_max_clients(MAX_CLIENTS)
        .with_max_retained_messages(MAX_RETAINED)
        .with_session_expiry(SESSION_EXPIRY)
        .with_sys_topics_enabled(false);
    match websocket {
        Some(address) => config.with_websocket(WebSocketConfig::new().with_bind_addresses(vec![address])),
        None => config,
    }
}

/// The users that may log in, and their rights; nothing else is allowed.
async fn rules(
    settings: &config::Broker,
    root: &str,
    event: &str,
    own: Option<&Login>,
) -> Result<ComprehensiveAuthProvider, BrokerError> {
    let (passwords, access) = (PasswordAuthProvider::new(), AclManager::new());
    for (name, user) in &settings.user {
        let password = user::checked(name, user, root)?;
        let (mut read, mut write) = (user.read.clone(), user.write.clone());
        if !read.is_empty() {
            // Who may read anything may also read which nodes are alive and what the event is called.
            read.extend([format!("{root}/1/node/+/status"), format!("{root}/1/meta/{event}")]);
        }
        read.push(format!("{root}/1/reply/{name}/#"));
        write.push(format!("{root}/1/cmd/{name}/#"));
        admit(&passwords, &access, name, &password, &read, &write).await?;
    }
    if let Some(Login { user, password }) = own {
        let below = |what: &[&str]| what.iter().map(|what| format!("{root}/1/{what}/#")).collect::<Vec<_>>();
        let read = below(&["cmd", "meta", "node", "public", "live", "arbiter"]);
        let write = below(&["public", "live", "arbiter", "reply", "device", &format!("node/{user}")]);
        admit(&passwords, &access, user, password, &read, &write).await?;
    }
    Ok(ComprehensiveAuthProvider::with_providers(passwords, access))
}

/// Adds one user with the right to read and write. This uses a role and not rules of the user: of those only the longest match
/// would count, so that a filter for reading could hide one for writing.
async fn admit(
    passwords: &PasswordAuthProvider,
    access: &AclManager,
    name: &str,
    password: &str,
    read: &[String],
    write: &[String],
) -> Result<(), BrokerError> {
    let other = |error: mqtt5::MqttError| BrokerError::Other(error.to_string());
    passwords.add_user(name, password).map_err(other)?;
    access.add_role(name).await;
    let read = read.iter().map(|filter| (filter, Permission::Read));
    for (filter, permission) in read.chain(write.iter().map(|filter| (filter, Permission::Write))) {
        let rule = RoleRule::new(filter.clone(), permission);
        access.add_role_rule(name, rule.topic_pattern, rule.permission).await.map_err(other)?;
    }
    access.assign_role(name, name).await.map_err(other)
}
