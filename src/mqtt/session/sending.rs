//! Sends the waiting messages, and handles the answers of the broker to them.

use bytes::BytesMut;
use rumqttc::v5::mqttbytes::v5::{PubAck, PubAckReason};
use tracing::warn;

use super::farewell::Farewell;
use super::{Phase, Session};
use crate::mqtt::connection::ConnectionEnd;
use crate::mqtt::ids::Sent;
use crate::mqtt::outbox::{Moved, Publication, Quality, Taken, Ticket};
use crate::mqtt::packets;
use crate::mqtt::wire::FULL;
use crate::system_clock::{self, MonotonicTime};

/// The kind of a topic: its level after the version.
fn topic_kind(topic: &str) -> &'static str {
    const KINDS: [&str; 6] = ["public", "live", "arbiter", "node", "device", "reply"];
    let level = topic.split_once("/1/").and_then(|(_, rest)| rest.split('/').next());
    KINDS.into_iter().find(|kind| level == Some(kind)).unwrap_or("other")
}

impl Session {
    /// Writes the next messages to `out`, until there is nothing more, too much is under way, or `out` is full. Also requests
    /// events that are in the journal only.
    pub(in super::super) fn send_pending(&mut self, now: MonotonicTime, out: &mut BytesMut) {
        match self.link.as_ref().map(|link| link.phase) {
            None => return,
            Some(Phase::Greeting(until) | Phase::Gathering(until)) if now < until => return,
            // The broker sent no retained status of ours in time.
            Some(Phase::Greeting(_)) => return self.publish_init(out),
            Some(Phase::Gathering(_)) => self.finish_gathering(),
            Some(Phase::Open) => {}
        }
        if self.link.as_ref().is_some_and(|link| link.reads_again) {
            self.request_retained(out);
        }
        loop {
            for wanted in self.outbox.refills(now) {
                (self.hooks.refill)(wanted.board, wanted.audience, wanted.from);
            }
            let mut moved = false;
            while out.len() < FULL
                && let Some(taken) = self.outbox.take_next(now)
            {
                moved = true;
                match taken {
                    Taken::Publication(publication) => _ = self.send(publication, out),
                    Taken::BirthOver => self.finish_birth(),
                }
            }
            if !moved {
                return;
            }
        }
    }

    pub(super) fn send(&mut self, publication: Publication, out: &mut BytesMut) -> Option<Ticket> {
        let link = self.link.as_mut()?;
        let Publication { ticket, quality, .. } = publication;
        let kind = topic_kind(&publication.topic);
        let id = if quality == Quality::AtLeastOnce { link.ids.next() } else { 0 };
        if let Err(cause) = packets::publish(publication, id, link.largest, out) {
            self.handle_refused(ticket, kind, cause);
            return None;
        }
        match quality {
            // It is not acknowledged.
            Quality::AtMostOnce => _ = self.outbox.acknowledged(ticket),
            Quality::AtLeastOnce => link.ids.sent(id, Sent::Publication { ticket, kind }),
        }
        Some(ticket)
    }

    pub(super) fn handle_acknowledged(&mut self, answer: &PubAck) -> Result<(), ConnectionEnd> {
        let Some(link) = &mut self.link else { return Ok(()) };
        let Some((ticket, kind)) = link.ids.publication(answer.pkid) else {
            return Err(ConnectionEnd::Lost(format!("the broker acknowledges publication {}, which was not sent", answer.pkid)));
        };
        link.progress = system_clock::monotonic();
        if link.farewell == Some(Farewell::Waiting(ticket)) {
            link.farewell = Some(Farewell::Acknowledged);
        }
        match answer.reason {
            PubAckReason::Success | PubAckReason::NoMatchingSubscribers => {
                let moved = self.outbox.acknowledged(ticket);
                self.report_cursor(moved);
            }
            reason => self.handle_refused(ticket, kind, &format!("{reason:?}")),
        }
        Ok(())
    }

    /// Counts a refused publication, reports it once for each kind of topic, and removes it.
    pub(super) fn handle_refused(&mut self, ticket: Ticket, kind: &'static str, cause: &str) {
        if self.reported.insert(kind) {
            warn!(kind, cause, "the broker refuses a publication");
        }
        let moved = self.outbox.refused(ticket);
        self.report_cursor(moved);
    }

    fn report_cursor(&self, moved: Option<Moved>) {
        if let Some(Moved { board, audience, number }) = moved {
            (self.hooks.acked)(board, audience, number);
        }
    }
}
