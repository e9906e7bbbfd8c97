//! One connection: the client is polled in a task of its own, so that nothing we do can hold it up.

use std::time::Duration;

use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::Error as PacketError;
use rumqttc::v5::mqttbytes::v5::{ConnectReturnCode, DisconnectReasonCode};
use rumqttc::v5::{AsyncClient, ConnectionError, Event, EventLoop, StateError};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tracing::info;

use super::options;
use super::session::Session;
use crate::publish::outbox::WINDOW;
use crate::wall::{self, Mono};

/// What the client holds that it has not sent: the window, subscriptions, the farewell.
const CHANNEL: usize = WINDOW + 8;
/// Things that the client told and that are not handled yet.
const HEARD: usize = 64;
/// At a clean stop what waits is sent for so long.
const FLUSH: Duration = Duration::from_secs(2);
/// Then the last status and the good-bye may take so long each.
const PART: Duration = Duration::from_secs(1);

/// How a connection, or the attempt at one, ended.
pub(super) enum Over {
    Stopped,
    /// Another client has our name.
    Namesake,
    /// Our name or password is not good.
    Refused(String),
    Lost(String),
    /// The broker sent what cannot be read; it would be sent again in the same session.
    BadPacket(String),
}

/// How far a clean stop has come; each with its end.
#[derive(Clone, Copy)]
enum Stop {
    No,
    Flush(Mono),
    Farewell(Mono),
    Leave(Mono),
}

/// The client's task; dropped, the connection is cut.
struct Poller(JoinHandle<()>);

impl Drop for Poller {
    fn drop(&mut self) {
        self.0.abort();
    }
}

type Heard = Result<Event, ConnectionError>;

async fn poll(mut client: EventLoop, heard: mpsc::Sender<Heard>) {
    loop {
        let event = client.poll().await;
        let last = event.is_err();
        if heard.send(event).await.is_err() || last {
            return;
        }
    }
}

/// From the attempt to connect to the end.
pub(super) async fn run(session: &mut Session, stop: &mut watch::Receiver<bool>, clean: bool) -> Over {
    let will = (session.hooks.status)("lost");
    let (client, polled) = AsyncClient::new(options::options(&session.settings, will, clean), CHANNEL);
    let (sender, mut heard) = mpsc::channel(HEARD);
    let _poller = Poller(tokio::spawn(poll(polled, sender)));
    let outbox = session.outbox.clone();
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut stopping = Stop::No;
    loop {
        let now = wall::mono();
        let end = match stopping {
            Stop::No => session.begins_until(),
            Stop::Flush(end) | Stop::Farewell(end) | Stop::Leave(end) => Some(end),
        };
        tokio::select! {
            event = heard.recv() => match event {
                Some(Ok(Event::Outgoing(Outgoing::Disconnect))) => return Over::Stopped,
                Some(Ok(event)) => session.heard(event, &client),
                Some(Err(_)) if matches!(stopping, Stop::Leave(_)) => return Over::Stopped,
                Some(Err(error)) => return over(&error),
                None => return Over::Lost("the MQTT client failed".to_owned()),
            },
            () = outbox.changed(), if session.state.up => {}
            _ = second.tick() => {
                outbox.sweep(wall::mono());
                if session.is_stalled(wall::mono()) {
                    return Over::Lost("the broker acknowledges nothing".to_owned());
                }
            }
            _ = stop.wait_for(|stop| *stop), if matches!(stopping, Stop::No) => {
                if !session.state.up {
                    return Over::Stopped;
                }
                stopping = Stop::Flush(wall::mono().after(FLUSH));
            }
            () = tokio::time::sleep(end.unwrap_or(now).since(now)), if end.is_some() => {}
        }
        if session.is_taken_over() {
            return Over::Namesake;
        }
        let now = wall::mono();
        stopping = match stopping {
            Stop::Flush(end) if now >= end || (session.begins_until().is_none() && outbox.is_idle()) => {
                info!(idle = outbox.is_idle(), "stopping");
                session.farewell(now);
                Stop::Farewell(now.after(PART))
            }
            // On its way, it need not be acknowledged in time: the broker reads it before the good-bye.
            Stop::Farewell(end) if session.has_parted() || (now >= end && session.has_said_farewell()) => {
                if client.try_disconnect().is_err() {
                    return Over::Stopped;
                }
                Stop::Leave(now.after(PART))
            }
            // Nobody knows that we stopped: without a good-bye the will says so.
            Stop::Farewell(end) if now >= end => return Over::Stopped,
            Stop::Leave(end) if now >= end => return Over::Stopped,
            Stop::Farewell(end) => {
                // Every acknowledgement may have made room.
                session.farewell(now);
                Stop::Farewell(end)
            }
            other => other,
        };
        if matches!(stopping, Stop::No | Stop::Flush(_)) {
            session.feed(now);
        }
    }
}

fn over(error: &ConnectionError) -> Over {
    use ConnectReturnCode::{BadAuthenticationMethod, BadUserNamePassword, Banned, NotAuthorized};
    match error {
        ConnectionError::ConnectionRefused(code @ (BadUserNamePassword | NotAuthorized | Banned | BadAuthenticationMethod)) => {
            Over::Refused(format!("the broker refuses our user name, password or certificate: {code:?}"))
        }
        ConnectionError::ConnectionRefused(code) => Over::Lost(format!("the broker refuses us: {code:?}")),
        ConnectionError::MqttState(StateError::ServerDisconnect {
            reason_code: DisconnectReasonCode::SessionTakenOver, ..
        }) => Over::Namesake,
        ConnectionError::MqttState(StateError::ServerDisconnect { reason_code, .. }) => {
            Over::Lost(format!("the broker ended the connection: {reason_code:?}"))
        }
        ConnectionError::MqttState(StateError::Deserialization(PacketError::Io(error))) => Over::Lost(error.to_string()),
        ConnectionError::MqttState(StateError::Deserialization(error)) => Over::BadPacket(error.to_string()),
        ConnectionError::Timeout(_) => Over::Lost("no answer within five seconds".to_owned()),
        error => Over::Lost(error.to_string()),
    }
}
