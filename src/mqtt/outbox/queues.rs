//! Chooses the message that is sent next: urgent messages first; then replies and other messages alternate; among the others,
//! states and events have equal shares of the bytes, so that moves, which are small events, go first; alarms and rulings go before other
//! states; boards follow in turn.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use flagfall_protocols::trace::Audience;

use super::event_queue::EventQueue;
use super::states::{States, Version};
use super::{
    BIRTH, BoardNo, Counters, EVENTS, EVENTS_PER_QUEUE, Ephemeral, Event, GUARANTEED_EVENTS, IN_FLIGHT, Moved, Publication,
    Quality, REPLIES, REPLIES_EACH, Refill, Retained, Taken, Ticket,
};
use crate::system_clock::MonotonicTime;

/// The time for which the broker keeps an event for subscribers that are away (`wire/README.md#3`).
const EVENT_EXPIRY: Duration = Duration::from_secs(3600);
/// The largest number of urgent states that wait. They report the life cycle of this node.
const URGENT: usize = 8;

/// All messages that wait. The outbox keeps this value behind a lock.
#[derive(Default)]
pub(super) struct OutboxQueues {
    boards: Vec<BoardQueue>,
    states: States,
    replies: VecDeque<Reply>,
    urgent: VecDeque<(String, String)>,
    /// What is not acknowledged, with its size in bytes.
    flights: BTreeMap<Ticket, (Flight, usize)>,
    /// The sum of these sizes.
    in_flight: usize,
    tickets: u64,
    /// The largest number of publications that are not acknowledged; 0 = not connected.
    window: usize,
    /// The latest end of this connection's birth; none = it is over.
    birth: Option<MonotonicTime>,
    /// The board whose events come next.
    turn: usize,
    /// Whether a reply came last, in the turns of replies and the rest.
    reply_last: bool,
    /// The bytes of states that were sent without as many bytes of events, or the other way if it is negative.
    lead: isize,
    stored: usize,
    dropped: u64,
    refused: u64,
    missing: u64,
}

struct BoardQueue {
    queues: [EventQueue; 3],
    /// The audience whose events come next.
    turn: usize,
    held: bool,
}

struct Reply {
    message: Ephemeral,
    /// When it was first seen by a call that knows the time.
    since: Option<MonotonicTime>,
}

enum Flight {
    Urgent,
    State(Version),
    Reply(Reply),
    Event { board: BoardNo, audience: usize, number: u64, pass: u32 },
}

impl Reply {
    /// The user that it is for: its topic without the client.
    fn user(&self) -> &str {
        self.message.topic.rsplit_once('/').map_or(self.message.topic.as_str(), |(user, _)| user)
    }

    fn time_left(&self, now: MonotonicTime) -> Duration {
        self.message.expiry.saturating_sub(now.since(self.since.unwrap_or(now)))
    }
}

impl OutboxQueues {
    pub(super) fn add_board(&mut self, acked: [u64; 3], last: [u64; 3]) -> BoardNo {
        let queues = [0, 1, 2].map(|audience| EventQueue::new(acked[audience], last[audience]));
        self.boards.push(BoardQueue { queues, turn: 0, held: false });
        self.boards.len() - 1
    }

    /// How many events a queue may hold now.
    fn room(&self) -> usize {
        if self.stored < EVENTS { EVENTS_PER_QUEUE } else { GUARANTEED_EVENTS }
    }

    /// Applies a function to an event queue, and updates the number of stored events.
    fn with_event_queue<T>(
        &mut self,
        board: BoardNo,
        audience: usize,
        act: impl FnOnce(&mut EventQueue, usize) -> T,
    ) -> Option<T> {
        let room = self.room();
        let event_queue = &mut self.boards.get_mut(board)?.queues[audience];
        let before = event_queue.stored();
        let done = act(event_queue, room);
        self.stored = self.stored + event_queue.stored() - before;
        Some(done)
    }

    pub(super) fn push_event(&mut self, board: BoardNo, event: Event) {
        self.with_event_queue(board, event.audience as usize, |event_queue, room| event_queue.push(event, room));
    }

    pub(super) fn rewind(&mut self, board: BoardNo, audience: Audience, from: u64) {
        self.with_event_queue(board, audience as usize, |event_queue, _| event_queue.rewind(from));
    }

    pub(super) fn last_numbers(&self, board: BoardNo) -> [u64; 3] {
        self.boards.get(board).map_or([0; 3], |board| [0, 1, 2].map(|audience| board.queues[audience].last()))
    }

    pub(super) fn refilled(&mut self, board: BoardNo, audience: Audience, events: Vec<Event>, end: bool) {
        let missing =
            self.with_event_queue(board, audience as usize, |event_queue, room| event_queue.refilled(events, end, room));
        self.missing += missing.unwrap_or(0);
    }

    pub(super) fn retain(&mut self, board: Option<BoardNo>, retained: Retained) {
        if !self.states.retain(board, retained) {
            self.dropped += 1;
        }
    }

    pub(super) fn retain_once(&mut self, board: Option<BoardNo>, retained: Retained) {
        if !self.states.retain_once(board, retained) {
            self.dropped += 1;
        }
    }

