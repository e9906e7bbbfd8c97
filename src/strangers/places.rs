//! Counts the connections to a listener, and decides which one is closed if there are too many.
//!
//! A connection that has not logged in costs its owner nothing, so there are few places for them: in all and for each network, which is
//! one owner ([`network`]). A new connection is never refused, because its owner may be an arbiter. Another one makes room, first of the
//! same network, else of the network that has most of them: one that has asked for nothing before one that has, and the one that was idle
//! longest first. A client logs in within milliseconds and is gone from these places before others could take its place.
//!
//! Clients that only read share what the others leave. If all places are taken, the network with most of these clients makes room for one
//! with fewer, and for a client that may do more always. If too many of them do not keep up, one of the network with most of these leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::network;
use super::refusals::{Listener, Refusal};

/// The largest number of connections to the broker that have not logged in.
#[cfg(feature = "broker")]
const MAX_WAITING: usize = 256;
/// The largest number of these from one network.
#[cfg(feature = "broker")]
const MAX_WAITING_OF_NETWORK: usize = 32;
/// The largest number of clients of the broker at the same time. A hall has far fewer screens and arbiters.
#[cfg(feature = "broker")]
const MAX_CLIENTS: usize = 1_000;
/// The largest number of clients of one user at one address of another machine.
#[cfg(feature = "broker")]
const MAX_CLIENTS_OF_NETWORK: usize = 64;
/// The largest number of clients that only read and do not keep up. Up to a few megabytes wait for each.
const MAX_BEHIND: usize = 16;
/// The smallest number of file descriptors that is left for boards and journals.
#[cfg(feature = "broker")]
const RESERVED: usize = 32;

/// How many places there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    /// For connections that have not logged in.
    pub(crate) waiting: usize,
    /// For these from one network.
    pub(crate) waiting_of_network: usize,
    /// For clients.
    pub(crate) clients: usize,
    /// For clients of one user who does not only read, so that one user cannot take all places.
    pub(crate) clients_of_user: usize,
    /// For clients of one user from one network elsewhere than on this machine.
    pub(crate) clients_of_network: usize,
    /// For all clients that only read.
    pub(crate) readers: usize,
}

#[cfg(feature = "broker")]
impl Limits {
    /// The limits of the broker for a process that may have this number of file descriptors open. A quarter is left for boards and journals.
    pub(crate) fn for_descriptors(descriptors: usize) -> Limits {
        let ours = descriptors.saturating_sub((descriptors / 4).max(RESERVED));
        let waiting = (ours / 4).clamp(2, MAX_WAITING);
        let clients = ours.saturating_sub(waiting).clamp(2, MAX_CLIENTS);
        let waiting_of_network = (waiting / 2).min(MAX_WAITING_OF_NETWORK);
        let clients_of_network = (clients / 2).min(MAX_CLIENTS_OF_NETWORK);
        Limits {
            waiting,
            waiting_of_network,
            clients,
            clients_of_user: clients / 2,
            clients_of_network,
            readers: clients / 4 * 3,
        }
    }
}

/// The places of all connections of one listener.
#[derive(Debug)]
pub(crate) struct Places {
    listener: Listener,
    limits: Limits,
    taken: Mutex<Taken>,
    /// The length of [`Taken::leaving`].
    leaving: watch::Sender<usize>,
}

/// Connections by number. The number says in which order they make room: see [`ASKED`].
#[derive(Debug, Default)]
struct Taken {
    next: u64,
    connections: BTreeMap<u64, Connection>,
    waiting: Shares,
    readers: Shares,
    /// Clients that only read and do not keep up.
    behind: Shares,
    /// Connections that had not logged in, made room for others and still have their sockets.
    leaving: BTreeSet<u64>,
}

#[derive(Debug)]
struct Connection {
    network: IpAddr,
    client: Option<Client>,
    /// Closes the connection when it is dropped.
    _close: watch::Sender<()>,
}

#[derive(Debug)]
struct Client {
    user: Option<String>,
    only_reads: bool,
}

/// Connections by network.
#[derive(Debug, Default)]
struct Shares {
    by_network: BTreeMap<IpAddr, BTreeSet<u64>>,
    count: usize,
}

/// The place of one connection. It is free when this value is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: Arc<Places>,
    number: AtomicU64,
    logged_in: AtomicBool,
    closed: watch::Receiver<()>,
}

