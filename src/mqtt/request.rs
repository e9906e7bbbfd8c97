//! Sends one command with one short connection and waits for the answer: for commands of the organiser.

use std::time::Duration;

use rumqttc::v5::Event;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet, PubAckReason, PublishProperties, SubscribeReasonCode};

use super::identity::Identity;
use super::retained::{ExchangeError, connect, leave};

/// The time for which the broker keeps a command for a node that is away, and for which an answer is awaited after it.
const EXPIRY: u32 = 10;
const PATIENCE: Duration = Duration::from_secs(EXPIRY as u64 + 5);

/// Publishes a command that is not retained, and calls `read` with each message on the topic `answers` until it returns something. None:
/// nobody answered in time.
///
/// # Errors
/// See [`ExchangeError`].
pub async fn request<T>(
    identity: &Identity,
    client: &str,
    (topic, payload): (&str, &str),
    answers: &str,
    mut read: impl FnMut(&[u8]) -> Option<T>,
) -> Result<Option<T>, ExchangeError> {
    let (client, mut events) = connect(identity, client);
    let exchange = async {
        loop {
            match events.poll().await.map_err(|error| identity.trouble(Some(&error)))? {
                Event::Incoming(Packet::ConnAck(_)) => {
                    // The queue of requests is empty at the beginning.
                    let _ = client.try_subscribe_many([Filter::new(answers, QoS::AtLeastOnce)]);
                }
                Event::Incoming(Packet::SubAck(answer)) => {
                    let refused = answer.return_codes.iter().find(|code| !matches!(code, SubscribeReasonCode::Success(_)));
                    if let Some(code) = refused {
                        return Err(ExchangeError::Refused(answers.to_owned(), format!("{code:?}")));
                    }
                    // A node that is away must not carry it out when the sender has given up.
                    let expires = PublishProperties { message_expiry_interval: Some(EXPIRY), ..PublishProperties::default() };
                    let _ = client.try_publish_with_properties(topic, QoS::AtLeastOnce, false, payload.to_owned(), expires);
                }
                Event::Incoming(Packet::PubAck(answer)) => match answer.reason {
                    PubAckReason::Success => {}
                    PubAckReason::NoMatchingSubscribers => return Ok(None),
                    reason => return Err(ExchangeError::Refused(topic.to_owned(), format!("{reason:?}"))),
                },
                Event::Incoming(Packet::Publish(publish)) if *publish.topic == *answers.as_bytes() => {
                    if let Some(found) = read(&publish.payload) {
                        return Ok(Some(found));
                    }
                }
                _ => {}
            }
        }
    };
    let answered = tokio::time::timeout(PATIENCE, exchange).await.unwrap_or(Ok(None));
    leave(&client, &mut events).await;
    answered
}
