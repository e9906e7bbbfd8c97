//! Tests how bytes are split into packets and gathered into writes, also with a slow or faulty broker.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{PubAck, PubAckReason, Publish, PublishProperties, SubAck, SubscribeReasonCode};
use tokio::io::{DuplexStream, ReadBuf, duplex};

use super::*;
use crate::mqtt::packets::acknowledge;

/// Runs to the end, or fails after some seconds.
fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let limited = async { tokio::time::timeout(Duration::from_secs(20), work).await };
    runtime.block_on(limited).expect("it ends")
}

/// A wire on a stream that holds this many bytes.
fn wire(room: usize) -> (Wire, DuplexStream) {
    let (ours, broker) = duplex(room);
    (Wire::new(Box::new(ours)), broker)
}

/// Whether nothing happens now.
async fn waits(wire: &mut Wire) -> bool {
    tokio::select! {
        biased;
        _ = wire.read_and_write() => false,
        () = std::future::ready(()) => true,
    }
}

/// One packet of each kind that a broker sends, and their bytes.
fn sample() -> (Vec<Packet>, Vec<u8>) {
    let properties = PublishProperties {
        response_topic: Some("flagfall/1/reply/anna/c1".to_owned()),
        correlation_data: Some("q1".into()),
        ..PublishProperties::default()
    };
    let mut publish = Publish::new("flagfall/1/cmd", QoS::AtLeastOnce, vec![7; 300], Some(properties));
    publish.pkid = 258;
    let mut refusal = PubAck::new(2, None);
    refusal.reason = PubAckReason::QuotaExceeded;
    let answer = SubAck { pkid: 1, return_codes: vec![SubscribeReasonCode::Success(QoS::AtLeastOnce)], properties: None };
    let packets = vec![
        Packet::Publish(publish),
        Packet::PubAck(PubAck::new(1, None)),
        Packet::PubAck(refusal),
        Packet::SubAck(answer),
        Packet::PingResp(rumqttc::v5::mqttbytes::v5::PingResp),
    ];
    let mut bytes = BytesMut::new();
    for packet in &packets {
        packet.write(&mut bytes, None).expect("a packet");
    }
    (packets, bytes.to_vec())
}

/// The next packet that arrived as a whole.
fn buffered(wire: &mut Wire) -> Option<Packet> {
    match wire.buffered_packet().expect("good packets") {
        Some(Incoming::Packet(packet)) => Some(packet),
        Some(too_large @ Incoming::TooLarge(_)) => panic!("{too_large:?}"),
        None => None,
    }
}

fn all(wire: &mut Wire) -> Vec<Packet> {
    std::iter::from_fn(|| buffered(wire)).collect()
}

#[test]
fn packets_may_be_cut_anywhere() {
    let (packets, bytes) = sample();
    run(async {
        for cut in 0..=bytes.len() {
            let (mut wire, mut broker) = wire(1024);
            let mut got = Vec::new();
            for part in [&bytes[..cut], &bytes[cut..]].into_iter().filter(|part| !part.is_empty()) {
                broker.write_all(part).await.expect("a line");
                wire.read_and_write().await.expect("a line");
                got.extend(all(&mut wire));
                assert!(waits(&mut wire).await, "all is read");
            }
            assert_eq!(got, packets, "cut at {cut}");
        }
        let (mut wire, mut broker) = wire(1);
        let feed = async { broker.write_all(&bytes).await.expect("a line") };
        let read = async {
            let mut got = Vec::new();
            while got.len() < packets.len() {
                got.push(wire.read_packet().await.expect("a packet"));
            }
            got
        };
        assert_eq!(tokio::join!(feed, read).1, packets, "byte after byte");
    });
}

#[test]
fn the_short_forms_of_a_good_bye_are_known() {
    run(async {
        let reason = |code| Packet::Disconnect(Disconnect::new(code));
        for (bytes, expected) in [
            (&[0xe0, 0][..], reason(DisconnectReasonCode::NormalDisconnection)),
            (&[0xe0, 1, 0x8e], reason(DisconnectReasonCode::SessionTakenOver)),
            (&[0xe0, 2, 0x8b, 0], reason(DisconnectReasonCode::ServerShuttingDown)),
        ] {
            let (mut wire, mut broker) = wire(64);
            broker.write_all(bytes).await.expect("a line");
            drop(broker);
            assert_eq!(wire.read_packet().await, Ok(expected));
            let over = wire.read_packet().await;
            assert_eq!(
                over,
                Err(ConnectionEnd::Lost("the broker closed the connection".to_owned())),
                "only then the end is seen"
            );
        }
    });
}

#[test]
fn mosquitto_refuses_a_large_message_in_a_form_of_its_own() {
    run(async {
        for bytes in [&[0x40, 3, 1, 2, 0x95][..], &[0x40, 4, 1, 2, 0x95, 0]] {
            let (mut wire, mut broker) = wire(64);
            broker.write_all(bytes).await.expect("a line");
            wire.read_and_write().await.expect("a line");
            assert_eq!(wire.buffered_packet(), Ok(Some(Incoming::TooLarge(258))));
        }
    });
}