    pub(super) fn held_topics(&self, prefix: &str) -> Vec<String> {
        self.states.held_topics(prefix)
    }

    pub(super) fn push_ephemeral(&mut self, message: Ephemeral) {
        self.replies.push_back(Reply { message, since: None });
        self.bound_replies();
    }

    /// Drops the oldest reply of a user with too many, or, if there are too many in all, of the user with most.
    fn bound_replies(&mut self) {
        loop {
            let mut waiting = BTreeMap::<&str, usize>::new();
            self.replies.iter().for_each(|reply| *waiting.entry(reply.user()).or_default() += 1);
            let most = waiting.into_iter().max_by_key(|(_, count)| *count);
            let Some((user, count)) = most else { return };
            if count <= REPLIES_EACH && self.replies.len() <= REPLIES {
                return;
            }
            let oldest = self.replies.iter().position(|reply| reply.user() == user);
            oldest.and_then(|oldest| self.replies.remove(oldest));
            self.dropped += 1;
        }
    }

    pub(super) fn hold(&mut self, board: BoardNo, held: bool) {
        if let Some(board) = self.boards.get_mut(board) {
            board.held = held;
        }
    }

    pub(super) fn push_urgent(&mut self, topic: String, payload: String) {
        if self.urgent.len() < URGENT {
            self.urgent.push_back((topic, payload));
        }
    }

    pub(super) fn counters(&self) -> Counters {
        let queues = self.boards.iter().flat_map(|board| &board.queues);
        let waiting = queues.map(EventQueue::waiting).sum::<u64>() + (self.states.waiting() + self.replies.len()) as u64;
        let (stored, flying) = (self.stored, self.flights.len());
        Counters { dropped: self.dropped, refused: self.refused, missing: self.missing, waiting, stored, flying }
    }

    pub(super) fn connected(&mut self, now: MonotonicTime, window: usize) {
        self.disconnected();
        self.window = window;
        self.birth = Some(now.after(BIRTH));
        self.mark_birth_end();
    }

    pub(super) fn mark_birth_end(&mut self) {
        self.boards.iter_mut().flat_map(|board| &mut board.queues).for_each(EventQueue::mark_birth_end);
    }

    pub(super) fn disconnected(&mut self) {
        (self.window, self.in_flight) = (0, 0);
        self.urgent.clear();
        self.states.mark_all_unsent();
        self.boards.iter_mut().flat_map(|board| &mut board.queues).for_each(EventQueue::mark_all_unsent);
        // Replies go back to the front in the order in which they were sent.
        for flight in std::mem::take(&mut self.flights).into_values().rev() {
            if let (Flight::Reply(reply), _) = flight {
                self.replies.push_front(reply);
            }
        }
        self.bound_replies();
    }

    pub(super) fn sweep(&mut self, now: MonotonicTime) {
        let before = self.replies.len();
        self.replies.iter_mut().for_each(|reply| _ = reply.since.get_or_insert(now));
        self.replies.retain(|reply| !reply.time_left(now).is_zero());
        self.dropped += (before - self.replies.len()) as u64;
    }

    pub(super) fn refills(&mut self, now: MonotonicTime) -> Vec<Refill> {
        let mut wanted = Vec::new();
        if self.window == 0 {
            return wanted;
        }
        let room = self.room();
        for (number, board) in self.boards.iter_mut().enumerate().filter(|(_, board)| !board.held) {
            for (event_queue, audience) in board.queues.iter_mut().zip(Audience::ALL) {
                wanted.extend(event_queue.next_refill(now, room).map(|from| Refill { board: number, audience, from }));
            }
        }
        wanted
    }

