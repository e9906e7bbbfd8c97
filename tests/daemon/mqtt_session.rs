//! The MQTT session with a real mosquitto: birth, will, clean stop, lost brokers, commands, claims.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use flagfall::mqtt::ReconnectDelays;
use flagfall::mqtt::outbox::{Ephemeral, Outbox, Quality, Retained};

use crate::support::mqtt;
use crate::support::mqtt::node::{event, settings};
use crate::support::mqtt::packets::Packet;
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub, Node, Proxy, SessionReport, publish, thread};

const STATUS: &str = "flagfall/1/node/n1/status";
const AUDIT: &str = "flagfall/1/arbiter/open26/5/b1/audit";

/// The state in a status, with its boot.
fn state(received: &MosquittoMessage) -> Option<String> {
    let message: serde_json::Value = serde_json::from_str(&received.payload).ok()?;
    (received.topic == STATUS).then(|| format!("{} {}", message["body"]["state"].as_str().unwrap_or("?"), message["boot"]))
}

fn quick() -> ReconnectDelays {
    let (first, longest, good) = (Duration::from_millis(20), Duration::from_millis(50), Duration::from_secs(30));
    ReconnectDelays { first, longest, good }
}

#[test]
fn birth_in_order_and_a_clean_stop() {
    let broker = Mosquitto::start();
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/#"]);
    let states = ["node/n1/info", "device/d1/status", "live/open26/5/b1/state", "arbiter/open26/5/b1/alert/4"];
    let node = Node::prepared(settings(broker.port(), |_| ()), 7, 3, |outbox, board| {
        let kept = |topic: &str, quality, expiry| {
            let (topic, payload) = (format!("flagfall/1/{topic}"), "{}".to_owned());
            Retained { topic, payload, quality, expiry }
        };
        for topic in states.iter().rev() {
            outbox.publish_retained(kept(topic, Quality::AtLeastOnce, None));
        }
        outbox.publish_board_state(board, kept("live/open26/5/b1/clock", Quality::AtMostOnce, Some(Duration::from_secs(120))));
    });
    let all = subscriber.until("ready", |received| state(received).as_deref() == Some("ready 7"));
    let topics: Vec<&str> = all.iter().filter_map(|received| received.topic.strip_prefix("flagfall/1/")).collect();
    let place = |topic: &str| topics.iter().position(|other| *other == topic).unwrap_or_else(|| panic!("{topic}: {topics:?}"));
    let order = [&["node/n1/status"][..], &states, &["arbiter/open26/5/b1/audit"]].concat();
    assert!(order.iter().map(|topic| place(topic)).is_sorted(), "{topics:?}");
    assert_eq!(state(&all[0]).as_deref(), Some("init 7"));
    let events: Vec<&str> =
        all.iter().filter(|received| received.topic == AUDIT).map(|received| received.payload.as_str()).collect();
    assert_eq!(events, [r#"{"no":1}"#, r#"{"no":2}"#, r#"{"no":3}"#]);
    for received in &all {
        let clock = received.topic.ends_with("/clock");
        let expiry = if clock {
            "120"
        } else if received.topic == AUDIT {
            "3600"
        } else {
            ""
        };
        let is =
            (received.qos, received.retain, received.content_type.as_str(), received.expiry.as_str(), received.format.as_str());
        assert_eq!(is, (u8::from(!clock), received.topic != AUDIT, "application/json", expiry, "1"), "{received:?}");
    }

    let (topic, payload) = ("flagfall/1/reply/anna/c1".to_owned(), "{}".to_owned());
    node.outbox.publish_ephemeral(Ephemeral {
        topic,
        payload,
        correlation: Some(b"q17".to_vec()),
        expiry: Duration::from_secs(60),
    });
    node.add_events(2);
    node.stop();
    let rest = subscriber.until("stopped", |received| state(received).as_deref() == Some("stopped 7"));
    let reply = rest.iter().find(|received| received.topic.ends_with("/c1")).expect("the reply before the last status");
    assert!(!reply.retain && reply.correlation == "q17" && ["59", "60"].contains(&reply.expiry.as_str()), "{reply:?}");
    assert_eq!(rest.iter().filter(|received| received.topic == AUDIT).count(), 2);
    assert!(broker.logged("Received DISCONNECT from flagfall-n1").contains("flagfall-n1"));
}

#[test]
fn a_node_says_that_it_begins_before_its_boards_have_read_their_journals() {
    let broker = Mosquitto::start();
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/#"]);
    let looks = Arc::new(AtomicU32::new(30));
    let state_of_board = "flagfall/1/live/open26/5/b1/state";
    let prepare = |outbox: &Outbox, board| {
        let (topic, payload) = (state_of_board.to_owned(), "{}".to_owned());
        outbox.publish_board_state(board, Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
    };
    let _node = Node::opening(settings(broker.port(), |_| ()), 7, 0, prepare, Arc::clone(&looks));
    let all = subscriber.until("ready", |received| state(received).as_deref() == Some("ready 7"));
    let topics: Vec<&str> = all.iter().map(|received| received.topic.as_str()).collect();
    assert_eq!((topics, state(&all[0]).as_deref()), (vec![STATUS, state_of_board, STATUS], Some("init 7")));
    assert_eq!(looks.load(Ordering::Relaxed), 0, "nothing of a board is sent while it reads its journal");
}

#[test]
fn a_node_that_is_cut_off_is_lost_after_five_seconds_and_comes_back() {
    let broker = Mosquitto::start();
    let proxy = Proxy::new(broker.port());
    let subscriber = MosquittoSub::new(broker.port(), &[STATUS]);
    let mut settings = settings(proxy.port(), |_| ());
    settings.reconnect = quick();
    let node = Node::with(settings, 2, 0);
    node.wait_until_ready();
    let cut = flagfall::system_clock::monotonic();
    proxy.close();
    let all = subscriber.until("lost", |received| state(received).as_deref() == Some("lost 2"));
    assert!(all.last().is_some_and(|will| will.retain && will.content_type == "application/json"), "{all:?}");
    assert!(flagfall::system_clock::monotonic().since(cut) > Duration::from_secs(4), "too early");
    proxy.open();
    let back = subscriber.until("ready", |received| state(received).as_deref() == Some("ready 2"));
    assert_eq!(state(&back[0]).as_deref(), Some("init 2"));
}

#[test]
fn a_late_will_of_an_earlier_run_is_corrected() {
    let broker = Mosquitto::start();
    let subscriber = MosquittoSub::new(broker.port(), &[STATUS]);
    let node = Node::with(settings(broker.port(), |_| ()), 3, 0);
    subscriber.until("ready", |received| state(received).as_deref() == Some("ready 3"));
    publish(broker.port(), STATUS, r#"{"boot":2,"body":{"state":"lost"}}"#, &["-r"]);
    subscriber.until("the late will", |received| state(received).as_deref() == Some("lost 2"));
    subscriber.until("ready again", |received| state(received).as_deref() == Some("ready 3"));
    node.stop();
}

#[test]
fn a_broker_that_forgot_everything_has_it_again() {
    let mut broker = Mosquitto::start();
    let mut settings = settings(broker.port(), |_| ());
    settings.reconnect = quick();
    let node = Node::with(settings, 1, 0);
    node.keep_state("flagfall/1/live/open26/5/b1/state", "old");
    node.wait_until_ready();
    node.add_events(10);
    node.wait("the cursor", |report| (report == SessionReport::Acked(10)).then_some(()));
    broker.kill();
    node.wait_until_down();
    node.keep_state("flagfall/1/live/open26/5/b1/state", "new");
    node.add_events(1000);
    broker.run();
    node.wait("the cursor", |report| (report == SessionReport::Acked(1010)).then_some(()));
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/#"]);
    node.stop();
    let all = subscriber.until("stopped", |received| state(received).as_deref() == Some("stopped 1"));
    assert!(all.iter().any(|received| received.retain && received.payload == "new"), "{all:?}");
}

#[test]
fn through_a_line_that_is_cut_all_the_time_nothing_is_lost() {
    const EVENTS: u64 = 3000;
    /// With every cut this many more events are given, so that there are many cuts however long a connection needs.
    const PER_CUT: u64 = 250;
    // Otherwise mosquitto drops messages that a slow subscriber has not read.
    let broker = Mosquitto::with(|_| "allow_anonymous true\nmax_queued_messages 0\n".to_owned());
    let proxy = Proxy::new(broker.port());
    let subscriber = MosquittoSub::new(broker.port(), &[AUDIT]);
    let mut settings = settings(proxy.port(), |_| ());
    settings.reconnect = quick();
    let node = Node::with(settings, 1, 0);
    node.wait_until_ready();
    let mut random = fastrand::Rng::with_seed(3000);
    let mut given = 0;
    let mut acked = 0;
    let (mut cuts, mut at_last_cut) = (0, 0);
    let mut next = flagfall::system_clock::monotonic();
    let end = next.after(Duration::from_secs(120));
    while acked < EVENTS {
        assert!(flagfall::system_clock::monotonic() < end, "only {acked} are acknowledged");
        // A connection sends no event for half a second at least. So every second cut waits until something was acknowledged; the
        // others still hit the birth.
        if flagfall::system_clock::monotonic() >= next && (cuts % 2 == 0 || acked > at_last_cut) {
            proxy.cut();
            (cuts, at_last_cut) = (cuts + 1, acked);
            next = flagfall::system_clock::monotonic().after(Duration::from_millis(random.u64(200..600)));
        }
        let now = random.u64(1..16).min(EVENTS.min(PER_CUT * cuts) - given);
        node.add_events(now);
        given += now;
        while let Ok(report) = node.reports.recv_timeout(Duration::from_millis(10)) {
            if let SessionReport::Acked(number) = report {
                assert!(number > acked, "the cursor went back from {acked} to {number}");
                acked = number;
            }
        }
    }
    let mut acknowledged = 0;
    for connection in proxy.acknowledged() {
        let events: Vec<String> =
            connection.into_iter().filter(|(topic, _)| topic == AUDIT).map(|(_, payload)| payload).collect();
        for payload in events {
            if payload == event(acknowledged + 1).payload {
                acknowledged += 1;
            }
        }
    }
    assert_eq!(acknowledged, EVENTS, "acknowledged in order");
    let last = event(EVENTS).payload;
    let mut received = 0;
    for payload in
        subscriber.until("the last event", |received| received.payload == last).into_iter().map(|received| received.payload)
    {
        if payload == event(received + 1).payload {
            received += 1;
        }
    }
    assert_eq!(received, EVENTS, "first occurrences in order");
    assert!(proxy.connections() > 5, "the connection was cut too seldom");
    let counters = node.outbox.counters();
    assert_eq!((counters.refused, counters.missing, counters.dropped), (0, 0, 0));
}

#[test]
fn a_wrong_password_is_reported_and_tried_again_slowly() {
    let broker = Mosquitto::with(|dir| {
        let file = dir.join("passwords");
        let made = std::process::Command::new("mosquitto_passwd").args(["-b", "-c"]).arg(&file).args(["n1", "right"]).status();
        assert!(made.is_ok_and(|status| status.success()), "mosquitto_passwd");
        for (name, lines) in [("secret", "right\nnot this\n"), ("guess", "wrong\n")] {
            std::fs::write(dir.join(name), lines).expect("a file");
            std::fs::set_permissions(dir.join(name), Permissions::from_mode(0o600)).expect("its rights");
        }
        format!("allow_anonymous false\npassword_file {}\n", file.display())
    });
    let wrong = Node::with(settings(broker.port(), |mqtt| mqtt.password_file = Some(broker.file("guess"))), 1, 0);
    let down = wrong.wait_until_down();
    assert!(down.cause.contains("password") && down.retry > Duration::from_secs(10) && down.attempts == 1, "{down:?}");
    wrong.stop();
    let right = Node::with(settings(broker.port(), |mqtt| mqtt.password_file = Some(broker.file("secret"))), 1, 0);
    right.wait_until_ready();
}

#[test]
fn commands_arrive_with_what_the_answer_needs_and_retained_ones_do_not() {
    let mut broker = Mosquitto::start();
    let topic = "flagfall/1/cmd/anna/open26/5/b1/confirm";
    publish(broker.port(), topic, "kept before", &["-r"]);
    let node = Node::start(broker.port());
    node.wait_until_ready();
    publish(broker.port(), topic, "kept now", &["-r"]);
    publish(broker.port(), "flagfall/1/cmd/anna/open26/4/b1/confirm", "another round", &[]);
    // The broker obeys the client's limit of 256 KiB and leaves the packet out.
    publish(broker.port(), topic, &"x".repeat(1 << 20), &[]);
    let about = ["-D", "publish", "response-topic", "here", "-D", "publish", "correlation-data", "q1"];
    publish(broker.port(), topic, "good", &about);
    let arrived = node.wait("a command", |report| match report {
        SessionReport::Command(arrived) => Some(arrived),
        SessionReport::Connection(state) => panic!("{state:?}"),
        _ => None,
    });
    assert_eq!((arrived.topic.as_str(), arrived.payload.as_slice(), arrived.retain), (topic, &b"good"[..], false));
    assert_eq!((arrived.response_topic.as_deref(), arrived.correlation.as_deref()), (Some("here"), Some(&b"q1"[..])));
    broker.kill();
    assert_eq!(node.wait_until_down().retained_commands, 2);
}

/// Reads one packet of a client.
fn packet(stream: &mut TcpStream) -> Vec<Packet> {
    let mut bytes = vec![0; 65536];
    let read = stream.read(&mut bytes).unwrap_or(0);
    mqtt::packets::packets(&bytes[..read])
}

#[test]
fn a_broker_that_sends_too_much_is_left_and_its_session_forgotten() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let mut settings = settings(listener.local_addr().expect("its address").port(), |_| ());
    settings.reconnect = quick();
    let broker = thread("fake broker", move || {
        let mut clean = Vec::new();
        let mut last = None;
        for _ in 0..3 {
            let (mut stream, _) = listener.accept().expect("a client");
            stream.set_read_timeout(Some(Duration::from_secs(10))).expect("a time-out");
            if let Some(Packet::Connect { clean: wanted, .. }) = packet(&mut stream).first() {
                clean.push(*wanted);
            }
            stream.write_all(&[0x20, 3, 0, 0, 0]).expect("a welcome");
            if clean.len() == 3 {
                last = Some(stream);
                break;
            }
            // 1 MiB at QoS 1, as in a session that is resumed.
            let body = [&[0, 1, b't', 0, 1, 0][..], &vec![b'x'; 1 << 20]].concat();
            let length = [0x80 | (body.len() & 0x7f) as u8, 0x80 | (body.len() >> 7 & 0x7f) as u8, (body.len() >> 14) as u8];
            // The client closes the connection in the middle.
            _ = stream.write_all(&[&[0x32][..], &length, &body].concat());
        }
        (clean, last)
    });
    let node = Node::with(settings, 1, 0);
    let causes = [node.wait_until_down(), node.wait_until_down()];
    assert!(causes.iter().all(|down| down.cause.contains("1048")), "{causes:?}");
    assert_eq!(causes[1].bad_packets, 2);
    let (clean, last) = broker.join().expect("no panic");
    assert_eq!(clean, [false, true, true]);
    drop(last);
}

#[test]
fn the_second_node_on_a_board_withholds_until_the_first_is_gone() {
    let broker = Mosquitto::start();
    let (info, status) = ("flagfall/1/node/a9/info", "flagfall/1/node/a9/status");
    publish(broker.port(), info, r#"{"body":{"boards":["b1"]}}"#, &["-r"]);
    publish(broker.port(), status, r#"{"body":{"state":"ready"}}"#, &["-r"]);
    let subscriber = MosquittoSub::new(broker.port(), &["flagfall/1/#"]);
    let node = Node::with(settings(broker.port(), |_| ()), 1, 2);
    let claim = |live| SessionReport::Foreign("b1".to_owned(), "a9".to_owned(), live);
    node.wait("the claim", |report| (report == claim(true)).then_some(()));
    node.wait_until_ready();
    let before = subscriber.until("ready", |received| state(received).as_deref() == Some("ready 1"));
    assert!(before.iter().all(|received| received.topic != AUDIT), "{before:?}");
    publish(broker.port(), status, r#"{"body":{"state":"lost"}}"#, &["-r"]);
    node.wait("the end of the claim", |report| (report == claim(false)).then_some(()));
    subscriber.until("its events", |received| received.payload == event(2).payload);
    // Now this node is the first, even if the other one comes back.
    publish(broker.port(), status, r#"{"body":{"state":"ready"}}"#, &["-r"]);
    node.add_events(1);
    node.wait("the cursor", |report| match report {
        SessionReport::Foreign(..) => panic!("{report:?}"),
        SessionReport::Acked(3) => Some(()),
        _ => None,
    });
}
