//! What the broker retains of a node's boards and nobody owns: it is removed at the beginning of a connection, at a real mosquitto and
//! at the embedded broker.
#![cfg(feature = "broker")]

use std::collections::BTreeMap;
use std::net::SocketAddr;

use flagfall::config::{Board, Config, Loaded, Mqtt};
use flagfall::mqtt::outbox::{Quality, Retained};
use serde_json::{Value, json};

use crate::support::hall::{EmbeddedBroker, RunningDaemon, TestHall, subscriber::Subscriber};
use crate::support::mqtt::node::settings;
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub, Node, SessionReport, publish};
use crate::support::schemas;

/// Both brokers, one after the other.
pub(crate) fn at_each_broker(test: impl Fn(SocketAddr, &str)) {
    let mosquitto = Mosquitto::start();
    test(mosquitto.tcp, "mosquitto");
    let embedded = EmbeddedBroker::start();
    test(embedded.tcp, "embedded");
}

fn topic(below: &str) -> String {
    format!("flagfall/1/{below}")
}

/// Publishes a retained message that a node has published.
fn retain(port: u16, below: &str, node: &str) {
    let payload = json!({"v": "1.0", "type": "x", "game": "g", "node": node, "boot": 1, "body": {"from": node}});
    publish(port, &topic(below), &payload.to_string(), &["-r", "-q", "1"]);
}

/// The topics that the broker retains, below the version, with their payloads; the topics of nodes are left out.
fn retained(port: u16) -> BTreeMap<String, Value> {
    let subscriber = MosquittoSub::new(port, &["flagfall/1/#"]);
    publish(port, "flagfall/1/end", "end", &["-q", "1"]);
    let all = subscriber.until("the end", |received| received.topic.ends_with("/end"));
    let is_state = |received: &MosquittoMessage| received.retain && received.branch() != "node";
    let name = |received: &MosquittoMessage| received.topic.trim_start_matches("flagfall/1/").to_owned();
    all.iter().filter(|received| is_state(received)).map(|received| (name(received), received.json.clone())).collect()
}

#[test]
fn alerts_and_rulings_that_nobody_owns_are_gone_after_the_birth() {
    at_each_broker(|at, broker| {
        let port = at.port();
        let gone = [
            "arbiter/open26/5/b1/alert/9",
            "arbiter/open26/5/b1/alert/70",
            "arbiter/open26/5/b1/alert/900000",
            "arbiter/open26/5/b1/ruling",
            "arbiter/open26/4/b1/alert/3",
            "arbiter/open26/5/b9/alert/1",
            "arbiter/open26/5/b9/ruling",
            "arbiter/open26/3/b9/alert/2",
            "arbiter/open26/3/b9/ruling",
        ];
        gone.iter().for_each(|below| retain(port, below, "n1"));
        // The board was served by another node, which does not claim it any more.
        retain(port, "arbiter/open26/5/b1/alert/8", "n0");
        let stays = [
            ("arbiter/open26/4/b1/alert/5", "a9"),
            ("arbiter/open26/4/b1/ruling", "n1"),
            ("arbiter/open26/5/b2/alert/1", "a9"),
            ("arbiter/open26/5/b9/alert/7", "a9"),
            ("arbiter/other/5/b9/alert/1", "n1"),
            ("arbiter/open26/3/b9/state", "n1"),
            ("live/open26/5/b9/state", "a9"),
        ];
        stays.iter().for_each(|(below, node)| retain(port, below, node));
        retain(port, "arbiter/open26/5/b9/state", "n1");
        retain(port, "public/open26/5/b9/state", "n1");

        let mut settings = settings(port, |_| ());
        settings.former = vec!["b9".to_owned()];
        let node = Node::prepared(settings, 1, 0, |outbox, board| {
            let (topic, payload) = (topic("arbiter/open26/5/b1/alert/4"), json!({"ours": true}).to_string());
            outbox.publish_board_state(board, Retained { topic, payload, quality: Quality::AtLeastOnce, expiry: None });
        });
        node.wait_until_ready();
        let left = retained(port);
        let withdrawn = ["arbiter/open26/5/b9/state", "public/open26/5/b9/state"];
        let mut wanted: Vec<&str> = stays.iter().map(|(below, _)| *below).chain(withdrawn).collect();
        wanted.push("arbiter/open26/5/b1/alert/4");
        wanted.sort_unstable();
        assert_eq!(left.keys().collect::<Vec<_>>(), wanted, "{broker}");
        for below in withdrawn {
            assert_eq!(left[below]["body"], json!({"withdrawn": true, "from": "n1"}), "{broker}: {below}");
            assert_eq!((&left[below]["game"], &left[below]["node"]), (&json!("g"), &json!("n1")), "all fields are kept");
        }
        assert_eq!(left["live/open26/5/b9/state"]["body"], json!({"from": "a9"}), "{broker}: another node's");
    });
}

