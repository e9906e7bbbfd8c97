//! A thief of the client id, and a second daemon with the same name, at a real mosquitto and at the embedded broker.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Publish;
use tokio::task::JoinHandle;

use crate::client::{Client, text};
use crate::support::mqtt::node::{event, settings};
use crate::support::mqtt::{Mosquitto, MosquittoSub, Node, PATIENCE, SessionReport};
use crate::support::seconds::{assert_within, is_strict};

/// The time between two events.
const EVENTS_EVERY: Duration = Duration::from_millis(20);
/// The time between two thefts.
const THEFT_EVERY: Duration = Duration::from_secs(1);
/// 90 % of all messages arrive within this time.
const ARRIVES_WITHIN: Duration = Duration::from_secs(2);

/// A part of mosquitto's log line for a connection of the node, whose keep-alive is that of no other client.
const NODE_IN_LOG: &str = "(p5, c0, k10)";

/// A client that reads everything, in a task of its own.
struct Spy {
    heard: Arc<Mutex<Vec<(MonotonicTime, Publish)>>>,
    task: JoinHandle<()>,
}

impl Spy {
    async fn new(broker: SocketAddr) -> Spy {
        let mut client = Client::plain(broker, "spy").await;
        client.subscribe("flagfall/#", QoS::AtLeastOnce).await;
        let heard: Arc<Mutex<Vec<(MonotonicTime, Publish)>>> = Arc::default();
        let theirs = Arc::clone(&heard);
        let task = tokio::spawn(async move {
            loop {
                let message = client.next().await;
                theirs.lock().expect("messages").push((monotonic(), message));
            }
        });
        Spy { heard, task }
    }

    fn heard(&self) -> Vec<(MonotonicTime, Publish)> {
        self.heard.lock().expect("messages").clone()
    }

    /// The client id of the last sender, which the embedded broker adds to every message.
    fn last_sender(&self) -> Option<String> {
        self.heard().iter().rev().find_map(|(_, message)| {
            let properties = message.properties.as_ref()?.user_properties.iter();
            properties.filter(|(key, _)| key == "x-mqtt-client-id").map(|(_, id)| id.clone()).next_back()
        })
    }
}

impl Drop for Spy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// How often the thief connects at least.
fn rounds() -> u64 {
    if is_strict() { 60 } else { 4 }
}