/// Added to the number of a connection that has asked for something. A larger number was active later.
const ASKED: u64 = 1 << 63;

impl Places {
    /// Makes places that nobody has taken.
    pub(crate) fn new(listener: Listener, limits: Limits) -> Arc<Places> {
        Arc::new(Places { listener, limits, taken: Mutex::default(), leaving: watch::Sender::default() })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // No code panics while it holds the lock, and the maps are complete after every call.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a place to a new connection.
    pub(crate) fn enter(self: &Arc<Places>, address: IpAddr) -> Arc<Place> {
        let (close, closed) = watch::channel(());
        let connection = Connection { network: network(address), client: None, _close: close };
        let number = AtomicU64::new(self.admit(&mut self.taken(), connection, 0));
        Arc::new(Place { places: Arc::clone(self), number, logged_in: AtomicBool::new(false), closed })
    }

    /// Puts a waiting connection last among those that have `asked` for as much. Returns its number.
    fn admit(&self, taken: &mut Taken, connection: Connection, asked: u64) -> u64 {
        if let Some(first) = taken.in_the_way(connection.network, self.limits) {
            self.close(taken, first, Refusal::TooManyWaiting);
        }
        taken.next += 1;
        let number = taken.next | asked;
        taken.waiting.add(connection.network, number);
        taken.connections.insert(number, connection);
        number
    }

    /// Closes the connection that has waited longest: the operating system gives no more sockets.
    pub(crate) fn make_room(&self) {
        let mut taken = self.taken();
        let first = taken.waiting.by_network.values().filter_map(BTreeSet::first).min().copied();
        if let Some(first) = first {
            self.close(&mut taken, first, Refusal::TooManyWaiting);
        }
    }

    fn close(&self, taken: &mut Taken, number: u64, why: Refusal) {
        let Some(connection) = taken.remove(number) else { return };
        self.listener.refuses(why, &connection.network);
        // A client ends in order, and nobody waits for it.
        if connection.client.is_none() {
            taken.leaving.insert(number);
            self.leaving.send_replace(taken.leaving.len());
        }
    }

    /// Waits until connections that had not logged in and made room for others have closed their sockets, which takes no longer than their next turn.
    pub(crate) async fn wait_for_room(&self) {
        // This fails only if the sender is gone, which is in `self`.
        _ = self.leaving.subscribe().wait_for(|leaving| *leaving == 0).await;
    }

    /// Closes the clients of these users.
    pub(crate) fn close_users(&self, users: &[String]) {
        let mut taken = self.taken();
        let user = |connection: &Connection| connection.client.as_ref()?.user.clone();
        let is_theirs = |connection: &Connection| user(connection).is_some_and(|user| users.contains(&user));
        let theirs = taken.connections.iter().filter(|(_, connection)| is_theirs(connection));
        let numbers: Vec<u64> = theirs.map(|(number, _)| *number).collect();
        numbers.into_iter().for_each(|number| drop(taken.remove(number)));
    }

    /// Closes all connections.
    pub(crate) fn close_all(&self) {
        let mut taken = self.taken();
        *taken = Taken { next: taken.next, leaving: std::mem::take(&mut taken.leaving), ..Taken::default() };
    }
}

impl Taken {
    /// The waiting connection that must make room for a new one of this network.
    fn in_the_way(&self, network: IpAddr, limits: Limits) -> Option<u64> {
        match self.waiting.by_network.get(&network) {
            Some(own) if own.len() >= limits.waiting_of_network => own.first().copied(),
            _ if self.waiting.count < limits.waiting => None,
            _ => self.waiting.heaviest().map(|(_, first)| first),
        }
    }

    fn remove(&mut self, number: u64) -> Option<Connection> {
        let connection = self.connections.remove(&number)?;
        match &connection.client {
            None => self.waiting.remove(connection.network, number),
            Some(client) if client.only_reads => {
                self.readers.remove(connection.network, number);
                self.behind.remove(connection.network, number);
            }
            Some(_) => {}
        }
        Some(connection)
    }
}

impl Shares {
    fn add(&mut self, network: IpAddr, number: u64) {
        self.count += usize::from(self.by_network.entry(network).or_default().insert(number));
    }

    fn remove(&mut self, network: IpAddr, number: u64) {
        if let Some(own) = self.by_network.get_mut(&network) {
            self.count -= usize::from(own.remove(&number));
            if own.is_empty() {
                self.by_network.remove(&network);
            }
        }
    }

