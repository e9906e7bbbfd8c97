//! Receives messages from the broker, and tells which kind each topic has.

use std::collections::BTreeSet;
use std::time::Duration;

use bytes::Bytes;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{Filter, Packet, PubAckReason, PublishProperties, SubscribeReasonCode};
use rumqttc::v5::{AsyncClient, ConnectionError, Event, EventLoop, MqttOptions};
use rumqttc::{NetworkOptions, Outgoing, TlsConfiguration, Transport};
use tokio::sync::{mpsc, watch};

use crate::config::OutputAudience;
use crate::mqtt::packets;
use crate::mqtt::{Backoff, Identity, ReconnectDelays};
use crate::system_clock::monotonic;
use crate::wire::topics::{MAX_ID, is_id};

/// The largest packet that is received, in bytes. The broker keeps larger ones back; a message above the limits of `picture.rs` and
/// `meta.rs` is received and counted.
const LARGEST: u32 = 512 << 10;
/// Messages that wait for the collector.
const WAITING: usize = 64;
/// Requests that wait for the connection.
const REQUESTS: usize = 256;
/// The time limit for the connection, for TLS and for the broker's acceptance, each, in seconds.
const CONNECT: u64 = 5;
/// The keep-alive time.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// What comes from the broker.
#[derive(Debug)]
pub(crate) enum Heard {
    /// A connection began.
    Connected {
        /// The largest packet that the broker takes, in bytes; none if it announces none.
        limit: Option<u32>,
    },
    /// The broker sends what is retained now. `denied`: it refuses some of the topics.
    Subscribed {
        /// The number of topics that are refused.
        denied: usize,
    },
    /// A message.
    Message {
        /// Its topic.
        topic: Bytes,
        /// Its payload.
        payload: Bytes,
    },
    /// The broker refuses a message of ours, with its reason.
    Refused(String),
    /// The connection was lost.
    Lost {
        /// Why, for people.
        why: String,
        /// The broker had not answered all messages of ours.
        unanswered: bool,
    },
}

