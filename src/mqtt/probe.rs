//! Checks whether the broker accepts a login and lets it read a topic, with one connection that uses its own client name.

use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{AsyncClient, ConnectionError, Event, EventLoop};

use super::identity::Identity;
use super::retained::{connect, leave};

/// The time limit for the welcome, and for the answers after it.
const PATIENCE: Duration = Duration::from_secs(12);

/// The time limit for a message to come back after the broker has acknowledged it.
const BACK: Duration = Duration::from_secs(2);

/// Connects as `client`, waits for the broker's welcome, and disconnects. The name must not be that of the daemon, which the
/// broker would disconnect. Returns whether an empty message on `topic`, which is not retained, comes back to its sender: a broker
/// may grant a subscription and then leave out what the user may not read, so nothing else shows whether it may.
///
/// # Errors
/// The reason why there was no welcome; none if the broker was silent.
pub async fn probe(identity: &Identity, client: &str, topic: &str) -> Result<bool, Option<ConnectionError>> {
    let (client, mut events) = connect(identity, client);
    let welcome = async {
        loop {
            if let Event::Incoming(Packet::ConnAck(_)) = events.poll().await? {
                return Ok(());
            }
        }
    };
    match tokio::time::timeout(PATIENCE, welcome).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(Some(error)),
        Err(_) => return Err(None),
    }
    let readable = tokio::time::timeout(PATIENCE, comes_back(&client, &mut events, topic)).await.unwrap_or(false);
    leave(&client, &mut events).await;
    Ok(readable)
}

/// Sends a message and waits until it comes back. Returns false if the broker refuses something.
async fn comes_back(client: &AsyncClient, events: &mut EventLoop, topic: &str) -> bool {
    if client.try_subscribe(topic, QoS::AtLeastOnce).is_err() {
        return false;
    }
    let mut acknowledged = false;
    loop {
        let event = if acknowledged {
            // The end of the time limit is the answer of a broker that leaves out what the user may not read.
            let Ok(event) = tokio::time::timeout(BACK, events.poll()).await else { return false };
            event
        } else {
            events.poll().await
        };
        match event {
            // The message is sent when the subscription is there.
            Ok(Event::Incoming(Packet::SubAck(_))) if client.try_publish(topic, QoS::AtLeastOnce, false, "").is_err() => {
                return false;
            }
            Ok(Event::Incoming(Packet::PubAck(_))) => acknowledged = true,
            Ok(Event::Incoming(Packet::Publish(_))) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
