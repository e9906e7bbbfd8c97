//! Implements an inbox: a queue with limited room. Many threads write to it, and one owner reads it: a task of the scheduler, or a
//! thread. An owner that hangs can be replaced by another one.
//!
//! An owner is woken only after the lock is free: one that is woken while the lock is held would go to sleep again.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::scheduler::Scheduler;

/// The largest number of items in an inbox. A board at 9600 baud needs more than a minute to fill it.
pub(super) const CAPACITY: usize = 1024;

/// The number of places that are kept free for writers that must not wait.
const RESERVED: usize = 64;

/// The result of [`Inbox::pop`] and [`Inbox::take`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Popped<T> {
    /// The next item.
    Item(T),
    /// No item waits.
    TimedOut,
    /// This owner has been replaced, or the inbox was closed and is empty.
    Closed,
}

/// A bounded queue with a single owner at a time, which reads it.
pub(super) struct Inbox<T> {
    inner: Mutex<Inner<T>>,
    /// Wakes an owner that is a thread.
    filled: Condvar,
}

struct Inner<T> {
    items: VecDeque<T>,
    closed: bool,
    /// The number of the current owner.
    owner: u64,
    /// The owner's task; none if the owner is a thread.
    task: Option<(Arc<Scheduler>, u64)>,
    /// The owner sleeps.
    sleeps: bool,
    /// How often a writer found no room.
    full: u64,
}

impl<T> Default for Inbox<T> {
    fn default() -> Inbox<T> {
        Inbox {
            inner: Mutex::new(Inner { items: VecDeque::new(), closed: false, owner: 0, task: None, sleeps: false, full: 0 }),
            filled: Condvar::new(),
        }
    }
}

impl<T> Inbox<T> {
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        // No code that can panic runs under the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the owner if it sleeps. An owner that is awake finds the item by itself and is not worth a system call.
    fn wake_owner(&self, mut inner: MutexGuard<'_, Inner<T>>) {
        if !std::mem::take(&mut inner.sleeps) {
            return;
        }
        let task = inner.task.clone();
        drop(inner);
        match task {
            Some((scheduler, task)) => scheduler.wake(task),
            None => self.filled.notify_all(),
        }
    }

    /// Adds an item if there is room, for writers that must not wait. Returns false if there is no room or the inbox is closed.
    pub(super) fn offer(&self, item: T) -> bool {
        let mut inner = self.lock();
        if inner.closed || inner.items.len() >= CAPACITY {
            inner.full += u64::from(!inner.closed);
            return false;
        }
        inner.items.push_back(item);
        self.wake_owner(inner);
        true
    }

    /// Adds an item if there is room beside the reserve, for a writer that tries again later. Returns true also if the inbox is
    /// closed.
    pub(super) fn offer_or_closed(&self, item: T) -> bool {
        let mut inner = self.lock();
        if inner.closed {
            return true;
        }
        if inner.items.len() >= CAPACITY - RESERVED {
            inner.full += 1;
            return false;
        }
        inner.items.push_back(item);
        self.wake_owner(inner);
        true
    }

    /// Adds an item behind all others and never waits, for writers that have at most one item in the inbox each.
    pub(super) fn push_unbounded(&self, item: T) {
        let mut inner = self.lock();
        inner.items.push_back(item);
        self.wake_owner(inner);
    }

    /// Discards all items, which are not needed any more.
    pub(super) fn clear(&self) {
        self.lock().items.clear();
    }

    /// Adds an item before all others and never waits, for an answer that the owner waits for. At most one item of each kind
    /// waits.
    pub(super) fn push_urgent(&self, item: T) {
        let mut inner = self.lock();
        inner.items.push_front(item);
        self.wake_owner(inner);
    }

    /// Returns the next item if there is one, for a task.
    pub(super) fn take(&self, owner: u64) -> Popped<T> {
        let inner = self.lock();
        if inner.owner != owner {
            return Popped::Closed;
        }
        match self.pop_locked(inner, |_| true) {
            Ok(item) => Popped::Item(item),
            Err(true) => Popped::Closed,
            Err(false) => Popped::TimedOut,
        }
    }

    /// The task of this owner has nothing more to do; the next item wakes it. Returns false if there is an item already, or if
    /// the owner must end.
    pub(super) fn rest(&self, owner: u64) -> bool {
        let mut inner = self.lock();
        if inner.owner != owner {
            return false;
        }
        inner.sleeps = inner.items.is_empty() && !inner.closed;
        inner.sleeps
    }

    /// Waits for the next item and returns it. `owner` is the number from [`Inbox::replace_owner`].
    pub(super) fn pop(&self, owner: u64) -> Popped<T> {
        // This is evaluated at every wake-up; the owner sleeps again if no item came.
        let blocked = |inner: &mut Inner<T>| {
            let blocked = inner.items.is_empty() && !inner.closed && inner.owner == owner;
            inner.sleeps |= blocked;
            blocked
        };
        let mut inner = self.filled.wait_while(self.lock(), blocked).unwrap_or_else(PoisonError::into_inner);
        inner.sleeps &= inner.owner != owner;
        drop(inner);
        self.take(owner)
    }

