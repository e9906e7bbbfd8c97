//! Keeps the topics whose messages the broker does not take, and learns from its refusals how large a message may be.

use std::collections::BTreeMap;

/// The largest number of topics that are kept. If there are more, the messages are still counted.
const TOPICS: usize = 1024;
/// The largest size that is tried is known to this number of bytes; more attempts would show only one more move.
const EXACT: usize = 64;

/// A smaller payload is never suspected of being too large.
const SUSPICIOUS: usize = 1024;
/// After so many closed connections in a row with the same topic unanswered, its message is taken for too large: if it is larger than
/// everything that was taken before, and if it is not. A broker that dies twice at the same state is not rare when its disk is slow.
const CLOSINGS: [u32; 2] = [3, 5];

/// The topics that the broker does not take, and the size that it takes.
#[derive(Default)]
pub(super) struct Refusals {
    open: BTreeMap<String, String>,
    limit: SizeLimit,
    /// The topic of the largest message that was not answered when the broker closed the connection, and how often in a row.
    suspect: Option<(String, u32)>,
}

/// The size of payloads that the broker takes, as far as its answers show. It is needed for brokers that announce no limit.
#[derive(Clone, Copy, Debug, Default)]
struct SizeLimit {
    /// The largest payload that the broker took.
    taken: usize,
    /// The smallest payload that it refused for its size.
    refused: Option<usize>,
}

impl SizeLimit {
    fn note_taken(&mut self, size: usize) {
        self.taken = self.taken.max(size);
        // The limit was raised.
        self.refused = self.refused.filter(|refused| size < *refused);
    }

    fn note_refused(&mut self, size: usize) {
        if self.taken >= size {
            // The limit was lowered, so what is known is void.
            self.taken = 0;
        }
        self.refused = Some(self.refused.map_or(size, |refused| refused.min(size)));
    }

    /// The largest payload that is worth trying: the search halves the range in which the limit must be.
    fn largest(&self) -> usize {
        match self.refused {
            None => usize::MAX,
            Some(refused) if refused - self.taken <= EXACT => self.taken,
            Some(refused) => self.taken.midpoint(refused),
        }
    }
}

impl Refusals {
    /// The largest payload that is worth trying, in bytes.
    pub(super) fn largest(&self) -> usize {
        self.limit.largest()
    }

    /// Notes that the broker refused a payload because of its size.
    pub(super) fn note_too_large(&mut self, size: usize) {
        self.limit.note_refused(size);
    }

    /// Notes that the broker closed the connection without a reason while this was the largest message that it had not answered.
    /// Mosquitto does so above its `message_size_limit`; its answer, if it sends one, is lost with the connection. Returns whether the
    /// message is taken for too large.
    pub(super) fn note_closed(&mut self, unanswered: Option<(&str, usize)>) -> bool {
        let Some((topic, size)) = unanswered.filter(|(_, size)| *size >= SUSPICIOUS) else {
            self.suspect = None;
            return false;
        };
        let before = self.suspect.take().filter(|(suspect, _)| suspect == topic).map_or(0, |(_, closings)| closings);
        let closings = before.saturating_add(1);
        self.suspect = Some((topic.to_owned(), closings));
        let is_sure = closings >= CLOSINGS[usize::from(size <= self.limit.taken)];
        if is_sure {
            self.limit.note_refused(size);
        }
        is_sure
    }

    /// Forgets the limit that was learned: the broker may have another one since.
    pub(super) fn forget_limit(&mut self) {
        self.limit.refused = None;
    }

    /// Notes that messages of a topic are refused, or taken only in part. Returns whether that is news.
    pub(super) fn add(&mut self, topic: &str, cause: &str) -> bool {
        let known = self.open.contains_key(topic);
        if known || self.open.len() >= TOPICS {
            return false;
        }
        self.open.insert(topic.to_owned(), cause.to_owned());
        true
    }

    /// Notes that the broker took a payload; `whole`: it was not shortened. Returns whether the topic was refused before.
    pub(super) fn note_taken(&mut self, topic: &str, size: usize, whole: bool) -> bool {
        self.limit.note_taken(size);
        if self.suspect.as_ref().is_some_and(|(suspect, _)| suspect == topic) {
            self.suspect = None;
        }
        whole && self.open.remove(topic).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends payloads of this size until one is taken by a broker with this limit; returns its size and the number of refusals.
    fn send(limit: &mut SizeLimit, size: usize, broker: usize) -> (usize, usize) {
        for refusals in 0..40 {
            let sent = size.min(limit.largest());
            if sent <= broker {
                limit.note_taken(sent);
                return (sent, refusals);
            }
            limit.note_refused(sent);
        }
        panic!("{limit:?} finds no end");
    }

    #[test]
    fn the_limit_of_a_broker_is_found_by_few_refusals() {
        let mut limit = SizeLimit::default();
        assert_eq!(send(&mut limit, 2_900, 3_000), (2_900, 0));
        let (sent, refusals) = send(&mut limit, 12_000, 3_000);
        assert!(sent > 2_900 && refusals <= 8, "{sent} after {refusals} refusals");
        // With some more messages the limit is known well enough, and nothing is refused any more.
        (0..10).for_each(|_| _ = send(&mut limit, 12_000, 3_000));
        let (sent, refusals) = send(&mut limit, 12_000, 3_000);
        assert!(sent > 3_000 - EXACT && refusals == 0, "{sent} after {refusals} refusals: {limit:?}");
        // The limit is lowered, then raised.
        let (sent, refusals) = send(&mut limit, 12_000, 500);
        assert!(sent <= 500 && refusals <= 12, "{sent} after {refusals} refusals");
        limit.note_taken(4_000);
        assert_eq!(limit.largest(), usize::MAX);
    }

    #[test]
    fn a_message_that_ends_connections_is_taken_for_too_large() {
        let mut refusals = Refusals::default();
        refusals.note_taken("a", 2_900, true);
        let sure = [(); 3].map(|()| refusals.note_closed(Some(("a", 3_100))));
        assert_eq!(sure, [false, false, true]);
        assert_eq!(refusals.largest(), 3_000);
        assert!(refusals.note_closed(Some(("a", 3_000))), "it is known already which message it is");
        assert_eq!(refusals.largest(), 2_950);
        refusals.note_taken("a", 2_950, false);
        // Other ends of a connection suspect nobody.
        for unanswered in [None, Some(("b", 100)), Some(("a", 2_800)), Some(("b", 2_800)), Some(("a", 2_800))] {
            assert!(!refusals.note_closed(unanswered), "{unanswered:?}");
        }
        // The limit was lowered: that needs more closed connections.
        let sure: Vec<bool> = (0..5).map(|_| refusals.note_closed(Some(("b", 2_800)))).collect();
        assert_eq!(sure, [false, false, false, false, true]);
    }

    #[test]
    fn a_topic_is_refused_until_a_whole_message_is_taken() {
        let mut refusals = Refusals::default();
        assert!(refusals.add("a", "too large") && !refusals.add("a", "too large"));
        assert!(!refusals.note_taken("b", 10, true) && !refusals.note_taken("a", 10, false));
        assert!(refusals.note_taken("a", 10, true) && !refusals.note_taken("a", 10, true));
        (0..2 * TOPICS).for_each(|topic| _ = refusals.add(&topic.to_string(), ""));
        assert_eq!(refusals.open.len(), TOPICS);
    }
}
