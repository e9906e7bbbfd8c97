//! Detects a second daemon with the name of this node, by the statuses that are published under that name.
//!
//! Every daemon makes a random `run` at its start, and its statuses contain it. A living status with another `run` that is published
//! while this node is connected comes from a second daemon: retained statuses may be of an earlier run. Both daemons go on
//! publishing, and both repeat their status now and then, so that each hears the other as long as both live.

use std::time::Duration;

use super::status::{boot_of, run_of, state_of};
use crate::system_clock::MonotonicTime;

/// The time between two statuses of this node while a second daemon uses its name.
const REPEAT: Duration = Duration::from_secs(10);
/// The shortest time between two statuses of this node that answer those of others: whoever publishes under our name must not make ours
/// flicker.
const ANSWER: Duration = Duration::from_secs(1);
/// The time after which a second daemon that was not heard any more counts as gone.
const GONE: Duration = Duration::from_secs(30);
/// How long a second daemon that has reported its end still counts. Its alert is retained, and only who has raised the same alert deletes
/// it: this is longer than the time between two looks of the supervisor.
const ENDED: Duration = Duration::from_secs(3);

/// A second daemon with the name of this node, as far as it was heard.
pub(super) struct Namesakes {
    /// The run of this program.
    run: Option<String>,
    /// The number of this start.
    boot: Option<u64>,
    /// Until when a second daemon that was heard counts; none = there is none.
    taken_until: Option<MonotonicTime>,
    /// When this node repeated its status last.
    repeated: MonotonicTime,
    /// Another status has replaced ours, or a second daemon must hear that we live too.
    owes_status: bool,
}

/// What a status that was published under our name means for our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// It is ours.
    Ours,
    /// It is the end of another run, or a late will. It has replaced our status at the broker.
    End,
    /// A second daemon reports that it lives, and must hear that this one lives too.
    Living,
    /// The second daemon repeats its status, or the message is no status.
    Nothing,
}

impl Namesakes {
    /// Makes the check for the node that has this status.
    pub(super) fn new(own: &[u8]) -> Namesakes {
        Namesakes { run: run_of(own), boot: boot_of(own), taken_until: None, repeated: MonotonicTime(0), owes_status: false }
    }

    /// Notes that a connection begins: while there was none, nobody could be heard.
    pub(super) fn connected(&mut self, now: MonotonicTime) {
        self.taken_until = self.taken_until.map(|_| now.after(GONE));
    }

    /// Handles a status that was published under our name just now.
    pub(super) fn handle(&mut self, payload: &[u8], now: MonotonicTime) -> Heard {
        let heard = self.judge(payload, now);
        self.owes_status |= matches!(heard, Heard::End | Heard::Living);
        heard
    }

    fn judge(&mut self, payload: &[u8], now: MonotonicTime) -> Heard {
        let ours = run_of(payload) == self.run;
        match state_of(payload).as_deref() {
            Some("lost" | "stopped") if !ours => {
                self.taken_until = self.taken_until.map(|until| until.min(now.after(ENDED)));
                Heard::End
            }
            // The will of a connection that another client took over.
            Some("lost") => Heard::End,
            Some(_) if ours => Heard::Ours,
            Some(state @ ("init" | "ready")) => {
                let before = self.taken_until.replace(now.after(GONE));
                if before.is_none() || state == "init" { Heard::Living } else { Heard::Nothing }
            }
            _ => Heard::Nothing,
        }
    }

    /// The number of the start from which a retained status is, if it is higher than ours.
    pub(super) fn later_start(&self, payload: &[u8]) -> Option<u64> {
        boot_of(payload).filter(|boot| self.boot.is_some_and(|ours| ours < *boot) && run_of(payload) != self.run)
    }

    /// Whether a second daemon uses our name.
    pub(super) fn is_taken(&self) -> bool {
        self.taken_until.is_some()
    }

    /// Returns whether our status must be published again now. Forgets a second daemon that was not heard any more.
    pub(super) fn check(&mut self, now: MonotonicTime) -> bool {
        self.taken_until = self.taken_until.filter(|until| now < *until);
        let since = now.since(self.repeated);
        let due = (self.is_taken() && since >= REPEAT) || (self.owes_status && since >= ANSWER);
        if due {
            (self.repeated, self.owes_status) = (now, false);
        }
        due
    }
}

#[cfg(test)]
mod tests;
