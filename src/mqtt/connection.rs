//! Runs one connection to the broker: handles the packets that arrived, gathers the messages that wait, and sends everything in
//! one write.

use std::pin::pin;
use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::{ConnAck, Disconnect, DisconnectReasonCode, Packet};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::info;

use super::connect::connect;
use super::keep_alive::{KeepAlive, KeepAliveStep};
use super::packets::{self, KEEP_ALIVE};
use super::session::{Refusal, Session};
use super::wire::{Incoming, Wire};
use crate::system_clock::{self, MonotonicTime};

/// The time between two checks for expired replies and for a broker that has stopped acknowledging.
const SECOND: Duration = Duration::from_secs(1);
/// The time limit for sending waiting messages when the connection is closed cleanly.
const FLUSH: Duration = Duration::from_secs(2);
/// The time limit for the last status, and again for the disconnect packet, after that.
const PART: Duration = Duration::from_secs(1);

/// The reason why a connection, or the attempt at one, ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ConnectionEnd {
    Stopped,
    /// Another client has connected with our client id.
    TakenOver,
    /// The broker refuses a message for its size, and ends the connection.
    TooLarge,
    /// The broker refuses our name or password.
    Refused(String),
    /// The other side closed the connection without a reason.
    Closed(String),
    Lost(String),
    /// The broker sent a packet that cannot be read. It would send it again in the same session.
    BadPacket(String),
}

/// How far a clean stop has come, each step with its latest end.
#[derive(Clone, Copy)]
enum Stop {
    No,
    Flush(MonotonicTime),
    Farewell(MonotonicTime),
}

/// Runs one connection, from the attempt to connect to its end.
pub(super) async fn run(session: &mut Session, stop: &mut watch::Receiver<bool>) -> ConnectionEnd {
    match attempt(session, stop).await {
        Ok((wire, welcome)) => serve(session, stop, wire, &welcome).await,
        Err(over) => over,
    }
}

async fn attempt(session: &mut Session, stop: &mut watch::Receiver<bool>) -> Result<(Wire, ConnAck), ConnectionEnd> {
    let client = session.client()?;
    let mut attempt = pin!(connect(&session.settings, &client));
    loop {
        tokio::select! {
            ended = &mut attempt => return ended,
            _ = stop.wait_for(|stop| *stop) => return Err(ConnectionEnd::Stopped),
            () = sleep(SECOND) => session.outbox.sweep(system_clock::monotonic()),
        }
    }
}

