//! Subscribes to the broker as an ordinary MQTT client, as a screen does.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet};
use rumqttc::v5::{AsyncClient, Event, EventLoop, MqttOptions};
use tokio::sync::mpsc;

/// The largest size of a packet, in bytes. Long games have large payloads.
const LARGEST: u32 = 1 << 20;
/// The time between a lost connection and the next attempt.
const RETRY_AFTER: Duration = Duration::from_millis(500);

/// An event of a subscriber.
pub(super) enum SubscriberEvent {
    /// The broker has accepted the subscriptions.
    Subscribed,
    /// A message: topic and payload.
    Message(String, Vec<u8>),
}

/// Where and as whom a client logs in.
#[derive(Clone)]
pub(super) struct Login {
    pub(super) broker: SocketAddr,
    pub(super) user: &'static str,
    pub(super) password: String,
}

impl Login {
    fn connect(&self, client_id: &str) -> (AsyncClient, EventLoop) {
        let mut options = MqttOptions::new(client_id, self.broker.ip().to_string(), self.broker.port());
        options.set_credentials(self.user, &self.password);
        options.set_max_packet_size(Some(LARGEST)).set_outgoing_inflight_upper_limit(1);
        AsyncClient::new(options, 4)
    }
}

/// Publishes one message, and waits until the broker has it.
pub(super) async fn publish(login: &Login, topic: String, payload: String) -> Result<()> {
    let (client, mut events) = login.connect("demo-command");
    client.try_publish(topic, QoS::AtLeastOnce, false, payload).context("a command")?;
    while !matches!(events.poll().await.context("a command")?, Event::Incoming(Packet::PubAck(_))) {}
    Ok(())
}

/// Subscribes to `filters` and forwards what comes, until the receiver is dropped.
pub(super) async fn run(client_id: &'static str, login: Login, filters: Vec<String>, news: mpsc::Sender<SubscriberEvent>) {
    let (client, mut events) = login.connect(client_id);
    loop {
        let event = match events.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(_))) => {
                let filters = filters.iter().map(|filter| Filter::new(filter.clone(), QoS::AtLeastOnce));
                if client.try_subscribe_many(filters).is_err() {
                    return;
                }
                continue;
            }
            Ok(Event::Incoming(Packet::SubAck(_))) => SubscriberEvent::Subscribed,
            Ok(Event::Incoming(Packet::Publish(publish))) => {
                SubscriberEvent::Message(String::from_utf8_lossy(&publish.topic).into_owned(), publish.payload.to_vec())
            }
            Ok(_) => continue,
            Err(_) => {
                tokio::time::sleep(RETRY_AFTER).await;
                continue;
            }
        };
        if news.send(event).await.is_err() {
            return;
        }
    }
}
