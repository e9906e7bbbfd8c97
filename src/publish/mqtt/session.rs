//! What is done with each thing that comes from the broker, and what is given to the client.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rumqttc::Outgoing;
use rumqttc::v5::mqttbytes::v5::{ConnAck, Packet, PubAck, PubAckReason, Publish, SubAck, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event};
use tracing::{debug, info, warn};

use super::claims::{Change, Claims};
use super::options;
use super::types::{Arrived, ConnectionState, Hooks, Settings};
use crate::publish::outbox::{Moved, Outbox, Publication, Quality, Taken, Ticket, WINDOW};
use crate::wall::{self, Mono};

/// For this time what the broker kept of other nodes is waited for.
const GATHER: Duration = Duration::from_millis(500);
/// The broker acknowledged nothing for so long: the connection is as good as lost.
const STALL: Duration = Duration::from_secs(20);
/// What a packet has beside topic and payload, at most.
const AROUND: usize = 256;

/// The network's side of publishing: what lasts over connections, and the present one.
pub(super) struct Session {
    pub(super) settings: Settings,
    pub(super) outbox: Arc<Outbox>,
    pub(super) hooks: Hooks,
    pub(super) state: ConnectionState,
    claims: Claims,
    /// Kinds of topics of which a refusal was told.
    told: BTreeSet<&'static str>,
    link: Option<Link>,
}

/// One connection, from the broker's welcome on.
struct Link {
    client: AsyncClient,
    began: Mono,
    /// Given to the client, whose packet ids are not known yet: it names them in this order.
    handed: VecDeque<Handed>,
    ids: BTreeMap<u16, Handed>,
    /// Largest packet that the broker takes.
    largest: usize,
    /// Until then nothing but `init` is sent; none = over.
    gather: Option<Mono>,
    /// When something was last acknowledged, or nothing was under way.
    progress: Mono,
    /// The last status on its way.
    farewell: Option<Farewell>,
}

struct Handed {
    ticket: Ticket,
    quality: Quality,
    kind: &'static str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Farewell {
    Waiting(Ticket),
    Acknowledged,
}

/// The kind of a topic: its level after the version.
fn kind(topic: &str) -> &'static str {
    const KINDS: [&str; 6] = ["public", "live", "arbiter", "node", "device", "reply"];
    KINDS.into_iter().find(|kind| topic.contains(&format!("/1/{kind}/"))).unwrap_or("other")
}

impl Session {
    pub(super) fn new(settings: Settings, outbox: Arc<Outbox>, hooks: Hooks) -> Session {
        let (claims, state) = (Claims::new(&settings), ConnectionState::default());
        Session { settings, outbox, hooks, state, claims, told: BTreeSet::new(), link: None }
    }

    /// How long the connection has lasted; none = it never was.
    pub(super) fn lasted(&self, now: Mono) -> Option<Duration> {
        self.link.as_ref().map(|link| now.since(link.began))
    }

    /// Forgets the connection and all its packet ids.
    pub(super) fn disconnected(&mut self) {
        self.link = None;
        self.outbox.disconnected();
        (self.state.up, self.state.ready) = (false, false);
    }

    /// When [`Session::feed`] is to be called at the latest.
    pub(super) fn gathers_until(&self) -> Option<Mono> {
        self.link.as_ref().and_then(|link| link.gather)
    }

    /// The broker has stopped to answer.
    pub(super) fn is_stalled(&mut self, now: Mono) -> bool {
        let Some(link) = &mut self.link else { return false };
        if link.handed.is_empty() && link.ids.is_empty() {
            link.progress = now;
        }
        now.since(link.progress) >= STALL
    }

    /// One thing that the client told.
    pub(super) fn heard(&mut self, event: Event, client: &AsyncClient) {
        match event {
            Event::Incoming(Packet::ConnAck(welcome)) => self.welcomed(&welcome, client),
            Event::Incoming(Packet::SubAck(answer)) => self.subscribed(&answer),
            Event::Incoming(Packet::PubAck(answer)) => self.acknowledged(&answer),
            Event::Incoming(Packet::Publish(publish)) => self.arrived(publish),
            Event::Outgoing(Outgoing::Publish(id)) => self.sent(id),
            _ => {}
        }
    }

