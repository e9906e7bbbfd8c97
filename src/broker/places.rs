//! Counts the connections to the broker, and decides which one is closed if there are too many.
//!
//! A connection that has not logged in costs its owner nothing, so there are few places for them: in all and for each address. A
//! new connection is never refused, because its owner may be an arbiter. The oldest one that has not logged in makes room,
//! first at the same address, else at the address that has most of them. A client logs in within milliseconds and is gone from
//! these places before others could take its place.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{oneshot, watch};

use super::refusals::{Refusal, Refusals};
use super::shares::Class;

/// The largest number of connections that have not logged in.
const MAX_WAITING: usize = 256;
/// The largest number of these from one address.
const MAX_WAITING_OF_ADDRESS: usize = 32;
/// The largest number of clients at the same time. A hall has far fewer screens and arbiters.
const MAX_CLIENTS: usize = 1_000;
/// The largest number of clients with one user name at one address of another machine.
const MAX_CLIENTS_OF_ADDRESS: usize = 64;
/// The largest number of clients that only read and do not keep up. Up to a few megabytes wait for each.
const MAX_BEHIND: usize = 16;
/// The smallest number of file descriptors that is left for boards and journals.
const RESERVED: usize = 32;

/// How many places there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// For connections that have not logged in.
    pub(super) waiting: usize,
    /// For these from one address.
    pub(super) waiting_of_address: usize,
    /// For clients.
    pub(super) clients: usize,
    /// For clients with one user name, so that one user cannot take all places.
    pub(super) clients_of_user: usize,
    /// For clients with one user name at one address of another machine.
    pub(super) clients_of_address: usize,
    /// For all clients that only read, so that those with a role always find a place.
    pub(super) readers: usize,
}

impl Limits {
    /// The limits for a process that may have this number of file descriptors open. A quarter is left for boards and journals.
    pub(super) fn for_descriptors(descriptors: usize) -> Limits {
        let ours = descriptors.saturating_sub((descriptors / 4).max(RESERVED));
        let waiting = (ours / 4).clamp(2, MAX_WAITING);
        let clients = ours.saturating_sub(waiting).clamp(2, MAX_CLIENTS);
        let waiting_of_address = (waiting / 2).min(MAX_WAITING_OF_ADDRESS);
        let clients_of_address = (clients / 2).min(MAX_CLIENTS_OF_ADDRESS);
        Limits {
            waiting,
            waiting_of_address,
            clients,
            clients_of_user: clients / 2,
            clients_of_address,
            readers: clients / 4 * 3,
        }
    }
}

/// The places of all connections of one broker.
pub(super) struct Places {
    limits: Limits,
    taken: Mutex<Taken>,
    /// The length of [`Taken::leaving`].
    leaving: watch::Sender<usize>,
}

/// Connections by number; a larger number is a younger connection.
#[derive(Default)]
struct Taken {
    next: u64,
    waiting: BTreeMap<u64, (IpAddr, Close)>,
    clients: BTreeMap<u64, Client>,
    /// Clients that only read and do not keep up.
    behind: BTreeMap<u64, IpAddr>,
    /// Connections that made room for others and still have their sockets.
    leaving: BTreeSet<u64>,
}

/// A client that has logged in.
struct Client {
    user: Option<String>,
    class: Class,
    address: IpAddr,
    _close: Close,
}

/// Closes a connection when it is dropped.
type Close = oneshot::Sender<()>;

/// The place of a new connection, and a receiver that ends when the connection must be closed.
pub(super) type Entered = (Arc<Place>, oneshot::Receiver<()>);

/// The place of one connection. It is free when this value is dropped.
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    logged_in: AtomicBool,
}

