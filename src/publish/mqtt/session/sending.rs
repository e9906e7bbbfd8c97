//! What is given to the client, and what the broker says of it.

use rumqttc::v5::mqttbytes::v5::{PubAck, PubAckReason};
use rumqttc::valid_topic;
use tracing::warn;

use super::farewell::Farewell;
use super::{Phase, Session};
use crate::publish::mqtt::options;
use crate::publish::outbox::{Moved, Publication, Quality, Taken, Ticket};
use crate::wall::{self, Mono};

/// What a packet has beside topic and payload, at most.
const AROUND: usize = 256;

/// What the client has and the broker has not acknowledged.
pub(super) struct Handed {
    pub(super) ticket: Ticket,
    quality: Quality,
    kind: &'static str,
}

/// The kind of a topic: its level after the version.
fn kind(topic: &str) -> &'static str {
    const KINDS: [&str; 6] = ["public", "live", "arbiter", "node", "device", "reply"];
    KINDS.into_iter().find(|kind| topic.contains(&format!("/1/{kind}/"))).unwrap_or("other")
}

impl Session {
    /// Gives the client what goes next and asks for what is in the journal only.
    pub(in super::super) fn feed(&mut self, now: Mono) {
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

    pub(super) fn hand(&mut self, publication: Publication) -> Option<Ticket> {
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
    pub(super) fn sent(&mut self, id: u16) {
        let Some(link) = &mut self.link else { return };
        let Some(handed) = link.handed.pop_front() else { return };
        if handed.quality == Quality::AtMostOnce {
            self.outbox.acknowledged(handed.ticket);
        } else {
            link.ids.insert(id, handed);
        }
    }

    pub(super) fn acknowledged(&mut self, answer: &PubAck) {
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
    pub(super) fn refused(&mut self, ticket: Ticket, kind: &'static str, cause: &str) {
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
}
