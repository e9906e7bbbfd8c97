//! What waits to be published: states that replace each other, and events from a cursor.
//!
//! Stations put in, the network takes out. Nobody waits longer than for the lock, nothing here is a network or a clock, and
//! memory does not grow while the broker is away: of states the last one is kept, of events at most [`EVENTS_PER_QUEUE`] of each line;
//! later ones are in the journal and come back by [`Outbox::refills`] and [`Outbox::refilled`] as the line drains.
//!
//! A line is the events of one board for one audience, in order. Its cursor is the last number up to which the broker has
//! acknowledged everything; after a lost connection a line goes on behind its cursor. Nothing relies on what an MQTT client
//! keeps (`wire/README.md#10`).

mod event_queue;
mod queues;
mod states;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flagfall_protocols::trace::Audience;
use tokio::sync::Notify;

use self::queues::OutboxQueues;
use crate::system_clock::MonotonicTime;

/// Events of one line that are held in memory at most.
pub const EVENTS_PER_QUEUE: usize = 256;
/// Events of all lines in memory; above it a line holds [`GUARANTEED_EVENTS`] at most.
pub const EVENTS: usize = 4096;
/// Events that every line may hold, however many others wait.
pub const GUARANTEED_EVENTS: usize = 16;
/// Publications that are sent and not acknowledged, at most.
pub const WINDOW: usize = 32;
/// Replies that wait; the oldest of whoever has most is dropped for another.
pub const REPLIES: usize = 256;
/// Replies to one user that wait; the oldest is dropped for another.
pub const REPLIES_EACH: usize = 32;
/// Topics with a retained state, deleted ones that the broker does not yet know of included.
pub const STATES: usize = 16_384;
/// How long a birth waits for old events before the node is said to be ready.
pub const BIRTH: Duration = Duration::from_secs(30);

/// A board in the outbox, as [`Outbox::add_board`] named it.
pub type BoardNo = usize;

/// One publication that is under way, until it is acknowledged or the connection is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// MQTT's quality of service; "exactly once" adds nothing here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// QoS 0.
    AtMostOnce,
    /// QoS 1.
    AtLeastOnce,
}

/// A numbered event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Who may see it.
    pub audience: Audience,
    /// Its number in the board's series for this audience, from 1.
    pub number: u64,
    /// Where it goes.
    pub topic: String,
    /// JSON.
    pub payload: String,
}

/// A retained state: it replaces what was kept under its topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    /// Where it goes.
    pub topic: String,
    /// JSON; empty deletes.
    pub payload: String,
    /// Whether the broker must acknowledge it.
    pub quality: Quality,
    /// The broker forgets it after this time; none = never.
    pub expiry: Option<Duration>,
}

/// What a board gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxItem {
    /// As with [`Outbox::publish_event`].
    Event(Event),
    /// As with [`Outbox::publish_board_state`].
    Retained(Retained),
}

/// A message that is sent once and not retained: the answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ephemeral {
    /// Where it goes.
    pub topic: String,
    /// JSON.
    pub payload: String,
    /// What the asker gave to know its answer by.
    pub correlation: Option<Vec<u8>>,
    /// After this time nobody wants it any more, here or at the broker.
    pub expiry: Duration,
}

/// One message for the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// What to acknowledge it by.
    pub ticket: Ticket,
    /// Where it goes.
    pub topic: String,
    /// JSON.
    pub payload: String,
    /// Whether the broker acknowledges it.
    pub quality: Quality,
    /// It stays at the broker until replaced.
    pub retain: bool,
    /// The broker forgets it after this time.
    pub expiry: Option<Duration>,
    /// What the asker gave to know its answer by.
    pub correlation: Option<Vec<u8>>,
}

/// What [`Outbox::take_next`] gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// To be sent now.
    Publication(Publication),
    /// Everything there was at the beginning of the connection is sent.
    BirthOver,
}

/// Events that the outbox wants from the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refill {
    /// Of which board.
    pub board: BoardNo,
    /// For which audience.
    pub audience: Audience,
    /// From this number on.
    pub from: u64,
}

/// A cursor that moved: everything up to `number` is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Of which board.
    pub board: BoardNo,
    /// For which audience.
    pub audience: Audience,
    /// The cursor now.
    pub number: u64,
}

/// Counters since the start, and how much waits now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Replies and states that found no room, and replies that nobody wanted any more.
    pub dropped: u64,
    /// Publications that the broker refused.
    pub refused: u64,
    /// Numbers that the journal no longer has.
    pub missing: u64,
    /// Events behind their cursors that are not acknowledged, in memory or in the journal, with states and replies.
    pub waiting: u64,
    /// Events in memory.
    pub stored: usize,
    /// Publications under way.
    pub flying: usize,
}

/// Everything that waits to be published, shared between stations and the network.
pub struct Outbox {
    queues: Mutex<OutboxQueues>,
    changed: Notify,
}