impl Places {
    /// Makes places that nobody has taken.
    pub(super) fn new(limits: Limits) -> Arc<Places> {
        Arc::new(Places { limits, taken: Mutex::default(), leaving: watch::Sender::default() })
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // No code panics while it holds the lock, and the maps are complete after every call.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a place to a new connection.
    pub(super) fn enter(self: &Arc<Places>, address: IpAddr, refusals: &Refusals) -> Entered {
        let (close, closed) = oneshot::channel();
        let mut taken = self.taken();
        if let Some(oldest) = taken.in_the_way(address, self.limits) {
            self.close_waiting(&mut taken, oldest, refusals);
        }
        let number = taken.next;
        taken.next += 1;
        taken.waiting.insert(number, (address, close));
        (Arc::new(Place { places: Arc::clone(self), number, logged_in: AtomicBool::new(false) }), closed)
    }

    /// Closes the oldest connection that has not logged in: the operating system gives no more sockets.
    pub(super) fn make_room(&self, refusals: &Refusals) {
        let mut taken = self.taken();
        if let Some(oldest) = taken.waiting.keys().next().copied() {
            self.close_waiting(&mut taken, oldest, refusals);
        }
    }

    fn close_waiting(&self, taken: &mut Taken, number: u64, refusals: &Refusals) {
        if let Some((address, _close)) = taken.waiting.remove(&number) {
            refusals.count(Refusal::TooManyWaiting, &address);
            taken.leaving.insert(number);
            self.leaving.send_replace(taken.leaving.len());
        }
    }

    /// Waits until connections that made room for others have closed their sockets, which takes no longer than their next turn.
    pub(super) async fn wait_for_room(&self) {
        // This fails only if the sender is gone, which is in `self`.
        _ = self.leaving.subscribe().wait_for(|leaving| *leaving == 0).await;
    }

    /// Closes the clients of these users.
    pub(super) fn close_users(&self, users: &[String]) {
        self.taken().clients.retain(|_, client| client.user.as_ref().is_none_or(|user| !users.contains(user)));
    }

    /// Closes all connections.
    pub(super) fn close_all(&self) {
        let mut taken = self.taken();
        taken.waiting.clear();
        taken.clients.clear();
    }
}

impl Taken {
    /// The connection that must make room for a new one from this address.
    fn in_the_way(&self, address: IpAddr, limits: Limits) -> Option<u64> {
        let addresses = by_address(self.waiting.iter().map(|(number, (address, _))| (*number, *address)));
        match addresses.get(&address) {
            Some((count, oldest)) if *count >= limits.waiting_of_address => Some(*oldest),
            _ if self.waiting.len() < limits.waiting => None,
            _ => oldest_of_most(&addresses),
        }
    }
}

/// How many connections each address has, and which one is the oldest.
fn by_address(connections: impl Iterator<Item = (u64, IpAddr)>) -> BTreeMap<IpAddr, (usize, u64)> {
    let mut addresses = BTreeMap::new();
    for (number, address) in connections {
        addresses.entry(address).or_insert((0, number)).0 += 1;
    }
    addresses
}

/// The oldest connection of the address that has most; among addresses with equally many, the one that has waited longest.
fn oldest_of_most(addresses: &BTreeMap<IpAddr, (usize, u64)>) -> Option<u64> {
    addresses.values().max_by_key(|(count, oldest)| (*count, u64::MAX - oldest)).map(|(_, oldest)| *oldest)
}

impl Place {
    /// Whether the connection has logged in.
    pub(super) fn is_logged_in(&self) -> bool {
        self.logged_in.load(Ordering::Relaxed)
    }

    /// Notes that the client does not read as fast as messages come, or that it does again. If too many do not, one must leave.
    pub(super) fn falls_behind(&self, is_behind: bool) {
        let mut taken = self.places.taken();
        let Some(client) = taken.clients.get(&self.number).filter(|client| client.class == Class::Reader) else { return };
        let address = client.address;
        if !is_behind {
            taken.behind.remove(&self.number);
            return;
        }
        taken.behind.insert(self.number, address);
        if taken.behind.len() > MAX_BEHIND
            && let Some(slowest) = oldest_of_most(&by_address(taken.behind.iter().map(|(number, address)| (*number, *address))))
        {
            taken.behind.remove(&slowest);
            taken.clients.remove(&slowest);
        }
    }

    /// Whether the connection still has its place, and need not end.
    pub(super) fn is_there(&self) -> bool {
        self.places.taken().clients.contains_key(&self.number)
    }

