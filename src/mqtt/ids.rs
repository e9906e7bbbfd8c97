//! Assigns the packet ids of one connection, and remembers the packets that the broker has not answered yet.

use std::collections::BTreeMap;

use rumqttc::v5::mqttbytes::v5::Filter;

use crate::mqtt::outbox::Ticket;

/// A publication that the broker has not answered yet.
#[derive(Clone, Debug)]
pub(super) struct SentPublication {
    pub(super) ticket: Ticket,
    pub(super) topic: String,
    /// The size of its payload, in bytes.
    pub(super) size: usize,
    /// Whether it is a state, which can be sent again in a shorter form.
    pub(super) retain: bool,
    /// Whether it is the whole message.
    pub(super) whole: bool,
}

/// The packets that the broker has not answered yet, by their ids. Far fewer ids are in use than there are.
#[derive(Default)]
pub(super) struct Ids {
    last: u16,
    pub(super) publications: BTreeMap<u16, SentPublication>,
    pub(super) subscriptions: BTreeMap<u16, Vec<Filter>>,
}

impl Ids {
    /// Returns the next id that is not in use, from 1.
    pub(super) fn next(&mut self) -> u16 {
        loop {
            self.last = self.last.checked_add(1).unwrap_or(1);
            if !self.publications.contains_key(&self.last) && !self.subscriptions.contains_key(&self.last) {
                return self.last;
            }
        }
    }

    /// The largest publication that is not acknowledged yet.
    pub(super) fn largest_publication(&self) -> Option<&SentPublication> {
        self.publications.values().max_by_key(|publication| publication.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_go_round_past_those_in_use() {
        let mut ids = Ids::default();
        for expected in 1..=3 {
            assert_eq!(ids.next(), expected);
            ids.subscriptions.insert(expected, Vec::new());
        }
        assert!(ids.subscriptions.remove(&2).is_some());
        for expected in 4..=u16::MAX {
            assert_eq!(ids.next(), expected);
        }
        ids.subscriptions.insert(u16::MAX, Vec::new());
        assert_eq!([ids.next(), ids.next(), ids.next()], [2, 4, 5], "0 is no id, 1 and 3 are in use");
    }

    #[test]
    fn with_a_full_window_no_id_is_given_twice() {
        let (mut ids, mut used) = (Ids::default(), Vec::new());
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200_000 {
            let id = ids.next();
            assert!(id != 0 && !used.contains(&id), "{id} is in use: {used:?}");
            ids.subscriptions.insert(id, Vec::new());
            used.push(id);
            if used.len() == 32 {
                // Some are answered late, one never.
                let answered = used.swap_remove(random.usize(1..32));
                assert!(ids.subscriptions.remove(&answered).is_some());
            }
        }
    }
}
