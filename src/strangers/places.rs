//! Accepts and counts the connections to a listener, and decides which one is closed if there are too many.
//!
//! A connection that has not logged in costs its owner nothing, so there are few places for them: in all and for each network, which is
//! one owner ([`network`]). A new connection is never refused, because its owner may be an arbiter. Another one makes room, first of the
//! same network, else of the network that has most of them: one that has asked for nothing before one that has, and the one that was idle
//! longest first. A client logs in within milliseconds and is gone from these places before others could take its place.
//!
//! Clients that only read share what the others leave. If all places are taken, the network with most of these clients makes room for one
//! with fewer, and for a client that may do more always. If too many clients that are no arbiters do not keep up, one of the network
//! with most of these leaves.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{self, JoinSet};
use tokio::time;

use super::network;
use super::refusals::{Listener, Refusal};

/// The largest number of connections to the broker that have not logged in.
#[cfg(feature = "broker")]
const MAX_WAITING: usize = 256;
/// The largest number of these from one network.
#[cfg(feature = "broker")]
const MAX_WAITING_OF_NETWORK: usize = 32;
/// The largest number of clients of the broker at the same time. A hall has fewer screens and arbiters, and each client costs up to 64 KiB.
#[cfg(feature = "broker")]
const MAX_CLIENTS: usize = 600;
/// The largest number of clients of one user who does not only read, and of any user at one address of another machine.
#[cfg(feature = "broker")]
const MAX_CLIENTS_OF_ONE: usize = 64;
/// The largest number of clients that do not keep up. Up to a few megabytes wait for each.
const MAX_BEHIND: usize = 16;
/// The smallest number of file descriptors that is left for boards and journals.
#[cfg(feature = "broker")]
const RESERVED: usize = 32;

/// The largest number of connections that are accepted before the others have their turn.
const AT_ONCE: usize = 16;
/// The pause after the operating system gave no socket. Meanwhile connections wait in the system's own queue.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

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
        let clients_of_one = (clients / 2).min(MAX_CLIENTS_OF_ONE);
        Limits {
            waiting,
            waiting_of_network,
            clients,
            clients_of_user: clients_of_one,
            clients_of_network: clients_of_one,
            readers: clients / 3 * 2,
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
    waiting: BTreeMap<u64, Connection>,
    clients: BTreeMap<u64, Connection>,
    /// Connections that had not logged in, made room for others and still have their sockets.
    leaving: BTreeSet<u64>,
}

#[derive(Debug)]
struct Connection {
    network: IpAddr,
    /// The user of a client, who `only_reads` or may do more.
    user: Option<String>,
    only_reads: bool,
    is_behind: bool,
    /// Closes the connection when it is dropped.
    _close: watch::Sender<()>,
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

