//! A client of one broker: rumqttc in a task, with bounded waits.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::collections::VecDeque;
use std::fmt::Debug;
use std::net::SocketAddr;
use std::time::Duration;

use rumqttc::NetworkOptions;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{
    ConnAck, ConnectReturnCode, Packet, PubAckReason, Publish, PublishProperties, SubscribeReasonCode,
};
use rumqttc::v5::{AsyncClient, ConnectionError, Event, MqttOptions};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The longest wait for an answer of a broker.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// One connection. If it is dropped, it closes without a DISCONNECT.
pub(crate) struct Client {
    name: String,
    client: AsyncClient,
    packets: mpsc::UnboundedReceiver<Packet>,
    /// Messages that arrived while the test waited for something else.
    messages: VecDeque<Publish>,
    pub(crate) connack: ConnAck,
    task: JoinHandle<()>,
}

/// A message to send.
#[derive(Clone, Debug)]
pub(crate) struct Send<'a> {
    pub(crate) topic: &'a str,
    pub(crate) payload: Vec<u8>,
    pub(crate) qos: QoS,
    pub(crate) retain: bool,
    pub(crate) properties: PublishProperties,
}

/// A message at QoS 1, not retained, without properties.
pub(crate) fn message<'a>(topic: &'a str, payload: impl Into<Vec<u8>>) -> Send<'a> {
    let properties = PublishProperties::default();
    Send { topic, payload: payload.into(), qos: QoS::AtLeastOnce, retain: false, properties }
}

/// A retained message at QoS 1.
pub(crate) fn retained<'a>(topic: &'a str, payload: impl Into<Vec<u8>>) -> Send<'a> {
    Send { retain: true, ..message(topic, payload) }
}

/// Options with large packets, a long keep-alive and a clean session.
pub(crate) fn options(broker: SocketAddr, name: &str) -> MqttOptions {
    let mut options = MqttOptions::new(name, broker.ip().to_string(), broker.port());
    options.set_max_packet_size(Some(1 << 20)).set_keep_alive(Duration::from_secs(30)).set_clean_start(true);
    options
}

impl Client {
    /// Connects; the error is the reason of the broker's refusal.
    pub(crate) async fn try_connect(mut options: MqttOptions) -> Result<Client, ConnectReturnCode> {
        let name = options.client_id();
        let mut network = NetworkOptions::new();
        network.set_connection_timeout(PATIENCE.as_secs());
        options.set_connection_timeout(PATIENCE.as_secs()).set_network_options(network);
        let (client, mut events) = AsyncClient::new(options, 2_000);
        let connack = loop {
            match within(&name, "CONNACK", events.poll()).await {
                Ok(Event::Incoming(Packet::ConnAck(connack))) => break connack,
                Ok(_) => {}
                Err(ConnectionError::ConnectionRefused(code)) => return Err(code),
                Err(error) => panic!("{name}: connecting: {error}"),
            }
        };
        let (sender, packets) = mpsc::unbounded_channel();
        let task = tokio::spawn(async move {
            while let Ok(event) = events.poll().await {
                if let Event::Incoming(packet) = event
                    && sender.send(packet).is_err()
                {
                    break;
                }
            }
        });
        Ok(Client { name, client, packets, messages: VecDeque::new(), connack, task })
    }

    pub(crate) async fn connect(options: MqttOptions) -> Client {
        let name = options.client_id();
        Client::try_connect(options).await.unwrap_or_else(|code| panic!("{name}: refused: {code:?}"))
    }

    /// Connects with a clean session and without a user.
    pub(crate) async fn plain(broker: SocketAddr, name: &str) -> Client {
        Client::connect(options(broker, name)).await
    }

    /// Sends a message and does not wait for the answer.
    pub(crate) async fn send(&self, message: Send<'_>) {
        let Send { topic, payload, qos, retain, properties } = message;
        let sent = self.client.publish_with_properties(topic, qos, retain, payload, properties);
        within(&self.name, "room to publish", sent).await.unwrap_or_else(|error| panic!("{}: {topic}: {error}", self.name));
    }

    /// Sends a message at QoS 1 and waits for the answer.
    pub(crate) async fn publish(&mut self, message: Send<'_>) -> PubAckReason {
        assert_eq!(message.qos, QoS::AtLeastOnce, "only QoS 1 is answered");
        self.send(message).await;
        self.acknowledged().await
    }

    /// Waits for the next PUBACK.
    pub(crate) async fn acknowledged(&mut self) -> PubAckReason {
        let take = |packet: &Packet| if let Packet::PubAck(ack) = packet { Some(ack.reason) } else { None };
        self.packet("PUBACK", take).await
    }

    /// Subscribes and returns the broker's answer.
    pub(crate) async fn subscribe(&mut self, filter: &str, qos: QoS) -> SubscribeReasonCode {
        within(&self.name, "room to subscribe", self.client.subscribe(filter, qos))
            .await
            .unwrap_or_else(|error| panic!("{}: {filter}: {error}", self.name));
        let take = |packet: &Packet| if let Packet::SubAck(ack) = packet { ack.return_codes.first().copied() } else { None };
        self.packet("SUBACK", take).await
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Publish {
        if let Some(message) = self.messages.pop_front() {
            return message;
        }
        let take = |packet: &Packet| if let Packet::Publish(message) = packet { Some(message.clone()) } else { None };
        self.packet("a message", take).await
    }

    /// Topic and text of the next message.
    pub(crate) async fn next_text(&mut self) -> (String, String) {
        let message = self.next().await;
        (text(&message.topic), text(&message.payload))
    }

    /// All messages until the one on topic `end`, which is not among them.
    pub(crate) async fn until(&mut self, end: &str) -> Vec<Publish> {
        let mut messages = Vec::new();
        loop {
            match self.next().await {
                message if message.topic == end.as_bytes() => return messages,
                message => messages.push(message),
            }
        }
    }

    /// Disconnects in order, so that the broker sends no will.
    pub(crate) async fn leave(mut self) {
        within(&self.name, "room to disconnect", self.client.disconnect()).await.unwrap_or_default();
        within(&self.name, "the connection's end", &mut self.task).await.unwrap_or_default();
    }

    /// Closes the connection without a DISCONNECT, and waits until the socket is closed.
    pub(crate) async fn vanish(mut self) {
        self.task.abort();
        let _ = within(&self.name, "the task's end", &mut self.task).await;
    }

    /// Waits until the broker has closed the connection.
    pub(crate) async fn wait_for_end(mut self) {
        let name = self.name.clone();
        within(&name, "the connection's end", async { while self.packets.recv().await.is_some() {} }).await;
    }

    async fn packet<T>(&mut self, what: &str, mut take: impl FnMut(&Packet) -> Option<T>) -> T {
        loop {
            let packet = within(&self.name, what, self.packets.recv()).await;
            let packet = packet.unwrap_or_else(|| panic!("{}: connection ended, waiting for {what}", self.name));
            match (take(&packet), packet) {
                (Some(found), _) => return found,
                (None, Packet::Publish(message)) => self.messages.push_back(message),
                (None, _) => {}
            }
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn within<T>(name: &str, what: &str, wait: impl Future<Output = T>) -> T {
    timeout(PATIENCE, wait).await.unwrap_or_else(|_| panic!("{name}: no {what} within {PATIENCE:?}"))
}

/// Bytes as text.
pub(crate) fn text(bytes: &(impl AsRef<[u8]> + Debug)) -> String {
    String::from_utf8(bytes.as_ref().to_vec()).unwrap_or_else(|_| panic!("not text: {bytes:?}"))
}