/// Events are published while a thief connects with the client id of the node, once a second: nothing is lost or late. Returns the
/// number of takeovers that the node knows of, and its client ids.
async fn publishes_in_spite_of_a_thief(broker: SocketAddr, mut client_id: impl FnMut(&Spy) -> String) -> (u64, BTreeSet<String>) {
    let spy = Spy::new(broker).await;
    let node = Node::start(broker.port());
    node.wait_until_ready();
    let (mut added, mut ids) = (Vec::new(), BTreeSet::new());
    let mut step = tokio::time::interval(EVENTS_EVERY);
    let mut thefts = 0;
    // On a slow machine the node may not be back yet at some thefts, which then hit only the thief before.
    while thefts < rounds() || ids.len() < 2 {
        assert!(thefts < rounds() + PATIENCE.as_secs() / THEFT_EVERY.as_secs(), "the node does not come back: {ids:?}");
        thefts += 1;
        let id = client_id(&spy);
        let _thief = Client::plain(broker, &id).await;
        ids.insert(id);
        let until = monotonic().after(THEFT_EVERY);
        while monotonic() < until {
            step.tick().await;
            added.push(monotonic());
            node.add_events(1);
        }
    }
    let last = added.len() as u64;
    let mut takeovers = 0;
    node.wait("the last event", |report| {
        if let SessionReport::Connection(state) = &report {
            assert!(!state.name_taken, "a thief is no second daemon");
            takeovers = state.takeovers;
        }
        (report == SessionReport::Acked(last)).then_some(())
    });
    let end = monotonic().after(PATIENCE);
    let arrived = |spy: &Spy| {
        let mut delays: Vec<Duration> = Vec::new();
        for (at, message) in spy.heard().iter().filter(|(_, message)| text(&message.topic) == event(1).topic) {
            if text(&message.payload) == event(delays.len() as u64 + 1).payload {
                delays.push(at.since(added[delays.len()]));
            }
        }
        delays
    };
    while arrived(&spy).len() < added.len() {
        assert!(monotonic() < end, "only {} of {last} events arrived in order", arrived(&spy).len());
        step.tick().await;
    }
    let mut delays = arrived(&spy);
    delays.sort();
    assert_within(delays[delays.len() * 9 / 10], ARRIVES_WITHIN, "90 % of the messages");
    let heard = spy.heard();
    let statuses = heard.iter().filter(|(_, message)| text(&message.topic) == "flagfall/1/node/n1/status");
    let statuses: Vec<String> = statuses.map(|(_, message)| text(&message.payload).to_owned()).collect();
    let later = statuses.iter().skip_while(|status| !status.contains("ready"));
    // A broker that does not report a takeover may as well have started anew.
    assert!(takeovers == 0 || !later.clone().any(|status| status.contains("init")), "readers see no birth: {statuses:?}");
    for (_, message) in heard {
        let shown = format!("{} {}", text(&message.topic), text(&message.payload));
        assert!(!ids.iter().any(|id| shown.contains(id.rsplit('-').next().expect("random digits"))), "{shown}");
    }
    let counters = node.outbox.counters();
    assert_eq!((counters.refused, counters.missing, counters.dropped), (0, 0, 0));
    (takeovers, ids)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_mosquitto_a_thief_of_the_client_id_costs_nothing() {
    let broker = Mosquitto::with(|_| "allow_anonymous true\nmax_queued_messages 0\n".to_owned());
    // Only the administrator of this broker sees client ids. It does not report a takeover, so the node may come back once with
    // the id that it had. The thief does not wait for the node: it uses the last id that it knows.
    let mut line = None;
    let client_id = |_: &Spy| {
        line = broker.last_logged(NODE_IN_LOG).or(line.take());
        let line = line.get_or_insert_with(|| broker.logged(NODE_IN_LOG));
        let id = line.split(" as ").nth(1).and_then(|rest| rest.split(' ').next());
        id.expect("a client id").to_owned()
    };
    let (takeovers, ids) = publishes_in_spite_of_a_thief(broker.tcp, client_id).await;
    assert!(ids.len() >= 2 && takeovers == 0, "{takeovers} takeovers, {ids:?}");
}

#[cfg(feature = "broker")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn at_the_embedded_broker_a_thief_of_the_client_id_costs_nothing() {
    let broker = crate::support::hall::EmbeddedBroker::start();
    let mut last = None;
    // This broker tells every subscriber who sent a message.
    let client_id = |spy: &Spy| {
        let end = monotonic().after(PATIENCE);
        while spy.last_sender() == last {
            assert!(monotonic() < end, "no message of another client id");
            std::thread::yield_now();
        }
        last = spy.last_sender();
        last.clone().expect("a client id")
    };
    let (takeovers, ids) = publishes_in_spite_of_a_thief(broker.tcp, client_id).await;
    assert_eq!((takeovers, ids.len() as u64), (rounds(), rounds()));
}

#[test]
fn two_daemons_of_one_name_hear_of_each_other_and_both_publish() {
    let broker = Mosquitto::start();
    let taken = |expected: bool| {
        move |report: SessionReport| match report {
            SessionReport::Connection(state) if state.name_taken == expected => Some(state.takeovers),
            _ => None,
        }
    };
    let first = Node::with(settings(broker.port(), |_| ()), 1, 0);
    first.wait_until_ready();
    let second = Node::with(settings(broker.port(), |_| ()), 1, 0);
    assert_eq!(first.wait("the second daemon", taken(true)), 0);
    assert_eq!(second.wait("the first daemon", taken(true)), 0);
    for node in [&first, &second] {
        node.add_events(3);
        node.wait("the cursor", |report| (report == SessionReport::Acked(3)).then_some(()));
    }
    second.stop();
    first.wait("that the second daemon is gone", taken(false));
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/node/n1/status"]);
    subscriber.wait("the status of the first daemon", |received| (received.body()["state"] == "ready").then_some(()));
}