    /// Accepts connections until `stop` is true or its sender is gone, and serves each one in a task of its own. It never waits for a
    /// client. Returns the tasks that have not ended.
    pub(crate) async fn accept<T: Future<Output = ()> + Send + 'static>(
        self: &Arc<Places>,
        listener: TcpListener,
        mut stop: watch::Receiver<bool>,
        serve: impl Fn(TcpStream, SocketAddr, Arc<Place>) -> T,
    ) -> JoinSet<()> {
        let mut connections = JoinSet::new();
        let mut at_once = 0;
        loop {
            tokio::select! {
                () = async { _ = stop.wait_for(|stop| *stop).await } => return connections,
                Some(ended) = connections.join_next() => if let Err(error) = ended {
                    self.listener.refuses(Refusal::Fault, &error);
                },
                accepted = self.accept_one(&listener, &mut at_once) => match accepted {
                    Ok((stream, peer)) => {
                        // Without it small packets may wait for 40 ms; a connection that has already ended reports that later.
                        _ = stream.set_nodelay(true);
                        connections.spawn(serve(stream, peer, self.enter(peer.ip())));
                    }
                    Err(error) => {
                        self.listener.refuses(Refusal::Accept, &error);
                        self.make_room();
                        time::sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
    }

    /// Accepts a connection. A few are accepted `at_once`: the next ones when those that made room are gone, so that the process does not run
    /// out of file descriptors, and when those that were accepted have read what is there, so that none makes room whose request has come.
    async fn accept_one(&self, listener: &TcpListener, at_once: &mut usize) -> io::Result<(TcpStream, SocketAddr)> {
        if *at_once == 0 {
            // This fails only if the sender is gone, which is in `self`.
            _ = self.leaving.subscribe().wait_for(|leaving| *leaving == 0).await;
            task::yield_now().await;
            // The broker has up to three listeners for the same places.
            *at_once = (self.limits.waiting_of_network / 6).clamp(1, AT_ONCE);
        }
        let accepted = listener.accept().await;
        *at_once -= 1;
        accepted
    }

    /// Gives a place to a new connection.
    pub(crate) fn enter(self: &Arc<Places>, address: IpAddr) -> Arc<Place> {
        let (close, closed) = watch::channel(());
        let network = network(address);
        let connection = Connection { network, user: None, only_reads: false, is_behind: false, _close: close };
        let number = AtomicU64::new(self.admit(&mut self.taken(), connection, 0));
        Arc::new(Place { places: Arc::clone(self), number, logged_in: AtomicBool::new(false), closed })
    }

    /// Puts a waiting connection last among those that have `asked` for as much. Returns its number.
    fn admit(&self, taken: &mut Taken, connection: Connection, asked: u64) -> u64 {
        let shares = shares(&taken.waiting, |_| true);
        let first = match shares.get(&connection.network) {
            Some((own, first)) if *own >= self.limits.waiting_of_network => Some(*first),
            _ if taken.waiting.len() < self.limits.waiting => None,
            _ => heaviest(&shares).map(|(_, first)| first),
        };
        first.into_iter().for_each(|first| self.close(taken, first, Refusal::TooManyWaiting));
        taken.next += 1;
        let number = taken.next | asked;
        taken.waiting.insert(number, connection);
        number
    }

    /// Closes the connection that has waited longest: the operating system gives no more sockets.
    fn make_room(&self) {
        let mut taken = self.taken();
        let first = taken.waiting.keys().next().copied();
        first.into_iter().for_each(|first| self.close(&mut taken, first, Refusal::TooManyWaiting));
    }

    fn close(&self, taken: &mut Taken, number: u64, why: Refusal) {
        let (waiting, client) = (taken.waiting.remove(&number), taken.clients.remove(&number));
        // A client ends in order, and nobody waits for it.
        if waiting.is_some() {
            taken.leaving.insert(number);
            self.leaving.send_replace(taken.leaving.len());
        }
        let closed = waiting.or(client);
        closed.into_iter().for_each(|connection| self.listener.refuses(why, &connection.network));
    }

    /// Closes the clients of these users.
    pub(crate) fn close_users(&self, users: &[String]) {
        self.taken().clients.retain(|_, client| client.user.as_ref().is_none_or(|user| !users.contains(user)));
    }

    /// Closes all connections.
    pub(crate) fn close_all(&self) {
        let mut taken = self.taken();
        taken.waiting.clear();
        taken.clients.clear();
    }
}

/// For each network how many of these connections it has, and which of them makes room first.
fn shares(connections: &BTreeMap<u64, Connection>, counts: impl Fn(&Connection) -> bool) -> BTreeMap<IpAddr, (usize, u64)> {
    let mut shares = BTreeMap::new();
    for (number, connection) in connections.iter().filter(|(_, connection)| counts(connection)) {
        shares.entry(connection.network).or_insert((0, *number)).0 += 1;
    }
    shares
}

/// The share of the network with most connections. Among networks with equally many it is the one whose connection was idle longest.
fn heaviest(shares: &BTreeMap<IpAddr, (usize, u64)>) -> Option<(usize, u64)> {
    shares.values().copied().max_by_key(|(count, first)| (*count, u64::MAX - first))
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

    /// Whether the connection still has its place, and need not end.
    pub(crate) fn is_there(&self) -> bool {
        self.closed.has_changed().is_ok()
    }

    fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// Notes that the connection asks for something, on behalf of this address: it makes room later than those that ask for nothing.
    pub(crate) fn asked(&self, address: IpAddr) {
        let mut taken = self.places.taken();
        // If it must close, or has logged in, there is nothing to note.
        if let Some(mut connection) = taken.waiting.remove(&self.number()) {
            connection.network = network(address);
            self.number.store(self.places.admit(&mut taken, connection, ASKED), Ordering::Relaxed);
        }
    }

    /// Makes the connection a client of this user, who `only_reads` or may do more. Returns false if there is no place for a client.
    pub(crate) fn log_in(&self, user: Option<&str>, only_reads: bool) -> bool {
        let mut taken = self.places.taken();
        let (number, limits) = (self.number(), self.places.limits);
        // If it must close, its place is gone.
        let Some(network) = taken.waiting.get(&number).map(|connection| connection.network) else { return false };
        let same = taken.clients.values().filter(|other| other.user.as_deref() == user);
        let (of_user, of_network) =
            same.fold((0, 0), |(all, near), other| (all + 1, near + usize::from(other.network == network)));
        // All pages of this machine's own server have addresses of this machine, and are counted there.
        if (user.is_some() && !only_reads && of_user >= limits.clients_of_user)
            || (!network.is_loopback() && of_network >= limits.clients_of_network)
        {
            return false;
        }
        let readers = shares(&taken.clients, |client| client.only_reads);
        let count: usize = readers.values().map(|(count, _)| count).sum();
        if taken.clients.len() >= limits.clients || (only_reads && count >= limits.readers) {
            let own = readers.get(&network).map_or(0, |(count, _)| *count);
            let Some((_, first)) = heaviest(&readers).filter(|(most, _)| !only_reads || *most > own + 1) else { return false };
            self.places.close(&mut taken, first, Refusal::TooManyReaders);
        }
        let Some(connection) = taken.waiting.remove(&number) else { return false };
        taken.clients.insert(number, Connection { user: user.map(str::to_owned), only_reads, ..connection });
        self.logged_in.store(true, Ordering::Relaxed);
        true
    }

    /// Notes that the client, which is no arbiter's, does not read as fast as messages come, or that it does again. If too many do not, one must leave.
    pub(crate) fn falls_behind(&self, is_behind: bool) {
        let mut taken = self.places.taken();
        let Some(client) = taken.clients.get_mut(&self.number()) else { return };
        client.is_behind = is_behind;
        let behind = shares(&taken.clients, |client| client.is_behind);
        if behind.values().map(|(count, _)| count).sum::<usize>() > MAX_BEHIND
            && let Some((_, slowest)) = heaviest(&behind)
        {
            taken.clients.remove(&slowest);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let (mut taken, number) = (self.places.taken(), self.number());
        _ = (taken.waiting.remove(&number), taken.clients.remove(&number));
        if taken.leaving.remove(&number) {
            self.places.leaving.send_replace(taken.leaving.len());
        }
    }
}

#[cfg(test)]
mod tests;
