//! The properties of a broker on which the daemon and its subscribers rely (`wire/README.md#2` to `wire/README.md#5`).

use std::net::SocketAddr;
use std::time::Duration;

use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{LastWill, LastWillProperties, PubAckReason, PublishProperties, SubscribeReasonCode};

use crate::client::{Client, Send, message, options, retained, text};
use crate::websocket::WebSocket;

const QOS0: QoS = QoS::AtMostOnce;
const QOS1: QoS = QoS::AtLeastOnce;
/// A message on this topic ends the collection of messages.
const END: &str = "end/end";

/// The addresses of a broker.
#[derive(Clone, Copy)]
pub(crate) struct Broker {
    pub(crate) tcp: SocketAddr,
    pub(crate) websocket: SocketAddr,
}

async fn subscriber(broker: Broker, name: &str, filter: &str) -> Client {
    let mut client = Client::plain(broker.tcp, name).await;
    assert_eq!(client.subscribe(filter, QOS1).await, SubscribeReasonCode::Success(QOS1));
    assert_eq!(client.subscribe(END, QOS1).await, SubscribeReasonCode::Success(QOS1));
    client
}

async fn ok(client: &mut Client, message: Send<'_>) {
    let reason = client.publish(message).await;
    assert!(matches!(reason, PubAckReason::Success | PubAckReason::NoMatchingSubscribers), "{reason:?}");
}

pub(crate) async fn qos_is_the_lower_of_both(broker: Broker) {
    let mut one = subscriber(broker, "q1", "q/#").await;
    let mut zero = Client::plain(broker.tcp, "q0").await;
    zero.subscribe("q/#", QOS0).await;
    let mut sender = Client::plain(broker.tcp, "qs").await;
    for (topic, qos) in [("q/0", QOS0), ("q/1", QOS1)] {
        let message = Send { qos, ..message(topic, "x") };
        if qos == QOS1 {
            ok(&mut sender, message).await
        } else {
            sender.send(message).await
        }
        assert_eq!(one.next().await.qos, qos, "{topic}");
        assert_eq!(zero.next().await.qos, QOS0, "{topic}");
    }
}

pub(crate) async fn the_last_retained_message_is_kept(broker: Broker) {
    let mut sender = Client::plain(broker.tcp, "rs").await;
    for text in ["old", "new"] {
        ok(&mut sender, retained("r/a", text)).await;
    }
    ok(&mut sender, message("r/event", "gone")).await;
    let mut late = subscriber(broker, "late", "r/#").await;
    ok(&mut sender, message(END, "")).await;
    let kept = late.until(END).await;
    let kept: Vec<_> = kept.iter().map(|message| (text(&message.topic), text(&message.payload), message.retain)).collect();
    assert_eq!(kept, [("r/a".to_owned(), "new".to_owned(), true)]);

    ok(&mut sender, retained("r/a", "live")).await;
    assert!(!late.next().await.retain, "a present subscriber gets it as a new message");
}

pub(crate) async fn an_empty_payload_clears_a_retained_message(broker: Broker) {
    let mut sender = Client::plain(broker.tcp, "cs").await;
    ok(&mut sender, retained("c/a", "x")).await;
    let mut watcher = subscriber(broker, "cw", "c/#").await;
    assert_eq!(watcher.next_text().await.1, "x");
    ok(&mut sender, retained("c/a", "")).await;
    assert_eq!(watcher.next_text().await, ("c/a".to_owned(), String::new()), "a present subscriber gets the deletion");
    let mut late = subscriber(broker, "cl", "c/#").await;
    ok(&mut sender, message(END, "")).await;
    assert_eq!(late.until(END).await, []);
}

fn with_will(broker: Broker, name: &str, delay: u32, expiry: u32) -> rumqttc::v5::MqttOptions {
    let mut options = options(broker.tcp, name);
    let properties = LastWillProperties {
        delay_interval: Some(delay),
        payload_format_indicator: None,
        message_expiry_interval: None,
        content_type: Some("application/json".to_owned()),
        response_topic: None,
        correlation_data: None,
        user_properties: Vec::new(),
    };
    options.set_last_will(LastWill::new(format!("w/{name}"), "lost", QOS1, true, Some(properties)));
    options.set_clean_start(false).set_session_expiry_interval(Some(expiry));
    options
}

