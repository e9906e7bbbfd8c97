//! A subscriber that notes all messages with their times.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flagfall::system_clock::{MonotonicTime, monotonic};
use rumqttc::NetworkOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectProperties, Packet};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
use tokio::sync::oneshot;

use crate::process::wait_until;

/// One message as it arrived.
#[derive(Clone)]
pub(crate) struct ReceivedMessage {
    pub(crate) at: MonotonicTime,
    pub(crate) topic: String,
    pub(crate) payload: Vec<u8>,
}

/// A subscriber; it ends when it is dropped.
pub(crate) struct Listener {
    received: Arc<Mutex<Vec<ReceivedMessage>>>,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Listener {
    /// Returns when the subscription is confirmed. Messages on `filter` come at most once, without acknowledgements.
    pub(crate) fn start(broker: u16, filter: &'static str) -> Listener {
        let received = Arc::<Mutex<Vec<ReceivedMessage>>>::default();
        let (end, ended) = oneshot::channel();
        let ready = Arc::<std::sync::atomic::AtomicBool>::default();
        let work = {
            let (received, ready) = (Arc::clone(&received), Arc::clone(&ready));
            move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    tokio::select! {
                        () = listen(broker, filter, &received, &ready) => {}
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

    /// The time of the first message since `since` on a topic with this ending.
    pub(crate) fn first(&self, end: &str, since: MonotonicTime) -> MonotonicTime {
        let mut first = None;
        wait_until(end, || {
            let received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
            first = received
                .iter()
                .find(|received| received.at >= since && received.topic.ends_with(end))
                .map(|received| received.at);
            first.is_some()
        });
        first.expect("waited for")
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

async fn listen(broker: u16, filter: &str, received: &Mutex<Vec<ReceivedMessage>>, ready: &std::sync::atomic::AtomicBool) {
    let mut options = MqttOptions::new("listener", "127.0.0.1", broker);
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    let large = ConnectProperties { max_packet_size: Some(1 << 20), ..ConnectProperties::new() };
    options.set_network_options(network).set_keep_alive(Duration::from_secs(30)).set_connect_properties(large);
    let (client, mut polled) = AsyncClient::new(options, 8);
    client.try_subscribe(filter, QoS::AtMostOnce).expect("room");
    loop {
        match polled.poll().await.expect("a connection") {
            Event::Incoming(Packet::SubAck(_)) => ready.store(true, std::sync::atomic::Ordering::Relaxed),
            Event::Incoming(Packet::Publish(publish)) => {
                let at = monotonic();
                let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                let payload = publish.payload.to_vec();
                received.lock().unwrap_or_else(PoisonError::into_inner).push(ReceivedMessage { at, topic, payload });
            }
            _ => {}
        }
    }
}
