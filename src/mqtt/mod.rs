//! Publishes the waiting messages to the MQTT broker and receives commands, over one connection at a time.
//!
//! The outbox (the queue of outgoing messages) gives the next publication, which gets a packet id here. Everything of one moment
//! is sent in one write, and acknowledgements are reported to the outbox. After any error the connection and all its packet ids
//! are forgotten, and a new connection begins after the last acknowledged messages (`ARCHITECTURE.md#4`, `wire/README.md#10`):
//! messages wait in the outbox only.

mod backoff;
mod claims;
mod connect;
mod connection;
mod identity;
mod ids;
mod keep_alive;
mod namesakes;
pub mod outbox;
mod packets;
mod probe;
mod session;
mod status;
mod tls;
mod types;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tracing::{info, warn};

use self::backoff::Backoff;
use self::connection::ConnectionEnd;
pub use self::identity::{Identity, IdentityError};
use self::outbox::Outbox;
pub use self::probe::probe;
use self::session::Session;
pub use self::types::{Arrived, AtBroker, ConnectionState, Ended, Foreign, Hooks, ReconnectDelays, Settings};
use crate::system_clock;

/// Publishes what is in the outbox until `stop` is true or its sender is dropped, or until another client takes our name. A stop
/// during a connection first sends waiting messages, for two seconds at most, and the status `stopped`.
pub async fn run(settings: Settings, outbox: Arc<Outbox>, hooks: Hooks, mut stop: watch::Receiver<bool>) -> Ended {
    let mut session = Session::new(settings, outbox, hooks);
    let mut backoff = Backoff::default();
    // Whether the broker must forget our session: it could only hold the packet that could not be read.
    let mut clean = false;
    loop {
        let over = connection::run(&mut session, &mut stop, clean).await;
        let now = system_clock::monotonic();
        let lasted = session.lasted(now).unwrap_or_default();
        session.disconnected();
        clean = matches!(over, ConnectionEnd::BadPacket(_));
        let (cause, wait) = match over {
            ConnectionEnd::Stopped => return Ended::Stopped,
            ConnectionEnd::Namesake => {
                warn!(node = %session.settings.node, "another client has our name: publishing ends");
                "another client has our name".clone_into(&mut session.state.cause);
                (session.hooks.connection)(&session.state);
                return Ended::TakenOver;
            }
            ConnectionEnd::Refused(cause) => (cause, backoff.longest_wait(&session.settings.reconnect, now.0)),
            ConnectionEnd::Lost(cause) => (cause, backoff.next_wait(&session.settings.reconnect, lasted, now.0)),
            ConnectionEnd::BadPacket(cause) => {
                session.state.bad_packets += 1;
                (cause, backoff.next_wait(&session.settings.reconnect, lasted, now.0))
            }
        };
        session.state.attempts = backoff.failed();
        warn!(%cause, attempts = backoff.failed(), wait_ms = wait.as_millis() as u64, "no connection to the broker");
        (session.state.cause, session.state.retry) = (cause, wait);
        (session.hooks.connection)(&session.state);
        if pause(&session, wait, &mut stop).await {
            info!("stopped while the broker was away");
            return Ended::Stopped;
        }
    }
}

/// Waits for the next attempt. Returns true if it was stopped instead.
async fn pause(session: &Session, wait: Duration, stop: &mut watch::Receiver<bool>) -> bool {
    let until = system_clock::monotonic().after(wait);
    loop {
        let now = system_clock::monotonic();
        session.outbox.sweep(now);
        if now >= until {
            return false;
        }
        let step = until.since(now).min(Duration::from_secs(1));
        tokio::select! {
            () = tokio::time::sleep(step) => {}
            _ = stop.wait_for(|stop| *stop) => return true,
        }
    }
}