pub(crate) async fn a_will_is_sent_after_its_delay_and_not_after_a_return(broker: Broker) {
    let mut watcher = subscriber(broker, "ww", "w/#").await;
    let gone = Client::connect(with_will(broker, "gone", 1, 60)).await;
    let back = Client::connect(with_will(broker, "back", 4, 60)).await;
    let left = Client::connect(with_will(broker, "left", 0, 60)).await;
    left.leave().await;
    back.vanish().await;
    gone.vanish().await;
    let back = Client::connect(with_will(broker, "back", 4, 60)).await;
    assert!(back.connack.session_present);
    let will = watcher.next().await;
    assert_eq!((text(&will.topic), text(&will.payload)), ("w/gone".to_owned(), "lost".to_owned()));
    assert_eq!(will.properties.and_then(|properties| properties.content_type), Some("application/json".to_owned()));

    // A third will has the delay of the second and begins later: if the second came, it would come before the third.
    Client::connect(with_will(broker, "last", 4, 60)).await.vanish().await;
    assert_eq!(watcher.next_text().await.0, "w/last");
    let mut late = subscriber(broker, "wl", "w/gone").await;
    assert!(late.next().await.retain);
}

fn resumable(broker: Broker, name: &str) -> rumqttc::v5::MqttOptions {
    let mut options = options(broker.tcp, name);
    options.set_clean_start(false).set_session_expiry_interval(Some(60));
    options
}

pub(crate) async fn a_session_waits_with_its_queue(broker: Broker) {
    let mut away = Client::connect(resumable(broker, "away")).await;
    assert!(!away.connack.session_present);
    away.subscribe("s/#", QOS1).await;
    away.vanish().await;
    let mut sender = Client::plain(broker.tcp, "ss").await;
    for index in 0..50 {
        ok(&mut sender, message("s/a", index.to_string())).await;
    }
    let mut back = Client::connect(resumable(broker, "away")).await;
    assert!(back.connack.session_present);
    for index in 0..50 {
        assert_eq!(back.next_text().await.1, index.to_string());
    }
}

pub(crate) async fn a_message_expires_in_the_queue(broker: Broker) {
    let mut away = Client::connect(resumable(broker, "expiry")).await;
    away.subscribe("x/#", QOS1).await;
    away.subscribe(END, QOS1).await;
    away.vanish().await;
    let expiring = |seconds| PublishProperties { message_expiry_interval: Some(seconds), ..PublishProperties::default() };
    let mut sender = Client::plain(broker.tcp, "xs").await;
    ok(&mut sender, Send { properties: expiring(1), ..message("x/short", "") }).await;
    ok(&mut sender, Send { properties: expiring(100), ..message("x/long", "") }).await;
    // The broker does not report that a message has expired, so the test waits.
    tokio::time::sleep(Duration::from_millis(2_200)).await;
    let mut back = Client::connect(resumable(broker, "expiry")).await;
    ok(&mut sender, message(END, "")).await;
    let kept = back.until(END).await;
    assert_eq!(kept.iter().map(|message| text(&message.topic)).collect::<Vec<_>>(), ["x/long"]);
    let left = kept[0].properties.as_ref().and_then(|properties| properties.message_expiry_interval);
    assert!(left.is_some_and(|left| left < 100), "time in the queue counts: {left:?}");
}

pub(crate) async fn properties_pass_through(broker: Broker) {
    let mut watcher = subscriber(broker, "pw", "p/#").await;
    let sent = PublishProperties {
        payload_format_indicator: Some(1),
        response_topic: Some("flagfall/1/reply/anna/1".to_owned()),
        correlation_data: Some(vec![0, 1, 255].into()),
        content_type: Some("application/json".to_owned()),
        user_properties: vec![("unknown".to_owned(), "value".to_owned())],
        ..PublishProperties::default()
    };
    ok(&mut Client::plain(broker.tcp, "ps").await, Send { properties: sent.clone(), ..message("p/a", "{}") }).await;
    let got = watcher.next().await.properties.expect("properties");
    assert_eq!(got.payload_format_indicator, sent.payload_format_indicator);
    assert_eq!(got.response_topic, sent.response_topic);
    assert_eq!(got.correlation_data, sent.correlation_data);
    assert_eq!(got.content_type, sent.content_type);
    // The embedded broker adds a property of its own.
    assert!(got.user_properties.contains(&sent.user_properties[0]), "{:?}", got.user_properties);
}

