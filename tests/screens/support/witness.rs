//! A client that may read and write everything: it publishes what tests make up, and keeps all that it receives.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use flagfall::system_clock::monotonic;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::Packet;
use rumqttc::v5::{Client, Event, MqttOptions};
use serde_json::{Value, json};

use super::made_up::plain;
use crate::support::schemas::validate;
use crate::support::waiting::{PATIENCE, pause, thread, wait_until};

/// The user of this client in the rules of a room.
pub(crate) const WITNESS: &str = "witness";

/// One message as it arrived.
#[derive(Clone)]
pub(crate) struct Received {
    pub(crate) topic: String,
    /// Null if the payload is empty or no JSON.
    pub(crate) message: Value,
    /// Where an answer is expected.
    pub(crate) response_topic: Option<String>,
}

pub(crate) struct Witness {
    client: Client,
    acknowledged: Receiver<()>,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Witness {
    /// Connects, and again after each loss; returns when it is subscribed.
    pub(crate) fn new(broker: SocketAddr) -> Witness {
        let mut options = MqttOptions::new(WITNESS, broker.ip().to_string(), broker.port());
        options.set_max_packet_size(Some(4 << 20)).set_credentials(WITNESS, format!("secret of {WITNESS}"));
        let (client, mut connection) = Client::new(options, 100);
        let (acknowledge, acknowledged) = sync_channel(10_000);
        let received = Arc::<Mutex<Vec<Received>>>::default();
        let (asks, keeps) = (client.clone(), Arc::clone(&received));
        thread("witness", move || {
            for event in connection.iter() {
                match event {
                    Ok(Event::Incoming(Packet::ConnAck(_))) => {
                        asks.try_subscribe("flagfall/1/#", QoS::AtLeastOnce).expect("room for one request");
                    }
                    Ok(Event::Incoming(Packet::SubAck(_) | Packet::PubAck(_))) => {
                        if acknowledge.try_send(()).is_err() {
                            return;
                        }
                    }
                    Ok(Event::Incoming(Packet::Publish(publish))) => {
                        let topic = String::from_utf8_lossy(&publish.topic).into_owned();
                        let message = serde_json::from_slice(&publish.payload).unwrap_or_default();
                        let response_topic = publish.properties.and_then(|properties| properties.response_topic);
                        let received = Received { topic, message, response_topic };
                        keeps.lock().unwrap_or_else(PoisonError::into_inner).push(received);
                    }
                    Ok(_) => {}
                    Err(_) => pause(Duration::from_millis(50)),
                }
            }
        });
        let witness = Witness { client, acknowledged, received };
        witness.is_acknowledged("its subscription");
        witness
    }

    #[track_caller]
    fn is_acknowledged(&self, what: &str) {
        self.acknowledged
            .recv_timeout(PATIENCE)
            .unwrap_or_else(|error| panic!("the broker does not acknowledge {what}: {error}"));
    }

    /// Publishes bytes as they are, and waits for the acknowledgement.
    #[track_caller]
    pub(crate) fn send(&self, topic: &str, payload: impl Into<Vec<u8>>, retain: bool) {
        let topic = format!("flagfall/1/{topic}");
        // Acknowledgements of a subscription after a loss are none of this message.
        while self.acknowledged.try_recv().is_ok() {}
        self.client.publish(&topic, QoS::AtLeastOnce, retain, payload.into()).expect("the client runs");
        self.is_acknowledged(&topic);
    }

    /// Publishes a message that must keep to its schema. States are retained and events are not.
    #[track_caller]
    pub(crate) fn publish(&self, topic: &str, message: &Value) {
        validate(&format!("flagfall/1/{topic}"), message.to_string()).unwrap_or_else(|problem| panic!("{problem}"));
        let is_event = ["/move", "/audit", "/revision"].iter().any(|end| topic.ends_with(end)) || topic.starts_with("reply/");
        self.send(topic, message.to_string(), !is_event);
    }

    /// Deletes a retained message.
    pub(crate) fn clear(&self, topic: &str) {
        self.send(topic, "", true);
    }

    /// Everything so far.
    pub(crate) fn all(&self) -> Vec<Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The commands so far with this verb.
    pub(crate) fn commands(&self, verb: &str) -> Vec<Received> {
        let mut all = self.all();
        all.retain(|Received { topic, .. }| topic.starts_with("flagfall/1/cmd/") && topic.ends_with(&format!("/{verb}")));
        all
    }

    /// Waits until there are so many commands with this verb, and returns the last of them.
    #[track_caller]
    pub(crate) fn command(&self, verb: &str, count: usize) -> Received {
        wait_until(&format!("command {count} `{verb}`"), PATIENCE, || self.commands(verb).len() >= count);
        self.commands(verb).remove(count - 1)
    }

    /// Answers a command as a node does.
    pub(crate) fn answer(&self, command: &Received, stage: &str, code: &str, message: &str) {
        let to = command.response_topic.as_deref().and_then(|topic| topic.strip_prefix("flagfall/1/")).expect("a response topic");
        let mut reply = plain("cmd.reply", 1, json!({"stage": stage, "code": code, "message": message}));
        reply["id"] = command.message["id"].clone();
        self.publish(to, &reply);
    }

    /// Waits for a message on a topic with this end that `is` accepts.
    #[track_caller]
    pub(crate) fn wait(&self, what: &str, end: &str, is: impl Fn(&Value) -> bool) -> Value {
        let until = monotonic().after(PATIENCE);
        loop {
            let all = self.all();
            if let Some(found) = all.iter().find(|received| received.topic.ends_with(end) && is(&received.message)) {
                return found.message.clone();
            }
            if monotonic() > until {
                let line = |received: &Received| format!("{} {:.300}", received.topic, received.message.to_string());
                let last: Vec<String> = all.iter().rev().take(8).map(line).collect();
                panic!("waiting for {what} on {end}; the last messages: {last:#?}");
            }
            pause(Duration::from_millis(20));
        }
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        _ = self.client.disconnect();
    }
}