    /// Makes the connection a client of this user. Returns false if there is no place for a client.
    pub(super) fn log_in(&self, user: Option<&str>, class: Class) -> bool {
        let mut taken = self.places.taken();
        let limits = self.places.limits;
        // If it has just been told to close, its place is gone.
        let Some((address, _)) = taken.waiting.get(&self.number) else { return false };
        let count = |is_counted: &dyn Fn(&Client) -> bool| taken.clients.values().filter(|client| is_counted(client)).count();
        let of_user = || count(&|client| client.user.as_deref() == user);
        // All pages of this machine's own server have its address, and are counted there.
        let of_address = || count(&|client| client.user.as_deref() == user && client.address == *address);
        let readers = || count(&|client| client.class == Class::Reader);
        let is_full = taken.clients.len() >= limits.clients
            || (user.is_some() && of_user() >= limits.clients_of_user)
            || (class == Class::Reader && readers() >= limits.readers)
            || (class != Class::Daemon && !address.is_loopback() && of_address() >= limits.clients_of_address);
        if is_full {
            return false;
        }
        let Some((address, close)) = taken.waiting.remove(&self.number) else { return false };
        taken.clients.insert(self.number, Client { user: user.map(str::to_owned), class, address, _close: close });
        self.logged_in.store(true, Ordering::Relaxed);
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.waiting.remove(&self.number);
        taken.clients.remove(&self.number);
        taken.behind.remove(&self.number);
        if taken.leaving.remove(&self.number) {
            self.places.leaving.send_replace(taken.leaving.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Arc<Places> {
        Places::new(Limits::for_descriptors(4096))
    }

    #[test]
    fn there_are_fewer_places_where_there_are_few_descriptors() {
        let table = [
            (0, [2, 1, 2, 1, 1, 0]),
            (64, [8, 4, 24, 12, 12, 18]),
            (256, [48, 24, 144, 72, 64, 108]),
            (1024, [192, 32, 576, 288, 64, 432]),
            (4096, [256, 32, 1000, 500, 64, 750]),
            (usize::MAX, [256, 32, 1000, 500, 64, 750]),
        ];
        for (descriptors, [waiting, waiting_of_address, clients, clients_of_user, clients_of_address, readers]) in table {
            let limits = Limits { waiting, waiting_of_address, clients, clients_of_user, clients_of_address, readers };
            assert_eq!(Limits::for_descriptors(descriptors), limits, "{descriptors}");
        }
    }

    fn address(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn one_address_cannot_take_the_places_of_others() {
        let (places, refusals) = (places(), Refusals::default());
        let enter = |last| places.enter(address(last), &refusals);
        let mut arbiter = enter(1);
        let mut flood: Vec<_> = (0..2_000).map(|_| enter(2)).collect();
        let states: Vec<_> = flood.iter_mut().map(|(_, closed)| closed.try_recv()).collect();
        let open = states.iter().filter(|state| **state == Err(oneshot::error::TryRecvError::Empty));
        assert_eq!(open.count(), MAX_WAITING_OF_ADDRESS);
        assert_eq!(arbiter.1.try_recv(), Err(oneshot::error::TryRecvError::Empty));
        assert!(arbiter.0.log_in(Some("anna"), Class::Commander) && arbiter.0.is_logged_in());
    }

    #[test]
    fn many_addresses_together_are_bounded_and_the_one_with_most_makes_room() {
        let (places, refusals) = (places(), Refusals::default());
        let mut of_many: Vec<_> = (0..MAX_WAITING_OF_ADDRESS).map(|_| places.enter(address(0), &refusals)).collect();
        let others: Vec<_> = (1..=224).map(|last| places.enter(address(last), &refusals)).collect();
        assert_eq!(places.taken().waiting.len(), MAX_WAITING);
        let newest = places.enter(address(250), &refusals);
        assert_eq!(places.taken().waiting.len(), MAX_WAITING);
        assert_eq!(of_many[0].1.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        drop((others, newest, of_many));
        assert!(places.taken().waiting.is_empty());
    }

    #[test]
    fn one_user_cannot_take_all_places_of_clients() {
        let (places, refusals) = (places(), Refusals::default());
        let log_in = |from: IpAddr, user, class| {
            let (place, closed) = places.enter(from, &refusals);
            place.log_in(user, class).then_some((place, closed))
        };
        let here = IpAddr::from([127, 0, 0, 1]);
        let fill = |from, user, class| std::iter::from_fn(|| log_in(from, Some(user), class)).collect::<Vec<_>>();
        let screens = fill(address(1), "screen", Class::Reader);
        assert_eq!(screens.len(), MAX_CLIENTS_OF_ADDRESS, "from one address");
        let pages = fill(here, "screen", Class::Reader);
        assert_eq!(screens.len() + pages.len(), MAX_CLIENTS / 2, "pages of this machine's server");
        let walls = fill(here, "wall", Class::Reader);
        assert_eq!(screens.len() + pages.len() + walls.len(), MAX_CLIENTS / 4 * 3, "all that only read");
        let anna = log_in(address(1), Some("anna"), Class::Commander).expect("a place for a role");
        let others: Vec<_> = std::iter::from_fn(|| log_in(here, None, Class::Anybody)).collect();
        assert_eq!(MAX_CLIENTS / 4 * 3 + 1 + others.len(), MAX_CLIENTS);
        drop(anna);
        let (_, mut closed) = log_in(address(1), Some("anna"), Class::Commander).expect("the place is free again");
        places.close_users(&["anna".to_owned()]);
        assert_eq!(closed.try_recv(), Err(oneshot::error::TryRecvError::Closed));
    }

    #[test]
    fn few_clients_may_be_behind_and_the_address_with_most_makes_room() {
        let (places, refusals) = (places(), Refusals::default());
        let log_in = |last, user, class| {
            let (place, closed) = places.enter(address(last), &refusals);
            assert!(place.log_in(Some(user), class));
            (place, closed)
        };
        let honest = log_in(1, "wall", Class::Reader);
        let anna = log_in(2, "anna", Class::Commander);
        let slow: Vec<_> = (0..40).map(|_| log_in(2, "wall", Class::Reader)).collect();
        for (place, _) in [&honest, &anna].into_iter().chain(&slow) {
            place.falls_behind(true);
        }
        let there = slow.iter().map(|(place, _)| place.is_there()).collect::<Vec<_>>();
        assert_eq!(there, [vec![false; 40 - MAX_BEHIND + 1], vec![true; MAX_BEHIND - 1]].concat(), "the oldest leave");
        assert!(honest.0.is_there() && anna.0.is_there());
        slow[39].0.falls_behind(false);
        assert_eq!(places.taken().behind.len(), MAX_BEHIND - 1);
        drop((honest, slow));
        assert_eq!(places.taken().behind.len(), 0);
    }
}