impl Outbox {
    /// An empty one, not connected.
    #[allow(clippy::new_ret_no_self, reason = "it is only ever shared")]
    pub fn new() -> Arc<Outbox> {
        Arc::new(Outbox { queues: Mutex::new(OutboxQueues::default()), changed: Notify::new() })
    }

    fn lock(&self) -> MutexGuard<'_, OutboxQueues> {
        // Nothing in here is left half done by a panic that could not be worked with.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new board. By audience, in the order of [`Audience::ALL`]: the number up to which the broker has everything, and the
    /// last number in the journal; what is between is asked for.
    pub fn add_board(&self, acked: [u64; 3], last: [u64; 3]) -> BoardNo {
        let board = self.lock().add_board(acked, last);
        self.changed.notify_one();
        board
    }

    /// The next event of a board and audience. It must be in the journal already: if there is no room, it is read from there.
    pub fn publish_event(&self, board: BoardNo, event: Event) {
        self.publish_items(board, [OutboxItem::Event(event)]);
    }

    /// Several of a board's things, in order; the network is woken once for all of them.
    pub fn publish_items(&self, board: BoardNo, items: impl IntoIterator<Item = OutboxItem>) {
        let mut queues = self.lock();
        for item in items {
            match item {
                OutboxItem::Event(event) => queues.push_event(board, event),
                OutboxItem::Retained(retained) => queues.retain(Some(board), retained),
            }
        }
        drop(queues);
        self.changed.notify_one();
    }

    /// A state of the node or of a device.
    pub fn publish_retained(&self, retained: Retained) {
        self.lock().retain(None, retained);
        self.changed.notify_one();
    }

    /// A state of a board: not sent while the board is held.
    pub fn publish_board_state(&self, board: BoardNo, retained: Retained) {
        self.publish_items(board, [OutboxItem::Retained(retained)]);
    }

    /// A reply.
    pub fn publish_ephemeral(&self, message: Ephemeral) {
        self.lock().push_ephemeral(message);
        self.changed.notify_one();
    }

    /// Sends the events of a line again from this number on; its cursor does not move. From the journal.
    pub fn rewind(&self, board: BoardNo, audience: Audience, from: u64) {
        self.lock().rewind(board, audience, from);
        self.changed.notify_one();
    }

    /// The answer to a [`Refill`]: the line's events from the asked number on, in order, as many as the answerer likes; those
    /// for which there is no room are asked for again. `end` = the journal holds no more than these now: what is missing is
    /// lost and stepped over. Nothing and no end = it could not be read, ask again later. Every request is to be answered.
    pub fn refilled(&self, board: BoardNo, audience: Audience, events: Vec<Event>, end: bool) {
        self.lock().refilled(board, audience, events, end);
        self.changed.notify_one();
    }

    /// Holds a board back, or lets it go: events and states given with [`Outbox::publish_board_state`] wait.
    pub fn hold(&self, board: BoardNo, held: bool) {
        self.lock().hold(board, held);
        self.changed.notify_one();
    }

    /// How much was lost, refused, and waits.
    pub fn counters(&self) -> Counters {
        self.lock().counters()
    }

    /// Returns when something changed since it last returned. For one waiting task.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// A connection is there, with room for this many unacknowledged publications: states are sent as they are now, then
    /// events from the cursors, then [`Taken::BirthOver`].
    pub fn connected(&self, now: MonotonicTime, window: usize) {
        self.lock().connected(now, window);
        self.changed.notify_one();
    }

    /// The connection is gone, and every ticket with it.
    pub fn disconnected(&self) {
        self.lock().disconnected();
    }

    /// A state of the node that goes before everything else in this connection and is not sent again in another.
    pub fn publish_urgent(&self, topic: String, payload: String) {
        self.lock().push_urgent(topic, payload);
        self.changed.notify_one();
    }

    /// What to send next; none while nothing waits, too much is under way, or nothing is connected.
    pub fn take_next(&self, now: MonotonicTime) -> Option<Taken> {
        self.lock().take_next(now)
    }

    /// The broker has it, or, at QoS 0, it was sent. Unknown tickets are those of a lost connection.
    pub fn acknowledged(&self, ticket: Ticket) -> Option<Moved> {
        self.lock().acknowledged(ticket)
    }

    /// The broker does not want it: counted, and as good as acknowledged.
    pub fn refused(&self, ticket: Ticket) -> Option<Moved> {
        self.lock().refused(ticket)
    }

    /// What is to be read from the journal; at most one request of a line is open.
    pub fn refills(&self, now: MonotonicTime) -> Vec<Refill> {
        self.lock().refills(now)
    }

    /// Drops replies that nobody wants any more. To be called about once a second, connected or not.
    pub fn sweep(&self, now: MonotonicTime) {
        self.lock().sweep(now);
    }

    /// Nothing waits that could be sent, nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }
}