#[test]
fn what_a_withheld_board_shows_belongs_to_the_other_node() {
    at_each_broker(|at, broker| {
        let port = at.port();
        publish(port, &topic("node/a9/info"), r#"{"body":{"boards":["open26/5/b1","open26/5/b9"]}}"#, &["-r", "-q", "1"]);
        publish(port, &topic("node/a9/status"), r#"{"body":{"state":"ready"}}"#, &["-r", "-q", "1"]);
        retain(port, "arbiter/open26/5/b1/alert/3", "a9");
        // This board was ours, and the other node has not published its first state yet.
        retain(port, "arbiter/open26/5/b9/state", "n1");
        let mut settings = settings(port, |_| ());
        settings.former = vec!["b9".to_owned()];
        let node = Node::with(settings, 1, 0);
        node.wait_until_ready();
        let before = retained(port);
        assert_eq!(before.keys().collect::<Vec<_>>(), ["arbiter/open26/5/b1/alert/3", "arbiter/open26/5/b9/state"], "{broker}");
        assert_eq!(before["arbiter/open26/5/b9/state"]["body"], json!({"from": "n1"}), "{broker}");
        // It opens one more alert, which this node cannot have seen at the beginning.
        retain(port, "arbiter/open26/5/b1/alert/4", "a9");
        let subscriber = MosquittoSub::new(port, &["flagfall/1/arbiter/#"]);
        publish(port, &topic("node/a9/status"), r#"{"body":{"state":"lost"}}"#, &["-r", "-q", "1"]);
        let over = SessionReport::Foreign("b1".to_owned(), "a9".to_owned(), false);
        node.wait("the end of the claim", |report| (report == over).then_some(()));
        let mut left = vec!["alert/3", "alert/4"];
        subscriber.until("both deletions", |received| {
            left.retain(|alert| !(received.payload.is_empty() && received.topic.ends_with(alert)));
            left.is_empty()
        });
    });
}

/// A configuration of this node at a broker that is already there.
pub(crate) fn loaded(hall: &TestHall, broker: SocketAddr, boards: &[&str]) -> Loaded {
    let board = |id: &&str| Board { id: (*id).to_owned(), port: Some(hall.port(id)), ..Board::default() };
    let Loaded { config, files, hash } = hall.loaded(boards.iter().map(board).collect());
    let mqtt = Mqtt { port: Some(broker.port()), ..config.mqtt.clone() };
    let mut config = Config { mqtt, ..config };
    config.broker.enabled = false;
    Loaded { config, files, hash }
}

/// Runs the daemon until it is ready and `then` has returned.
pub(crate) fn run(loaded: Loaded, then: impl FnOnce(&Subscriber)) {
    let subscriber = Subscriber::new(SocketAddr::from(([127, 0, 0, 1], loaded.config.mqtt.port.expect("a port"))));
    let from = subscriber.count();
    let daemon = RunningDaemon::start(loaded);
    let ready = |received: &crate::support::hall::subscriber::ReceivedMessage| {
        (received.topic.ends_with("/node/n1/status") && received.body()["state"] == "ready").then_some(())
    };
    subscriber.wait("ready", from, ready);
    then(&subscriber);
    daemon.stop();
}

#[test]
fn a_board_that_was_taken_out_of_the_configuration_is_withdrawn() {
    at_each_broker(|at, broker| {
        let (hall, port) = (TestHall::new(), at.port());
        let both = || loaded(&hall, at, &["b1", "b2"]);
        // The second start publishes the states of boards without a device too.
        run(both(), |_| ());
        run(both(), |_| ());
        let before = retained(port);
        retain(port, "arbiter/ev/1/b1/alert/66", "n1");
        retain(port, "arbiter/ev/1/b2/alert/66", "n1");
        retain(port, "arbiter/ev/1/b2/ruling", "n1");
        run(loaded(&hall, at, &["b1"]), |subscriber| {
            for gone in ["b1/alert/66", "b2/alert/66", "b2/ruling"] {
                let is = |received: &crate::support::hall::subscriber::ReceivedMessage| {
                    (received.topic.ends_with(gone) && received.bytes.is_empty()).then_some(())
                };
                subscriber.wait(gone, 0, is);
            }
        });
        let left = retained(port);
        let states = ["arbiter/ev/1/b2/state", "live/ev/1/b2/state"];
        for (below, state) in left.iter().filter(|(below, _)| below.ends_with("/state")) {
            let mut state = state.clone();
            let withdrawn = state["body"].as_object_mut().expect("a body").remove("withdrawn");
            let wanted = states.contains(&below.as_str()).then_some(json!(true));
            assert_eq!(withdrawn, wanted, "{broker}: {below}");
            assert!(wanted.is_none() || state == before[below], "{broker}: {below} keeps all fields");
            schemas::validate(&topic(below), left[below].to_string()).unwrap_or_else(|problem| panic!("{problem}"));
        }
        assert!(states.iter().all(|state| left.contains_key(*state)), "{broker}: {:?}", left.keys());
        let is_stale =
            |below: &String| below.contains("b2/alert/") || below.ends_with("alert/66") || below.ends_with("b2/ruling");
        assert!(!left.keys().any(is_stale), "{broker}: {:?}", left.keys());
    });
}