    /// How many the network with most of them has, and which of these makes room first. Among networks with equally many it is the one
    /// whose connection was idle longest.
    fn heaviest(&self) -> Option<(usize, u64)> {
        let shares = self.by_network.values().filter_map(|own| Some((own.len(), *own.first()?)));
        shares.max_by_key(|(count, first)| (*count, u64::MAX - first))
    }
}

impl Place {
    /// Whether the connection has logged in.
    pub(crate) fn is_logged_in(&self) -> bool {
        self.logged_in.load(Ordering::Relaxed)
    }

    /// Returns when the connection must be closed.
    pub(crate) async fn closed(&self) {
        // The sender sends nothing: an error says that it is gone.
        while self.closed.clone().changed().await.is_ok() {}
    }

    /// Notes that the connection asks for something, on behalf of this address: it makes room later than those that ask for nothing.
    pub(crate) fn asked(&self, address: IpAddr) {
        let mut taken = self.places.taken();
        // If it has just been told to close, or has logged in, there is nothing to note.
        if self.is_logged_in() {
            return;
        }
        if let Some(mut connection) = taken.remove(self.number.load(Ordering::Relaxed)) {
            connection.network = network(address);
            self.number.store(self.places.admit(&mut taken, connection, ASKED), Ordering::Relaxed);
        }
    }

    /// Makes the connection a client of this user, who `only_reads` or may do more. Returns false if there is no place for a client.
    pub(crate) fn log_in(&self, user: Option<&str>, only_reads: bool) -> bool {
        let mut taken = self.places.taken();
        let (number, limits) = (self.number.load(Ordering::Relaxed), self.places.limits);
        // If it has just been told to close, its place is gone.
        let Some(network) = taken.connections.get(&number).map(|connection| connection.network) else { return false };
        let is_same = |client: &Client| client.user.as_deref() == user;
        let same = taken.connections.values().filter(|other| other.client.as_ref().is_some_and(is_same));
        let (of_user, of_network) =
            same.fold((0, 0), |(all, near), other| (all + 1, near + usize::from(other.network == network)));
        // All pages of this machine's own server have addresses of this machine, and are counted there.
        if (user.is_some() && !only_reads && of_user >= limits.clients_of_user)
            || (!network.is_loopback() && of_network >= limits.clients_of_network)
        {
            return false;
        }
        let clients = taken.connections.len() - taken.waiting.count;
        if clients >= limits.clients || (only_reads && taken.readers.count >= limits.readers) {
            let own = taken.readers.by_network.get(&network).map_or(0, BTreeSet::len);
            let heaviest = taken.readers.heaviest().filter(|(most, _)| !only_reads || *most > own + 1);
            let Some((_, first)) = heaviest else { return false };
            self.places.close(&mut taken, first, Refusal::TooManyReaders);
        }
        let Some(mut connection) = taken.remove(number) else { return false };
        connection.client = Some(Client { user: user.map(str::to_owned), only_reads });
        if only_reads {
            taken.readers.add(network, number);
        }
        taken.connections.insert(number, connection);
        self.logged_in.store(true, Ordering::Relaxed);
        true
    }

    /// Notes that the client does not read as fast as messages come, or that it does again. If too many do not, one must leave.
    pub(crate) fn falls_behind(&self, is_behind: bool) {
        let (mut taken, number) = (self.places.taken(), self.number.load(Ordering::Relaxed));
        let Some(connection) = taken.connections.get(&number) else { return };
        let (network, only_reads) = (connection.network, connection.client.as_ref().is_some_and(|client| client.only_reads));
        match is_behind {
            true if only_reads => taken.behind.add(network, number),
            true => {}
            false => taken.behind.remove(network, number),
        }
        if taken.behind.count > MAX_BEHIND
            && let Some((_, slowest)) = taken.behind.heaviest()
        {
            taken.remove(slowest);
        }
    }

    /// Whether the connection still has its place, and need not end.
    pub(crate) fn is_there(&self) -> bool {
        self.places.taken().connections.contains_key(&self.number.load(Ordering::Relaxed))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (mut taken, number) = (self.places.taken(), self.number.load(Ordering::Relaxed));
        taken.remove(number);
        if taken.leaving.remove(&number) {
            self.places.leaving.send_replace(taken.leaving.len());
        }
    }
}

#[cfg(test)]
mod tests;
