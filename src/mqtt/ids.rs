//! Assigns the packet ids of one connection, and remembers the packets that the broker has not answered yet.

use std::collections::BTreeMap;

use rumqttc::v5::mqttbytes::v5::Filter;

use crate::mqtt::outbox::Ticket;

/// A packet that the broker has not answered yet.
pub(super) enum Sent {
    Publication(SentPublication),
    Subscription(Vec<Filter>),
}

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

/// The packet ids in use. Far fewer are in use than there are.
#[derive(Default)]
pub(super) struct Ids {
    last: u16,
    sent: BTreeMap<u16, Sent>,
}

impl Ids {
    /// Returns the next id that is not in use, from 1.
    pub(super) fn next(&mut self) -> u16 {
        loop {
            self.last = self.last.checked_add(1).unwrap_or(1);
            if !self.sent.contains_key(&self.last) {
                return self.last;
            }
        }
    }

    /// Notes that an id is in use until its packet is answered.
    pub(super) fn sent(&mut self, id: u16, sent: Sent) {
        self.sent.insert(id, sent);
    }

    pub(super) fn publication(&mut self, id: u16) -> Option<SentPublication> {
        match self.sent.remove(&id)? {
            Sent::Publication(publication) => Some(publication),
            subscription @ Sent::Subscription(_) => {
                self.sent.insert(id, subscription);
                None
            }
        }
    }

    /// The largest publication that is not acknowledged yet.
    pub(super) fn largest_publication(&self) -> Option<&SentPublication> {
        let publications = self.sent.values().filter_map(|sent| match sent {
            Sent::Publication(publication) => Some(publication),
            Sent::Subscription(_) => None,
        });
        publications.max_by_key(|publication| publication.size)
    }

    pub(super) fn subscription(&mut self, id: u16) -> Option<Vec<Filter>> {
        match self.sent.remove(&id)? {
            Sent::Subscription(filters) => Some(filters),
            publication @ Sent::Publication(_) => {
                self.sent.insert(id, publication);
                None
            }
        }
    }

    /// Whether a publication is not acknowledged yet.
    pub(super) fn has_publication(&self) -> bool {
        self.sent.values().any(|sent| matches!(sent, Sent::Publication(_)))
    }

    /// Whether a subscription is not answered yet.
    pub(super) fn has_subscription(&self) -> bool {
        self.sent.values().any(|sent| matches!(sent, Sent::Subscription(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subscription() -> Sent {
        Sent::Subscription(Vec::new())
    }

    #[test]
    fn ids_go_round_past_those_in_use() {
        let mut ids = Ids::default();
        for expected in 1..=3 {
            assert_eq!(ids.next(), expected);
            ids.sent(expected, subscription());
        }
        assert!(ids.subscription(2).is_some() && ids.subscription(2).is_none() && ids.publication(3).is_none());
        for expected in 4..=u16::MAX {
            assert_eq!(ids.next(), expected);
        }
        ids.sent(u16::MAX, subscription());
        assert_eq!([ids.next(), ids.next(), ids.next()], [2, 4, 5], "0 is no id, 1 and 3 are in use");
        assert!(ids.has_subscription() && !ids.has_publication());
    }

    #[test]
    fn with_a_full_window_no_id_is_given_twice() {
        let (mut ids, mut used) = (Ids::default(), Vec::new());
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200_000 {
            let id = ids.next();
            assert!(id != 0 && !used.contains(&id), "{id} is in use: {used:?}");
            ids.sent(id, subscription());
            used.push(id);
            if used.len() == 32 {
                // Some are answered late, one never.
                let answered = used.swap_remove(random.usize(1..32));
                assert!(ids.subscription(answered).is_some());
            }
        }
    }
}
