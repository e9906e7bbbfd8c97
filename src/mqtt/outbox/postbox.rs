//! What goes next: urgent, then replies and the rest in turn, of the rest states and events in turn, boards in turn.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use flagfall_protocols::trace::Audience;

use super::line::Line;
use super::states::{States, Version};
use super::{
    BIRTH, BoardNo, Counters, EVENTS, Event, FEW, Kept, LINE, Moved, Once, Publication, Quality, REPLIES, REPLIES_EACH, Refill,
    Taken, Ticket,
};
use crate::system_clock::MonotonicTime;

/// The broker keeps an event for subscribers that are away (`wire/README.md#3`).
const EVENT_EXPIRY: Duration = Duration::from_secs(3600);
/// Urgent states that wait at most; they are the node's own life cycle.
const URGENT: usize = 8;

/// All that waits, without the lock.
#[derive(Default)]
pub(super) struct Postbox {
    boards: Vec<Board>,
    states: States,
    replies: VecDeque<Reply>,
    urgent: VecDeque<(String, String)>,
    flights: BTreeMap<Ticket, Flight>,
    tickets: u64,
    /// Publications under way at most; 0 = not connected.
    window: usize,
    /// Until when the birth of this connection may last; none = it is over.
    birth: Option<MonotonicTime>,
    /// The board whose events come next.
    turn: usize,
    /// A reply was the last one of replies and the rest.
    reply_last: bool,
    /// A state was the last one of states and events.
    state_last: bool,
    stored: usize,
    dropped: u64,
    refused: u64,
    missing: u64,
}

struct Board {
    lines: [Line; 3],
    /// The audience whose events come next.
    turn: usize,
    held: bool,
}

struct Reply {
    once: Once,
    /// When it was first seen by somebody with a clock.
    since: Option<MonotonicTime>,
}

enum Flight {
    Urgent,
    State(Version),
    Reply(Reply),
    Event { board: BoardNo, audience: usize, number: u64, pass: u32 },
}

impl Reply {
    /// Whose it is: its topic without the client.
    fn whose(&self) -> &str {
        self.once.topic.rsplit_once('/').map_or(self.once.topic.as_str(), |(user, _)| user)
    }

    fn left(&self, now: MonotonicTime) -> Duration {
        self.once.expiry.saturating_sub(now.since(self.since.unwrap_or(now)))
    }
}

fn place(audience: Audience) -> usize {
    match audience {
        Audience::Arbiter => 0,
        Audience::Live => 1,
        Audience::Public => 2,
    }
}

impl Postbox {
    pub(super) fn add_board(&mut self, acked: [u64; 3], last: [u64; 3]) -> BoardNo {
        let lines = [0, 1, 2].map(|audience| Line::new(acked[audience], last[audience]));
        self.boards.push(Board { lines, turn: 0, held: false });
        self.boards.len() - 1
    }

    /// How many events a line may hold now.
    fn room(&self) -> usize {
        if self.stored < EVENTS { LINE } else { FEW }
    }

    /// Does something to a line and counts what it then holds.
    fn with_line<T>(&mut self, board: BoardNo, audience: usize, act: impl FnOnce(&mut Line, usize) -> T) -> Option<T> {
        let room = self.room();
        let line = &mut self.boards.get_mut(board)?.lines[audience];
        let before = line.stored();
        let done = act(line, room);
        self.stored = self.stored + line.stored() - before;
        Some(done)
    }

    pub(super) fn event(&mut self, board: BoardNo, event: Event) {
        self.with_line(board, place(event.audience), |line, room| line.push(event, room));
    }

    pub(super) fn rewind(&mut self, board: BoardNo, audience: Audience, from: u64) {
        self.with_line(board, place(audience), |line, _| line.rewind(from));
    }

    pub(super) fn refilled(&mut self, board: BoardNo, audience: Audience, events: Vec<Event>, end: bool) {
        let missing = self.with_line(board, place(audience), |line, room| line.refilled(events, end, room));
        self.missing += missing.unwrap_or(0);
    }

    pub(super) fn keep(&mut self, board: Option<BoardNo>, kept: Kept) {
        if !self.states.keep(board, kept) {
            self.dropped += 1;
        }
    }

