//! What is done with each thing that comes from the broker, and what is given to the client.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use rumqttc::v5::mqttbytes::v5::{ConnAck, Packet, PubAck, PubAckReason, Publish, SubAck, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, Event};
use rumqttc::{Outgoing, valid_topic};
use tracing::{debug, info, warn};

use super::claims::{Change, Claims};
use super::namesakes::Namesakes;
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
    namesakes: Namesakes,
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
    phase: Phase,
    /// Answers to subscriptions.
    answers: usize,
    /// When something was last acknowledged, or nothing was under way.
    progress: Mono,
    /// The client takes no more.
    gone: bool,
    /// The last status on its way.
    farewell: Option<Farewell>,
}

/// How far the beginning of a connection has come; each with its end at the latest.
#[derive(Clone, Copy)]
enum Phase {
    /// Who we are at the broker is not known yet: nothing is sent.
    Greeting(Mono),
    /// What other nodes claim is not known yet: nothing but `init` is sent.
    Gathering(Mono),
    Open,
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
        let namesakes = Namesakes::new((hooks.status)("lost").as_bytes());
        Session { settings, outbox, hooks, state, claims, namesakes, told: BTreeSet::new(), link: None }
    }

    /// How long the connection has lasted; none = it never was.
    pub(super) fn lasted(&self, now: Mono) -> Option<Duration> {
        self.link.as_ref().map(|link| now.since(link.began))
    }

    /// Forgets the connection and all its packet ids.
    pub(super) fn disconnected(&mut self) {
        if self.link.take().is_some() {
            self.namesakes.lost();
        }
        self.outbox.disconnected();
        (self.state.up, self.state.ready) = (false, false);
    }

    /// When [`Session::feed`] is to be called at the latest.
    pub(super) fn begins_until(&self) -> Option<Mono> {
        match self.link.as_ref()?.phase {
            Phase::Greeting(until) | Phase::Gathering(until) => Some(until),
            Phase::Open => None,
        }
    }

    /// Another client has taken our name, as far as the broker's silence can tell.
    pub(super) fn is_taken_over(&self) -> bool {
        self.namesakes.found()
    }

    /// The broker has stopped to answer.
    pub(super) fn is_stalled(&mut self, now: Mono) -> bool {
        let Some(link) = &mut self.link else { return false };
        if link.handed.is_empty() && link.ids.is_empty() {
            link.progress = now;
        }
        link.gone || now.since(link.progress) >= STALL
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
        self.link = Some(Link {
            client: client.clone(),
            began: now,
            handed: VecDeque::new(),
            ids: BTreeMap::new(),
            largest,
            phase: Phase::Greeting(now.after(GATHER)),
            answers: 0,
            progress: now,
            gone: false,
            farewell: None,
        });
        info!(node = %self.settings.node, resumed = welcome.session_present, "connected to the broker");
        for filters in options::filters(&self.settings) {
            if client.try_subscribe_many(filters).is_err() {
                warn!("the client took no subscription: commands will not be heard");
            }
        }
        self.state = ConnectionState { up: true, ready: false, cause: String::new(), attempts: 0, ..self.state.clone() };
        self.state.retry = Duration::ZERO;
        (self.hooks.connection)(&self.state);
    }

    fn subscribed(&mut self, answer: &SubAck) {
        let Some(link) = &mut self.link else { return };
        let filters = options::filters(&self.settings);
        for (code, filter) in answer.return_codes.iter().zip(filters.get(link.answers).into_iter().flatten()) {
            if !matches!(code, SubscribeReasonCode::Success(_)) {
                warn!(filter = %filter.path, ?code, "the broker refused a subscription");
            }
        }
        link.answers += 1;
        if link.answers == filters.len() {
            self.greet();
        }
    }

    /// Says `init`, and nothing else yet: what other nodes claim is to be known before anything of a board is sent.
    fn greet(&mut self) {
        let now = wall::mono();
        let Some(link) = self.link.as_mut().filter(|link| matches!(link.phase, Phase::Greeting(_))) else { return };
        link.phase = Phase::Gathering(now.after(GATHER));
        if self.namesakes.found() {
            return;
        }
        self.say("init");
        if let Some(Taken::Publication(publication)) = self.outbox.take(now) {
            self.hand(publication);
        }
    }

    /// Puts the node's state before everything that waits.
    fn say(&mut self, state: &'static str) {
        let payload = (self.hooks.status)(state);
        self.namesakes.know(payload.as_bytes());
        self.outbox.urgent(self.settings.status_topic(), payload);
    }

    /// Gives the client what goes next and asks for what is in the journal only.
    pub(super) fn feed(&mut self, now: Mono) {
        match self.link.as_ref().map(|link| link.phase) {
            None => return,
            Some(Phase::Greeting(until) | Phase::Gathering(until)) if now < until => return,
            // The broker tells us nothing about nodes.
            Some(Phase::Greeting(_)) => return self.greet(),
            Some(Phase::Gathering(_)) => self.gathered(),
            Some(Phase::Open) => {}
        }
        while self.link.as_ref().is_some_and(|link| !link.gone) {
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
            link.phase = Phase::Open;
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
        } else if !valid_topic(&publication.topic) {
            self.refused(ticket, kind, "its topic is not one");
        } else if options::publish(&link.client, publication) {
            link.handed.push_back(Handed { ticket, quality, kind });
            return Some(ticket);
        } else {
            // The client will say so next; until then the publication counts as under way, and then as lost.
            link.gone = true;
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

    /// Our own status: kept from before; come back, and with it everything that was kept of others; or replaced by a will.
    fn heard_of_ourselves(&mut self, leaf: &str, publish: &Publish) {
        let Some(phase) = self.link.as_ref().map(|link| link.phase).filter(|_| leaf == "status") else { return };
        match phase {
            Phase::Greeting(_) if publish.retain => self.namesakes.heard(&publish.payload),
            Phase::Gathering(_) if !publish.retain => self.gathered(),
            Phase::Open if self.state.ready && is_lost(&publish.payload) && self.lasting() => self.say("ready"),
            _ => {}
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
    life(payload).as_deref() == Some("lost")
}

/// How often its node was started, in a node's status; 0 if it does not say.
pub(super) fn boot(payload: &[u8]) -> u64 {
    serde_json::from_slice::<serde_json::Value>(payload).ok().and_then(|message| message["boot"].as_u64()).unwrap_or(0)
}

/// The state in a node's status.
pub(super) fn life(payload: &[u8]) -> Option<String> {
    let message: serde_json::Value = serde_json::from_slice(payload).ok()?;
    Some(message["body"]["state"].as_str()?.to_owned())
}
