//! Publishes the waiting messages to the MQTT broker and receives commands, over one connection at a time.
//!
//! The outbox (the queue of outgoing messages) gives the next publication, which gets a packet id here. Everything of one moment
//! is sent in one write, and acknowledgements are reported to the outbox. After any error the connection and all its packet ids
//! are forgotten, and a new connection begins after the last acknowledged messages (`ARCHITECTURE.md#4`, `wire/README.md#10`):
//! messages wait in the outbox only.

mod backoff;
mod claims;
mod client_id;
mod connect;
mod connection;
mod identity;
mod ids;
mod keep_alive;
mod namesakes;
pub mod outbox;
pub(crate) mod packets;
mod probe;
mod refusals;
mod request;
mod retained;
mod rights;
mod session;
mod status;
mod trouble;
mod types;
mod wire;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tracing::{info, warn};

#[cfg(feature = "outputs")]
pub(crate) use self::backoff::Backoff;
#[cfg(not(feature = "outputs"))]
use self::backoff::Backoff;
use self::backoff::WallClock;
use self::connection::ConnectionEnd;
pub use self::identity::{Identity, IdentityError};
use self::outbox::Outbox;
pub use self::probe::probe;
pub use self::request::request;
pub use self::retained::{ExchangeError, follow_retained, publish_retained, read_retained};
pub use self::rights::{Rights, Trial, try_rights};
use self::session::Session;
pub use self::trouble::{Keys, Trouble};
pub use self::types::{Arrived, AtBroker, ConnectionState, Foreign, Hooks, ReconnectDelays, Refused, Settings, Shorten};
use crate::system_clock;

/// The cause of an end, for people.
const TOO_LARGE: &str = "the broker ended the connection: a message is too large";
/// The wait after another client took over our connection. It is short and does not grow: with a new client id nobody competes.
const TAKEN_OVER: Duration = Duration::from_millis(100);
/// A connection that lasted this long and is closed without a reason may have been taken over. If it lasted less, the broker may be
/// ill, and the waits grow.
const TAKEN_OVER_AFTER: Duration = Duration::from_millis(500);

/// Publishes what is in the outbox until `stop` is true or its sender is dropped. A stop during a connection first sends waiting
/// messages, for two seconds at most, and the status `stopped`.
pub async fn run(settings: Settings, outbox: Arc<Outbox>, hooks: Hooks, mut stop: watch::Receiver<bool>) {
    let mut session = Session::new(settings, outbox, hooks);
    let mut backoff = Backoff::default();
    loop {
        let over = connection::run(&mut session, &mut stop).await;
        let now = system_clock::monotonic();
        let lasted = session.lasted(now);
        let delays = session.settings.reconnect;
        let learned = session.note_end(&over, lasted.is_some_and(|lasted| lasted < delays.good));
        // A client that takes over ends a connection that was good so far; not every broker says so.
        let was_good = lasted.is_some_and(|lasted| lasted >= TAKEN_OVER_AFTER);
        let mut next_wait = || backoff.next_wait(&delays, lasted.unwrap_or_default(), now.0);
        let (cause, wait) = match over {
            ConnectionEnd::Stopped => return session.disconnected(false),
            ConnectionEnd::TakenOver => ("another client took over the connection".to_owned(), TAKEN_OVER),
            // The next messages are smaller, so this happens only a few times.
            ConnectionEnd::TooLarge if learned => (TOO_LARGE.to_owned(), delays.first),
            ConnectionEnd::TooLarge => (TOO_LARGE.to_owned(), next_wait()),
            ConnectionEnd::Closed(cause) if learned => (cause, delays.first),
            ConnectionEnd::Closed(cause) if was_good => (cause, TAKEN_OVER),
            ConnectionEnd::Refused(cause) => (cause, backoff.longest_wait(&delays, now.0)),
            ConnectionEnd::Closed(cause) | ConnectionEnd::Lost(cause) | ConnectionEnd::BadPacket(cause) => (cause, next_wait()),
        };
        session.disconnected(wait == TAKEN_OVER);
        session.state.attempts = backoff.failed();
        let place = session.settings.identity.place();
        warn!(%cause, attempts = backoff.failed(), wait_ms = wait.as_millis() as u64, "no connection to the broker at {place}");
        (session.state.cause, session.state.retry) = (cause, wait);
        (session.hooks.connection)(&session.state);
        match pause(&session, wait, &mut stop).await {
            PauseEnd::Over => {}
            PauseEnd::ClockMoved => backoff = Backoff::default(),
            PauseEnd::Stopped => {
                info!("stopped while the broker was away");
                return;
            }
        }
    }
}

/// Why a wait for the next attempt ended.
enum PauseEnd {
    Over,
    ClockMoved,
    Stopped,
}

/// Waits for the next attempt.
async fn pause(session: &Session, wait: Duration, stop: &mut watch::Receiver<bool>) -> PauseEnd {
    let began = system_clock::monotonic();
    let until = began.after(wait);
    let wall_clock = WallClock::at(began, system_clock::utc());
    loop {
        let now = system_clock::monotonic();
        session.outbox.sweep(now);
        if now >= until {
            return PauseEnd::Over;
        }
        if wall_clock.has_moved(now, system_clock::utc()) {
            return PauseEnd::ClockMoved;
        }
        let step = until.since(now).min(Duration::from_secs(1));
        tokio::select! {
            () = tokio::time::sleep(step) => {}
            _ = stop.wait_for(|stop| *stop) => return PauseEnd::Stopped,
        }
    }
}

#[cfg(test)]
mod tests;