pub(crate) async fn a_fresh_subscriber_gets_300_retained_topics(broker: Broker) {
    let mut sender = Client::plain(broker.tcp, "ms").await;
    for board in 0..300 {
        ok(&mut sender, retained(&format!("m/e/1/{board}/state"), board.to_string())).await;
    }
    let mut screen = subscriber(broker, "mw", "m/+/+/+/state").await;
    let mut boards = Vec::new();
    for _ in 0..300 {
        let (topic, payload) = screen.next_text().await;
        assert_eq!(topic, format!("m/e/1/{payload}/state"));
        boards.push(payload.parse::<u32>().expect("a number"));
    }
    boards.sort_unstable();
    assert!(boards.iter().copied().eq(0..300), "{boards:?}");
}

pub(crate) async fn a_topics_order_is_kept(broker: Broker) {
    let mut watcher = subscriber(broker, "ow", "o/#").await;
    let mut sender = Client::plain(broker.tcp, "os").await;
    for index in 0..500 {
        sender.send(message(if index % 2 == 0 { "o/even" } else { "o/odd" }, index.to_string())).await;
    }
    let mut next = [0, 1];
    for _ in 0..500 {
        let (topic, payload) = watcher.next_text().await;
        let expected = &mut next[usize::from(topic == "o/odd")];
        assert_eq!(payload, expected.to_string(), "{topic}");
        *expected += 2;
    }
    for _ in 0..500 {
        assert!(matches!(sender.acknowledged().await, PubAckReason::Success));
    }
}

pub(crate) async fn a_payload_of_100_kb_passes(broker: Broker) {
    let payload: Vec<u8> = (0..100_000_u32).map(|index| (index % 251) as u8).collect();
    let mut watcher = subscriber(broker, "bw", "b/#").await;
    let mut sender = Client::plain(broker.tcp, "bs").await;
    ok(&mut sender, retained("b/a", payload.clone())).await;
    assert_eq!(watcher.next().await.payload, payload);
    assert_eq!(subscriber(broker, "bl", "b/#").await.next().await.payload, payload, "retained");
}

pub(crate) async fn mqtt_3_1_1_reads_the_same_payloads(broker: Broker) {
    use rumqttc::{AsyncClient, Event, Incoming, MqttOptions, QoS};
    let mut options = MqttOptions::new("v4", broker.tcp.ip().to_string(), broker.tcp.port());
    options.set_max_packet_size(1 << 20, 1 << 20);
    let (client, mut events) = AsyncClient::new(options, 10);
    client.subscribe("v/#", QoS::AtLeastOnce).await.expect("room");
    let mut sender = Client::plain(broker.tcp, "vs").await;
    let state = Send {
        properties: PublishProperties { content_type: Some("application/json".to_owned()), ..PublishProperties::default() },
        ..retained("v/state", "{\"v\":\"1.0\"}")
    };
    let (event, mut got) = (message("v/move", "{\"no\":61}"), Vec::new());
    let read = async {
        while got.len() < 2 {
            match events.poll().await.expect("the connection holds") {
                Event::Incoming(Incoming::SubAck(_)) => {
                    for message in [state.clone(), event.clone()] {
                        ok(&mut sender, message).await;
                    }
                }
                Event::Incoming(Incoming::Publish(message)) => got.push((message.topic.clone(), text(&message.payload))),
                _ => {}
            }
        }
    };
    tokio::time::timeout(crate::client::PATIENCE, read).await.expect("both messages in time");
    let got: Vec<_> = got.iter().map(|(topic, payload)| (topic.as_str(), payload.as_str())).collect();
    assert_eq!(got, [("v/state", "{\"v\":\"1.0\"}"), ("v/move", "{\"no\":61}")]);
}

pub(crate) async fn websocket_and_tcp_are_one_broker(broker: Broker) {
    let mut watcher = subscriber(broker, "tw", "t/#").await;
    let mut page = WebSocket::open(broker.websocket).await;
    assert_eq!(page.connect("page", None).await, Some(0));
    assert_eq!(page.publish("t/a", "from a page").await, Some(vec![0x40, 2, 0, 7]));
    assert_eq!(watcher.next_text().await, ("t/a".to_owned(), "from a page".to_owned()));
    assert_eq!(page.subscribe("u/#").await, Some(1));
    ok(&mut Client::plain(broker.tcp, "ts").await, message("u/a", "to it")).await;
    let packet = page.receive().await.expect("a message");
    assert_eq!((packet[0] & 0xF0, packet.ends_with(b"to it")), (0x30, true), "{packet:?}");
}