    pub(super) fn once(&mut self, once: Once) {
        self.replies.push_back(Reply { once, since: None });
        self.bound_replies();
    }

    /// Drops the oldest of whoever has too many, or, when there are too many in all, of whoever has most.
    fn bound_replies(&mut self) {
        loop {
            let mut waiting = BTreeMap::<&str, usize>::new();
            self.replies.iter().for_each(|reply| *waiting.entry(reply.whose()).or_default() += 1);
            let most = waiting.into_iter().max_by_key(|(_, count)| *count);
            let Some((whose, count)) = most else { return };
            if count <= REPLIES_EACH && self.replies.len() <= REPLIES {
                return;
            }
            let oldest = self.replies.iter().position(|reply| reply.whose() == whose);
            oldest.and_then(|oldest| self.replies.remove(oldest));
            self.dropped += 1;
        }
    }

    pub(super) fn hold(&mut self, board: BoardNo, held: bool) {
        if let Some(board) = self.boards.get_mut(board) {
            board.held = held;
        }
    }

    pub(super) fn urgent(&mut self, topic: String, payload: String) {
        if self.urgent.len() < URGENT {
            self.urgent.push_back((topic, payload));
        }
    }

    pub(super) fn counters(&self) -> Counters {
        let lines = self.boards.iter().flat_map(|board| &board.lines);
        let waiting = lines.map(Line::waiting).sum::<u64>() + (self.states.waiting() + self.replies.len()) as u64;
        let (stored, flying) = (self.stored, self.flights.len());
        Counters { dropped: self.dropped, refused: self.refused, missing: self.missing, waiting, stored, flying }
    }

    pub(super) fn connected(&mut self, now: MonotonicTime, window: usize) {
        self.disconnected();
        self.window = window;
        self.birth = Some(now.after(BIRTH));
        self.boards.iter_mut().flat_map(|board| &mut board.lines).for_each(Line::set_mark);
    }

    pub(super) fn disconnected(&mut self) {
        self.window = 0;
        self.urgent.clear();
        self.states.lost();
        self.boards.iter_mut().flat_map(|board| &mut board.lines).for_each(Line::lost);
        // Replies go back to the front in the order in which they were sent.
        for flight in std::mem::take(&mut self.flights).into_values().rev() {
            if let Flight::Reply(reply) = flight {
                self.replies.push_front(reply);
            }
        }
        self.bound_replies();
    }

    pub(super) fn sweep(&mut self, now: MonotonicTime) {
        let before = self.replies.len();
        self.replies.iter_mut().for_each(|reply| _ = reply.since.get_or_insert(now));
        self.replies.retain(|reply| !reply.left(now).is_zero());
        self.dropped += (before - self.replies.len()) as u64;
    }

    pub(super) fn refills(&mut self, now: MonotonicTime) -> Vec<Refill> {
        let mut wanted = Vec::new();
        if self.window == 0 {
            return wanted;
        }
        let room = self.room();
        for (number, board) in self.boards.iter_mut().enumerate().filter(|(_, board)| !board.held) {
            for (line, audience) in board.lines.iter_mut().zip(Audience::ALL) {
                wanted.extend(line.ask(now, room).map(|from| Refill { board: number, audience, from }));
            }
        }
        wanted
    }

    pub(super) fn take(&mut self, now: MonotonicTime) -> Option<Taken> {
        if self.flights.len() >= self.window {
            return None;
        }
        if let Some((topic, payload)) = self.urgent.pop_front() {
            let kept = Kept { topic, payload, quality: Quality::AtLeastOnce, expiry: None };
            return Some(self.fly(Flight::Urgent, of_state(kept)));
        }
        self.sweep(now);
        let reply = if self.reply_last { None } else { self.next_reply(now) };
        if reply.is_some() {
            return reply;
        }
        self.reply_last = false;
        self.rest(now).or_else(|| self.next_reply(now))
    }

    fn next_reply(&mut self, now: MonotonicTime) -> Option<Taken> {
        let reply = self.replies.pop_front()?;
        self.reply_last = true;
        let publication = of_reply(&reply, now);
        Some(self.fly(Flight::Reply(reply), publication))
    }

