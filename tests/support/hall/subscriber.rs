//! A subscriber to all topics that keeps every message with its time of arrival.

use std::net::SocketAddr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::support::parts::Parts;
use crate::support::waiting::{PATIENCE, thread};

/// One message as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct ReceivedMessage {
    pub(crate) at: MonotonicTime,
    pub(crate) topic: String,
    pub(crate) bytes: Vec<u8>,
    /// The payload as JSON; null if it is empty. A state has all its moves, those of the parts that came before it too.
    pub(crate) message: Value,
}

impl ReceivedMessage {
    pub(crate) fn body(&self) -> &Value {
        &self.message["body"]
    }

    /// The state of the device of this board, if this is a status message of that device.
    pub(crate) fn device(&self, board: &str) -> Option<&str> {
        let ours = self.topic.contains("/device/") && self.topic.ends_with("/status");
        let whole = format!("ev/1/{board}");
        if ours && self.body()["kind"] == "board" && self.body()["board"] == whole.as_str() {
            self.body()["state"].as_str()
        } else {
            None
        }
    }
}

#[derive(Default)]
struct Shared {
    all: Mutex<(bool, Vec<ReceivedMessage>)>,
    came: Condvar,
}

/// A subscriber to all topics.
pub(crate) struct Subscriber {
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Subscriber {
    /// Connects; returns when the subscription is confirmed.
    pub(crate) fn new(broker: SocketAddr) -> Subscriber {
        let shared = Arc::new(Shared::default());
        let (stop, stopped) = oneshot::channel();
        let theirs = Arc::clone(&shared);
        let thread = thread("subscriber", move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                tokio::select! {
                    _ = stopped => {}
                    () = listen(broker, &theirs) => {}
                }
            });
        });
        let subscriber = Subscriber { shared, stop: Some(stop), thread: Some(thread) };
        let all = subscriber.shared.all.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = subscriber.shared.came.wait_timeout_while(all, PATIENCE, |(there, _)| !*there);
        assert!(waited.unwrap_or_else(PoisonError::into_inner).0.0, "not subscribed");
        subscriber
    }

    /// The number of messages so far.
    pub(crate) fn count(&self) -> usize {
        self.shared.all.lock().unwrap_or_else(PoisonError::into_inner).1.len()
    }

    /// All messages so far.
    pub(crate) fn all(&self) -> Vec<ReceivedMessage> {
        self.shared.all.lock().unwrap_or_else(PoisonError::into_inner).1.clone()
    }

    /// Waits for the first message, from index `from` on, for which `want` returns something; none if it does not come within `most`.
    pub(crate) fn find<T>(&self, from: usize, most: Duration, mut want: impl FnMut(&ReceivedMessage) -> Option<T>) -> Option<T> {
        let (mut next, mut found) = (from, None);
        let all = self.shared.all.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.shared.came.wait_timeout_while(all, most, |(_, all)| {
            while found.is_none() && next < all.len() {
                found = want(&all[next]);
                next += 1;
            }
            found.is_none()
        });
        drop(waited.unwrap_or_else(PoisonError::into_inner));
        found
    }

    /// Like [`Subscriber::find`]; fails with `what` if the message does not come.
    #[track_caller]
    pub(crate) fn wait<T>(&self, what: &str, from: usize, want: impl FnMut(&ReceivedMessage) -> Option<T>) -> T {
        self.find(from, PATIENCE, want)
            .unwrap_or_else(|| panic!("this message did not arrive: {what}; the last messages:\n{}", self.last()))
    }

    /// The last messages, for the text of a failure.
    fn last(&self) -> String {
        let all = self.all();
        let line = |received: &ReceivedMessage| {
            let text: String = String::from_utf8_lossy(&received.bytes).chars().take(1500).collect();
            format!("{} us {}: {text}\n", received.at.0, received.topic)
        };
        all[all.len().saturating_sub(10)..].iter().map(line).collect()
    }

    /// Waits until the device of a board is in one of these states, and returns the message.
    #[track_caller]
    pub(crate) fn device(&self, board: &str, states: &[&str], from: usize) -> ReceivedMessage {
        let want = |received: &ReceivedMessage| {
            received.device(board).is_some_and(|state| states.contains(&state)).then(|| received.clone())
        };
        self.wait(&format!("the device of board {board} {states:?}"), from, want)
    }

    /// Waits until all men of a board are on their squares, so that a game may begin.
    #[track_caller]
    pub(crate) fn wait_until_armed(&self, board: &str) {
        let topic = format!("/arbiter/ev/1/{board}/state");
        let armed =
            |received: &ReceivedMessage| (received.topic.ends_with(&topic) && received.body()["stage"] == "armed").then_some(());
        self.wait(&format!("an armed game at board {board}"), 0, armed);
    }

    /// Waits until a board's live state has so many plies, of which this one is the last.
    #[track_caller]
    pub(crate) fn wait_for_ply(&self, board: &str, plies: usize, uci: &str, most: Duration) {
        let topic = format!("/live/ev/1/{board}/state");
        let there = self.find(0, most, |received| {
            let known = received.topic.ends_with(&topic).then(|| uci_moves(received.body()))?;
            (known.len() == plies && known.last().is_some_and(|last| last == uci)).then_some(())
        });
        let last = || self.latest(&topic).map(|received| uci_moves(received.body()));
        assert!(there.is_some(), "board {board}, ply {plies}: {uci} never came: {:?}", last());
    }

    /// The latest message on a topic with this ending.
    pub(crate) fn latest(&self, ending: &str) -> Option<ReceivedMessage> {
        self.all().into_iter().rfind(|received| received.topic.ends_with(ending))
    }
}

/// The moves of a state, in UCI notation.
pub(crate) fn uci_moves(state: &Value) -> Vec<String> {
    let list = state["moves"].as_array().cloned().unwrap_or_default();
    list.iter().filter_map(|mv| Some(mv["uci"].as_str()?.to_owned())).collect()
}

impl Drop for Subscriber {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn listen(broker: SocketAddr, shared: &Shared) {
    let mut options = MqttOptions::new("subscriber", broker.ip().to_string(), broker.port());
    options.set_max_packet_size(Some(1 << 20));
    let (client, mut events) = AsyncClient::new(options, 4);
    let mut parts = Parts::default();
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                client.try_subscribe_many([Filter::new("flagfall/#".to_owned(), QoS::AtLeastOnce)]).expect("room");
            }
            Ok(Event::Incoming(Packet::SubAck(_))) => {
                shared.all.lock().unwrap_or_else(PoisonError::into_inner).0 = true;
                shared.came.notify_all();
            }
            Ok(Event::Incoming(Packet::Publish(publish))) => {
                let bytes = publish.payload.to_vec();
                let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                let message = serde_json::from_slice(&parts.joined(&topic, &bytes)).unwrap_or_default();
                let received = ReceivedMessage { at: monotonic(), topic, bytes, message };
                shared.all.lock().unwrap_or_else(PoisonError::into_inner).1.push(received);
                shared.came.notify_all();
            }
            Ok(_) => {}
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}