    fn welcomed(&mut self, welcome: &ConnAck, client: &AsyncClient) {
        let now = wall::mono();
        let properties = welcome.properties.as_ref();
        let window = properties.and_then(|all| all.receive_max).map_or(WINDOW, |most| WINDOW.min(most.into()));
        let largest = properties.and_then(|all| all.max_packet_size).map_or(usize::MAX, |most| most as usize);
        self.claims.connected();
        self.outbox.connected(now, window);
        let handed = VecDeque::new();
        let link = Link {
            client: client.clone(),
            began: now,
            handed,
            ids: BTreeMap::new(),
            largest,
            gather: Some(now.after(GATHER)),
            progress: now,
            farewell: None,
        };
        self.link = Some(link);
        info!(node = %self.settings.node, resumed = welcome.session_present, "connected to the broker");
        if client.try_subscribe_many(options::filters(&self.settings)).is_err() {
            warn!("the client took no subscription: commands will not be heard");
        }
        self.say("init");
        // Only `init`: what other nodes claim is to be known before anything of a board is sent.
        if let Some(Taken::Publication(publication)) = self.outbox.take(now) {
            self.hand(publication);
        }
        self.state = ConnectionState { up: true, ready: false, cause: String::new(), attempts: 0, ..self.state.clone() };
        self.state.retry = Duration::ZERO;
        (self.hooks.connection)(&self.state);
    }

    fn subscribed(&self, answer: &SubAck) {
        for (code, filter) in answer.return_codes.iter().zip(options::filters(&self.settings)) {
            if !matches!(code, SubscribeReasonCode::Success(_)) {
                warn!(filter = %filter.path, ?code, "the broker refused a subscription");
            }
        }
    }

    /// Puts the node's state before everything that waits.
    fn say(&self, state: &'static str) {
        self.outbox.urgent(self.settings.status_topic(), (self.hooks.status)(state));
    }

    /// Gives the client what goes next and asks for what is in the journal only.
    pub(super) fn feed(&mut self, now: Mono) {
        match self.link.as_ref().map(|link| link.gather) {
            None => return,
            Some(Some(until)) if now < until => return,
            Some(Some(_)) => self.gathered(),
            Some(None) => {}
        }
        loop {
            for wanted in self.outbox.refills(now) {
                (self.hooks.refill)(wanted.board, wanted.audience, wanted.from);
            }
            match self.outbox.take(now) {
                Some(Taken::Publication(publication)) => _ = self.hand(publication),
                Some(Taken::BirthOver) => self.born(),
                None => return,
            }
        }
    }

    fn born(&mut self) {
        self.claims.establish();
        self.say("ready");
        self.state.ready = true;
        info!(node = %self.settings.node, "everything there was is published");
        (self.hooks.connection)(&self.state);
    }

    fn gathered(&mut self) {
        if let Some(link) = &mut self.link {
            link.gather = None;
        }
        let changes = self.claims.gathered();
        self.tell(changes);
    }

    fn tell(&self, changes: Vec<Change>) {
        for Change { board, node, live } in changes {
            warn!(%board, other = %node, claimed = live, "another node and one of our boards");
            (self.hooks.foreign)(&board, &node, live);
        }
    }

    fn hand(&mut self, publication: Publication) -> Option<Ticket> {
        let link = self.link.as_mut()?;
        let Publication { ticket, quality, .. } = publication;
        let kind = kind(&publication.topic);
        let size = publication.topic.len() + publication.payload.len() + AROUND;
        if size > link.largest {
            self.refused(ticket, kind, "it is larger than the broker takes");
        } else if options::publish(&link.client, publication) {
            link.handed.push_back(Handed { ticket, quality, kind });
            return Some(ticket);
        } else {
            self.refused(ticket, kind, "its topic is not one");
        }
        None
    }

