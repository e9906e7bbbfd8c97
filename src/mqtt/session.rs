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
use super::client_id::ClientId;
use super::connection::ConnectionEnd;
use super::ids::Ids;
use super::namesakes::Namesakes;
use super::packets::Client;
use super::refusals::Refusals;
use super::types::{ConnectionState, Hooks, Settings};
use crate::log_limit;
use crate::mqtt::outbox::Outbox;
use crate::system_clock::MonotonicTime;

/// If the broker acknowledges nothing for this time, the connection counts as lost.
const STALL: Duration = Duration::from_secs(20);

/// After this number of connections in a row that were soon closed without a reason, the next one has another client id.
const SHORT: u32 = 2;

/// The state of publishing: what lasts over all connections, and the state of the current connection.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) outbox: Arc<Outbox>,
    pub(super) hooks: Hooks,
    pub(super) state: ConnectionState,
    claims: Claims,
    namesakes: Namesakes,
    /// A later start was reported.
    later_start: bool,
    /// What the broker retains of our boards, until the claims of other nodes are known.
    found: Vec<stale::Found>,
    /// Kinds of topics whose refusal was reported.
    reported: BTreeSet<&'static str>,
    refusals: Refusals,
    client_id: ClientId,
    /// The broker must forget our session: it could only hold the packet that could not be read.
    clean: bool,
    /// How many connections in a row were closed soon and without a reason.
    short: u32,
    /// We were ready until another client took over the connection, and come back at once.
    goes_on: bool,
    /// How long boards are waited for that read their journals; none before the first connection.
    opens_until: Option<MonotonicTime>,
    link: Option<Link>,
}

/// Why the broker does not take a publication.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is larger than the broker accepts.
    TooLarge,
    /// Another reason, for people.
    Other(String),
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
    /// The subscriptions are not answered yet: nothing is sent.
    Greeting(MonotonicTime),
    /// The claims of other nodes are not known yet: only `init` is sent.
    Gathering(MonotonicTime),
    /// Boards still read their journals after the start, so that `ready` would not include them.
    Opening(MonotonicTime),
    Open,
}

impl Session {
    pub(super) fn new(settings: Settings, outbox: Arc<Outbox>, hooks: Hooks) -> Session {
        let (claims, state) = (Claims::new(&settings), ConnectionState::default());
        let client_id = ClientId::new(settings.client_file.clone());
        let namesakes = Namesakes::new((hooks.status)("lost").as_bytes());
        Session {
            settings,
            outbox,
            hooks,
            state,
            claims,
            namesakes,
            later_start: false,
            found: Vec::new(),
            reported: BTreeSet::new(),
            refusals: Refusals::default(),
            client_id,
            clean: false,
            short: 0,
            goes_on: false,
            opens_until: None,
            link: None,
        }
    }

    /// What the next connection begins with.
    ///
    /// # Errors
    /// The operating system gives no random bytes.
    pub(super) fn client(&mut self) -> Result<Client, ConnectionEnd> {
        let random = self.client_id.random_part();
        let random = random.map_err(|error| ConnectionEnd::Lost(format!("no random client id: {error}")))?;
        let id = format!("flagfall-{}-{random}", self.settings.node);
        Ok(Client { id, will: (self.hooks.status)("lost"), clean: self.clean })
    }

    /// Notes why a connection, or the attempt at one, ended. `short`: it lasted less than a good connection. Returns whether the next
    /// messages will be smaller.
    pub(super) fn note_end(&mut self, over: &ConnectionEnd, short: bool) -> bool {
        self.clean = matches!(over, ConnectionEnd::BadPacket(_));
        self.state.bad_packets += u64::from(self.clean);
        self.state.takeovers += u64::from(*over == ConnectionEnd::TakenOver);
        self.short = if short && matches!(over, ConnectionEnd::Closed(_)) { self.short + 1 } else { 0 };
        // A client that takes over may be the reason, even if the broker does not say so.
        if *over == ConnectionEnd::TakenOver || self.short >= SHORT {
            self.client_id.replace();
            self.short = 0;
        }
        if !short {
            self.refusals.forget_limit();
        }
        let unanswered = self.link.as_ref().and_then(|link| link.ids.largest_publication());
        match over {
            // The largest message is the one, as far as anybody can know.
            ConnectionEnd::TooLarge => {
                unanswered.into_iter().for_each(|sent| self.refusals.note_too_large(sent.size));
                unanswered.is_some()
            }
            ConnectionEnd::Closed(_) => self.refusals.note_closed(unanswered.map(|sent| (sent.topic.as_str(), sent.size))),
            _ => false,
        }
    }

    /// How long the connection has lasted; none = there was none.
    pub(super) fn lasted(&self, now: MonotonicTime) -> Option<Duration> {
        self.link.as_ref().map(|link| now.since(link.began))
    }

    /// Forgets the connection and all its packet ids. `at_once`: the next one begins at once, because another client took this one over.
    pub(super) fn disconnected(&mut self, at_once: bool) {
        self.goes_on = at_once && (self.goes_on || self.state.ready);
        self.link = None;
        self.outbox.disconnected();
        (self.state.up, self.state.ready) = (false, false);
    }

    /// When [`Session::send_pending`] must be called at the latest.
    pub(super) fn birth_deadline(&self) -> Option<MonotonicTime> {
        match self.link.as_ref()?.phase {
            Phase::Greeting(until) | Phase::Gathering(until) | Phase::Opening(until) => Some(until),
            Phase::Open => None,
        }
    }

    /// Whether the broker has stopped acknowledging.
    pub(super) fn is_stalled(&mut self, now: MonotonicTime) -> bool {
        let Some(link) = &mut self.link else { return false };
        if link.ids.publications.is_empty() {
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

    /// Publishes our status again when another one has replaced it, and while a second daemon uses our name; reports when that is gone.
    pub(super) fn check_namesakes(&mut self, now: MonotonicTime) {
        if self.namesakes.check(now) && self.state.ready && !self.is_parting() {
            self.publish_status("ready");
        }
        self.report_namesake();
    }

    /// Reports whether a second daemon uses our name, if that has changed.
    fn report_namesake(&mut self) {
        let taken = self.namesakes.is_taken();
        if self.state.name_taken != taken {
            let what =
                if taken { "a second daemon publishes under our name" } else { "no second daemon publishes under our name" };
            log_limit::warn(what, &self.settings.node);
            self.state.name_taken = taken;
            (self.hooks.connection)(&self.state);
        }
    }

    /// Publishes the node's status before everything that waits, and returns the payload.
    fn publish_status(&mut self, state: &'static str) -> String {
        let payload = (self.hooks.status)(state);
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
