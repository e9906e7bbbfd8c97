//! The embedded broker against clients that have logged in: what one of them sends or does not read harms no other.
#![cfg(feature = "broker")]

pub(crate) mod raw;

use std::net::SocketAddr;

use flagfall::broker;
use rumqttc::v5::mqttbytes::QoS;
use rumqttc::v5::mqttbytes::v5::{ConnectProperties, PubAckReason, SubscribeReasonCode};

use self::raw::{Raw, connect, connect_with_will, publish, string, whole};
use crate::broker::{broker_user, configured, login, login_as, open_settings};
use crate::client::{Client, message, options, retained, text};

/// Ends the collection of messages.
const END: &str = "t/end";

/// A broker with a watcher of everything, a writer of `t/#`, an arbiter and a screen.
fn settings(folder: &std::path::Path) -> flagfall::config::Broker {
    let users = [
        broker_user(folder, "watcher", &["t/#", "flagfall/1/#"], &[]),
        broker_user(folder, "writer", &["t/#"], &["t/#", "u/+/info"]),
        broker_user(folder, "anna", &["flagfall/1/#"], &[]),
        broker_user(folder, "screen", &["t/#"], &[]),
    ];
    flagfall::config::Broker { user: users.into(), ..open_settings() }
}

/// A PUBLISH of QoS 1 by a client of MQTT 5, with these properties.
fn with_properties(properties: &[u8]) -> Vec<u8> {
    publish(0x32, "t/a", properties, b"x")
}

fn text_property(id: u8, text: &str) -> Vec<u8> {
    [vec![id], string(text)].concat()
}

/// What a client of MQTT 5 sends after its login, and the reason with which it is disconnected.
fn bad_packets() -> Vec<(&'static str, Vec<u8>, u8)> {
    let pair = |key: &str, value: &str| [vec![0x26], string(key), string(value)].concat();
    let command = "flagfall/1/cmd/anna/e/1/b/confirm";
    let filters = |count: usize, filter: &str| {
        let one = [string(filter), vec![1]].concat();
        whole(0x82, &[&[0, 9, 0][..], &one.repeat(count)].concat())
    };
    vec![
        ("receive maximum", with_properties(&[0x21, 0, 9]), 0x82),
        ("session expiry", with_properties(&[0x11, 0, 0, 0, 9]), 0x82),
        ("will delay", with_properties(&[0x18, 0, 0, 0, 9]), 0x82),
        ("reason string", with_properties(&text_property(0x1F, "why")), 0x82),
        ("subscription id", with_properties(&[0x0B, 7]), 0x82),
        ("topic alias", with_properties(&[0x23, 0, 7]), 0x82),
        ("unknown property", with_properties(&[0x7F, 7]), 0x81),
        ("property twice", with_properties(&[0x01, 1, 0x01, 1]), 0x81),
        ("properties that end early", with_properties(&[0x03, 0, 9, b'x']), 0x81),
        ("format of the payload", with_properties(&[0x01, 2]), 0x81),
        ("content type", with_properties(&text_property(0x03, "a\u{FFFF}")), 0x81),
        ("answer to a filter", with_properties(&text_property(0x08, "t/#")), 0x81),
        ("user property's key", with_properties(&pair("a\u{1}", "b")), 0x81),
        ("user property's value", with_properties(&pair("a", "\u{FDD0}")), 0x81),
        ("user property of 3 bytes", with_properties(&[0x26, 0, 1, 0xFF, 0, 0]), 0x81),
        ("many user properties", with_properties(&pair("a", "b").repeat(17)), 0x82),
        ("noncharacter", publish(0x32, "t/\u{FFFE}", &[], b"x"), 0x90),
        ("noncharacter of another plane", publish(0x31, "t/\u{2FFFF}", &[], b"x"), 0x90),
        ("control character", publish(0x30, "t/\u{7F}", &[], b"x"), 0x90),
        ("filter", publish(0x30, "t/+", &[], b"x"), 0x90),
        ("no topic", publish(0x30, "", &[], b"x"), 0x90),
        ("topic of the broker", publish(0x31, "$SYS/t", &[], b"x"), 0x90),
        ("long topic", publish(0x30, &format!("t/{}", "x".repeat(511)), &[], b"x"), 0x90),
        ("QoS 2", publish(0x34, "t/a", &[], b"x"), 0x9B),
        ("number 0", whole(0x32, &[string("t/a"), vec![0, 0, 0]].concat()), 0x81),
        ("QoS 3", publish(0x36, "t/a", &[], b"x"), 0x81),
        ("retained command", publish(0x33, command, &[], b"x"), 0x9A),
        ("retained command, deleted", publish(0x31, command, &[], b""), 0x9A),
        ("long command", publish(0x32, command, &[], &[b'x'; 64 << 10]), 0x95),
        ("long packet", vec![0x32, 0xFF, 0xFF, 0x7F, 0], 0x95),
        ("length of five bytes", vec![0x32, 0xFF, 0xFF, 0xFF, 0xFF, 1], 0x81),
        ("many filters", filters(65, "t/a"), 0x8F),
        ("long filter", filters(1, &format!("t/{}", "x".repeat(511))), 0x8F),
        ("noncharacter in a filter", filters(1, "t/\u{FFFE}"), 0x8F),
        ("second CONNECT", connect("again", "writer", 0), 0x82),
        ("release", vec![0x62, 2, 0, 7], 0x82),
        ("answer of a broker", vec![0xD0, 0], 0x82),
        ("packet of no kind", vec![0x00, 0], 0x81),
    ]
}

