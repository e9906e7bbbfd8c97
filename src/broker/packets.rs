//! Judges one packet of a client before the crate gets it.
//!
//! The crate forwards what it received: a property that does not belong into a PUBLISH, or a character that MQTT advises against,
//! reaches every subscriber, and libraries of other clients end their connections when they read it. So each client is judged by
//! its own packets, and only its own connection ends.

use bytes::{Buf, Bytes};
use mqtt5::packet::connect::ConnectPacket;
use mqtt5::packet::publish::PublishPacket;
use mqtt5::protocol::v5::reason_codes::ReasonCode;
use mqtt5::{FixedHeader, MqttError, Packet, PacketType, Properties, PropertyId, PropertyValue, QoS};

use super::shares::Limits;

/// The longest topic or filter, in bytes. Those of `wire/README.md` have fewer than 200.
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
    /// A request that costs the broker more than an acknowledgement.
    Request,
    /// An acknowledgement or DISCONNECT.
    Other,
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
                Ok(Good::Request)
            }
            _ => Err(FILTER),
        },
        PacketType::Disconnect => match decode(&header, &mut body, version)? {
            // The session that was not granted must not begin at the end of the connection.
            Packet::Disconnect(end)
                if limits.sessions == 0 && end.properties.get_session_expiry_interval().is_some_and(|kept| kept > 0) =>
            {
                Err(ORDER)
            }
            _ => Ok(Good::Other),
        },
        PacketType::Unsubscribe | PacketType::PingReq => Ok(Good::Request),
        PacketType::PubAck => Ok(Good::Other),
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

/// The will is forwarded, and the names are added to every message of the client.
fn judge_connect(connect: &ConnectPacket, commands: &str) -> Result<(), Fault> {
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

/// Whether every client accepts the text: without control characters and noncharacters (MQTT 5, section 1.5.4).
fn is_clean(text: &str) -> bool {
    let is_noncharacter = |c: char| matches!(u32::from(c), 0xFDD0..=0xFDEF) || u32::from(c) & 0xFFFE == 0xFFFE;
    !text.chars().any(|c| c.is_control() || is_noncharacter(c))
}

#[cfg(test)]
mod tests {
    use bytes::BytesMut;
    use mqtt5::packet::MqttPacket;
    use rumqttc::v5::mqttbytes::v5;

    use super::super::shares::Class;
    use super::*;
    use crate::seeds;

    /// The bytes of one seed.
    const BYTES: usize = 1_000_000;

    fn samples() -> Vec<Vec<u8>> {
        let message = PublishPacket::new("flagfall/1/live/e/1/b12/state", &b"{\"rev\":61}"[..], QoS::AtLeastOnce)
            .with_packet_id(7)
            .with_payload_format_indicator(true)
            .with_message_expiry_interval(30)
            .with_response_topic("flagfall/1/reply/anna".to_owned())
            .with_correlation_data(vec![1, 2, 3])
            .with_content_type("application/json".to_owned())
            .with_user_property("ключ".to_owned(), "♔".to_owned());
        let encoded = |packet: &PublishPacket| {
            let mut bytes = BytesMut::new();
            packet.encode(&mut bytes).expect("a packet");
            bytes.to_vec()
        };
        let mut connect = vec![0x10, 0, 0, 4, b'M', b'Q', b'T', b'T', 5, 0xC6, 0, 60, 0, 0, 1, b'x', 5, 0x18, 0, 0, 0, 9];
        connect.extend(b"\0\x03t/a\0\x01x\0\x04anna\0\x06secret");
        connect[1] = (connect.len() - 2) as u8;
        vec![
            encoded(&message),
            encoded(&message.clone().with_retain(true)),
            connect,
            b"\x82\x0E\0\x09\0\0\x03t/#\x01\0\x03u/+\0".to_vec(),
            b"\xE0\x07\x04\x05\x11\0\0\0\x09".to_vec(),
            b"\x40\x02\0\x07".to_vec(),
        ]
    }

    fn mutate(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
        for _ in 0..random.usize(..4) {
            let at = random.usize(2..bytes.len());
            match random.u8(..5) {
                0 => bytes[at] = random.u8(..),
                1 if bytes.len() > 4 => drop(bytes.remove(at)),
                2 => drop(bytes.splice(at..at, "\u{FFFE}".bytes())),
                3 => drop(bytes.splice(at..at, [random.u8(..0x2B), random.u8(..)])),
                _ => bytes.insert(at, random.u8(..)),
            }
        }
        bytes[0] = if random.u8(..10) == 0 { random.u8(..) } else { bytes[0] };
        bytes[1] = if random.u8(..10) == 0 { random.u8(..) } else { (bytes.len() - 2).min(127) as u8 };
    }

    /// What is forwarded can be read by a client that shares no code with the broker, and has no text that another one refuses.
    #[test]
    fn packets_take_anything_and_forward_only_what_clients_read() {
        let samples = samples();
        let mut forwarded = 0;
        let one = |seed: u64| {
            let mut random = fastrand::Rng::with_seed(seeds::mixed(0x6d71_7474, seed));
            let mut done = 0;
            while done < BYTES {
                let mut bytes = samples[random.usize(..samples.len())].clone();
                mutate(&mut random, &mut bytes);
                done += bytes.len();
                let version = [None, Some(4), Some(5)][random.usize(..3)];
                let Ok(Some(size)) = size(&bytes) else { continue };
                bytes.resize(size.min(bytes.len()), 0);
                let limits = [Class::Reader, Class::Writer][random.usize(..2)].limits();
                let Ok(Good::Publish(publish)) = judge(&Bytes::from(bytes), version, &limits, "flagfall/1/cmd/") else {
                    continue;
                };
                let mut sent = BytesMut::new();
                let again = PublishPacket { protocol_version: 5, ..publish };
                again.encode(&mut sent).expect("it was read");
                match v5::Packet::read(&mut sent, Some(1 << 20)) {
                    Ok(v5::Packet::Publish(read)) => {
                        assert!(is_topic(std::str::from_utf8(&read.topic).expect("text")), "{read:?}")
                    }
                    other => panic!("{other:?}"),
                }
                forwarded += 1;
            }
            done as u64
        };
        seeds::campaign("fuzz of packets to the broker", 0..1, one);
        assert!(!seeds::ordinary() || forwarded > 1_000, "{forwarded}");
    }
}