    fn rest(&mut self, now: MonotonicTime) -> Option<Taken> {
        if self.birth.is_some_and(|until| now >= until || self.is_born()) {
            self.birth = None;
            return Some(Taken::BirthOver);
        }
        let fresh = self.birth.is_some() && self.states.has_fresh(|board| self.is_held(board));
        if fresh || !self.state_last {
            self.state().or_else(|| self.next_event())
        } else {
            self.next_event().or_else(|| self.state())
        }
    }

    /// Everything there was at the beginning of the connection is sent, of boards that are not held.
    fn is_born(&self) -> bool {
        let mut lines = self.boards.iter().filter(|board| !board.held).flat_map(|board| &board.lines);
        !self.states.has_fresh(|board| self.is_held(board)) && !lines.any(Line::behind_mark)
    }

    fn is_held(&self, board: BoardNo) -> bool {
        self.boards.get(board).is_some_and(|board| board.held)
    }

    fn state(&mut self) -> Option<Taken> {
        let (version, kept) = self.states.next(|board| self.boards.get(board).is_some_and(|board| board.held))?;
        self.state_last = true;
        Some(self.fly(Flight::State(version), of_state(kept)))
    }

    fn next_event(&mut self) -> Option<Taken> {
        let count = self.boards.len();
        let (turn, boards) = (self.turn, &self.boards);
        let ready = |board: &usize| !boards[*board].held && boards[*board].lines.iter().any(Line::has_next);
        let number = (turn..turn + count).map(|board| board % count).find(ready)?;
        let board = &mut self.boards[number];
        let audience = (board.turn..board.turn + 3).map(|place| place % 3).find(|place| board.lines[*place].has_next())?;
        let (event, pass) = board.lines[audience].next()?;
        let flight = Flight::Event { board: number, audience, number: event.number, pass };
        let publication = of_event(event);
        board.turn = (audience + 1) % 3;
        self.turn = number + 1;
        self.state_last = false;
        Some(self.fly(flight, publication))
    }

    fn fly(&mut self, flight: Flight, mut publication: Publication) -> Taken {
        self.tickets += 1;
        publication.ticket = Ticket(self.tickets);
        self.flights.insert(publication.ticket, flight);
        Taken::Publication(publication)
    }

    pub(super) fn acknowledged(&mut self, ticket: Ticket) -> Option<Moved> {
        match self.flights.remove(&ticket)? {
            Flight::Urgent | Flight::Reply(_) => None,
            Flight::State(version) => {
                self.states.acked(version);
                None
            }
            Flight::Event { board, audience, number, pass } => {
                let cursor = self.with_line(board, audience, |line, _| line.acked(number, pass))??;
                Some(Moved { board, audience: Audience::ALL[audience], number: cursor })
            }
        }
    }

    pub(super) fn refused(&mut self, ticket: Ticket) -> Option<Moved> {
        self.refused += u64::from(self.flights.contains_key(&ticket));
        self.acknowledged(ticket)
    }

    pub(super) fn is_idle(&self) -> bool {
        let mut lines = self.boards.iter().filter(|board| !board.held).flat_map(|board| &board.lines);
        let quiet = self.urgent.is_empty() && self.replies.is_empty() && self.flights.is_empty();
        quiet && !self.states.has_next(|board| self.is_held(board)) && !lines.any(|line| line.waiting() > 0)
    }
}

fn of_state(kept: Kept) -> Publication {
    let Kept { topic, payload, quality, expiry } = kept;
    Publication { ticket: Ticket(0), topic, payload, quality, retain: true, expiry, correlation: None }
}

fn of_reply(reply: &Reply, now: MonotonicTime) -> Publication {
    let Once { topic, payload, correlation, .. } = reply.once.clone();
    let (quality, expiry) = (Quality::AtLeastOnce, Some(reply.left(now)));
    Publication { ticket: Ticket(0), topic, payload, quality, retain: false, expiry, correlation }
}

fn of_event(event: &Event) -> Publication {
    let (topic, payload) = (event.topic.clone(), event.payload.clone());
    let (quality, expiry) = (Quality::AtLeastOnce, Some(EVENT_EXPIRY));
    Publication { ticket: Ticket(0), topic, payload, quality, retain: false, expiry, correlation: None }
}
