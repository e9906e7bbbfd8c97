//! What the clients of one user may take of the broker's memory and time, so that the daemon's own messages never compete with
//! theirs.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::strangers::network;
use crate::system_clock::MonotonicTime;

/// How long the session of an absent client is kept.
pub(super) const SESSION_EXPIRY: Duration = Duration::from_hours(24);

/// How many acknowledgements cost as much as one request.
pub(super) const REQUEST: u32 = 20;
/// How many requests a message without a payload costs.
pub(super) const PUBLISH: u32 = 4;
/// How many requests all clients that only read may send in a second. The broker's crate looks at every retained message and at every
/// subscription for each filter.
const REQUESTS_OF_READERS: u32 = 200;
/// How much may come at once.
const AT_ONCE: Duration = Duration::from_millis(250);

/// The largest number of sessions of all users but the daemon.
const MAX_SESSIONS: usize = 512;

/// What a user is for the broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// The daemon itself.
    Daemon,
    /// Everybody, at a broker without users, which only this machine can reach.
    Anybody,
    /// The collector of this machine, which publishes a round as one file.
    Collector,
    /// Another user with topics of its own: another machine, the organiser.
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
    /// 20 acknowledgements count as one; a message, which goes to many, counts as four, and each KiB of it as one more: what clients have not read yet waits in the memory.
    pub(super) requests: Option<u32>,
    /// How many clients a user who does not only read may have at the same time.
    pub(super) clients: usize,
    /// How many sessions of absent clients are kept for a user in one network.
    pub(super) sessions: usize,
    /// How many retained topics a user may have.
    retained: usize,
    /// The largest number of bytes in them.
    retained_bytes: usize,
}

impl Class {
    pub(super) const ALL: [Class; 6] =
        [Class::Daemon, Class::Anybody, Class::Collector, Class::Writer, Class::Commander, Class::Reader];

    /// The limits of this class. The broker's crate keeps room for the largest packet that a client has sent, and for the largest one that it
    /// got, until the client has gone: so users who may be strangers write and read small ones, and have few clients that write. The largest
    /// message of `wire/README.md` with its topic fits into 300 KiB, a SUBSCRIBE with 64 filters into 16. A machine with many boards publishes
    /// a few hundred messages of a few KiB at once.
    pub(super) const fn limits(self) -> Limits {
        let (packet, requests, clients, sessions, retained, retained_bytes) = match self {
            Class::Daemon => (1 << 20, None, usize::MAX, usize::MAX, usize::MAX, usize::MAX),
            Class::Anybody => (1 << 20, None, usize::MAX, 64, 20_000, 256 << 20),
            Class::Collector => (300 << 10, Some(2_000), 4, 4, 100, 16 << 20),
            Class::Writer => (64 << 10, Some(2_000), 64, 8, 4_000, 8 << 20),
            Class::Commander => (64 << 10, Some(100), 64, 8, 0, 0),
            Class::Reader => (16 << 10, Some(100), usize::MAX, 0, 0, 0),
        };
        Limits { packet, requests, clients, sessions, retained, retained_bytes }
    }
}

/// What users have taken.
#[derive(Default)]
pub(super) struct Shares {
    /// The retained topics of each user that are not the daemon's.
    retained: BTreeMap<String, Retained>,
    /// The clients with a session, by user and network, and when they last logged in.
    sessions: BTreeMap<(String, IpAddr, String), MonotonicTime>,
    /// The users that send something, or the networks of clients that only read, and until when that keeps their share busy.
    busy: BTreeMap<(String, Option<IpAddr>), MonotonicTime>,
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

    /// Counts what a client has sent, with a `price` in acknowledgements. Returns how long its next packet must wait.
    pub(super) fn pause_after(&mut self, class: Class, user: &str, address: IpAddr, price: u32, now: MonotonicTime) -> Duration {
        let Some(requests) = class.limits().requests else { return Duration::ZERO };
        self.busy.retain(|_, until| *until > now);
        let key = match class {
            Class::Reader => (String::new(), Some(network(address))),
            _ => (user.to_owned(), None),
        };
        let others = self.busy.keys().filter(|other| other.1.is_some() && **other != key).count() as u32;
        let requests = if class == Class::Reader { requests.min(REQUESTS_OF_READERS / (1 + others)).max(1) } else { requests };
        let until = self.busy.entry(key).or_insert(now);
        *until = until.after(Duration::from_secs(1) * price / (requests * REQUEST));
        until.since(now).saturating_sub(AT_ONCE)
    }

    /// Whether the session of this client may be kept when it is away.
    pub(super) fn may_keep(&mut self, user: &str, address: IpAddr, client: &str, limits: &Limits, now: MonotonicTime) -> bool {
        self.sessions.retain(|_, since| now.since(*since) < SESSION_EXPIRY);
        let network = network(address);
        let own = self.sessions.keys().filter(|(other, near, _)| other == user && *near == network);
        let own: Vec<&str> = own.map(|(_, _, client)| client.as_str()).collect();
        let most = MAX_SESSIONS.max(limits.sessions);
        own.contains(&client) || (own.len() < limits.sessions && self.sessions.len() < most)
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
