//! One connection: what came is handled, what waits is gathered, and all of it goes out in one write; then again.

use std::pin::pin;
use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::{ConnAck, Disconnect, DisconnectReasonCode, Packet};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::info;

use super::connect::connect;
use super::packets::{self, KEEP_ALIVE};
use super::pulse::{Beat, Pulse};
use super::session::Session;
use super::wire::Wire;
use crate::system_clock::{self, MonotonicTime};

/// Between two looks at what nobody wants any more and whether the broker still acknowledges.
const SECOND: Duration = Duration::from_secs(1);
/// At a clean stop what waits is sent for so long.
const FLUSH: Duration = Duration::from_secs(2);
/// Then the last status and the good-bye may take so long each.
const PART: Duration = Duration::from_secs(1);

/// How a connection, or the attempt at one, ended.
#[derive(Debug, PartialEq, Eq)]
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
    Flush(MonotonicTime),
    Farewell(MonotonicTime),
}

/// From the attempt to connect to the end.
pub(super) async fn run(session: &mut Session, stop: &mut watch::Receiver<bool>, clean: bool) -> Over {
    match attempt(session, stop, clean).await {
        Ok((wire, welcome)) => serve(session, stop, wire, &welcome).await,
        Err(over) => over,
    }
}

async fn attempt(session: &Session, stop: &mut watch::Receiver<bool>, clean: bool) -> Result<(Wire, ConnAck), Over> {
    let will = (session.hooks.status)("lost");
    let mut attempt = pin!(connect(&session.settings, will, clean));
    loop {
        tokio::select! {
            ended = &mut attempt => return ended,
            _ = stop.wait_for(|stop| *stop) => return Err(Over::Stopped),
            () = sleep(SECOND) => session.outbox.sweep(system_clock::monotonic()),
        }
    }
}

async fn serve(session: &mut Session, stop: &mut watch::Receiver<bool>, mut wire: Wire, welcome: &ConnAck) -> Over {
    let began = system_clock::monotonic();
    let wished = welcome.properties.as_ref().and_then(|all| all.server_keep_alive);
    let mut pulse = Pulse::new(wished.map_or(KEEP_ALIVE, |seconds| Duration::from_secs(seconds.into())), began);
    session.welcomed(welcome, &mut wire.outgoing);
    let outbox = session.outbox.clone();
    let mut stopping = Stop::No;
    let mut look = began.after(SECOND);
    // One timer for everything, set again only for something earlier.
    let mut alarm = pin!(sleep(SECOND));
    let mut rings = Some(look);
    loop {
        let due = [pulse.due(), end(session, stopping, wire.has_room())].into_iter().flatten().fold(look, MonotonicTime::min);
        if rings.is_none_or(|rings| due < rings) {
            alarm.set(sleep(due.since(system_clock::monotonic())));
            rings = Some(due);
        }
        tokio::select! {
            biased;
            stirred = wire.stir() => if let Err(error) = stirred {
                return Over::Lost(error.to_string());
            },
            _ = stop.wait_for(|stop| *stop), if matches!(stopping, Stop::No) => {}
            () = outbox.changed() => {}
            () = &mut alarm => rings = None,
        }
        let now = system_clock::monotonic();
        if let Err(over) = handle(session, &mut wire, &mut pulse, now) {
            return over;
        }
        if now >= look {
            look = now.after(SECOND);
            outbox.sweep(now);
            if session.is_stalled(now) {
                return Over::Lost("the broker acknowledges nothing".to_owned());
            }
        }
        // What comes without end does not keep us from stopping.
        if matches!(stopping, Stop::No) && (*stop.borrow() || stop.has_changed().is_err()) {
            stopping = Stop::Flush(now.after(FLUSH));
        }
        stopping = match stopping {
            Stop::Flush(end) if now >= end || (session.begins_until().is_none() && outbox.is_idle()) => {
                info!(idle = outbox.is_idle(), "stopping");
                Stop::Farewell(now.after(PART))
            }
            // On its way, it need not be acknowledged in time: the broker reads it before the good-bye.
            Stop::Farewell(end) if session.has_parted() || (now >= end && session.has_said_farewell()) => {
                leave(wire).await;
                return Over::Stopped;
            }
            // Nobody knows that we stopped: without a good-bye the will says so.
            Stop::Farewell(end) if now >= end => return Over::Stopped,
            other => other,
        };
        if wire.has_room() {
            match stopping {
                Stop::No | Stop::Flush(_) => session.feed(now, &mut wire.outgoing),
                // Every acknowledgement may have made room.
                Stop::Farewell(_) => session.farewell(now, &mut wire.outgoing),
            }
        }
        if !wire.outgoing.is_empty() {
            pulse.said(now);
        }
    }
}

/// When something ends or begins by itself; nothing begins without room for it.
fn end(session: &Session, stopping: Stop, has_room: bool) -> Option<MonotonicTime> {
    let begins = session.begins_until().filter(|_| has_room);
    match stopping {
        Stop::No => begins,
        Stop::Flush(end) => Some(begins.map_or(end, |begins| begins.min(end))),
        Stop::Farewell(end) => Some(end),
    }
}

/// Everything that came, and whether the broker is alive.
fn handle(session: &mut Session, wire: &mut Wire, pulse: &mut Pulse, now: MonotonicTime) -> Result<(), Over> {
    while let Some(packet) = wire.packet()? {
        pulse.heard(now);
        match packet {
            Packet::PingResp(_) => pulse.answered(),
            Packet::Disconnect(disconnect) => return Err(farewell(&disconnect)),
            packet => session.heard(packet, &mut wire.outgoing)?,
        }
        if session.is_taken_over() {
            return Err(Over::Namesake);
        }
    }
    match pulse.beat(now) {
        Beat::Nothing => Ok(()),
        Beat::Ask => packets::ping(&mut wire.outgoing).map_err(|error| Over::Lost(error.to_string())),
        Beat::Gone => Err(Over::Lost("the broker gives no sign of life".to_owned())),
    }
}

/// Says good-bye. If it does not arrive in time, the will says that we are gone.
async fn leave(mut wire: Wire) {
    if packets::disconnect(&mut wire.outgoing).is_ok() {
        _ = tokio::time::timeout(PART, wire.close()).await;
    }
}

/// The broker ends the connection.
pub(super) fn farewell(disconnect: &Disconnect) -> Over {
    match disconnect.reason_code {
        DisconnectReasonCode::SessionTakenOver => Over::Namesake,
        reason => Over::Lost(format!("the broker ended the connection: {reason:?}")),
    }
}
