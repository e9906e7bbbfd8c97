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

/// The largest number of connections that have not logged in.
const MAX_WAITING: usize = 256;
/// The largest number of these from one address.
const MAX_WAITING_OF_ADDRESS: usize = 32;
/// The largest number of clients at the same time. A hall has far fewer screens and arbiters.
const MAX_CLIENTS: usize = 1_000;
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
}

impl Limits {
    /// The limits for a process that may have this number of file descriptors open. A quarter is left for boards and journals.
    pub(super) fn for_descriptors(descriptors: usize) -> Limits {
        let ours = descriptors.saturating_sub((descriptors / 4).max(RESERVED));
        let waiting = (ours / 4).clamp(2, MAX_WAITING);
        let clients = ours.saturating_sub(waiting).clamp(2, MAX_CLIENTS);
        let waiting_of_address = (waiting / 2).min(MAX_WAITING_OF_ADDRESS);
        Limits { waiting, waiting_of_address, clients, clients_of_user: clients / 2 }
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
    clients: BTreeMap<u64, (Option<String>, Close)>,
    /// Connections that made room for others and still have their sockets.
    leaving: BTreeSet<u64>,
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
        self.taken().clients.retain(|_, (user, _)| user.as_ref().is_none_or(|user| !users.contains(user)));
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
        let mut addresses: BTreeMap<IpAddr, (usize, u64)> = BTreeMap::new();
        for (number, (address, _)) in &self.waiting {
            addresses.entry(*address).or_insert((0, *number)).0 += 1;
        }
        match addresses.get(&address) {
            Some((count, oldest)) if *count >= limits.waiting_of_address => Some(*oldest),
            _ if self.waiting.len() < limits.waiting => None,
            // Among addresses with equally many, the one that has waited longest.
            _ => addresses.values().max_by_key(|(count, oldest)| (*count, u64::MAX - oldest)).map(|(_, oldest)| *oldest),
        }
    }
}

impl Place {
    /// Whether the connection has logged in.
    pub(super) fn is_logged_in(&self) -> bool {
        self.logged_in.load(Ordering::Relaxed)
    }

    /// Makes the connection a client of this user. Returns false if there is no place for a client.
    pub(super) fn log_in(&self, user: Option<&str>) -> bool {
        let mut taken = self.places.taken();
        let of_user = || taken.clients.values().filter(|(other, _)| other.as_deref() == user).count();
        let limits = self.places.limits;
        if taken.clients.len() >= limits.clients || (user.is_some() && of_user() >= limits.clients_of_user) {
            return false;
        }
        // If it has just been told to close, its place is gone.
        let Some((_, close)) = taken.waiting.remove(&self.number) else { return false };
        taken.clients.insert(self.number, (user.map(str::to_owned), close));
        self.logged_in.store(true, Ordering::Relaxed);
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.taken();
        taken.waiting.remove(&self.number);
        taken.clients.remove(&self.number);
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
            (0, [2, 1, 2, 1]),
            (64, [8, 4, 24, 12]),
            (256, [48, 24, 144, 72]),
            (1024, [192, 32, 576, 288]),
            (4096, [256, 32, 1000, 500]),
            (usize::MAX, [256, 32, 1000, 500]),
        ];
        for (descriptors, [waiting, waiting_of_address, clients, clients_of_user]) in table {
            let limits = Limits { waiting, waiting_of_address, clients, clients_of_user };
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
        assert!(arbiter.0.log_in(Some("anna")) && arbiter.0.is_logged_in());
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
        let log_in = |user| {
            let (place, closed) = places.enter(address(1), &refusals);
            place.log_in(user).then_some((place, closed))
        };
        let screens: Vec<_> = std::iter::from_fn(|| log_in(Some("screen"))).collect();
        assert_eq!(screens.len(), MAX_CLIENTS / 2);
        let anna = log_in(Some("anna")).expect("a place");
        let others: Vec<_> = std::iter::from_fn(|| log_in(None)).collect();
        assert_eq!(screens.len() + 1 + others.len(), MAX_CLIENTS);
        drop(anna);
        let (_, mut closed) = log_in(Some("anna")).expect("the place is free again");
        places.close_users(&["anna".to_owned()]);
        assert_eq!(closed.try_recv(), Err(oneshot::error::TryRecvError::Closed));
    }
}
