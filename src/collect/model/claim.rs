//! Decides whether this collector or another one sends the games of the event (`collect/README.md#3`).

use std::time::Duration;

use super::nodes::Nodes;
use crate::system_clock::MonotonicTime;
use crate::wire::node::Presence;

/// A collector that stands by takes over when the other one has been gone for this time.
const TAKE_OVER: Duration = Duration::from_secs(30);

/// Who sends the games.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It is not known yet: the messages of other nodes are being read.
    #[default]
    Unknown,
    /// This collector.
    Ours,
    /// Another one, with its name.
    Theirs {
        /// Its name.
        by: String,
        /// Since when it is gone; none while it is there.
        gone: Option<MonotonicTime>,
    },
}

impl Claim {
    /// Decides anew after the messages of other nodes changed or time passed. `standby`: this collector takes over from one that is gone.
    pub(crate) fn decide(&mut self, nodes: &Nodes, event: &str, own: &str, standby: bool, now: MonotonicTime) {
        // Of two collectors that begin together, the first by name sends.
        let counts = |(name, state): &(&str, Presence)| *state == Presence::Ready || *name < own;
        let other = nodes.collectors(event, own).find(counts).map(|(name, _)| name.to_owned());
        match (&mut *self, other) {
            (Claim::Ours, _) => {}
            (Claim::Unknown, None) => *self = Claim::Ours,
            (Claim::Unknown | Claim::Theirs { .. }, Some(by)) => *self = Claim::Theirs { by, gone: None },
            (Claim::Theirs { gone, .. }, None) => {
                let since = *gone.get_or_insert(now);
                if standby && now.since(since) >= TAKE_OVER {
                    *self = Claim::Ours;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