    pub(super) fn take_next(&mut self, now: MonotonicTime) -> Option<Taken> {
        if self.flights.len() >= self.window || self.in_flight >= IN_FLIGHT {
            return None;
        }
        if let Some((topic, payload)) = self.urgent.pop_front() {
            let retained = Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None };
            return Some(self.start_flight(Flight::Urgent, publication_of_state(retained)));
        }
        self.sweep(now);
        let reply = if self.reply_last { None } else { self.next_reply(now) };
        if reply.is_some() {
            return reply;
        }
        self.reply_last = false;
        self.next_state_or_event(now).or_else(|| self.next_reply(now))
    }

    fn next_reply(&mut self, now: MonotonicTime) -> Option<Taken> {
        let reply = self.replies.pop_front()?;
        self.reply_last = true;
        let publication = publication_of_reply(&reply, now);
        Some(self.start_flight(Flight::Reply(reply), publication))
    }

    fn next_state_or_event(&mut self, now: MonotonicTime) -> Option<Taken> {
        if self.birth.is_some_and(|until| now >= until || self.is_born()) {
            self.birth = None;
            return Some(Taken::BirthOver);
        }
        let fresh = self.birth.is_some() && self.states.has_fresh(|board| self.is_held(board));
        if fresh || self.lead < 0 {
            self.next_state().or_else(|| self.next_event())
        } else {
            self.next_event().or_else(|| self.next_state())
        }
    }

    /// Whether everything that waited at the beginning of the connection is sent, for boards that are not held.
    fn is_born(&self) -> bool {
        let mut queues = self.boards.iter().filter(|board| !board.held).flat_map(|board| &board.queues);
        !self.states.has_fresh(|board| self.is_held(board)) && !queues.any(EventQueue::is_behind_birth)
    }

    fn is_held(&self, board: BoardNo) -> bool {
        self.boards.get(board).is_some_and(|board| board.held)
    }

    fn next_state(&mut self) -> Option<Taken> {
        let held = |board: BoardNo| self.boards.get(board).is_some_and(|board| board.held);
        let (version, retained) = self.states.next_state(held, self.birth.is_some())?;
        let publication = publication_of_state(retained);
        self.balance(size(&publication).cast_signed());
        Some(self.start_flight(Flight::State(version), publication))
    }

    fn next_event(&mut self) -> Option<Taken> {
        let count = self.boards.len();
        let (turn, boards) = (self.turn, &self.boards);
        let ready = |board: &usize| !boards[*board].held && boards[*board].queues.iter().any(EventQueue::has_next);
        let number = (turn..turn + count).map(|board| board % count).find(ready)?;
        let board = &mut self.boards[number];
        let audience = (board.turn..board.turn + 3).map(|place| place % 3).find(|place| board.queues[*place].has_next())?;
        let (event, pass) = board.queues[audience].next_event()?;
        let flight = Flight::Event { board: number, audience, number: event.number, pass };
        let publication = publication_of_event(event);
        board.turn = (audience + 1) % 3;
        self.turn = number + 1;
        self.balance(-size(&publication).cast_signed());
        Some(self.start_flight(flight, publication))
    }

    /// Notes bytes of states, or the negative number of bytes of events. Nobody is owed more than fits into a window.
    fn balance(&mut self, bytes: isize) {
        self.lead = (self.lead + bytes).clamp(-IN_FLIGHT.cast_signed(), IN_FLIGHT.cast_signed());
    }

    fn start_flight(&mut self, flight: Flight, mut publication: Publication) -> Taken {
        self.tickets += 1;
        publication.ticket = Ticket(self.tickets);
        let size = size(&publication);
        self.in_flight += size;
        self.flights.insert(publication.ticket, (flight, size));
        Taken::Publication(publication)
    }

    fn end_flight(&mut self, ticket: Ticket) -> Option<Flight> {
        let (flight, size) = self.flights.remove(&ticket)?;
        self.in_flight -= size;
        Some(flight)
    }

    pub(super) fn acknowledged(&mut self, ticket: Ticket) -> Option<Moved> {
        match self.end_flight(ticket)? {
            Flight::Urgent | Flight::Reply(_) => None,
            Flight::State(version) => {
                self.states.acknowledge(version);
                None
            }
            Flight::Event { board, audience, number, pass } => {
                let cursor = self.with_event_queue(board, audience, |event_queue, _| event_queue.acknowledge(number, pass))??;
                Some(Moved { board, audience: Audience::ALL[audience], number: cursor })
            }
        }
    }

    pub(super) fn refused(&mut self, ticket: Ticket) -> Option<Moved> {
        self.refused += u64::from(self.flights.contains_key(&ticket));
        self.acknowledged(ticket)
    }

    pub(super) fn send_again(&mut self, ticket: Ticket) -> bool {
        if !matches!(self.flights.get(&ticket), Some((Flight::State(_), _))) {
            return false;
        }
        let Some(Flight::State(version)) = self.end_flight(ticket) else { return false };
        self.states.send_again(version);
        true
    }

    pub(super) fn is_idle(&self) -> bool {
        let mut queues = self.boards.iter().filter(|board| !board.held).flat_map(|board| &board.queues);
        let quiet = self.urgent.is_empty() && self.replies.is_empty() && self.flights.is_empty();
        quiet && !self.states.has_next(|board| self.is_held(board)) && !queues.any(|event_queue| event_queue.waiting() > 0)
    }
}

/// The bytes of a publication on the line, without the few of its head.
fn size(publication: &Publication) -> usize {
    publication.topic.len() + publication.payload.len()
}

fn publication_of_state(retained: Retained) -> Publication {
    let Retained { topic, payload, quality, expiry } = retained;
    Publication { ticket: Ticket(0), topic, payload, quality, retain: true, expiry, correlation: None }
}

fn publication_of_reply(reply: &Reply, now: MonotonicTime) -> Publication {
    let Ephemeral { topic, payload, correlation, .. } = reply.message.clone();
    let (quality, expiry) = (Quality::AtLeastOnce, Some(reply.time_left(now)));
    Publication { ticket: Ticket(0), topic, payload, quality, retain: false, expiry, correlation }
}

fn publication_of_event(event: &Event) -> Publication {
    let (topic, payload) = (event.topic.clone(), event.payload.clone());
    let (quality, expiry) = (Quality::AtLeastOnce, Some(EVENT_EXPIRY));
    Publication { ticket: Ticket(0), topic, payload, quality, retain: false, expiry, correlation: None }
}
