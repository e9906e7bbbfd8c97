//! Judges one packet of a client before the crate gets it.
//!
//! The crate forwards what it received: a property that does not belong into a PUBLISH, or a character that MQTT advises against,
//! reaches every subscriber, and libraries of other clients end their connections when they read it. So each client is judged by
//! its own packets, and only its own connection ends.

use bytes::{Buf, Bytes, BytesMut};
use mqtt5::packet::connect::ConnectPacket;
use mqtt5::packet::publish::PublishPacket;
use mqtt5::protocol::v5::reason_codes::ReasonCode;
use mqtt5::{FixedHeader, MqttError, Packet, PacketType, Properties, PropertyId, PropertyValue, QoS};

use super::shares::{Limits, PUBLISH, REQUEST};

/// The longest topic, filter or name of a client, in bytes. Those of `wire/README.md` have fewer than 200.
const MAX_TOPIC: usize = 512;
/// The largest number of filters in one SUBSCRIBE.
const MAX_FILTERS: usize = 64;
/// The largest number of user properties of one message.
const MAX_USER_PROPERTIES: usize = 16;
/// The largest size of a command with its topic, in bytes. A node ends its own connection at more than 256 KiB
/// (`wire/README.md#5`).
const MAX_COMMAND: usize = 64 << 10;

/// Properties of a message that is forwarded.
const OF_MESSAGE: [PropertyId; 6] = [
    PropertyId::PayloadFormatIndicator,
    PropertyId::MessageExpiryInterval,
    PropertyId::ContentType,
    PropertyId::ResponseTopic,
    PropertyId::CorrelationData,
    PropertyId::UserProperty,
];

/// Why a packet ends its connection: the code that a client of MQTT 5 gets, and the words for the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault(pub(super) ReasonCode, pub(super) &'static str);

const MALFORMED: Fault = Fault(ReasonCode::MalformedPacket, "a malformed packet");
const TEXT: Fault = Fault(ReasonCode::MalformedPacket, "text with characters that do not belong into text");
const TOPIC: Fault = Fault(ReasonCode::TopicNameInvalid, "a topic that is none");
const FILTER: Fault = Fault(ReasonCode::TopicFilterInvalid, "too many topic filters, or one that is none");
const PROPERTY: Fault = Fault(ReasonCode::ProtocolError, "a property that does not belong there");
pub(super) const TOO_LARGE: Fault = Fault(ReasonCode::PacketTooLarge, "a packet that is too large");
const QOS: Fault = Fault(ReasonCode::QoSNotSupported, "a message of QoS 2");
const RETAINED: Fault = Fault(ReasonCode::RetainNotSupported, "a retained command");
const ORDER: Fault = Fault(ReasonCode::ProtocolError, "a packet that does not belong there");

/// What the gate must know about a packet that is good.
#[derive(Debug)]
pub(super) enum Good {
    /// The first packet of a connection.
    Connect(Box<ConnectPacket>),
    /// A message.
    Publish(PublishPacket),
    /// Requests that cost the broker more than an acknowledgement: the topic filters of one packet, or one.
    Request(u32),
    /// An acknowledgement of a message that the client has got.
    Acknowledgement,
}

/// The size of the packet at the start of `bytes`, with its header, once the header is there.
pub(super) fn size(bytes: &[u8]) -> Result<Option<usize>, Fault> {
    let mut value = 0;
    for (index, byte) in bytes.iter().skip(1).enumerate() {
        if index == 4 {
            return Err(MALFORMED);
        }
        value |= usize::from(byte & 0x7F) << (7 * index);
        if byte & 0x80 == 0 {
            return Ok(Some(value + index + 2));
        }
    }
    Ok(None)
}

/// Judges a whole packet. `version` is that of the CONNECT, none before it; `commands` begins the topics of commands.
pub(super) fn judge(packet: &Bytes, version: Option<u8>, limits: &Limits, commands: &str) -> Result<Good, Fault> {
    let mut body = packet.clone();
    let header = FixedHeader::decode(&mut body).map_err(malformed)?;
    let Some(version) = version else {
        return match decode(&header, &mut body, 5)? {
            Packet::Connect(connect) => judge_connect(&connect, commands).map(|()| Good::Connect(connect)),
            _ => Err(ORDER),
        };
    };
    match header.packet_type {
        PacketType::Publish => match decode(&header, &mut body, version)? {
            // Number 0 stands for none.
            Packet::Publish(publish) if publish.packet_id == Some(0) => Err(MALFORMED),
            Packet::Publish(publish) => {
                let is_too_large = publish.topic_name.starts_with(commands) && packet.len() > MAX_COMMAND;
                judge_message(&publish.topic_name, publish.qos, publish.retain, &publish.properties, &OF_MESSAGE, commands)?;
                if is_too_large { Err(TOO_LARGE) } else { Ok(Good::Publish(publish)) }
            }
            _ => Err(ORDER),
        },
        PacketType::Subscribe => match decode(&header, &mut body, version)? {
            Packet::Subscribe(subscribe)
                if subscribe.filters.len() <= MAX_FILTERS
                    && subscribe.filters.iter().all(|one| one.filter.len() <= MAX_TOPIC && is_clean(&one.filter)) =>
            {
                Ok(Good::Request(subscribe.filters.len() as u32))
            }
            _ => Err(FILTER),
        },
        PacketType::Unsubscribe => match decode(&header, &mut body, version)? {
            Packet::Unsubscribe(end) if end.filters.len() <= MAX_FILTERS => Ok(Good::Request(end.filters.len() as u32)),
            _ => Err(FILTER),
        },
        PacketType::Disconnect => match decode(&header, &mut body, version)? {
            // The session that was not granted must not begin at the end of the connection.
            Packet::Disconnect(end)
                if limits.sessions == 0 && end.properties.get_session_expiry_interval().is_some_and(|kept| kept > 0) =>
            {
                Err(ORDER)
            }
            _ => Ok(Good::Request(1)),
        },
        PacketType::PingReq => Ok(Good::Request(1)),
        PacketType::PubAck => Ok(Good::Acknowledgement),
        // QoS 2 is not granted, there is no authentication in steps, and the others are sent by brokers.
        _ => Err(ORDER),
    }
}

