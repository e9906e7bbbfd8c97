//! Sends the waiting messages, and handles the answers of the broker to them.

use bytes::BytesMut;
use rumqttc::v5::mqttbytes::v5::{PubAck, PubAckReason};
use tracing::warn;

use super::farewell::Farewell;
use super::{Phase, Refusal, Session};
use crate::mqtt::connection::ConnectionEnd;
use crate::mqtt::ids::SentPublication;
use crate::mqtt::outbox::{Moved, Publication, Quality, Taken, Ticket};
use crate::mqtt::packets;
use crate::mqtt::wire::FULL;
use crate::system_clock::{self, MonotonicTime};

/// Why a message was not sent whole, for people.
const LARGE: &str = "it is larger than the broker accepts";

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
            Some(Phase::Greeting(until) | Phase::Gathering(until) | Phase::Opening(until)) if now < until => return,
            // The broker has not answered the subscriptions in time.
            Some(Phase::Greeting(_)) => return self.publish_init(out),
            Some(Phase::Gathering(_)) => self.finish_gathering(),
            Some(Phase::Opening(_) | Phase::Open) => {}
        }
        if !self.is_open() {
            self.wait_for_boards(now);
        }
        if !self.is_open() {
            return;
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
        let (ticket, topic, retain) = (publication.ticket, publication.topic.clone(), publication.retain);
        let size = publication.payload.len();
        let id = if publication.quality == Quality::AtLeastOnce { link.ids.next() } else { 0 };
        let mut sent = SentPublication { ticket, topic, size, retain, whole: true };
        let Some(mut packet) = packets::publication(publication, id) else {
            self.handle_refused(&sent, "its topic is not valid");
            return None;
        };
        let over = packet.size().saturating_sub(link.largest).max(size.saturating_sub(self.refusals.largest()));
        if over > 0 {
            let most = size.saturating_sub(over);
            let payload = str::from_utf8(&packet.payload).ok().filter(|_| retain);
            let Some(shorter) = payload.and_then(|payload| (self.hooks.shorten)(payload, most)) else {
                self.handle_refused(&sent, LARGE);
                return None;
            };
            (sent.size, sent.whole) = (shorter.len(), false);
            packet.payload = shorter.into();
        }
        if packets::publish(packet, out).is_err() {
            self.handle_refused(&sent, LARGE);
            return None;
        }
        if !sent.whole {
            self.report_refused(&sent.topic, LARGE);
        }
        match id {
            // It is not acknowledged.
            0 => _ = self.outbox.acknowledged(ticket),
            id => drop(self.link.as_mut()?.ids.publications.insert(id, sent)),
        }
        Some(ticket)
    }

    pub(super) fn handle_acknowledged(&mut self, answer: &PubAck) -> Result<(), ConnectionEnd> {
        let result = match answer.reason {
            PubAckReason::Success | PubAckReason::NoMatchingSubscribers => Ok(()),
            reason => Err(Refusal::Other(format!("{reason:?}"))),
        };
        self.handle_answer(answer.pkid, result)
    }

    /// Handles the broker's answer to a publication.
    ///
    /// # Errors
    /// There is no such publication.
    pub(in super::super) fn handle_answer(&mut self, id: u16, result: Result<(), Refusal>) -> Result<(), ConnectionEnd> {
        let Some(link) = &mut self.link else { return Ok(()) };
        let Some(sent) = link.ids.publications.remove(&id) else {
            return Err(ConnectionEnd::Lost(format!("the broker acknowledges publication {id}, which was not sent")));
        };
        link.progress = system_clock::monotonic();
        if link.farewell == Some(Farewell::Waiting(sent.ticket)) {
            link.farewell = Some(Farewell::Acknowledged);
        }
        match result {
            Ok(()) => {
                let moved = self.outbox.acknowledged(sent.ticket);
                self.report_cursor(moved);
                if self.refusals.note_taken(&sent.topic, sent.size, sent.whole) {
                    (self.hooks.refused)(&sent.topic, None);
                }
            }
            Err(Refusal::TooLarge) => {
                self.refusals.note_too_large(sent.size);
                if !sent.retain || !self.outbox.send_again(sent.ticket) {
                    self.handle_refused(&sent, LARGE);
                }
            }
            Err(Refusal::Other(cause)) => self.handle_refused(&sent, &cause),
        }
        Ok(())
    }

    /// Counts a refused publication, reports it, and removes it.
    fn handle_refused(&mut self, sent: &SentPublication, cause: &str) {
        let moved = self.outbox.refused(sent.ticket);
        self.report_cursor(moved);
        self.report_refused(&sent.topic, cause);
    }

    /// Reports a topic whose messages the broker does not take; the log has it once for each kind of topic.
    fn report_refused(&mut self, topic: &str, cause: &str) {
        let kind = topic_kind(topic);
        if self.reported.insert(kind) {
            warn!(kind, cause, "the broker refuses a publication");
        }
        if kind != "reply" && self.refusals.add(topic, cause) {
            (self.hooks.refused)(topic, Some(cause));
        }
    }

    fn report_cursor(&self, moved: Option<Moved>) {
        if let Some(Moved { board, audience, number }) = moved {
            (self.hooks.acked)(board, audience, number);
        }
    }
}
