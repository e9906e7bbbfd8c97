//! Subscribes to the broker as an ordinary MQTT client, as a screen does.

use std::net::SocketAddr;
use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet};
use rumqttc::v5::{AsyncClient, Event, MqttOptions};
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

/// Subscribes to `filters` and forwards what comes, until the receiver is dropped.
pub(super) async fn run(name: &'static str, broker: SocketAddr, filters: Vec<String>, news: mpsc::Sender<SubscriberEvent>) {
    let mut options = MqttOptions::new(name, broker.ip().to_string(), broker.port());
    options.set_max_packet_size(Some(LARGEST)).set_outgoing_inflight_upper_limit(1);
    let (client, mut events) = AsyncClient::new(options, 4);
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