#[test]
fn an_unreadable_packet_is_an_error_as_soon_as_it_can_be_known() {
    let large = [&[0x30][..], &[0x81, 0x80, 0x10]].concat();
    let table: [(&str, &[u8], &str); 8] = [
        ("a length without end", &[0x30, 0xff, 0xff, 0xff, 0xff], "Remaining length"),
        ("too large, of which only the head is there", &large, "262145"),
        ("no type", &[0x00, 1, 0], "Invalid packet type"),
        (
            "a text from elsewhere",
            b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nWhat is that supposed to mean? Go away.",
            "",
        ),
        ("a topic beyond the end", &[0x30, 4, 0, 9, b't', 0], "boundary"),
        ("an empty acknowledgement", &[0x40, 0], "Payload"),
        ("an acknowledgement that is too short", &[0x40, 1, 0], "malformed"),
        ("a good-bye for an unknown reason", &[0xe0, 1, 0x7f], "127"),
    ];
    run(async {
        for (what, bytes, cause) in table {
            let (mut wire, mut broker) = wire(1024);
            broker.write_all(bytes).await.expect("a line");
            let read = wire.read_packet().await;
            assert!(matches!(&read, Err(ConnectionEnd::BadPacket(told)) if told.contains(cause)), "{what}: {read:?}");
        }
    });
}

#[test]
fn no_bytes_at_all_break_it() {
    let (_, good) = sample();
    let mut random = fastrand::Rng::with_seed(20_000);
    run(async {
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            for _ in 0..random.usize(1..6) {
                let place = random.usize(..bytes.len().min(40));
                bytes[place] = random.u8(..);
            }
            let (mut wire, mut broker) = wire(1024);
            broker.write_all(&bytes[random.usize(..good.len())..]).await.expect("a line");
            drop(broker);
            while wire.read_packet().await.is_ok() {}
            assert!(wire.incoming.len() <= good.len());
        }
    });
}

#[test]
fn a_large_packet_needs_no_more_than_its_room() {
    let mut bytes = BytesMut::new();
    let body = vec![b'x'; LARGEST as usize - 10];
    Packet::Publish(Publish::new("t", QoS::AtMostOnce, body, None)).write(&mut bytes, None).expect("a packet");
    run(async {
        let (mut wire, mut broker) = wire(4096);
        let feed = async {
            for _ in 0..20 {
                broker.write_all(&bytes).await.expect("a line");
            }
        };
        let read = async {
            for _ in 0..20 {
                assert!(matches!(wire.read_packet().await, Ok(Packet::Publish(publish)) if publish.payload.len() > 262_000));
                assert!(wire.incoming.capacity() < 4 * LARGEST as usize, "{}", wire.incoming.capacity());
            }
        };
        tokio::join!(feed, read);
    });
}

/// Keeps the length of each write.
struct Writes(Arc<Mutex<Vec<usize>>>);

impl AsyncRead for Writes {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<Result<(), Error>> {
        Poll::Pending
    }
}

impl AsyncWrite for Writes {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, Error>> {
        self.0.lock().expect("a list").push(bytes.len());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Error>> {
        Poll::Ready(Ok(()))
    }
}

#[test]
fn all_that_waits_goes_out_in_one_write() {
    let writes = Arc::new(Mutex::new(Vec::new()));
    let mut wire = Wire::new(Box::new(Writes(writes.clone())));
    run(async {
        for id in 1..=6 {
            acknowledge(id, &mut wire.outgoing).expect("a packet");
        }
        assert!(waits(&mut wire).await && waits(&mut wire).await);
    });
    assert_eq!(*writes.lock().expect("a list"), [24]);
}

#[test]
fn a_broker_that_does_not_read_is_still_heard_and_what_waits_is_bounded() {
    run(async {
        let (mut wire, mut broker) = wire(100);
        wire.outgoing.extend_from_slice(&vec![1; 1000]);
        assert!(wire.has_room() && waits(&mut wire).await);
        assert!(!wire.has_room() && wire.outgoing.len() == 900, "nothing more is to be published");
        for _ in 0..10 {
            broker.write_all(&[0xd0, 0]).await.expect("a line");
            wire.read_and_write().await.expect("a line");
            assert!(matches!(buffered(&mut wire), Some(Packet::PingResp(_))));
        }
        // Packets that need an answer arrive without end.
        let message = [&[0x32, 7][..], &[0, 1, b't'], &[0, 9, 0, b'x']].concat();
        for _ in 0..2 * LARGEST_BACKLOG {
            broker.write_all(&message).await.expect("a line");
            if waits(&mut wire).await {
                break;
            }
            while let Some(Packet::Publish(publish)) = buffered(&mut wire) {
                // Many more answers than packets, for speed.
                (0..1000).for_each(|_| acknowledge(publish.pkid, &mut wire.outgoing).expect("a packet"));
            }
        }
        assert!(
            wire.outgoing.len() > LARGEST_BACKLOG && wire.outgoing.len() < LARGEST_BACKLOG + 100_000,
            "{} bytes wait",
            wire.outgoing.len()
        );

        let mut all = vec![0; 100 + wire.outgoing.len()];
        let drain = async { broker.read_exact(&mut all).await.expect("a line") };
        let write = async {
            while !wire.has_room() {
                wire.read_and_write().await.expect("a line");
            }
        };
        tokio::join!(drain, write);
        assert!(wire.outgoing.is_empty() && all[..1000] == [1; 1000] && all[1000..].chunks(4).all(|ack| ack == [0x40, 2, 0, 9]));
    });
}

#[test]
fn it_is_closed_after_everything_is_read() {
    run(async {
        let (mut wire, mut broker) = wire(10);
        wire.outgoing.extend_from_slice(&[3; 500]);
        let broker = async move {
            let mut all = Vec::new();
            broker.read_to_end(&mut all).await.expect("a line");
            broker.write_all(&[0xd0, 0]).await.expect("not closed yet");
            all
        };
        let (closed, all) = tokio::join!(wire.close(), broker);
        assert!(closed.is_ok() && all == [3; 500]);
    });
}
