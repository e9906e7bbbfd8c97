//! Holds the messages that wait to be published: the last version of each state, and the events that the broker has not
//! acknowledged.
//!
//! Stations add messages, and the network takes them. No call waits longer than for the lock, and nothing here uses a network or
//! a clock. Memory does not grow while the broker is away: the last version of each state is kept, and at most
//! [`EVENTS_PER_QUEUE`] events of each queue. Later events are in the journal and are read back by [`Outbox::refills`] and
//! [`Outbox::refilled`] when the queue has room again.
//!
//! An event queue holds the events of one board for one audience, in order. Its cursor is the last number up to which the broker
//! has acknowledged everything. After a lost connection the queue continues after its cursor. Nothing depends on what an MQTT
//! client stores (`wire/README.md#10`).

mod event_queue;
mod queues;
mod states;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use flagfall_protocols::trace::Audience;
use tokio::sync::Notify;

use self::queues::OutboxQueues;
use crate::system_clock::MonotonicTime;

/// The largest number of events of one queue in memory.
pub const EVENTS_PER_QUEUE: usize = 256;
/// The largest number of events of all queues in memory. Above it a queue holds [`GUARANTEED_EVENTS`] at most.
pub const EVENTS: usize = 4096;
/// The number of events that every queue may hold, however many events other queues hold.
pub const GUARANTEED_EVENTS: usize = 16;
/// The bytes of publications that may be sent and not yet acknowledged; a larger one is sent alone. They fill a line of 2 Mbit/s through a
/// round trip of 200 ms, and what is sent next waits for at most a quarter of a second behind them.
pub const IN_FLIGHT: usize = 64 << 10;
/// The largest number of replies that wait. If there are more, the oldest one of the user with most replies is dropped.
pub const REPLIES: usize = 256;
/// The largest number of replies that wait for one user. If there are more, the oldest one is dropped.
pub const REPLIES_EACH: usize = 32;
/// The largest number of topics with a retained state, including deleted ones whose deletion the broker has not acknowledged.
pub const STATES: usize = 65_536;
/// The time limit for sending old events at the beginning of a connection. After it the node is reported as ready.
pub const BIRTH: Duration = Duration::from_secs(30);

/// The number of a board in the outbox, from [`Outbox::add_board`].
pub type BoardNo = usize;

/// Identifies a publication that is under way, until it is acknowledged or the connection is lost.
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
    /// The audience that may see it.
    pub audience: Audience,
    /// Its number in the board's series for this audience, from 1.
    pub number: u64,
    /// The topic.
    pub topic: String,
    /// JSON.
    pub payload: String,
}

/// A retained state, which replaces the last one under its topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    /// The topic.
    pub topic: String,
    /// JSON, or the PGN of a board; an empty text deletes the state.
    pub payload: String,
    /// Whether the broker must acknowledge it.
    pub quality: Quality,
    /// The broker removes it after this time; none = never.
    pub expiry: Option<Duration>,
}

/// One message of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutboxItem {
    /// An event, as for [`Outbox::publish_event`].
    Event(Event),
    /// A state, as for [`Outbox::publish_board_state`].
    Retained(Retained),
}

/// A message that is sent once and not retained, such as the answer to a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ephemeral {
    /// The topic.
    pub topic: String,
    /// JSON.
    pub payload: String,
    /// The correlation data of the command, if it had any.
    pub correlation: Option<Vec<u8>>,
    /// After this time it is dropped, here and at the broker.
    pub expiry: Duration,
}

/// One message for the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// Identifies it in the acknowledgement.
    pub ticket: Ticket,
    /// The topic.
    pub topic: String,
    /// JSON.
    pub payload: String,
    /// Whether the broker acknowledges it.
    pub quality: Quality,
    /// Whether the broker keeps it until it is replaced.
    pub retain: bool,
    /// The broker removes it after this time.
    pub expiry: Option<Duration>,
    /// The correlation data of the command, if it had any.
    pub correlation: Option<Vec<u8>>,
}

/// The result of [`Outbox::take_next`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Taken {
    /// A publication to be sent now.
    Publication(Publication),
    /// Everything that waited at the beginning of the connection is sent.
    BirthOver,
}

/// Events that the outbox needs from the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refill {
    /// The board.
    pub board: BoardNo,
    /// The audience.
    pub audience: Audience,
    /// The first number.
    pub from: u64,
}

/// A cursor that moved: everything up to `number` is acknowledged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The board.
    pub board: BoardNo,
    /// The audience.
    pub audience: Audience,
    /// The new cursor.
    pub number: u64,
}

/// Counters since the start, and the number of messages that wait now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Replies and states that found no room, and replies that expired.
    pub dropped: u64,
    /// Publications that the broker refused.
    pub refused: u64,
    /// Events that the journal no longer has.
    pub missing: u64,
    /// Events that are not acknowledged, in memory or in the journal, together with states and replies.
    pub waiting: u64,
    /// Events in memory.
    pub stored: usize,
    /// Publications under way.
    pub flying: usize,
}

/// Everything that waits to be published, shared by stations and the network.
pub struct Outbox {
    queues: Mutex<OutboxQueues>,
    changed: Notify,
}

impl Outbox {
    /// Makes an empty outbox without a connection.
    #[allow(clippy::new_ret_no_self, reason = "it is only ever shared")]
    pub fn new() -> Arc<Outbox> {
        Arc::new(Outbox { queues: Mutex::new(OutboxQueues::default()), changed: Notify::new() })
    }