/// Every message shows the name of its sender's client.
#[tokio::test]
async fn nobody_takes_over_the_connection_of_another_users_client() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = broker::start(&configured(&settings(folder.path())), "node-1").await.expect("it starts");
    let mut writer = Raw::log_in(running.tcp, &connect("x", "writer", 0)).await;
    let mut thieves = Vec::new();
    for id in ["x", "x@writer"] {
        thieves.push(Raw::log_in(running.tcp, &connect(id, "screen", 0)).await);
        thieves.push(Raw::log_in(running.tcp, &raw::connect_3(id, "anna")).await);
    }
    for client in thieves.iter_mut().chain([&mut writer]) {
        assert!(client.is_served().await);
    }
    let mut again = Raw::log_in(running.tcp, &connect("x", "writer", 0)).await;
    assert_eq!(writer.read_to_end().await, [0xE0, 1, 0x8E], "its own user does");
    assert!(again.is_served().await);
    running.stop().await;
}

#[tokio::test]
async fn what_may_not_be_forwarded_ends_the_senders_connection_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = broker::start(&configured(&settings(folder.path())), "node-1").await.expect("it starts");
    let mut watcher = login_as(running.tcp, "watcher").await;
    for filter in ["t/#", "flagfall/1/#"] {
        let granted = watcher.subscribe(filter, QoS::AtLeastOnce).await;
        assert_eq!(granted, SubscribeReasonCode::Success(QoS::AtMostOnce), "it only reads");
    }
    for (name, bytes, reason) in bad_packets() {
        let mut client = Raw::log_in(running.tcp, &connect("x", "writer", 0)).await;
        client.send(&bytes).await;
        assert_eq!(client.read_to_end().await, [0xE0, 1, reason], "{name}");
    }
    // A client of MQTT 3.1.1 gets no reason.
    let mut old = Raw::log_in(running.tcp, &raw::connect_3("x", "writer")).await;
    old.send(&whole(0x30, &[string("t/\u{FFFE}"), b"x".to_vec()].concat())).await;
    assert!(old.read_to_end().await.is_empty());

    let wills = [
        ("filter", connect_with_will("t/#", &[], 0)),
        ("any topic", connect_with_will("#", &[], 0)),
        ("another's topic", connect_with_will("live/a", &[], 0)),
        ("noncharacter", connect_with_will("t/\u{FFFE}", &[], 0)),
        ("QoS 2", connect_with_will("t/a", &[], 0x10)),
        ("foreign property", connect_with_will("t/a", &[0x21, 0, 9], 0)),
        ("content type", connect_with_will("t/a", &text_property(0x03, "\u{1}"), 0)),
        ("retained command", connect_with_will("flagfall/1/cmd/writer/x", &[], 0x20)),
        ("name with a noncharacter", connect("x\u{FFFE}", "writer", 0)),
        ("long name", connect(&"x".repeat(513), "writer", 0)),
    ];
    for (name, bytes) in wills {
        let answer = Raw::open(running.tcp, &bytes).await.read_to_end().await;
        assert!(answer.is_empty() || (answer[0] == 0x20 && answer[3] >= 0x80), "{name}: {answer:?}");
    }
    let mut good = Raw::log_in(running.tcp, &connect_with_will("t/will", &[0x18, 0, 0, 0, 0, 0x03, 0, 1, b'a'], 0)).await;
    let pair = [vec![0x26], string("ключ"), string("значение ♔")].concat();
    good.send(&publish(0x30, "t/♔", &[vec![0x01, 1], pair, text_property(0x08, "t/answer")].concat(), b"x")).await;
    assert_eq!(text(&watcher.next().await.topic), "t/♔", "what others sent did not arrive");
    good.send(&[0x30]).await;
    drop(good);
    assert_eq!(text(&watcher.next().await.topic), "t/will");
    running.stop().await;
}

/// Leaves a session behind, and returns for how many seconds it is kept.
async fn kept(to: SocketAddr, id: &str, user: &str) -> u32 {
    let mut options = options(to, id);
    options.set_credentials(user, format!("secret of {user}")).set_clean_start(false);
    options.set_connect_properties(ConnectProperties { session_expiry_interval: Some(3_600), ..ConnectProperties::new() });
    let mut client = Client::connect(options).await;
    client.subscribe("flagfall/1/#", QoS::AtLeastOnce).await;
    let expiry = client.connack.properties.as_ref().and_then(|properties| properties.session_expiry_interval);
    client.vanish().await;
    expiry.unwrap_or(3_600)
}