/// What a topic is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum About<'a> {
    /// The state of a board.
    State { audience: OutputAudience, round: &'a str, board: &'a str },
    /// Earlier moves of a board's game.
    Moves { audience: OutputAudience, round: &'a str, board: &'a str, part: u32 },
    /// The event.
    Event,
    /// The pairings of a round.
    Round(&'a str),
    /// The status of a node.
    Status(&'a str),
    /// The info of a node.
    Info(&'a str),
    /// The status of a device.
    Device(&'a str),
    /// The times of a board.
    Clock { round: &'a str, board: &'a str },
}

/// Tells what a topic is about; none for topics that nothing asked for, and for ids that nobody may have.
pub(crate) fn about<'a>(root: &str, event: &str, topic: &'a str) -> Option<About<'a>> {
    let below = topic.strip_prefix(root)?.strip_prefix("/1/")?;
    let levels: Vec<&str> = below.split('/').collect();
    let state = |audience, round, board| {
        if is_id(round) && is_id(board) { Some(About::State { audience, round, board }) } else { None }
    };
    let moves = |audience, round, board, part: &str| match part.parse() {
        Ok(part) if is_id(round) && is_id(board) => Some(About::Moves { audience, round, board, part }),
        _ => None,
    };
    match levels.as_slice() {
        ["public", of, round, board, "state"] if *of == event => state(OutputAudience::Public, round, board),
        ["live", of, round, board, "state"] if *of == event => state(OutputAudience::Live, round, board),
        ["public", of, round, board, "moves", part] if *of == event => moves(OutputAudience::Public, round, board, part),
        ["live", of, round, board, "moves", part] if *of == event => moves(OutputAudience::Live, round, board, part),
        ["live", of, round, board, "clock"] if *of == event && is_id(round) && is_id(board) => {
            Some(About::Clock { round, board })
        }
        ["device", device, "status"] if is_id(device) => Some(About::Device(device)),
        ["meta", of] if *of == event => Some(About::Event),
        ["meta", of, round] if *of == event && is_id(round) => Some(About::Round(round)),
        ["node", node, "status"] if (1..=MAX_ID).contains(&node.len()) => Some(About::Status(node)),
        ["node", node, "info"] if (1..=MAX_ID).contains(&node.len()) => Some(About::Info(node)),
        _ => None,
    }
}

/// The topics of the subscription. `with_live`: the states without delay; `with_devices`: also the times and the devices.
pub(crate) fn filters(root: &str, event: &str, with_live: bool, with_devices: bool) -> Vec<String> {
    let mut filters = vec![
        format!("{root}/1/node/+/status"),
        format!("{root}/1/node/+/info"),
        format!("{root}/1/meta/{event}"),
        format!("{root}/1/meta/{event}/+"),
    ];
    // The broker sends what it retains in this order: no state waits for its parts.
    let mut games = |audience| filters.extend(["moves/+", "state"].map(|leaf| format!("{root}/1/{audience}/{event}/+/+/{leaf}")));
    games("public");
    if with_live {
        games("live");
    }
    if with_devices {
        filters.extend([format!("{root}/1/live/{event}/+/+/clock"), format!("{root}/1/device/+/status")]);
    }
    filters
}

/// The connection to the broker.
pub(crate) struct Link {
    client: AsyncClient,
    /// What comes from the broker.
    pub(crate) heard: mpsc::Receiver<Heard>,
    stop: watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl Link {
    /// Starts connecting, and goes on until it is closed. `will` is the topic and payload of the will.
    pub(crate) fn open(identity: &Identity, client: &str, will: (String, String), filters: Vec<String>) -> Link {
        let mut options = MqttOptions::new(client, identity.host(), identity.port());
        let mut network = NetworkOptions::new();
        network.set_connection_timeout(CONNECT).set_tcp_nodelay(true);
        options.set_connection_timeout(CONNECT).set_network_options(network).set_keep_alive(KEEP_ALIVE);
        options.set_clean_start(true).set_max_packet_size(Some(LARGEST)).set_outgoing_inflight_upper_limit(16);
        options.set_last_will(packets::will(will.0, will.1));
        let (client, events) = AsyncClient::new(options, REQUESTS);
        let (sender, heard) = mpsc::channel(WAITING);
        let (stop, stopped) = watch::channel(false);
        let listen = listen(identity.clone(), client.clone(), events, filters, sender, stopped);
        Link { client, heard, stop, task: tokio::spawn(listen) }
    }

    /// Publishes a retained message. Returns false if too much waits for the connection.
    pub(crate) fn retain(&self, topic: &str, content_type: &str, payload: String) -> bool {
        let properties = PublishProperties {
            payload_format_indicator: Some(1),
            content_type: Some(content_type.to_owned()),
            ..PublishProperties::default()
        };
        self.client.try_publish_with_properties(topic, QoS::AtLeastOnce, true, payload, properties).is_ok()
    }

    /// Sends what waits and ends the connection, within `patience`.
    pub(crate) async fn close(mut self, patience: Duration) {
        let _ = self.stop.send(true);
        let end = async {
            // Reading on lets the connection work until everything is sent.
            let disconnect = self.client.disconnect();
            tokio::pin!(disconnect);
            let mut asked = false;
            loop {
                tokio::select! {
                    _ = &mut disconnect, if !asked => asked = true,
                    heard = self.heard.recv() => if heard.is_none() { return },
                }
            }
        };
        let _ = tokio::time::timeout(patience, end).await;
        self.task.abort();
    }
}

/// Passes on what comes from the broker, and connects again after a break.
async fn listen(
    identity: Identity,
    client: AsyncClient,
    mut events: EventLoop,
    filters: Vec<String>,
    heard: mpsc::Sender<Heard>,
    stopped: watch::Receiver<bool>,
) {
    let (delays, mut backoff) = (ReconnectDelays::default(), Backoff::default());
    let (mut connected_at, mut unanswered) = (None, BTreeSet::new());
    loop {
        // The login may have been replaced.
        if let Some((user, password)) = identity.user() {
            events.options.set_credentials(user, password);
        }
        if let Some(tls) = identity.tls() {
            events.options.set_transport(Transport::tls_with_config(TlsConfiguration::Rustls(tls)));
        }
        let news = match events.poll().await {
            Ok(Event::Incoming(Packet::ConnAck(accepted))) => {
                connected_at = Some(monotonic());
                unanswered.clear();
                let filters = filters.iter().map(|filter| {
                    let mut filter = Filter::new(filter.clone(), QoS::AtLeastOnce);
                    filter.preserve_retain = true;
                    filter
                });
                // There is always room: nothing else is requested before this.
                let _ = client.try_subscribe_many(filters);
                Heard::Connected { limit: accepted.properties.and_then(|properties| properties.max_packet_size) }
            }
            Ok(Event::Incoming(Packet::SubAck(answer))) => {
                let granted = |code: &&SubscribeReasonCode| matches!(code, SubscribeReasonCode::Success(_));
                Heard::Subscribed { denied: answer.return_codes.len() - answer.return_codes.iter().filter(granted).count() }
            }
            Ok(Event::Outgoing(Outgoing::Publish(id))) => {
                unanswered.insert(id);
                continue;
            }
            Ok(Event::Incoming(Packet::PubAck(answer))) => {
                unanswered.remove(&answer.pkid);
                if matches!(answer.reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers) {
                    continue;
                }
                Heard::Refused(format!("{:?}", answer.reason))
            }
            Ok(Event::Incoming(Packet::Publish(publish))) => Heard::Message { topic: publish.topic, payload: publish.payload },
            Ok(_) => continue,
            Err(_) if *stopped.borrow() => return,
            Err(error) => {
                let lasted = connected_at.take().map(|at| monotonic().since(at));
                let trouble = if lasted.is_some() { identity.lost(&error) } else { identity.trouble(Some(&error)) };
                let wait = match &error {
                    ConnectionError::ConnectionRefused(_) => backoff.longest_wait(&delays, monotonic().0),
                    _ => backoff.next_wait(&delays, lasted.unwrap_or_default(), monotonic().0),
                };
                let lost = Heard::Lost { why: trouble.to_string(), unanswered: !unanswered.is_empty() };
                if heard.send(lost).await.is_err() {
                    return;
                }
                let mut stopped = stopped.clone();
                tokio::select! {
                    () = tokio::time::sleep(wait) => {}
                    _ = stopped.wait_for(|stopped| *stopped) => return,
                }
                continue;
            }
        };
        if heard.send(news).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