fn decode(header: &FixedHeader, body: &mut Bytes, version: u8) -> Result<Packet, Fault> {
    let packet = Packet::decode_from_body_with_version(header.packet_type, header, body, version).map_err(malformed)?;
    if body.has_remaining() { Err(MALFORMED) } else { Ok(packet) }
}

#[allow(clippy::needless_pass_by_value, reason = "the form that `map_err` needs")]
fn malformed(_: MqttError) -> Fault {
    MALFORMED
}

/// What a message with a payload of this size costs.
pub(super) fn price(payload: usize) -> u32 {
    // A packet has at most a megabyte.
    PUBLISH + REQUEST * (payload >> 10) as u32
}

/// The same CONNECT, with the name of the user in the name of the client, and this name: the crate gives a session to whoever knows the name
/// of its client, which every message shows. It names a client without a name itself.
pub(super) fn with_user(packet: &Bytes, version: u8, user: &str, client: &str) -> Result<(Bytes, String), Fault> {
    if client.is_empty() {
        return Ok((packet.clone(), String::new()));
    }
    let mut body = packet.clone();
    FixedHeader::decode(&mut body).map_err(malformed)?;
    // The name of the protocol, its level, flags and keep-alive, and the properties of MQTT 5, come before it.
    let mut at = 6 + usize::from(body.clone().get_u16());
    if version == 5 {
        at = at - 1 + size(&body[at - 1..])?.ok_or(MALFORMED)?;
    }
    let (before, after) = (&body[..at], &body[at + 2 + client.len()..]);
    let name = format!("{client}@{user}");
    let length = u16::try_from(name.len()).map_err(|_| TOO_LARGE)?;
    let mut whole = BytesMut::new();
    let remaining = (before.len() + 2 + name.len() + after.len()) as u32;
    FixedHeader::new(PacketType::Connect, 0, remaining).encode(&mut whole).map_err(malformed)?;
    [before, &length.to_be_bytes(), name.as_bytes(), after].into_iter().for_each(|part| whole.extend_from_slice(part));
    Ok((whole.freeze(), name))
}

/// The will is forwarded, and the names are added to every message of the client.
fn judge_connect(connect: &ConnectPacket, commands: &str) -> Result<(), Fault> {
    if connect.client_id.len() > MAX_TOPIC {
        return Err(TOO_LARGE);
    }
    if !is_clean(&connect.client_id) || !connect.username.as_deref().is_none_or(is_clean) {
        return Err(TEXT);
    }
    let Some(will) = &connect.will else { return Ok(()) };
    let allowed = [OF_MESSAGE.as_slice(), &[PropertyId::WillDelayInterval]].concat();
    judge_message(&will.topic, will.qos, will.retain, &connect.will_properties, &allowed, commands)
}

fn judge_message(
    topic: &str,
    qos: QoS,
    retain: bool,
    properties: &Properties,
    allowed: &[PropertyId],
    commands: &str,
) -> Result<(), Fault> {
    if qos == QoS::ExactlyOnce {
        return Err(QOS);
    }
    if !is_topic(topic) {
        return Err(TOPIC);
    }
    if retain && topic.starts_with(commands) {
        return Err(RETAINED);
    }
    let mut of_user = 0;
    for (id, value) in properties.iter() {
        of_user += usize::from(id == PropertyId::UserProperty);
        let is_good = match value {
            PropertyValue::Byte(flag) => *flag <= 1,
            PropertyValue::Utf8String(text) if id == PropertyId::ResponseTopic => is_topic(text),
            PropertyValue::Utf8String(text) => is_clean(text),
            PropertyValue::Utf8StringPair(key, value) => is_clean(key) && is_clean(value),
            _ => true,
        };
        if !allowed.contains(&id) || of_user > MAX_USER_PROPERTIES {
            return Err(PROPERTY);
        }
        if !is_good {
            return Err(TEXT);
        }
    }
    Ok(())
}

/// Whether it is the topic of a message. Those of the broker itself, which begin with `$`, are not.
fn is_topic(topic: &str) -> bool {
    !topic.is_empty() && topic.len() <= MAX_TOPIC && !topic.starts_with('$') && !topic.contains(['#', '+']) && is_clean(topic)
}

/// Whether every client accepts the text: without control characters and noncharacters (MQTT 5, "UTF-8 Encoded String").
fn is_clean(text: &str) -> bool {
    let is_noncharacter = |c: char| matches!(u32::from(c), 0xFDD0..=0xFDEF) || u32::from(c) & 0xFFFE == 0xFFFE;
    !text.chars().any(|c| c.is_control() || is_noncharacter(c))
}

#[cfg(test)]
mod tests;