    /// Returns the next item if it is there already and is `wanted`.
    pub(super) fn pop_if(&self, owner: u64, wanted: impl FnOnce(&T) -> bool) -> Option<T> {
        let inner = self.lock();
        if inner.owner == owner { self.pop_locked(inner, wanted).ok() } else { None }
    }

    /// Returns the least of what `read` finds in the waiting items.
    pub(super) fn least<R: Ord>(&self, read: impl FnMut(&T) -> Option<R>) -> Option<R> {
        self.lock().items.iter().filter_map(read).min()
    }

    /// Returns the first item; if there is none, whether the inbox is closed.
    fn pop_locked(&self, mut inner: MutexGuard<'_, Inner<T>>, wanted: impl FnOnce(&T) -> bool) -> Result<T, bool> {
        let closed = inner.closed;
        inner.items.pop_front_if(|item| wanted(item)).ok_or(closed)
    }

    /// Makes a new owner and returns its number. `task` is its task; none if the owner is a thread. The owner before has ended or
    /// hangs, and reads nothing more.
    pub(super) fn replace_owner(&self, task: Option<(Arc<Scheduler>, u64)>) -> u64 {
        let mut inner = self.lock();
        inner.owner += 1;
        let owner = inner.owner;
        (inner.task, inner.sleeps) = (task, false);
        drop(inner);
        self.filled.notify_all();
        owner
    }

    /// Whether nothing waits, and this owner need not end.
    pub(super) fn is_idle(&self, owner: u64) -> bool {
        let inner = self.lock();
        inner.items.is_empty() && !inner.closed && inner.owner == owner
    }

    /// Whether this owner has not been replaced.
    pub(super) fn is_current_owner(&self, owner: u64) -> bool {
        self.lock().owner == owner
    }

    /// Closes the inbox. Items that are there are still read.
    pub(super) fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        self.wake_owner(inner);
    }

    /// How often a writer found no room.
    pub(super) fn full_count(&self) -> u64 {
        self.lock().full
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts an owner that waits for one item.
    fn asleep(inbox: &Arc<Inbox<u32>>, owner: u64) -> std::thread::JoinHandle<Popped<u32>> {
        let own = Arc::clone(inbox);
        let sleeper = std::thread::Builder::new().spawn(move || own.pop(owner));
        while !inbox.lock().sleeps {
            std::thread::yield_now();
        }
        sleeper.expect("a thread")
    }

    #[test]
    fn a_sleeping_owner_is_woken_and_what_is_urgent_comes_first() {
        let inbox = Arc::new(Inbox::default());
        let owner = inbox.replace_owner(None);
        let sleeper = asleep(&inbox, owner);
        inbox.push_urgent(1);
        assert_eq!(sleeper.join().expect("no panic"), Popped::Item(1));
        assert!(inbox.offer(3));
        inbox.push_urgent(2);
        assert_eq!([0, 1].map(|_| inbox.pop(owner)), [Popped::Item(2), Popped::Item(3)]);
    }

    #[test]
    fn an_item_is_taken_only_if_it_is_wanted_and_by_the_current_owner() {
        let inbox = Arc::new(Inbox::default());
        let owner = inbox.replace_owner(None);
        assert!(inbox.offer(2));
        assert!(inbox.offer(3));
        assert_eq!([2, 3, 4].map(|most| inbox.least(|item| (*item >= most).then_some(*item))), [Some(2), Some(3), None]);
        assert_eq!(inbox.pop_if(owner, |item| *item == 1), None);
        assert_eq!(inbox.pop_if(owner + 1, |_| true), None);
        assert_eq!(inbox.pop_if(owner, |item| *item == 2), Some(2));
    }

    #[test]
    fn a_full_inbox_refuses_an_offer() {
        let inbox = Inbox::default();
        assert!((0..CAPACITY).all(|item| inbox.offer(item)));
        assert!(!inbox.offer(0));
        assert_eq!(inbox.full_count(), 1);
    }

    #[test]
    fn a_replaced_owner_does_not_keep_the_new_one_asleep() {
        let inbox: Inbox<u32> = Inbox::default();
        let first = inbox.replace_owner(None);
        let second = inbox.replace_owner(None);
        assert!(inbox.rest(second));
        assert!(!inbox.rest(first));
        assert!(inbox.lock().sleeps, "the next item would not wake the owner");
    }

    #[test]
    fn a_replaced_owner_reads_nothing_more() {
        let inbox = Inbox::default();
        let first = inbox.replace_owner(None);
        assert!(inbox.offer(1));
        let second = inbox.replace_owner(None);
        assert_eq!(inbox.pop(first), Popped::Closed);
        assert_eq!(inbox.pop(second), Popped::Item(1));
        assert_eq!(inbox.take(second), Popped::TimedOut);
        inbox.close();
        assert_eq!((inbox.pop(second), inbox.offer(2)), (Popped::Closed, false));
    }
}
