//! Sends the last status before a connection is closed cleanly.

use bytes::BytesMut;

use super::Session;
use crate::mqtt::outbox::{Taken, Ticket};
use crate::system_clock::MonotonicTime;

/// The progress of the last status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// It waits for room among the publications that are not acknowledged.
    Due(String),
    /// It is sent.
    Waiting(Ticket),
    /// It cannot be sent.
    Refused,
    Acknowledged,
}

impl Session {
    /// Sends the last status as soon as there is room for it, and nothing after it. Call it again until [`Session::has_parted`].
    pub(in super::super) fn send_farewell(&mut self, now: MonotonicTime, out: &mut BytesMut) {
        let said = self.link.as_ref().and_then(|link| link.farewell.clone());
        let last = match said {
            None => self.publish_status("stopped"),
            Some(Farewell::Due(last)) => last,
            Some(_) => return,
        };
        let mut farewell = Farewell::Due(last.clone());
        while let Some(Taken::Publication(publication)) = self.outbox.take_next(now) {
            // Statuses that wait are sent before it.
            let is_last = publication.payload == last;
            let ticket = self.send(publication, out);
            if is_last {
                farewell = ticket.map_or(Farewell::Refused, Farewell::Waiting);
                break;
            }
        }
        if let Some(link) = &mut self.link {
            link.farewell = Some(farewell);
        }
    }

    /// Whether the broker has acknowledged the last status.
    pub(in super::super) fn has_parted(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.farewell == Some(Farewell::Acknowledged))
    }

    /// Whether the last status was sent, so that it comes before the disconnect packet.
    pub(in super::super) fn has_said_farewell(&self) -> bool {
        self.link.as_ref().is_some_and(|link| matches!(link.farewell, Some(Farewell::Waiting(_) | Farewell::Acknowledged)))
    }
}
