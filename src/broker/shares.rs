//! What the clients of one user may take of the broker's memory and time, so that the daemon's own messages never compete with
//! theirs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::system_clock::MonotonicTime;

/// How long the session of an absent client is kept.
pub(super) const SESSION_EXPIRY: Duration = Duration::from_hours(24);

/// The largest number of users and addresses with sessions.
const MAX_SHARES: usize = 64;

/// What a user is for the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// The daemon itself.
    Daemon,
    /// Everybody, at a broker without users, which only this machine can reach.
    Anybody,
    /// A user with topics of its own: another machine, the collector, the organiser.
    Writer,
    /// A user with a role, who may write commands and nothing else.
    Commander,
    /// A user who may only read: a screen, an overlay, all visitors together.
    Reader,
}

/// The limits of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// The largest packet, in bytes.
    pub(super) packet: usize,
    /// How many requests a connection may send in a second, counting 20 acknowledgements as one; none for no limit.
    pub(super) requests: Option<u32>,
    /// How many sessions of absent clients are kept for a user at one address.
    pub(super) sessions: usize,
    /// How many retained topics a user may have.
    retained: usize,
    /// The largest number of bytes in them.
    retained_bytes: usize,
}

impl Class {
    /// The limits of this class. A packet of 1 MiB is more than the largest message of `wire/README.md` needs; a SUBSCRIBE with
    /// 64 filters fits into 16 KiB.
    pub(super) const fn limits(self) -> Limits {
        let (packet, requests, sessions, retained, retained_bytes) = match self {
            Class::Daemon => (1 << 20, None, usize::MAX, usize::MAX, usize::MAX),
            Class::Anybody => (1 << 20, None, 64, 20_000, 256 << 20),
            Class::Writer => (1 << 20, None, 8, 4_000, 16 << 20),
            Class::Commander => (64 << 10, Some(100), 8, 0, 0),
            Class::Reader => (16 << 10, Some(100), 0, 0, 0),
        };
        Limits { packet, requests, sessions, retained, retained_bytes }
    }
}

/// What users have taken.
#[derive(Default)]
pub(super) struct Shares {
    /// The owner and the bytes of each retained topic that is not the daemon's.
    retained: BTreeMap<String, (String, usize)>,
    /// The topics and bytes of each owner.
    owners: BTreeMap<String, (usize, usize)>,
    /// The clients with a session, by user and address, and when they last logged in.
    sessions: BTreeMap<(String, IpAddr), BTreeMap<String, MonotonicTime>>,
}

impl Shares {
    /// Counts a retained message of `size` bytes; one of 0 bytes frees the topic. Returns false if the user has no share left.
    pub(super) fn retain(&mut self, user: &str, limits: &Limits, topic: &str, size: usize) -> bool {
        let (mut topics, mut bytes) = self.owners.get(user).copied().unwrap_or_default();
        let before = self.retained.get(topic).cloned();
        if let Some((_, old)) = before.as_ref().filter(|(owner, _)| owner == user) {
            (topics, bytes) = (topics - 1, bytes - old);
        }
        if size > 0 {
            (topics, bytes) = (topics + 1, bytes + size + topic.len());
            if topics > limits.retained || bytes > limits.retained_bytes {
                return false;
            }
        }
        if let Some((owner, old)) = before.filter(|(owner, _)| owner != user)
            && let Some((topics, bytes)) = self.owners.get_mut(&owner)
        {
            (*topics, *bytes) = (*topics - 1, *bytes - old);
        }
        match size {
            0 => self.retained.remove(topic),
            _ => self.retained.insert(topic.to_owned(), (user.to_owned(), size + topic.len())),
        };
        self.owners.insert(user.to_owned(), (topics, bytes));
        true
    }

    /// Whether the session of this client may be kept when it is away.
    pub(super) fn may_keep(&mut self, user: &str, address: IpAddr, client: &str, limits: &Limits, now: MonotonicTime) -> bool {
        self.sessions.retain(|_, clients| {
            clients.retain(|_, since| now.since(*since) < SESSION_EXPIRY);
            !clients.is_empty()
        });
        match self.sessions.get(&(user.to_owned(), address)) {
            Some(clients) => clients.contains_key(client) || clients.len() < limits.sessions,
            None => limits.sessions > 0 && self.sessions.len() < MAX_SHARES,
        }
    }

    /// Notes that this client has logged in with a session.
    pub(super) fn keep(&mut self, user: &str, address: IpAddr, client: &str, now: MonotonicTime) {
        self.sessions.entry((user.to_owned(), address)).or_default().insert(client.to_owned(), now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));

    #[test]
    fn retained_topics_are_counted_for_their_owner() {
        let (mut shares, limits) = (Shares::default(), Class::Writer.limits());
        let topics: Vec<String> = (0..=limits.retained).map(|number| format!("t/{number}")).collect();
        let (last, others) = topics.split_last().expect("topics");
        assert!(others.iter().all(|topic| shares.retain("pi-1", &limits, topic, 1)));
        assert!(!shares.retain("pi-1", &limits, last, 1), "one too many");
        assert!(shares.retain("pi-1", &limits, &others[0], 2), "a topic is replaced");
        assert!(shares.retain("pi-2", &limits, last, 1), "another user has a share of its own");
        assert!(shares.retain("pi-1", &limits, &others[0], 0) && shares.retain("pi-1", &limits, "another", 1));
        // A topic belongs to who wrote last.
        assert!(shares.retain("pi-2", &limits, "another", 1) && shares.retain("pi-1", &limits, "one more", 1));
        assert!(!shares.retain("pi-1", &limits, "too many", 1));
        let (count, bytes) = shares.retained.values().fold((0, 0), |(count, all), (_, bytes)| (count + 1, all + bytes));
        let owned = shares.owners.values().fold((0, 0), |sum, owner| (sum.0 + owner.0, sum.1 + owner.1));
        assert_eq!(owned, (count, bytes));
    }

    #[test]
    fn bytes_of_retained_topics_are_bounded() {
        let (mut shares, limits) = (Shares::default(), Class::Writer.limits());
        let half = limits.retained_bytes / 2 - 10;
        assert!(shares.retain("pi-1", &limits, "a", half) && shares.retain("pi-1", &limits, "b", half));
        assert!(!shares.retain("pi-1", &limits, "c", 100) && !shares.retain("pi-1", &limits, "a", half + 100));
        assert!(shares.retain("pi-1", &limits, "a", 0) && shares.retain("pi-1", &limits, "c", half));
    }

    #[test]
    fn sessions_are_kept_for_few_clients_of_a_user_at_an_address() {
        let mut shares = Shares::default();
        let now = MonotonicTime(0);
        for (class, kept) in [(Class::Reader, 0), (Class::Commander, 8), (Class::Writer, 8)] {
            let (user, limits) = (format!("{class:?}"), class.limits());
            let clients: Vec<String> = (0..20).map(|number| format!("client-{number}")).collect();
            let count = clients.iter().filter(|client| {
                let may = shares.may_keep(&user, HERE, client, &limits, now);
                may.then(|| shares.keep(&user, HERE, client, now)).is_some()
            });
            assert_eq!(count.count(), kept, "{class:?}");
            assert_eq!(shares.may_keep(&user, HERE, "client-0", &limits, now), kept > 0, "the same one again");
            let later = now.after(SESSION_EXPIRY);
            assert_eq!(shares.may_keep(&user, HERE, "another", &limits, later), kept > 0, "after a day");
        }
    }
}