    /// The client named the packet id of the publication it sent.
    fn sent(&mut self, id: u16) {
        let Some(link) = &mut self.link else { return };
        let Some(handed) = link.handed.pop_front() else { return };
        if handed.quality == Quality::AtMostOnce {
            self.outbox.acknowledged(handed.ticket);
        } else {
            link.ids.insert(id, handed);
        }
    }

    fn acknowledged(&mut self, answer: &PubAck) {
        let Some(link) = &mut self.link else { return };
        link.progress = wall::mono();
        let Some(Handed { ticket, kind, .. }) = link.ids.remove(&answer.pkid) else { return };
        if link.farewell == Some(Farewell::Waiting(ticket)) {
            link.farewell = Some(Farewell::Acknowledged);
        }
        match answer.reason {
            PubAckReason::Success | PubAckReason::NoMatchingSubscribers => {
                let moved = self.outbox.acknowledged(ticket);
                self.moved(moved);
            }
            reason => self.refused(ticket, kind, &format!("{reason:?}")),
        }
    }

    /// Counted, told once of each kind of topic, and done with.
    fn refused(&mut self, ticket: Ticket, kind: &'static str, cause: &str) {
        if self.told.insert(kind) {
            warn!(kind, cause, "the broker does not take what we publish");
        }
        let moved = self.outbox.refused(ticket);
        self.moved(moved);
    }

    fn moved(&self, moved: Option<Moved>) {
        if let Some(Moved { board, audience, number }) = moved {
            (self.hooks.acked)(board, audience, number);
        }
    }

    fn arrived(&mut self, publish: Publish) {
        let Ok(topic) = std::str::from_utf8(&publish.topic) else { return };
        let Some(rest) = topic.strip_prefix(self.settings.root.as_str()).and_then(|rest| rest.strip_prefix("/1/")) else {
            return;
        };
        if rest.starts_with("cmd/") {
            return self.command(topic.to_owned(), publish);
        }
        let mut levels = rest.split('/');
        let (Some("node"), Some(node), Some(leaf), None) = (levels.next(), levels.next(), levels.next(), levels.next()) else {
            return;
        };
        if node == self.settings.node {
            return self.heard_of_ourselves(leaf, &publish);
        }
        let changes = self.claims.heard(node, leaf, &publish.payload);
        self.tell(changes);
    }

    fn command(&mut self, topic: String, publish: Publish) {
        if publish.retain {
            self.state.retained_commands += 1;
            warn!(%topic, "a retained command was dropped");
            return;
        }
        let properties = publish.properties.unwrap_or_default();
        debug!(%topic, "command");
        (self.hooks.command)(Arrived {
            topic,
            payload: publish.payload.to_vec(),
            retain: false,
            response_topic: properties.response_topic,
            correlation: properties.correlation_data.map(|data| data.to_vec()),
        });
    }

    /// Our own status comes back: everything the broker kept came before it. Or a late will took its place.
    fn heard_of_ourselves(&mut self, leaf: &str, publish: &Publish) {
        if leaf != "status" || publish.retain {
            return;
        }
        if self.gathers_until().is_some() {
            self.gathered();
        } else if self.state.ready && is_lost(&publish.payload) && self.lasting() {
            self.say("ready");
        }
    }

    fn lasting(&self) -> bool {
        self.link.as_ref().is_some_and(|link| link.farewell.is_none())
    }

    /// Sends the last status, whatever else waits; false = there is no way.
    pub(super) fn farewell(&mut self, now: Mono) -> bool {
        self.say("stopped");
        let Some(Taken::Publication(publication)) = self.outbox.take(now) else { return false };
        let Some(ticket) = self.hand(publication) else { return false };
        if let Some(link) = &mut self.link {
            link.farewell = Some(Farewell::Waiting(ticket));
        }
        true
    }

    /// The broker has the last status.
    pub(super) fn has_parted(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.farewell == Some(Farewell::Acknowledged))
    }
}

fn is_lost(payload: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(payload).is_ok_and(|message| message["body"]["state"] == "lost")
}
