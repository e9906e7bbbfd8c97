//! Any packets: what is forwarded can be read.

use bytes::BytesMut;
use mqtt5::packet::MqttPacket;
use rumqttc::v5::mqttbytes::v5;

use super::super::shares::Class;
use super::*;
use crate::seeds::{campaign, mixed, ordinary};

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

/// The name of the user is in that of the client, and nothing else changes.
fn has_its_user(packet: &Bytes, connect: ConnectPacket) {
    let (version, name) = (connect.protocol_version, &connect.client_id);
    let (again, with_user) = with_user(packet, version, "screen", name).expect("it was read");
    assert_eq!(with_user, if name.is_empty() { String::new() } else { format!("{name}@screen") });
    match judge(&again, None, &Class::Reader.limits(), "flagfall/1/cmd/") {
        Ok(Good::Connect(read)) => {
            let bytes = |packet: &ConnectPacket| {
                let mut bytes = BytesMut::new();
                packet.encode(&mut bytes).expect("it was read");
                bytes
            };
            assert_eq!(bytes(&read), bytes(&ConnectPacket { client_id: with_user, ..connect }));
        }
        other => panic!("{other:?}"),
    }
}

/// What is forwarded can be read by a client that shares no code with the broker, and has no text that another one refuses.
#[test]
fn packets_take_anything_and_forward_only_what_clients_read() {
    let samples = samples();
    let mut forwarded = 0;
    let one = |seed: u64| {
        let mut random = fastrand::Rng::with_seed(mixed(0x6d71_7474, seed));
        let mut done = 0;
        while done < BYTES {
            let mut bytes = samples[random.usize(..samples.len())].clone();
            mutate(&mut random, &mut bytes);
            done += bytes.len();
            let version = [None, Some(4), Some(5)][random.usize(..3)];
            let Ok(Some(size)) = size(&bytes) else { continue };
            bytes.resize(size.min(bytes.len()), 0);
            let limits = [Class::Reader, Class::Writer][random.usize(..2)].limits();
            let packet = Bytes::from(bytes);
            let publish = match judge(&packet, version, &limits, "flagfall/1/cmd/") {
                Ok(Good::Publish(publish)) => publish,
                Ok(Good::Connect(connect)) => {
                    has_its_user(&packet, *connect);
                    continue;
                }
                _ => continue,
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
    campaign("fuzz of packets to the broker", 0..1, one);
    assert!(!ordinary() || forwarded > 1_000, "{forwarded}");
}
