//! Writes the MQTT 5 packets that this node sends. Each packet is added after those that already wait.

use std::time::Duration;

use bytes::BytesMut;
use rumqttc::v5::mqttbytes::v5::{
    Connect, ConnectProperties, Disconnect, DisconnectReasonCode, Filter, LastWill, LastWillProperties, Login, Packet, PingReq,
    PubAck, Publish, PublishProperties, Subscribe,
};
use rumqttc::v5::mqttbytes::{Error, QoS};
use rumqttc::valid_topic;

use super::types::Settings;
use crate::mqtt::outbox::{Publication, Quality};
use crate::wire::topics;

/// The largest size of a packet from the broker, in bytes. A larger packet ends the connection.
pub(super) const LARGEST: u32 = 256 * 1024;
/// The keep-alive time, unless the broker sets another one.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// The time for which the broker keeps the session of an absent node, in seconds.
const SESSION: u32 = 3600;
/// The time between a lost connection and the publication of the will, in seconds (`wire/README.md#4`).
const WILL_DELAY: u32 = 5;
/// The largest number of messages that the broker may send before this node acknowledges them.
const INCOMING: u16 = 32;

/// What a connection begins with.
pub(super) struct Client {
    /// The client id.
    pub(super) id: String,
    /// The payload of the will.
    pub(super) will: String,
    /// Whether the broker must forget our session.
    pub(super) clean: bool,
}

/// The content type of all messages but one.
pub(crate) const JSON: &str = "application/json";

/// The retained message that the broker publishes some seconds after it has lost a client.
pub(crate) fn will(topic: String, payload: String) -> LastWill {
    let properties = LastWillProperties {
        delay_interval: Some(WILL_DELAY),
        payload_format_indicator: Some(1),
        message_expiry_interval: None,
        content_type: Some(JSON.to_owned()),
        response_topic: None,
        correlation_data: None,
        user_properties: Vec::new(),
    };
    LastWill::new(topic, payload, QoS::AtLeastOnce, true, Some(properties))
}

/// Writes our client id and our will.
pub(super) fn connect(settings: &Settings, client: &Client, out: &mut BytesMut) -> Result<(), Error> {
    let properties = ConnectProperties {
        session_expiry_interval: Some(SESSION),
        receive_maximum: Some(INCOMING),
        max_packet_size: Some(LARGEST),
        ..ConnectProperties::new()
    };
    let will = will(settings.status_topic(), client.will.clone());
    let login = settings.identity.user().map(|(user, password)| Login::new(user, password));
    let connect = Connect {
        keep_alive: KEEP_ALIVE.as_secs() as u16,
        client_id: client.id.clone(),
        clean_start: client.clean,
        properties: Some(properties),
    };
    write(&Packet::Connect(connect, Some(will), login), out)
}

/// The topics of our two subscription requests: first our own status, then commands for the configured round, and the other nodes.
pub(super) fn filters(settings: &Settings) -> [Vec<Filter>; 2] {
    let Settings { root, event, round, .. } = settings;
    let mut commands = Filter::new(format!("{root}/1/cmd/+/{event}/{round}/+/+"), QoS::AtLeastOnce);
    // Otherwise a retained command would look like any other one.
    commands.preserve_retain = true;
    let node = |leaf: &str| Filter::new(format!("{root}/1/node/+/{leaf}"), QoS::AtLeastOnce);
    let own = Filter::new(settings.status_topic(), QoS::AtLeastOnce);
    [vec![own], vec![commands, node("info"), node("status")]]
}

pub(super) fn subscribe(id: u16, filters: Vec<Filter>, out: &mut BytesMut) -> Result<(), Error> {
    write(&Packet::Subscribe(Subscribe { pkid: id, filters, properties: None }), out)
}

/// Makes the packet of a publication. `id` is 0 if it is not acknowledged. None: its topic is not valid.
pub(super) fn publication(publication: Publication, id: u16) -> Option<Publish> {
    let Publication { topic, payload, quality, retain, expiry, correlation, .. } = publication;
    if !valid_topic(&topic) || topic.is_empty() || topic.len() > usize::from(u16::MAX) {
        return None;
    }
    let content_type = if topics::is_board_pgn(&topic) { topics::PGN_TYPE } else { JSON };
    let seconds = |time: Duration| u32::try_from(time.as_secs().max(1)).unwrap_or(u32::MAX);
    let properties = PublishProperties {
        payload_format_indicator: Some(1),
        message_expiry_interval: expiry.map(seconds),
        content_type: Some(content_type.to_owned()),
        correlation_data: correlation.map(Into::into),
        ..PublishProperties::default()
    };
    let qos = match quality {
        Quality::AtMostOnce => QoS::AtMostOnce,
        Quality::AtLeastOnce => QoS::AtLeastOnce,
    };
    let (topic, payload) = (topic.into(), payload.into());
    Some(Publish { dup: false, qos, retain, topic, pkid: id, payload, properties: Some(properties) })
}

/// Writes a publication.
///
/// # Errors
/// It is larger than MQTT allows.
pub(super) fn publish(packet: Publish, out: &mut BytesMut) -> Result<(), Error> {
    write(&Packet::Publish(packet), out)
}

pub(super) fn acknowledge(id: u16, out: &mut BytesMut) -> Result<(), Error> {
    write(&Packet::PubAck(PubAck::new(id, None)), out)
}

pub(super) fn ping(out: &mut BytesMut) -> Result<(), Error> {
    write(&Packet::PingReq(PingReq), out)
}

/// Writes the disconnect packet, after which the broker drops the will.
pub(super) fn disconnect(out: &mut BytesMut) -> Result<(), Error> {
    write(&Packet::Disconnect(Disconnect::new(DisconnectReasonCode::NormalDisconnection)), out)
}

/// Writes the whole packet or nothing.
fn write(packet: &Packet, out: &mut BytesMut) -> Result<(), Error> {
    let before = out.len();
    packet.write(out, None).map(|_| ()).inspect_err(|_| out.truncate(before))
}

impl Settings {
    /// The topic of this node's status.
    pub(super) fn status_topic(&self) -> String {
        format!("{}/1/node/{}/status", self.root, self.node)
    }
}