    fn lock(&self) -> MutexGuard<'_, OutboxQueues> {
        // A panic leaves no state in here that could not be used.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a board. The arguments hold for each audience, in the order of [`Audience::ALL`], the number up to which the broker
    /// has acknowledged everything, and the last number in the journal; the events between are requested from the journal.
    pub fn add_board(&self, acked: [u64; 3], last: [u64; 3]) -> BoardNo {
        let board = self.lock().add_board(acked, last);
        self.changed.notify_one();
        board
    }

    /// Publishes the next event of a board and audience. It must be in the journal already: if there is no room, it is read from
    /// there.
    pub fn publish_event(&self, board: BoardNo, event: Event) {
        self.publish_items(board, [OutboxItem::Event(event)]);
    }

    /// Publishes several messages of a board in order; the network is woken once for all of them.
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

    /// Publishes a state of the node or of a device.
    pub fn publish_retained(&self, retained: Retained) {
        self.lock().retain(None, retained);
        self.changed.notify_one();
    }

    /// Publishes a state of a board. It is not sent while the board is held.
    pub fn publish_board_state(&self, board: BoardNo, retained: Retained) {
        self.publish_items(board, [OutboxItem::Retained(retained)]);
    }

    /// Publishes a state, or its deletion, that nobody holds: it is sent once, and not again in another connection. It is not sent
    /// if a state of that topic is held here.
    pub fn publish_once(&self, board: Option<BoardNo>, retained: Retained) {
        self.lock().retain_once(board, retained);
        self.changed.notify_one();
    }

    /// The topics below this prefix with a state that is held here.
    pub fn held_topics(&self, prefix: &str) -> Vec<String> {
        self.lock().held_topics(prefix)
    }

    /// Publishes a reply.
    pub fn publish_ephemeral(&self, message: Ephemeral) {
        self.lock().push_ephemeral(message);
        self.changed.notify_one();
    }

    /// Sends the events of a queue again from the number `from` on, out of the journal. The cursor does not move.
    pub fn rewind(&self, board: BoardNo, audience: Audience, from: u64) {
        self.lock().rewind(board, audience, from);
        self.changed.notify_one();
    }

    /// The last number of each audience that this board has published here, in the order of [`Audience::ALL`].
    pub fn last_numbers(&self, board: BoardNo) -> [u64; 3] {
        self.lock().last_numbers(board)
    }

    /// Answers a [`Refill`] with the queue's events from the requested number on, in order and in any count; events for which
    /// there is no room are requested again. `end`: the journal holds no more than these now, so missing events are lost and
    /// skipped. No events and not the end means that the journal could not be read; the request is repeated later. Every request
    /// must be answered.
    pub fn refilled(&self, board: BoardNo, audience: Audience, events: Vec<Event>, end: bool) {
        self.lock().refilled(board, audience, events, end);
        self.changed.notify_one();
    }

    /// Holds a board back, or releases it. Events, and states from [`Outbox::publish_board_state`], wait while it is held.
    pub fn hold(&self, board: BoardNo, held: bool) {
        self.lock().hold(board, held);
        self.changed.notify_one();
    }

    /// How many messages were lost, were refused, and wait.
    pub fn counters(&self) -> Counters {
        self.lock().counters()
    }

    /// Waits until something has changed since the last return. Only one task may wait.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Begins a connection to a broker that takes `window` unacknowledged publications: current states are sent first, then events from
    /// the cursors, then [`Taken::BirthOver`].
    pub fn connected(&self, now: MonotonicTime, window: usize) {
        self.lock().connected(now, window);
        self.changed.notify_one();
    }

    /// What was published up to now is part of the connection's birth.
    pub fn mark_birth_end(&self) {
        self.lock().mark_birth_end();
    }

    /// Ends the connection. All tickets become invalid.
    pub fn disconnected(&self) {
        self.lock().disconnected();
    }

    /// Publishes a state of the node before everything else in this connection. It is not sent again in another one.
    pub fn publish_urgent(&self, topic: String, payload: String) {
        self.lock().push_urgent(topic, payload);
        self.changed.notify_one();
    }

    /// Takes the next message to be sent; none while nothing waits, too much is under way, or there is no connection.
    pub fn take_next(&self, now: MonotonicTime) -> Option<Taken> {
        self.lock().take_next(now)
    }

    /// Notes that the broker has acknowledged a publication, or, at QoS 0, that it was sent. Unknown tickets belong to a lost
    /// connection.
    pub fn acknowledged(&self, ticket: Ticket) -> Option<Moved> {
        self.lock().acknowledged(ticket)
    }

    /// Notes that the broker refused a publication. It is counted and then treated as acknowledged.
    pub fn refused(&self, ticket: Ticket) -> Option<Moved> {
        self.lock().refused(ticket)
    }

    /// The broker refused a state that can be sent again in a shorter form: it waits again. Returns false if it is no state.
    pub fn send_again(&self, ticket: Ticket) -> bool {
        self.lock().send_again(ticket)
    }

    /// Returns what must be read from the journal; each queue has at most one open request.
    pub fn refills(&self, now: MonotonicTime) -> Vec<Refill> {
        self.lock().refills(now)
    }

    /// Drops expired replies. Call it about once a second, connected or not.
    pub fn sweep(&self, now: MonotonicTime) {
        self.lock().sweep(now);
    }

    /// Whether nothing waits that could be sent, and nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }
}
