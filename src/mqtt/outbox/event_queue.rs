//! Keeps the events of one board for one audience, in order, with the number up to which they are acknowledged.

use std::collections::VecDeque;
use std::time::Duration;

use super::Event;
use crate::system_clock::MonotonicTime;

/// The time after which an unanswered request for events is repeated.
const PATIENCE: Duration = Duration::from_secs(30);
/// The time after which a journal that could not be read is read again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Events in order of their numbers: those under way, then those that wait, then those that are in the journal only.
pub(super) struct EventQueue {
    /// Everything up to here is acknowledged.
    cursor: u64,
    /// The number that is stored next.
    tail: u64,
    /// The last number in the journal.
    last: u64,
    /// Events below `tail`. The first one is behind the cursor or, after a rewind, before it.
    queue: VecDeque<Slot>,
    /// How many events at the front of the queue are sent.
    sent: usize,
    /// Changes when sent events must be sent again.
    pass: u32,
    request: Request,
    /// The last number at the beginning of the connection.
    birth_end: u64,
}

struct Slot {
    event: Event,
    acked: bool,
}

/// The request to the journal.
#[derive(Clone, Copy)]
enum Request {
    No,
    /// The journal had events up to `upto` then. The answer to a stale request is ignored.
    Open {
        upto: u64,
        since: MonotonicTime,
        stale: bool,
    },
    Failed,
    Later(MonotonicTime),
}

impl EventQueue {
    pub(super) fn new(acked: u64, last: u64) -> EventQueue {
        let last = last.max(acked);
        let queue = VecDeque::new();
        EventQueue { cursor: acked, tail: acked + 1, last, queue, sent: 0, pass: 0, request: Request::No, birth_end: last }
    }

    pub(super) fn stored(&self) -> usize {
        self.queue.len()
    }

    /// How many events are not acknowledged.
    pub(super) fn waiting(&self) -> u64 {
        self.last - self.cursor
    }

    /// The last number that was published, or that the journal has.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    pub(super) fn push(&mut self, event: Event, room: usize) {
        let next = event.number == self.tail;
        self.last = self.last.max(event.number);
        if next && self.queue.len() < room {
            self.tail += 1;
            self.queue.push_back(Slot { event, acked: false });
        }
    }

    /// The number from which events must be read back, once half of the queue has drained.
    pub(super) fn next_refill(&mut self, now: MonotonicTime, room: usize) -> Option<u64> {
        if self.tail > self.last || self.queue.len() > room / 2 {
            return None;
        }
        match self.request {
            Request::Open { since, .. } if now.since(since) < PATIENCE => return None,
            Request::Later(at) if now < at => return None,
            Request::Failed => {
                self.request = Request::Later(now.after(RETRY_AFTER));
                return None;
            }
            _ => {}
        }
        self.request = Request::Open { upto: self.last, since: now, stale: false };
        Some(self.tail)
    }

    /// Adds events from the journal. Returns how many numbers the journal no longer has.
    pub(super) fn refilled(&mut self, events: Vec<Event>, end: bool, room: usize) -> u64 {
        let Request::Open { upto, stale, .. } = self.request else { return 0 };
        let nothing = events.is_empty() && !end;
        self.request = if nothing && !stale { Request::Failed } else { Request::No };
        if stale {
            return 0;
        }
        let mut missing = 0;
        // Events that the station has not published yet may still wait for the disk.
        for event in events.into_iter().take_while(|event| event.number <= upto) {
            if event.number < self.tail {
                continue;
            }
            if self.queue.len() >= room {
                return missing;
            }
            missing += event.number - self.tail;
            self.tail = event.number + 1;
            self.queue.push_back(Slot { event, acked: false });
        }
        if end && self.tail <= upto {
            missing += upto + 1 - self.tail;
            self.tail = upto + 1;
            self.advance_cursor();
        }
        missing
    }

    pub(super) fn rewind(&mut self, from: u64) {
        if from >= self.tail {
            return;
        }
        // Events that are not acknowledged are never skipped.
        self.tail = from.clamp(1, self.cursor + 1);
        self.queue.clear();
        self.sent = 0;
        self.pass = self.pass.wrapping_add(1);
        if let Request::Open { stale, .. } = &mut self.request {
            *stale = true;
        }
    }

    /// Returns the next event to be sent, and the pass that it is sent in.
    pub(super) fn next_event(&mut self) -> Option<(&Event, u32)> {
        let slot = self.queue.get(self.sent)?;
        self.sent += 1;
        Some((&slot.event, self.pass))
    }

    pub(super) fn has_next(&self) -> bool {
        self.sent < self.queue.len()
    }

    /// Notes an acknowledgement. Returns the cursor if it moved.
    pub(super) fn acknowledge(&mut self, number: u64, pass: u32) -> Option<u64> {
        let before = self.cursor;
        if pass == self.pass {
            if let Ok(place) = self.queue.binary_search_by_key(&number, |slot| slot.event.number) {
                self.queue[place].acked = true;
            }
            while self.queue.front().is_some_and(|slot| slot.acked) {
                self.queue.pop_front();
                self.sent -= 1;
            }
            self.advance_cursor();
        } else if number == self.cursor + 1 {
            // The event was sent before the rewind: it counts if no event before it is open.
            self.cursor = number;
        }
        (self.cursor > before).then_some(self.cursor)
    }

    /// Moves the cursor: everything before the first stored event is acknowledged or lost.
    fn advance_cursor(&mut self) {
        let first = self.queue.front().map_or(self.tail, |slot| slot.event.number);
        self.cursor = self.cursor.max(first - 1);
    }

    /// Marks all sent events to be sent again.
    pub(super) fn mark_all_unsent(&mut self) {
        self.sent = 0;
        self.pass = self.pass.wrapping_add(1);
        self.queue.iter_mut().for_each(|slot| slot.acked = false);
    }

    /// Notes that later events are not part of the birth.
    pub(super) fn mark_birth_end(&mut self) {
        self.birth_end = self.last;
    }

    /// Whether an event of the birth is not sent yet.
    pub(super) fn is_behind_birth(&self) -> bool {
        self.queue.get(self.sent).map_or(self.tail, |slot| slot.event.number) <= self.birth_end
    }
}
