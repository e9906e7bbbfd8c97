//! Reads retained messages from the broker, and publishes some, with one short connection: for commands of the organiser and checks.

use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet, PubAckReason, RetainForwardRule};
use rumqttc::v5::{AsyncClient, ConnectionError, Event, EventLoop, MqttOptions};
use rumqttc::{NetworkOptions, TlsConfiguration, Transport};

use super::identity::Identity;
use super::trouble::Trouble;

#[cfg(test)]
mod tests;

/// The time limit for the connection, for TLS and for the broker's acceptance, each, in seconds.
const CONNECT: u64 = 5;
/// The time limit for the whole exchange.
const PATIENCE: Duration = Duration::from_secs(20);
/// All retained messages are here when the broker has answered what was asked after them, and none has come for this time: a broker may
/// send them in parts, and answer before them.
const QUIET: Duration = Duration::from_millis(400);
/// The wait after a lost connection.
const RETRY: Duration = Duration::from_secs(5);
/// The largest packet, in bytes: a message of 256 KiB with its topic.
const LARGEST: u32 = 300 << 10;
/// The largest number of bytes of all messages that are read.
const MOST: usize = 128 << 20;

/// Why an exchange failed.
#[derive(Debug)]
pub enum ExchangeError {
    /// The broker cannot be used.
    Broker(Trouble),
    /// The broker does not take the message on this topic, or does not let the user read it, for this reason.
    Refused(String, String),
    /// The messages have too many bytes.
    TooMany,
}

impl std::fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ExchangeError::Broker(trouble) => write!(f, "{trouble}"),
            ExchangeError::Refused(topic, why) => write!(f, "the broker refuses {topic}: {why}"),
            ExchangeError::TooMany => write!(f, "the retained messages have more than {MOST} bytes"),
        }
    }
}

impl std::error::Error for ExchangeError {}

impl From<Trouble> for ExchangeError {
    fn from(trouble: Trouble) -> ExchangeError {
        ExchangeError::Broker(trouble)
    }
}

/// Returns the retained messages on these filters, with their topics. A broker may leave out what the user may not read.
///
/// # Errors
/// See [`ExchangeError`].
pub async fn read_retained(
    identity: &Identity,
    client: &str,
    filters: &[String],
) -> Result<Vec<(String, Vec<u8>)>, ExchangeError> {
    let trouble = |error: ConnectionError| identity.trouble(Some(&error));
    let (client, mut events) = connect(identity, client);
    let exchange = async {
        let mut found = Vec::new();
        let mut bytes = 0;
        let mut answers = 0;
        loop {
            let event = if answers < 2 {
                events.poll().await
            } else {
                match tokio::time::timeout(QUIET, events.poll()).await {
                    Ok(event) => event,
                    Err(_) => return Ok(found),
                }
            };
            match event.map_err(trouble)? {
                Event::Incoming(Packet::ConnAck(_)) => {
                    // The second time nothing is sent again, so its answer comes behind the messages.
                    for retained in [RetainForwardRule::OnEverySubscribe, RetainForwardRule::Never] {
                        let filter = |filter: &String| {
                            let mut filter = Filter::new(filter.clone(), QoS::AtMostOnce);
                            filter.retain_forward_rule = retained.clone();
                            filter
                        };
                        // The queue of requests has room at the beginning.
                        let _ = client.try_subscribe_many(filters.iter().map(filter));
                    }
                }
                Event::Incoming(Packet::SubAck(_)) => answers += 1,
                Event::Incoming(Packet::Publish(publish)) if publish.retain => {
                    bytes += publish.payload.len();
                    if bytes > MOST {
                        return Err(ExchangeError::TooMany);
                    }
                    found.push((String::from_utf8_lossy(&publish.topic).into_owned(), publish.payload.to_vec()));
                }
                _ => {}
            }
        }
    };
    let found = tokio::time::timeout(PATIENCE, exchange).await.unwrap_or_else(|_| Err(identity.silent().into()));
    leave(&client, &mut events).await;
    found
}

/// Publishes retained messages, one after the other: topic and payload. An empty payload deletes a message.
///
/// # Errors
/// See [`ExchangeError`]. Messages before the one that failed are published.
pub async fn publish_retained(identity: &Identity, client: &str, messages: &[(String, String)]) -> Result<(), ExchangeError> {
    publish(identity, client, messages, true).await
}

pub(super) async fn publish(
    identity: &Identity,
    client: &str,
    messages: &[(String, String)],
    retain: bool,
) -> Result<(), ExchangeError> {
    let (client, mut events) = connect(identity, client);
    let exchange = async {
        let mut next = messages.iter();
        let mut sent: Option<&(String, String)> = None;
        loop {
            let may_send = match events.poll().await.map_err(|error| identity.trouble(Some(&error)))? {
                Event::Incoming(Packet::ConnAck(_)) => true,
                Event::Incoming(Packet::PubAck(answer)) => {
                    let taken = matches!(answer.reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers);
                    if let Some((topic, _)) = sent.filter(|_| !taken) {
                        return Err(ExchangeError::Refused(topic.clone(), format!("{:?}", answer.reason)));
                    }
                    true
                }
                _ => false,
            };
            if may_send {
                sent = next.next();
                let Some((topic, payload)) = sent else { return Ok(()) };
                // One message is under way at a time, so the queue of requests has room.
                let _ = client.try_publish(topic.clone(), QoS::AtLeastOnce, retain, payload.clone());
            }
        }
    };
    let done = tokio::time::timeout(PATIENCE, exchange).await.unwrap_or_else(|_| Err(identity.silent().into()));
    leave(&client, &mut events).await;
    done
}

pub(super) fn connect(identity: &Identity, client: &str) -> (AsyncClient, EventLoop) {
    let mut options = MqttOptions::new(client, &identity.host, identity.port);
    let mut network = NetworkOptions::new();
    network.set_connection_timeout(CONNECT);
    options.set_connection_timeout(CONNECT).set_network_options(network).set_clean_start(true);
    options.set_max_packet_size(Some(LARGEST)).set_outgoing_inflight_upper_limit(2);
    if let Some((user, password)) = identity.user() {
        options.set_credentials(user, password);
    }
    if let Some(tls) = identity.tls() {
        options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(tls)));
    }
    AsyncClient::new(options, 4)
}

/// Ends the connection. A disconnect packet that does not arrive does no harm: the session ends with the connection.
pub(super) async fn leave(client: &AsyncClient, events: &mut EventLoop) {
    if client.try_disconnect().is_ok() {
        _ = tokio::time::timeout(Duration::from_secs(1), async { while events.poll().await.is_ok() {} }).await;
    }
}

/// Calls `found` with every message on these filters, as long as it is awaited: first those that the broker keeps, then new ones.
/// After each lost connection the broker's messages come again.
pub async fn follow_retained(identity: &Identity, client: &str, filters: &[String], mut found: impl FnMut(&str, &[u8])) {
    loop {
        let (requests, mut events) = connect(identity, client);
        let lost = loop {
            match events.poll().await {
                Ok(Event::Incoming(Packet::ConnAck(_))) => {
                    let filters = filters.iter().map(|filter| Filter::new(filter.clone(), QoS::AtLeastOnce));
                    // The queue of requests is empty at the beginning.
                    let _ = requests.try_subscribe_many(filters);
                }
                Ok(Event::Incoming(Packet::Publish(publish))) => {
                    found(&String::from_utf8_lossy(&publish.topic), &publish.payload);
                }
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        tracing::debug!("the organiser's messages cannot be read: {}", identity.trouble(Some(&lost)));
        tokio::time::sleep(RETRY).await;
    }
}