async fn serve(session: &mut Session, stop: &mut watch::Receiver<bool>, mut wire: Wire, welcome: &ConnAck) -> ConnectionEnd {
    let began = system_clock::monotonic();
    let wished = welcome.properties.as_ref().and_then(|all| all.server_keep_alive);
    let mut keep_alive = KeepAlive::new(wished.map_or(KEEP_ALIVE, |seconds| Duration::from_secs(seconds.into())), began);
    session.begin_connection(welcome, &mut wire.outgoing);
    let outbox = session.outbox.clone();
    let mut stopping = Stop::No;
    let mut next_check = began.after(SECOND);
    // One timer serves everything. It is set again only for an earlier time.
    let mut timer = pin!(sleep(SECOND));
    let mut timer_due = Some(next_check);
    loop {
        let due = [keep_alive.due(), next_deadline(session, stopping, wire.has_room())]
            .into_iter()
            .flatten()
            .fold(next_check, MonotonicTime::min);
        if timer_due.is_none_or(|timer_due| due < timer_due) {
            timer.set(sleep(due.since(system_clock::monotonic())));
            timer_due = Some(due);
        }
        tokio::select! {
            biased;
            transferred = wire.read_and_write() => if let Err(error) = transferred {
                return ConnectionEnd::Closed(error.to_string());
            },
            _ = stop.wait_for(|stop| *stop), if matches!(stopping, Stop::No) => {}
            () = outbox.changed() => {}
            () = &mut timer => timer_due = None,
        }
        let now = system_clock::monotonic();
        if let Err(over) = handle_arrived(session, &mut wire, &mut keep_alive, now) {
            return over;
        }
        if now >= next_check {
            next_check = now.after(SECOND);
            outbox.sweep(now);
            session.check_namesakes(now);
            if session.is_stalled(now) {
                return ConnectionEnd::Lost("the broker acknowledges nothing".to_owned());
            }
        }
        // Packets that arrive without a pause must not prevent a stop.
        if matches!(stopping, Stop::No) && (*stop.borrow() || stop.has_changed().is_err()) {
            stopping = Stop::Flush(now.after(FLUSH));
        }
        stopping = match stopping {
            Stop::Flush(end) if now >= end || (session.birth_deadline().is_none() && outbox.is_idle()) => {
                info!(idle = outbox.is_idle(), "stopping");
                Stop::Farewell(now.after(PART))
            }
            // A status that was sent need not be acknowledged in time: the broker reads it before the disconnect packet.
            Stop::Farewell(end) if session.has_parted() || (now >= end && session.has_said_farewell()) => {
                leave(wire).await;
                return ConnectionEnd::Stopped;
            }
            // The last status could not be sent. Without a disconnect packet the broker publishes the will.
            Stop::Farewell(end) if now >= end => return ConnectionEnd::Stopped,
            other => other,
        };
        if wire.has_room() {
            match stopping {
                Stop::No | Stop::Flush(_) => session.send_pending(now, &mut wire.outgoing),
                // Every acknowledgement may have made room for the last status.
                Stop::Farewell(_) => session.send_farewell(now, &mut wire.outgoing),
            }
        }
        if !wire.outgoing.is_empty() {
            keep_alive.note_sent(now);
        }
    }
}

/// The time at which something ends or begins without a packet. Nothing begins without room for it.
fn next_deadline(session: &Session, stopping: Stop, has_room: bool) -> Option<MonotonicTime> {
    let begins = session.birth_deadline().filter(|_| has_room);
    match stopping {
        Stop::No => begins,
        Stop::Flush(end) => Some(begins.map_or(end, |begins| begins.min(end))),
        Stop::Farewell(end) => Some(end),
    }
}

/// Handles everything that arrived, and checks whether the broker is alive.
fn handle_arrived(
    session: &mut Session,
    wire: &mut Wire,
    keep_alive: &mut KeepAlive,
    now: MonotonicTime,
) -> Result<(), ConnectionEnd> {
    while let Some(packet) = wire.buffered_packet()? {
        keep_alive.note_received(now);
        match packet {
            Incoming::Packet(Packet::PingResp(_)) => keep_alive.note_answer(),
            Incoming::Packet(Packet::Disconnect(disconnect)) => return Err(ended_by_broker(&disconnect)),
            Incoming::Packet(packet) => session.handle_packet(packet, &mut wire.outgoing)?,
            Incoming::TooLarge(id) => session.handle_answer(id, Err(Refusal::TooLarge))?,
        }
    }
    match keep_alive.check(now) {
        KeepAliveStep::Nothing => Ok(()),
        KeepAliveStep::Ping => packets::ping(&mut wire.outgoing).map_err(|error| ConnectionEnd::Lost(error.to_string())),
        KeepAliveStep::Gone => Err(ConnectionEnd::Lost("the broker gives no sign of life".to_owned())),
    }
}

/// Sends the disconnect packet. If it does not arrive in time, the broker publishes the will.
async fn leave(mut wire: Wire) {
    if packets::disconnect(&mut wire.outgoing).is_ok() {
        _ = tokio::time::timeout(PART, wire.close()).await;
    }
}

/// The end of a connection that the broker ends.
pub(super) fn ended_by_broker(disconnect: &Disconnect) -> ConnectionEnd {
    match disconnect.reason_code {
        DisconnectReasonCode::SessionTakenOver => ConnectionEnd::TakenOver,
        DisconnectReasonCode::PacketTooLarge => ConnectionEnd::TooLarge,
        reason => ConnectionEnd::Lost(format!("the broker ended the connection: {reason:?}")),
    }
}
