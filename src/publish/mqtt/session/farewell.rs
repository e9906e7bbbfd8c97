//! The end of a connection that is ended cleanly.

use super::Session;
use crate::publish::outbox::{Taken, Ticket};
use crate::wall::Mono;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Farewell {
    Waiting(Ticket),
    Acknowledged,
}

impl Session {
    /// Sends the last status, whatever else waits; false = there is no way.
    pub(in super::super) fn farewell(&mut self, now: Mono) -> bool {
        self.say("stopped");
        let Some(Taken::Publication(publication)) = self.outbox.take(now) else { return false };
        let Some(ticket) = self.hand(publication) else { return false };
        if let Some(link) = &mut self.link {
            link.farewell = Some(Farewell::Waiting(ticket));
        }
        true
    }

    /// The broker has the last status.
    pub(in super::super) fn has_parted(&self) -> bool {
        self.link.as_ref().is_none_or(|link| link.farewell == Some(Farewell::Acknowledged))
    }
}
