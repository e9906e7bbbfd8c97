//! A subscriber that notes all messages with their times.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use rumqttc::NetworkOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectProperties, Packet};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use tokio::sync::oneshot;

use crate::process::wait_until;

/// What is kept of a message.
#[derive(Clone)]
pub(crate) struct ReceivedMessage {
    pub(crate) at: MonotonicTime,
    pub(crate) topic: String,
    /// The length of its payload.
    pub(crate) bytes: usize,
    /// The placement in a state, in the form of a FEN, and the highest ply in it.
    pub(crate) shown: Option<String>,
    pub(crate) ply: u32,
    /// A figure of the broker's about itself.
    pub(crate) figure: Option<f64>,
}

impl ReceivedMessage {
    fn new(at: MonotonicTime, topic: String, payload: &[u8]) -> ReceivedMessage {
        let text = if topic.ends_with("state") { String::from_utf8_lossy(payload) } else { Cow::default() };
        let shown = placement(&text).map(str::to_owned);
        let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
        let ply = text.split("\"ply\":").skip(1).filter_map(number).max().unwrap_or(0);
        let figure = topic.starts_with('$').then(|| String::from_utf8_lossy(payload).parse().ok()).flatten();
        ReceivedMessage { at, topic, bytes: payload.len(), shown, ply, figure }
    }
}

/// The placement in a message, in the form of a FEN.
pub(crate) fn placement(text: &str) -> Option<&str> {
    text.split_once("\"board\":").and_then(|(_, rest)| rest.trim_start().strip_prefix('"')?.split('"').next())
}

/// A subscriber; it ends when it is dropped.
pub(crate) struct Listener {
    received: Arc<Mutex<Vec<ReceivedMessage>>>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Listener {
    /// Returns when the subscription is confirmed. Messages on the filters come at most once, without acknowledgements.
    pub(crate) fn start(broker: u16, filters: &'static [&'static str]) -> Listener {
        let received = Arc::<Mutex<Vec<ReceivedMessage>>>::default();
        let (end, ended) = oneshot::channel();
        let ready = Arc::<std::sync::atomic::AtomicBool>::default();
        let work = {
            let (received, ready) = (Arc::clone(&received), Arc::clone(&ready));
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    tokio::select! {
                        () = listen(broker, filters, &received, &ready) => {}
                        _ = ended => {}
                    }
                });
            }
        };
        let thread = std::thread::Builder::new().name("listener".to_owned()).spawn(work).expect("a thread");
        wait_until("a subscription", || ready.load(std::sync::atomic::Ordering::Relaxed));
        Listener { received, end: Some(end), thread: Some(thread) }
    }

    pub(crate) fn received(&self) -> Vec<ReceivedMessage> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The time at which messages on so many topics with this ending have arrived since `since`.
    pub(crate) fn all(&self, end: &str, count: usize, since: MonotonicTime) -> MonotonicTime {
        let (mut topics, mut read, mut last) = (BTreeSet::new(), 0, since);
        wait_until(end, || {
            let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
            for message in received[read..].iter().filter(|message| message.at >= since && message.topic.ends_with(end)) {
                if topics.len() < count && topics.insert(message.topic.clone()) {
                    last = message.at;
                }
            }
            read = received.len();
            topics.len() == count
        });
        last
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            thread.join().expect("no panic");
        }
    }
}

async fn listen(broker: u16, filters: &[&str], received: &Mutex<Vec<ReceivedMessage>>, ready: &std::sync::atomic::AtomicBool) {
    let mut options = MqttOptions::new("listener", "127.0.0.1", broker);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    let large = ConnectProperties { max_packet_size: Some(1 << 20), ..ConnectProperties::new() };
    options.set_network_options(network).set_keep_alive(Duration::from_secs(30)).set_connect_properties(large);
    let (client, mut polled) = AsyncClient::new(options, 8);
    for filter in filters {
        client.try_subscribe(*filter, QoS::AtMostOnce).expect("room");
    }
    let mut left = filters.len();
    loop {
        match polled.poll().await.expect("a connection") {
            Event::Incoming(Packet::SubAck(_)) => {
                left -= 1;
                ready.store(left == 0, std::sync::atomic::Ordering::Relaxed);
            }
            Event::Incoming(Packet::Publish(publish)) => {
                let at = monotonic();
                let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                let message = ReceivedMessage::new(at, topic, &publish.payload);
                received.lock().unwrap_or_else(PoisonError::into_inner).push(message);
            }
            _ => {}
        }
    }
}
