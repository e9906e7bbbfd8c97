//! Checks whether the broker accepts a login and lets it read a topic, with one connection that uses its own client name.

use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{AsyncClient, ConnectionError, Event, EventLoop, MqttOptions};
use rumqttc::{NetworkOptions, TlsConfiguration, Transport};

use super::identity::Identity;

/// The time limit for the connection, for TLS and for the broker's acceptance, each, in seconds.
const CONNECT: u64 = 5;
/// The time limit for the whole check.
const PATIENCE: Duration = Duration::from_secs(12);

/// The time limit for a message to come back.
const BACK: Duration = Duration::from_secs(2);

/// Connects as `client`, waits for the broker's welcome, and disconnects. The name must not be that of the daemon, which the
/// broker would disconnect. Returns whether an empty message on `topic`, which is not retained, comes back to its sender: a broker
/// may grant a subscription and then leave out what the user may not read, so nothing else shows whether it may.
///
/// # Errors
/// The reason why there was no welcome; none if the broker was silent.
pub async fn probe(identity: &Identity, client: &str, topic: &str) -> Result<bool, Option<ConnectionError>> {
    let mut options = MqttOptions::new(client, &identity.host, identity.port);
    let mut network = NetworkOptions::new();
    network.set_connection_timeout(CONNECT);
    options.set_connection_timeout(CONNECT).set_network_options(network).set_clean_start(true);
    // One packet is enough; the default would need megabytes.
    options.set_outgoing_inflight_upper_limit(2);
    if let Some((user, password)) = identity.user() {
        options.set_credentials(user, password);
    }
    if let Some(tls) = identity.tls() {
        options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(tls)));
    }
    let (client, mut events) = AsyncClient::new(options, 4);
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
    let readable = tokio::time::timeout(BACK, comes_back(&client, &mut events, topic)).await.unwrap_or(false);
    // A disconnect packet that does not arrive does no harm: the session ends with the connection.
    if client.try_disconnect().is_ok() {
        _ = tokio::time::timeout(Duration::from_secs(1), async { while events.poll().await.is_ok() {} }).await;
    }
    Ok(readable)
}

/// Sends a message and waits until it comes back. Returns false if the broker refuses something.
async fn comes_back(client: &AsyncClient, events: &mut EventLoop, topic: &str) -> bool {
    if client.try_subscribe(topic, QoS::AtLeastOnce).is_err() {
        return false;
    }
    loop {
        match events.poll().await {
            // The message is sent when the subscription is there.
            Ok(Event::Incoming(Packet::SubAck(_))) if client.try_publish(topic, QoS::AtLeastOnce, false, "").is_err() => {
                return false;
            }
            Ok(Event::Incoming(Packet::Publish(_))) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}
