//! A node that publishes: an MQTT session with a runtime of its own and a journal in memory.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use flagfall::config::{Fleet, Mqtt};
use flagfall::mqtt::outbox::{BoardNo, Event, Outbox, Quality, Retained};
use flagfall::mqtt::{Arrived, ConnectionState, Hooks, Identity, ReconnectDelays, Settings, run};
use flagfall::publish::shorten;
use flagfall::random;
use flagfall_protocols::trace::Audience;
use tokio::sync::watch;

use super::{thread, wait_for};

/// One call of a hook by the session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SessionReport {
    Acked(u64),
    Command(Arrived),
    Connection(ConnectionState),
    Foreign(String, String, bool),
    Refused(String, Option<String>),
}

/// A node `n1` that serves board `b1` of round 5 of `open26`; it stops when it is dropped.
pub(crate) struct Node {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) board: BoardNo,
    pub(crate) reports: Receiver<SessionReport>,
    /// The last number in the journal.
    journal: Arc<Mutex<u64>>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

/// The event for arbiters with this number.
pub(crate) fn event(number: u64) -> Event {
    let topic = "flagfall/1/arbiter/open26/5/b1/audit".to_owned();
    Event { audience: Audience::Arbiter, number, topic, payload: format!(r#"{{"no":{number}}}"#) }
}

/// Settings for a broker at this port of loopback.
pub(crate) fn settings(port: u16, more: impl FnOnce(&mut Mqtt)) -> Settings {
    let mut mqtt = Mqtt { port: Some(port), ..Mqtt::default() };
    more(&mut mqtt);
    let identity = Identity::read(&mqtt, "n1").unwrap_or_else(|error| panic!("{error}"));
    let [root, node, event, round] = ["flagfall", "n1", "open26", "5"].map(str::to_owned);
    Settings {
        identity,
        client_file: None,
        root,
        node,
        event,
        round,
        boards: vec!["b1".to_owned()],
        fleet: Fleet::default(),
        former: Vec::new(),
        reconnect: ReconnectDelays::default(),
    }
}

impl Node {
    /// A node with an empty journal.
    pub(crate) fn start(port: u16) -> Node {
        Node::with(settings(port, |_| ()), 1, 0)
    }

    /// A node with this number of events in its journal; `boot` is in its status.
    pub(crate) fn with(settings: Settings, boot: u32, events: u64) -> Node {
        Node::prepared(settings, boot, events, |_, _| ())
    }

    /// Like [`Node::with`]; `prepare` fills the outbox before the node connects.
    pub(crate) fn prepared(settings: Settings, boot: u32, events: u64, prepare: impl FnOnce(&Outbox, BoardNo)) -> Node {
        Node::opening(settings, boot, events, prepare, Arc::default())
    }

    /// Like [`Node::prepared`]; at this number of looks the board still reads its journal.
    pub(crate) fn opening(
        settings: Settings,
        boot: u32,
        events: u64,
        prepare: impl FnOnce(&Outbox, BoardNo),
        looks: Arc<AtomicU32>,
    ) -> Node {
        let outbox = Outbox::new();
        let board = outbox.add_board([0; 3], [events, 0, 0]);
        prepare(&outbox, board);
        let journal = Arc::new(Mutex::new(events));
        let run_id = random::hex(random::UNGUESSABLE).expect("random bytes");
        let (stop, stopped) = watch::channel(false);
        let (sender, reports) = sync_channel(100_000);
        let new_sender = || sender.clone();
        let (acked, command, connection, foreign) = (new_sender(), new_sender(), new_sender(), new_sender());
        let refused = new_sender();
        let report = |to: &std::sync::mpsc::SyncSender<SessionReport>, report| to.try_send(report).unwrap_or_default();
        let (filled, entries) = (outbox.clone(), journal.clone());
        let (held, removing) = (outbox.clone(), outbox.clone());
        let hooks = Hooks {
            acked: Box::new(move |_, _, number| report(&acked, SessionReport::Acked(number))),
            refill: Box::new(move |board, audience, from| {
                let last = *entries.lock().expect("the journal");
                let to = last.min(from + 99);
                filled.refilled(board, audience, (from..=to).map(event).collect(), to == last);
            }),
            command: Box::new(move |arrived| report(&command, SessionReport::Command(arrived))),
            connection: Box::new(move |state| report(&connection, SessionReport::Connection(state.clone()))),
            foreign: Box::new(move |id, node, live| {
                held.hold(board, live);
                report(&foreign, SessionReport::Foreign(id.to_owned(), node.to_owned(), live));
            }),
            retained: Box::new(move |_, topic| {
                let deletion =
                    Retained { topic: topic.to_owned(), payload: String::new(), quality: Quality::AtLeastOnce, expiry: None };
                removing.publish_once(Some(board), deletion);
            }),
            later_start: Box::new(|_| ()),
            refused: Box::new(move |topic, cause| {
                report(&refused, SessionReport::Refused(topic.to_owned(), cause.map(str::to_owned)));
            }),
            opening: Box::new(move || {
                looks.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
            }),
            shorten: Box::new(shorten),
            status: Box::new(move |state| {
                let body = format!(r#"{{"state":"{state}","run":"{run_id}"}}"#);
                format!(r#"{{"v":"1.0","type":"node.status","node":"n1","boot":{boot},"body":{body}}}"#)
            }),
        };
        let shared = outbox.clone();
        let thread = thread("node", move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(run(settings, shared, hooks, stopped))
        });
        Node { outbox, board, reports, journal, stop, thread: Some(thread) }
    }

    /// Adds this number of events.
    pub(crate) fn add_events(&self, count: u64) {
        for _ in 0..count {
            let mut last = self.journal.lock().expect("the journal");
            *last += 1;
            self.outbox.publish_event(self.board, event(*last));
        }
    }

    /// Publishes a retained state of the node or of a device.
    pub(crate) fn keep_state(&self, topic: &str, payload: &str) {
        let (topic, payload) = (topic.to_owned(), payload.to_owned());
        self.outbox.publish_retained(Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    }

    pub(crate) fn wait<T>(&self, what: &str, want: impl FnMut(SessionReport) -> Option<T>) -> T {
        wait_for(&self.reports, what, want)
    }

    /// Returns when the node is ready.
    pub(crate) fn wait_until_ready(&self) {
        self.wait("ready", |report| matches!(report, SessionReport::Connection(state) if state.ready).then_some(()));
    }

    /// Returns why there is no connection.
    pub(crate) fn wait_until_down(&self) -> ConnectionState {
        self.wait("a lost connection", |report| match report {
            SessionReport::Connection(state) if !state.up => Some(state),
            _ => None,
        })
    }

    /// Stops the session, and returns when it has ended.
    pub(crate) fn stop(mut self) {
        _ = self.stop.send(true);
        self.thread.take().expect("it runs").join().expect("no panic");
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        _ = self.stop.send(true);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}
