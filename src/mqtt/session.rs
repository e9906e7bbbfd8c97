//! Keeps the state of publishing: what lasts over all connections, and the state of the current connection.

mod arriving;
mod birth;
mod farewell;
mod sending;
mod stale;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use rumqttc::v5::mqttbytes::v5::Packet;

use self::farewell::Farewell;
use super::claims::Claims;
use super::connection::ConnectionEnd;
use super::ids::Ids;
use super::namesakes::Namesakes;
use super::types::{ConnectionState, Hooks, Settings};
use crate::mqtt::outbox::Outbox;
use crate::system_clock::MonotonicTime;

/// If the broker acknowledges nothing for this time, the connection counts as lost.
const STALL: Duration = Duration::from_secs(20);

/// The state of publishing: what lasts over all connections, and the state of the current connection.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) outbox: Arc<Outbox>,
    pub(super) hooks: Hooks,
    pub(super) state: ConnectionState,
    claims: Claims,
    namesakes: Namesakes,
    /// What the broker retains of our boards, until the claims of other nodes are known.
    found: Vec<stale::Found>,
    /// Kinds of topics whose refusal was reported.
    reported: BTreeSet<&'static str>,
    link: Option<Link>,
}

/// One connection, from the broker's welcome on.
struct Link {
    began: MonotonicTime,
    ids: Ids,
    /// The largest packet that the broker accepts.
    largest: usize,
    phase: Phase,
    /// When the broker last acknowledged something, or nothing was under way.
    progress: MonotonicTime,
    /// Another node has given up a board of ours, so what is retained must be read again.
    reads_again: bool,
    /// How far the last status has come; none = the connection goes on.
    farewell: Option<Farewell>,
}

/// How far the beginning of a connection has come, each step with its latest end.
#[derive(Clone, Copy)]
enum Phase {
    /// The retained status under our name is not known yet: nothing is sent.
    Greeting(MonotonicTime),
    /// The claims of other nodes are not known yet: only `init` is sent.
    Gathering(MonotonicTime),
    Open,
}

impl Session {
    pub(super) fn new(settings: Settings, outbox: Arc<Outbox>, hooks: Hooks) -> Session {
        let (claims, state) = (Claims::new(&settings), ConnectionState::default());
        let namesakes = Namesakes::new((hooks.status)("lost").as_bytes());
        Session { settings, outbox, hooks, state, claims, namesakes, found: Vec::new(), reported: BTreeSet::new(), link: None }
    }

    /// How long the connection has lasted; none = there was none.
    pub(super) fn lasted(&self, now: MonotonicTime) -> Option<Duration> {
        self.link.as_ref().map(|link| now.since(link.began))
    }

    /// Forgets the connection and all its packet ids.
    pub(super) fn disconnected(&mut self) {
        if self.link.take().is_some() {
            self.namesakes.note_lost_connection();
        }
        self.outbox.disconnected();
        (self.state.up, self.state.ready) = (false, false);
    }

    /// When [`Session::send_pending`] must be called at the latest.
    pub(super) fn birth_deadline(&self) -> Option<MonotonicTime> {
        match self.link.as_ref()?.phase {
            Phase::Greeting(until) | Phase::Gathering(until) => Some(until),
            Phase::Open => None,
        }
    }

    /// Whether another client has taken our name, as far as the retained status shows.
    pub(super) fn is_taken_over(&self) -> bool {
        self.namesakes.is_found()
    }

    /// Whether the broker has stopped acknowledging.
    pub(super) fn is_stalled(&mut self, now: MonotonicTime) -> bool {
        let Some(link) = &mut self.link else { return false };
        if !link.ids.has_publication() {
            link.progress = now;
        }
        now.since(link.progress) >= STALL
    }

    /// Handles one packet of the broker. An answer, if it needs one, is written to `out`.
    ///
    /// # Errors
    /// The broker violates the protocol: the connection must be ended.
    pub(super) fn handle_packet(&mut self, packet: Packet, out: &mut BytesMut) -> Result<(), ConnectionEnd> {
        match packet {
            Packet::SubAck(answer) => self.handle_subscribed(&answer, out),
            Packet::PubAck(answer) => self.handle_acknowledged(&answer),
            Packet::Publish(publish) => self.handle_publish(publish, out),
            _ => Err(ConnectionEnd::BadPacket("the broker sent a packet that we did not ask for".to_owned())),
        }
    }

    /// Publishes the node's status before everything that waits, and returns the payload.
    fn publish_status(&mut self, state: &'static str) -> String {
        let payload = (self.hooks.status)(state);
        self.namesakes.remember(payload.as_bytes());
        self.outbox.publish_urgent(self.settings.status_topic(), payload.clone());
        payload
    }

    /// Whether the beginning of the connection is over.
    fn is_open(&self) -> bool {
        self.link.as_ref().is_some_and(|link| matches!(link.phase, Phase::Open))
    }

    /// Whether the last status is due or sent.
    fn is_parting(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.farewell.is_some())
    }
}
