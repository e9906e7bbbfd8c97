//! Messages that a real mosquitto does not take: the node goes on, says so, and sends PGN with its last games.

use std::time::Duration;

use flagfall::mqtt::outbox::{Quality, Retained};
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position};

use crate::support::hall::subscriber::Subscriber;
use crate::support::hall::table::{Table, play};
use crate::support::hall::{RunningDaemon, TestHall};
use crate::support::mqtt::node::settings;
use crate::support::mqtt::{Mosquitto, MosquittoMessage, MosquittoSub, Node, SessionReport};
use crate::support::schemas::validate;

/// The games on a board whose PGN is published after each of them.
const GAMES: usize = 40;
const TOPICS: [&str; 2] = ["flagfall/1/live/open26/5/b1/pgn", "flagfall/1/public/open26/5/b1/pgn"];

/// The PGN with this many games, each of about 130 bytes.
fn pgn(games: usize) -> String {
    let game =
        |number| format!("[Event \"open26\"]\n[Round \"5.{number}\"]\n\n{}1-0\n", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 ".repeat(3));
    (1..=games).map(game).collect::<Vec<_>>().join("\n")
}

/// The position that a reader of version 1.0 finds by playing the moves, and the number of the last move.
fn played(body: &Value) -> Option<(String, u64)> {
    let start = Fen::from_ascii(body["initial_fen"].as_str()?.as_bytes()).ok()?;
    let mut position: Chess = start.into_position(CastlingMode::Standard).ok()?;
    let moves = body["moves"].as_array()?;
    for played in moves {
        let uci: UciMove = played["uci"].as_str()?.parse().ok()?;
        position.play_unchecked(uci.to_move(&position).ok()?);
    }
    Some((Fen::from_position(&position, EnPassantMode::Legal).to_string(), moves.last()?["ply"].as_u64()?))
}

/// Waits until the PGN on this topic has the last game, and returns it.
fn last_pgn(subscriber: &MosquittoSub, topic: &str) -> String {
    let last = format!("[Round \"5.{GAMES}\"]");
    subscriber.wait(&format!("the last game on {topic}"), |received: MosquittoMessage| {
        let text = received.payload;
        (received.topic == topic && text.contains(&last)).then_some(text)
    })
}

/// Many games at a broker that takes 3,000 bytes, by a line of its configuration with this key.
fn games_at_a_broker_with_a_limit(limit: &str) {
    let mut broker = Mosquitto::with(|_| format!("allow_anonymous true\n{limit} 3000\n"));
    let mut settings = settings(broker.port(), |_| ());
    // Each connection is a good one, so the next one may have another limit.
    settings.reconnect.good = Duration::ZERO;
    let node = Node::with(settings, 1, 0);
    node.wait_until_ready();
    // One for each topic: their order is not known.
    let subscribers = TOPICS.map(|topic| MosquittoSub::new(broker.port(), &[topic]));
    for payload in (1..=GAMES).map(pgn) {
        for topic in TOPICS {
            let retained =
                Retained { topic: topic.to_owned(), payload: payload.clone(), quality: Quality::AtLeastOnce, expiry: None };
            node.outbox.publish_board_state(node.board, retained);
        }
    }
    // A message that is no PGN cannot be shortened.
    node.keep_state(
        "flagfall/1/arbiter/open26/5/b1/ruling",
        &json!({ "type": "board.ruling", "body": "x".repeat(4000) }).to_string(),
    );
    node.add_events(5);
    let mut refused = Vec::new();
    node.wait("the events", |report| match report {
        SessionReport::Connection(state) => panic!("{state:?}"),
        SessionReport::Refused(topic, cause) => {
            refused.push((topic, cause.expect("nothing is taken again")));
            None
        }
        SessionReport::Acked(5) => Some(()),
        _ => None,
    });
    for (topic, subscriber) in TOPICS.into_iter().zip(&subscribers) {
        let shorter = last_pgn(subscriber, topic);
        assert!(pgn(GAMES).ends_with(&shorter) && shorter.starts_with("[Event"), "{shorter}");
        assert!((2_000..=3_000).contains(&shorter.len()), "as many games as fit: {} bytes", shorter.len());
    }
    while let Ok(report) = node.reports.try_recv() {
        match report {
            SessionReport::Refused(topic, cause) => refused.push((topic, cause.expect("nothing is taken again"))),
            SessionReport::Connection(state) => panic!("{state:?}"),
            _ => {}
        }
    }
    refused.sort();
    let topics: Vec<&str> = refused.iter().map(|(topic, _)| topic.as_str()).collect();
    let all = ["flagfall/1/arbiter/open26/5/b1/ruling", TOPICS[0], TOPICS[1]];
    assert_eq!(topics, all, "each topic is reported once");
    assert!(refused.iter().all(|(_, cause)| cause.contains("larger")), "{refused:?}");
    assert!(node.outbox.counters().refused > 0);

    // Without the limit everything is sent whole, and nothing is refused any more.
    drop(subscribers);
    broker.stop();
    let conf = std::fs::read_to_string(broker.file("mosquitto.conf")).expect("its configuration");
    std::fs::write(broker.file("mosquitto.conf"), conf.replace(&format!("{limit} 3000"), "")).expect("written");
    broker.run();
    let mut open = all.to_vec();
    node.wait("that everything is taken again", |report| {
        if let SessionReport::Refused(topic, None) = report {
            open.retain(|other| *other != topic);
        }
        open.is_empty().then_some(())
    });
    for topic in TOPICS {
        assert_eq!(last_pgn(&MosquittoSub::new(broker.port(), &[topic]), topic), pgn(GAMES));
    }
}

#[test]
fn games_at_a_broker_that_refuses_large_messages() {
    games_at_a_broker_with_a_limit("message_size_limit");
}

#[test]
fn games_at_a_broker_that_announces_its_limit() {
    games_at_a_broker_with_a_limit("max_packet_size");
}

/// A daemon with a board whose states for arbiters are too large: those for the public go on, and arbiters receive an alarm.
#[test]
fn a_board_at_a_broker_that_refuses_large_messages() {
    const PLIES: usize = 16;
    let broker = Mosquitto::with(|_| "allow_anonymous true\nmax_queued_messages 0\nmessage_size_limit 1800\n".to_owned());
    let hall = TestHall::new();
    let table = Table::new(&hall, 0, &play(0, PLIES, [500, 700]));
    let mut loaded = hall.loaded(vec![table.by_port(&hall)]);
    loaded.config.broker.enabled = false;
    (loaded.config.mqtt.host, loaded.config.mqtt.port) = ("127.0.0.1".to_owned(), Some(broker.port()));
    let subscriber = Subscriber::new(broker.tcp);
    let daemon = RunningDaemon::start(loaded);
    subscriber.wait_until_armed("b0");
    table.board.load(&table.script).expect("hands");
    for audience in ["live", "public"] {
        let topic = format!("flagfall/1/{audience}/ev/1/b0/state");
        subscriber.wait(&format!("the last move on {topic}"), 0, |received| {
            let (position, last) = played(received.body()).filter(|_| received.topic == topic)?;
            assert_eq!(received.body()["fen"], position.as_str(), "{received:?}");
            validate(&topic, &received.bytes).unwrap_or_else(|problem| panic!("{problem}"));
            (last == PLIES as u64).then_some(())
        });
    }
    let alert = subscriber.wait("the alert", 0, |received| {
        let is = received.topic.contains("/alert/") && received.body()["kind"] == "publish_refused";
        is.then(|| received.clone())
    });
    validate(&alert.topic, &alert.bytes).unwrap_or_else(|problem| panic!("{problem}"));
    let sentence = alert.body()["sentence"].as_str().unwrap_or_default();
    assert!(alert.body()["class"] == "loud" && sentence.contains("arbiter/…/state: it is larger"), "{sentence}");
    subscriber.wait("the health", 0, |received| {
        (received.topic.ends_with("/health") && received.body()["refused_boards"] == json!(["b0"])).then_some(())
    });
    // Each connection begins with `init`. This broker ends some connections at a message that is too large.
    let begun = subscriber.all().iter().filter(|received| received.body()["state"] == "init").count();
    assert!(begun <= 12, "{begun} connections");
    daemon.stop();
}
