//! Another client with our name, found without being told.
//!
//! Mosquitto's DISCONNECT "session taken over" has no property length, which MQTT 5 allows (3.14.2.2.1) and the client waits
//! for in vain: the connection just ends. So after a connection that ended, the status that the broker keeps under our name
//! is looked at before we say anything: if it is alive and we never saw it, another is in our place, and we go.
//!
//! A broker that comes back may remember what an earlier run of ours said, which this one never saw. Therefore a status of an
//! earlier boot is nobody's. Of two namesakes the one goes that was started less often; at the same number, whoever was there
//! first.

use std::collections::VecDeque;

use super::status::{boot, life};

/// Statuses that are known; a connection brings about three.
const KNOWN: usize = 32;

/// Statuses under our name.
pub(super) struct Namesakes {
    /// How often we were started.
    boot: u64,
    /// Said by us, or there before us: a broker that comes back with older memories may show any of them.
    known: VecDeque<Vec<u8>>,
    /// A connection of this run ended.
    lost: bool,
    found: bool,
}

impl Namesakes {
    /// For a node of which this is a status.
    pub(super) fn new(own: &[u8]) -> Namesakes {
        Namesakes { boot: boot(own), known: VecDeque::new(), lost: false, found: false }
    }

    pub(super) fn lost(&mut self) {
        self.lost = true;
    }

    pub(super) fn know(&mut self, payload: &[u8]) {
        if self.known.iter().any(|known| known == payload) {
            return;
        }
        if self.known.len() >= KNOWN {
            self.known.pop_front();
        }
        self.known.push_back(payload.to_vec());
    }

    /// What the broker keeps under our name at the beginning of a connection.
    pub(super) fn heard(&mut self, payload: &[u8]) {
        let alive = life(payload).is_some_and(|life| life == "init" || life == "ready");
        if alive && self.lost && boot(payload) >= self.boot && !self.known.iter().any(|known| known == payload) {
            self.found = true;
        }
        self.know(payload);
    }

    pub(super) fn found(&self) -> bool {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_living_stranger_after_a_lost_connection_is_one() {
        let status = |boot: u32, state: &str| format!(r#"{{"boot":{boot},"body":{{"state":"{state}"}}}}"#).into_bytes();
        let table = [
            ("an earlier run's, before the first connection", false, status(1, "ready"), false),
            ("ours", true, status(2, "ready"), false),
            ("an earlier run's, which a broker remembers again", true, status(1, "ready"), false),
            ("an earlier run's that was never seen", true, status(1, "init"), false),
            ("a will", true, status(7, "lost"), false),
            ("one who stopped", true, status(7, "stopped"), false),
            ("not a status", true, b"\xff".to_vec(), false),
            ("another's", true, status(7, "init"), true),
        ];
        let mut namesakes = Namesakes::new(&status(2, "lost"));
        namesakes.know(&status(2, "ready"));
        for (what, lost, payload, found) in table {
            if lost {
                namesakes.lost();
            }
            namesakes.heard(&payload);
            assert_eq!(namesakes.found(), found, "{what}");
        }
        (0..100).for_each(|boot| namesakes.know(&status(boot, "init")));
        assert_eq!(namesakes.known.len(), KNOWN);
    }
}
