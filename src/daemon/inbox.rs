//! A station's bounded inbox: many write, one thread reads, and a thread that hangs can be replaced by another.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Items that wait in an inbox. At 9600 baud a board fills this in more than a minute.
pub(super) const CAPACITY: usize = 1024;

/// Room that is kept for those who must not wait.
const RESERVED: usize = 64;

/// What a reader gets.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Popped<T> {
    /// The next item.
    Item(T),
    /// Nothing came in time.
    TimedOut,
    /// This reader has been replaced, or the inbox was closed and is empty.
    Closed,
}

/// A bounded queue with a single reader at a time.
#[derive(Debug)]
pub(super) struct Inbox<T> {
    inner: Mutex<Inner<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Inner<T> {
    items: VecDeque<T>,
    closed: bool,
    /// The reader that may read.
    reader: u64,
    /// It sleeps.
    sleeps: bool,
    /// How often a writer found no room.
    full: u64,
}

impl<T> Default for Inbox<T> {
    fn default() -> Inbox<T> {
        Inbox {
            inner: Mutex::new(Inner { items: VecDeque::new(), closed: false, reader: 0, sleeps: false, full: 0 }),
            changed: Condvar::new(),
        }
    }
}

impl<T> Inbox<T> {
    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        // No code that can panic runs under the lock.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts an item in, and waits for room if there is none: for a link, whose bytes wait in the operating system meanwhile.
    /// False if the inbox is closed.
    pub(super) fn push(&self, item: T) -> bool {
        let mut inner = self.lock();
        if inner.items.len() >= CAPACITY - RESERVED {
            inner.full += 1;
        }
        while inner.items.len() >= CAPACITY - RESERVED && !inner.closed {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        if inner.closed {
            return false;
        }
        self.put(&mut inner, item);
        true
    }

    /// A reader that waits is told; one that does not finds the item by itself, and is not worth a call to the kernel.
    fn put(&self, inner: &mut Inner<T>, item: T) {
        inner.items.push_back(item);
        self.wake(inner);
    }

    fn wake(&self, inner: &mut Inner<T>) {
        if std::mem::take(&mut inner.sleeps) {
            self.changed.notify_all();
        }
    }

    /// Puts an item in if there is room: for whoever must not wait. False if there is none or the inbox is closed.
    pub(super) fn offer(&self, item: T) -> bool {
        let mut inner = self.lock();
        if inner.closed || inner.items.len() >= CAPACITY {
            inner.full += 1;
            return false;
        }
        self.put(&mut inner, item);
        true
    }

    /// Puts an item behind all others and never waits: for writers of which each has one item there at most.
    pub(super) fn always(&self, item: T) {
        self.put(&mut self.lock(), item);
    }

    /// Throws away what waits: nobody wants it any more.
    pub(super) fn clear(&self) {
        self.lock().items.clear();
        self.changed.notify_all();
    }

    /// Puts an item before all others and never waits: for what the reader has asked for, at most one of a kind.
    pub(super) fn urgent(&self, item: T) {
        let mut inner = self.lock();
        inner.items.push_front(item);
        self.wake(&mut inner);
    }

    /// The next item, waiting at most `wait` for it; without an end if there is none. `reader` is what [`Inbox::replace_reader`]
    /// gave.
    pub(super) fn pop(&self, reader: u64, wait: Option<Duration>) -> Popped<T> {
        let mut inner = self.lock();
        // Looked at with every waking: asleep again if nothing came.
        let blocked = |inner: &mut Inner<T>| {
            let blocked = inner.items.is_empty() && !inner.closed && inner.reader == reader;
            inner.sleeps |= blocked;
            blocked
        };
        inner = match wait {
            Some(wait) => self.changed.wait_timeout_while(inner, wait, blocked).unwrap_or_else(PoisonError::into_inner).0,
            None => self.changed.wait_while(inner, blocked).unwrap_or_else(PoisonError::into_inner),
        };
        if inner.reader != reader {
            return Popped::Closed;
        }
        inner.sleeps = false;
        match inner.items.pop_front() {
            Some(item) => {
                // Writers wait only for the first room.
                if inner.items.len() + 1 >= CAPACITY - RESERVED {
                    self.changed.notify_all();
                }
                Popped::Item(item)
            }
            None if inner.closed => Popped::Closed,
            None => Popped::TimedOut,
        }
    }

    /// From now on only the reader of this number reads: the one before has gone or hangs.
    pub(super) fn replace_reader(&self) -> u64 {
        let mut inner = self.lock();
        inner.reader += 1;
        self.changed.notify_all();
        inner.reader
    }

    /// Whether this reader still reads.
    pub(super) fn is_reader(&self, reader: u64) -> bool {
        self.lock().reader == reader
    }

    /// Nothing more comes; what is there is still read.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// How often a writer found no room.
    pub(super) fn full(&self) -> u64 {
        self.lock().full
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn items_keep_their_order_and_a_full_inbox_makes_the_writer_wait() {
        let inbox = Arc::new(Inbox::default());
        let reader = inbox.replace_reader();
        let writer = std::thread::Builder::new().spawn({
            let inbox = Arc::clone(&inbox);
            move || (0..CAPACITY as u32 * 3).all(|item| inbox.push(item))
        });
        let got: Vec<u32> = (0..CAPACITY * 3)
            .map(|_| match inbox.pop(reader, Some(Duration::from_secs(10))) {
                Popped::Item(item) => item,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(writer.expect("a thread").join().expect("no panic"));
        assert_eq!(got, (0..CAPACITY as u32 * 3).collect::<Vec<_>>());
    }

    #[test]
    fn a_writer_that_waits_for_room_is_woken() {
        let inbox = Arc::new(Inbox::default());
        let reader = inbox.replace_reader();
        let count = (CAPACITY - RESERVED) as u32 + 1;
        let writer = std::thread::Builder::new().spawn({
            let inbox = Arc::clone(&inbox);
            move || (0..count).all(|item| inbox.push(item))
        });
        while inbox.full() == 0 {
            std::thread::yield_now();
        }
        for item in 0..count {
            assert_eq!(inbox.pop(reader, Some(Duration::from_secs(10))), Popped::Item(item));
        }
        assert!(writer.expect("a thread").join().expect("no panic"));
    }

    #[test]
    fn a_sleeping_reader_is_woken_and_what_is_urgent_comes_first() {
        let inbox = Arc::new(Inbox::default());
        let reader = inbox.replace_reader();
        let sleeper = std::thread::Builder::new().spawn({
            let inbox = Arc::clone(&inbox);
            move || inbox.pop(reader, Some(Duration::from_secs(10)))
        });
        while !inbox.lock().sleeps {
            std::thread::yield_now();
        }
        inbox.urgent(1);
        assert_eq!(sleeper.expect("a thread").join().expect("no panic"), Popped::Item(1));
        assert!(inbox.offer(3));
        inbox.urgent(2);
        assert_eq!([0, 1].map(|_| inbox.pop(reader, None)), [Popped::Item(2), Popped::Item(3)]);
    }

    #[test]
    fn who_must_not_wait_is_told() {
        let inbox = Inbox::default();
        assert!((0..CAPACITY).all(|item| inbox.offer(item)));
        assert!(!inbox.offer(0));
        assert_eq!(inbox.full(), 1);
    }

    #[test]
    fn a_replaced_reader_reads_nothing_more() {
        let inbox = Inbox::default();
        let first = inbox.replace_reader();
        assert!(inbox.push(1));
        let second = inbox.replace_reader();
        assert_eq!(inbox.pop(first, None), Popped::Closed);
        assert_eq!(inbox.pop(second, None), Popped::Item(1));
        assert_eq!(inbox.pop(second, Some(Duration::ZERO)), Popped::TimedOut);
        inbox.close();
        assert_eq!((inbox.pop(second, None), inbox.push(2)), (Popped::Closed, false));
    }
}