#[tokio::test]
async fn invented_names_have_one_share_where_nobody_logs_in() {
    let running = broker::start(&configured(&open_settings()), "node-1").await.expect("it starts");
    for number in 0..70 {
        let expiry = kept(running.tcp, &format!("client-{number}"), &format!("name-{number}")).await;
        assert_eq!(expiry > 0, number < 64, "client {number}");
    }
    running.stop().await;
}

#[tokio::test]
async fn who_only_reads_writes_nothing_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = broker::start(&configured(&settings(folder.path())), "node-1").await.expect("it starts");
    let own = running.own.clone().expect("a user");
    let mut daemon = login(running.tcp, "daemon", &own.user, &own.password).await.expect("is let in");
    daemon.subscribe("flagfall/1/cmd/#", QoS::AtLeastOnce).await;
    let mut screen = login_as(running.tcp, "screen").await;
    for topic in ["flagfall/1/cmd/screen/e/1/b/confirm", "flagfall/1/cmd/screen", "flagfall/1/reply/screen/x", "t/a"] {
        for message in [message(topic, "no"), retained(topic, "no"), retained(topic, "")] {
            if message.retain && topic.contains("/cmd/") {
                continue;
            }
            assert_eq!(screen.publish(message).await, PubAckReason::NotAuthorized, "{topic}");
        }
    }
    // Requests are slowed down, and large packets end the connection.
    let mut large = Raw::log_in(running.tcp, &connect("large", "screen", 0)).await;
    large.send(&publish(0x30, "t/a", &[], &[b'x'; 17 << 10])).await;
    assert_eq!(large.read_to_end().await, [0xE0, 1, 0x95]);

    assert_eq!(kept(running.tcp, "screen-1", "screen").await, 0, "the session of a screen is not kept");
    for number in 0..10 {
        let expiry = kept(running.tcp, &format!("anna-{number}"), "anna").await;
        assert_eq!(expiry > 0, number < 8, "client {number} of anna");
    }
    assert!(kept(running.tcp, "anna-3", "anna").await > 0, "a client comes back");

    let mut anna = login_as(running.tcp, "anna").await;
    assert_eq!(anna.publish(message("flagfall/1/cmd/anna/e/1/b/confirm", "yes")).await, PubAckReason::Success);
    assert_eq!(daemon.next_text().await, ("flagfall/1/cmd/anna/e/1/b/confirm".to_owned(), "yes".to_owned()));
    running.stop().await;
}

#[tokio::test]
async fn retained_topics_of_others_take_no_place_of_the_daemons() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = broker::start(&configured(&settings(folder.path())), "node-1").await.expect("it starts");
    let own = running.own.clone().expect("a user");
    let mut writer = Raw::log_in(running.tcp, &connect("w", "writer", 0)).await;
    for number in 0..8_001 {
        writer.send(&publish(0x31, &format!("t/{number}"), &[], b"x")).await;
    }
    assert_eq!(writer.read_to_end().await, [0xE0, 1, 0x97], "beyond its share");
    let mut again = login_as(running.tcp, "writer").await;
    assert_eq!(again.publish(retained("t/7", "new")).await, PubAckReason::Success, "its own topics change");
    let mut daemon = login(running.tcp, "daemon", &own.user, &own.password).await.expect("is let in");
    for number in 0..300 {
        let topic = format!("flagfall/1/live/e/1/b{number}/state");
        assert_eq!(daemon.publish(retained(&topic, "x")).await, PubAckReason::Success);
    }
    let mut late = login_as(running.tcp, "watcher").await;
    late.subscribe("flagfall/1/live/#", QoS::AtLeastOnce).await;
    for _ in 0..300 {
        assert!(late.next().await.retain);
    }
    assert_eq!(daemon.publish(message(END, "")).await, PubAckReason::NotAuthorized);
    running.stop().await;
}

/// A machine that reads and never acknowledges is disconnected, or its messages would wait for ever.
#[tokio::test]
async fn who_acknowledges_nothing_is_disconnected() {
    let folder = tempfile::tempdir().expect("a folder");
    let running = broker::start(&configured(&settings(folder.path())), "n1").await.expect("a broker");
    let mut honest = login_as(running.tcp, "writer").await;
    honest.publish(retained("t/a", "x")).await;
    let mut silent = Raw::log_in(running.tcp, &connect("silent", "writer", 0)).await;
    silent.send(&whole(0x82, &[&[0, 9, 0][..], &string("t/#"), &[1]].concat())).await;
    let sent = silent.read_to_end().await;
    assert!(sent.windows(5).any(|bytes| bytes == b"\0\x03t/a"), "the message came: {sent:?}");
    honest.publish(retained("t/a", "y")).await;
    honest.leave().await;
    running.stop().await;
}
