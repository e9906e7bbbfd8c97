//! Detects that another client uses the name of this node, even if the broker does not report it.
//!
//! When a second client connects with a name, the broker ends the connection of the first and may give the reason. The reason may
//! be lost with the connection. Therefore, after a lost connection, the retained status under the name of this node is checked
//! before anything is sent. If it shows a running node and this node never saw it, another client has replaced this one, and this
//! one stops.
//!
//! A broker that restarts may have kept a status of an earlier run, which this run never saw. Therefore a status with a lower
//! number of starts is ignored. Of two clients with one name the one that was started less often stops; if both were started
//! equally often, the one that was there first stops.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::status::{boot_of, state_of};

/// The largest number of known statuses, which need 32 KiB. A connection adds about three. With one connection every ten seconds
/// this is enough for three hours. The broker may return old statuses again and again from the state that it last wrote to its
/// disk, which is less than three hours old.
const KNOWN: usize = 4096;

/// The statuses that were published under the name of this node.
pub(super) struct Namesakes {
    /// How often this node was started.
    boot: u64,
    /// Statuses that we published, or that were there before us: a broker that comes back with an older state may show any of
    /// them. They are stored as hashes; the status that came last is at the back.
    known: VecDeque<u64>,
    /// Whether a connection of this run has ended.
    lost: bool,
    found: bool,
}

impl Namesakes {
    /// Makes the check for the node that has this status.
    pub(super) fn new(own: &[u8]) -> Namesakes {
        Namesakes { boot: boot_of(own), known: VecDeque::new(), lost: false, found: false }
    }

    pub(super) fn note_lost_connection(&mut self) {
        self.lost = true;
    }

    pub(super) fn remember(&mut self, payload: &[u8]) {
        match self.position(payload) {
            Some(place) => _ = self.known.remove(place),
            None if self.known.len() >= KNOWN => _ = self.known.pop_front(),
            None => {}
        }
        self.known.push_back(hash(payload));
    }

    fn position(&self, payload: &[u8]) -> Option<usize> {
        let wanted = hash(payload);
        self.known.iter().position(|known| *known == wanted)
    }

    /// Checks the status that the broker keeps under our name at the beginning of a connection.
    pub(super) fn check_retained(&mut self, payload: &[u8]) {
        let alive = state_of(payload).is_some_and(|state| state == "init" || state == "ready");
        if alive && self.lost && boot_of(payload) >= self.boot && self.position(payload).is_none() {
            self.found = true;
        }
        self.remember(payload);
    }

    pub(super) fn is_found(&self) -> bool {
        self.found
    }
}

fn hash(payload: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    payload.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Our status at this moment.
    fn ours(moment: u32) -> Vec<u8> {
        format!(r#"{{"boot":2,"t":{{"us":{moment}}},"body":{{"state":"ready"}}}}"#).into_bytes()
    }

    #[test]
    fn what_a_broker_remembers_of_this_run_is_no_namesake_however_often_and_late_it_comes_back() {
        let table = [
            ("it is restored at every connection", 2_000, true),
            ("it is restored once after hours of short connections", 1_300, false),
        ];
        for (what, connections, every) in table {
            let mut namesakes = Namesakes::new(&ours(0));
            (1..=3).for_each(|said| namesakes.remember(&ours(said)));
            for moment in 1..=connections {
                namesakes.note_lost_connection();
                // A broker that did not crash has our last status.
                namesakes.check_retained(&ours(if every { 1 } else { 3 * moment }));
                (1..=3).for_each(|said| namesakes.remember(&ours(3 * moment + said)));
                assert!(!namesakes.is_found(), "{what}: connection {moment}");
            }
            namesakes.check_retained(&ours(1));
            assert!(!namesakes.is_found(), "{what}");
            namesakes.check_retained(&ours(0));
            assert!(namesakes.is_found(), "{what}: another is still found");
        }
    }

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
        namesakes.remember(&status(2, "ready"));
        for (what, lost, payload, found) in table {
            if lost {
                namesakes.note_lost_connection();
            }
            namesakes.check_retained(&payload);
            assert_eq!(namesakes.is_found(), found, "{what}");
        }
        (0..2 * KNOWN as u32).for_each(|boot| namesakes.remember(&status(boot, "init")));
        assert_eq!(namesakes.known.len(), KNOWN);
    }
}
