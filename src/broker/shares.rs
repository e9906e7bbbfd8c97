//! What the clients of one user may take of the broker's memory and time, so that the daemon's own messages never compete with
//! theirs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::strangers::{NetworkRates, Owed, network};
use crate::system_clock::MonotonicTime;

/// How long the session of an absent client is kept.
pub(super) const SESSION_EXPIRY: Duration = Duration::from_hours(24);

/// What an acknowledgement, a request and a message without a payload cost.
pub(super) const ACKNOWLEDGEMENT: u32 = 1;
pub(super) const REQUEST: u32 = 20 * ACKNOWLEDGEMENT;
pub(super) const PUBLISH: u32 = 4 * REQUEST;
/// How many requests all clients that only read may send in a second. The broker's crate looks at every retained message and at every
/// subscription for each filter.
const REQUESTS_OF_READERS: u32 = 200;
/// The same for the clients of one network.
const REQUESTS_OF_NETWORK: u32 = 100;

/// The largest number of sessions of all users but the daemon.
const MAX_SESSIONS: usize = 512;

/// What a user is for the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The daemon itself.
    Daemon,
    /// Everybody, at a broker without users, which only this machine can reach.
    Anybody,
    /// A user whose messages are large: the organiser, and a collector that publishes rounds as PGN.
    Publisher,
    /// Another user with topics of its own: another machine.
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
    /// How many requests a user may send in a second over all connections, or the clients of one network that only read; none for no limit.
    /// 20 acknowledgements count as one; a message, which goes to many, counts as four, and each KiB of it as one more: what clients have
    /// not read yet waits in the memory.
    requests: Option<u32>,
    /// How many sessions of absent clients are kept for a user in one network.
    pub(super) sessions: usize,
    /// How many retained topics a user may have.
    retained: usize,
    /// The largest number of bytes in them.
    retained_bytes: usize,
}

impl Class {
    pub(super) const ALL: [Class; 6] =
        [Class::Daemon, Class::Anybody, Class::Publisher, Class::Writer, Class::Commander, Class::Reader];

    /// The limits of this class. The broker's crate keeps room for the largest packet that a client has sent, and for the largest one that it
    /// got, until the client has gone, so a machine, whose card may be stolen, has small ones. The largest message of `wire/README.md` with its
    /// topic fits into 300 KiB, a SUBSCRIBE with 64 filters into 16. A machine with many boards publishes a few hundred messages of a few KiB at
    /// once.
    pub(super) const fn limits(self) -> Limits {
        let (packet, requests, sessions, retained, retained_bytes) = match self {
            Class::Daemon => (1 << 20, None, usize::MAX, usize::MAX, usize::MAX),
            Class::Anybody => (1 << 20, None, 64, 20_000, 256 << 20),
            Class::Publisher => (300 << 10, Some(2_000), 8, 8_000, 8 << 20),
            Class::Writer => (64 << 10, Some(2_000), 8, 8_000, 8 << 20),
            Class::Commander => (64 << 10, Some(500), 8, 0, 0),
            Class::Reader => (16 << 10, Some(REQUESTS_OF_NETWORK), 0, 0, 0),
        };
        Limits { packet, requests, sessions, retained, retained_bytes }
    }
}

/// What users have taken.
pub(super) struct Shares {
    /// The retained topics of each user that are not the daemon's.
    retained: BTreeMap<String, Retained>,
    /// The clients with a session, by user and network, and when they last logged in.
    sessions: BTreeMap<(String, IpAddr, String), MonotonicTime>,
    /// What users have sent just now, and the networks of clients that only read.
    users: BTreeMap<String, Owed>,
    readers: NetworkRates,
}

impl Default for Shares {
    fn default() -> Shares {
        let readers = NetworkRates::new(REQUESTS_OF_NETWORK * REQUEST, REQUESTS_OF_READERS * REQUEST);
        Shares { retained: BTreeMap::new(), sessions: BTreeMap::new(), users: BTreeMap::new(), readers }
    }
}

/// Retained topics with the bytes of each.
#[derive(Default)]
struct Retained {
    topics: BTreeMap<String, usize>,
    bytes: usize,
}

impl Shares {
    /// Counts a retained message of `size` bytes; one of 0 bytes frees the topic. Returns false if the user has no share left.
    pub(super) fn retain(&mut self, user: &str, limits: &Limits, topic: &str, size: usize) -> bool {
        let own = self.retained.entry(user.to_owned()).or_default();
        let before = own.topics.get(topic).copied();
        let topics = own.topics.len() + usize::from(before.is_none());
        let bytes = own.bytes - before.unwrap_or(0) + size + topic.len();
        if size > 0 && (topics > limits.retained || bytes > limits.retained_bytes) {
            return false;
        }
        // A topic belongs to who wrote last.
        for owner in self.retained.values_mut() {
            owner.bytes -= owner.topics.remove(topic).unwrap_or(0);
        }
        if size > 0
            && let Some(own) = self.retained.get_mut(user)
        {
            own.topics.insert(topic.to_owned(), size + topic.len());
            own.bytes = bytes;
        }
        true
    }

    /// Takes a packet of this price from the share of a user, or of the network of a client that only reads.
    ///
    /// # Errors
    /// How long the packet must wait before it is tried again: the share is used up.
    pub(super) fn admit(
        &mut self,
        class: Class,
        user: &str,
        address: IpAddr,
        price: u32,
        now: MonotonicTime,
    ) -> Result<(), Duration> {
        let Some(requests) = class.limits().requests else { return Ok(()) };
        if class == Class::Reader {
            return self.readers.take(address, price, now);
        }
        self.users.retain(|_, owed| owed.is_owed(now));
        self.users.entry(user.to_owned()).or_insert(Owed::new(requests * REQUEST, now)).take(price, now)
    }

    /// Whether the session of this client may be kept when it is away.
    pub(super) fn may_keep(&mut self, user: &str, address: IpAddr, client: &str, limits: &Limits, now: MonotonicTime) -> bool {
        self.sessions.retain(|_, since| now.since(*since) < SESSION_EXPIRY);
        let network = network(address);
        let own = self.sessions.keys().filter(|(other, near, _)| other == user && *near == network);
        let own: Vec<&str> = own.map(|(_, _, client)| client.as_str()).collect();
        let most = MAX_SESSIONS.max(limits.sessions);
        limits.sessions > 0 && (own.contains(&client) || (own.len() < limits.sessions && self.sessions.len() < most))
    }

    /// Notes that this client has logged in with a session. Returns false if others have taken its place meanwhile.
    pub(super) fn keep(&mut self, user: &str, address: IpAddr, client: &str, limits: &Limits, now: MonotonicTime) -> bool {
        let may = self.may_keep(user, address, client, limits, now);
        if may {
            self.sessions.insert((user.to_owned(), network(address), client.to_owned()), now);
        }
        may
    }
}

#[cfg(test)]
mod tests;
