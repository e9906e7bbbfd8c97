//! The words of a ruling at a real mosquitto and at the embedded broker: a flag falls, a screen shows the words, and an arbiter taps the
//! first choice, which is then decided (`laws/README.md#8`).
#![cfg(feature = "broker")]

use std::net::SocketAddr;

use flagfall::config::{Board, Role, User};
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::support::hall::subscriber::Subscriber;
use crate::support::hall::table::{Table, play};
use crate::support::hall::{EmbeddedBroker, RunningDaemon, TestHall};
use crate::support::mqtt::{Mosquitto, publish};
use crate::support::schemas::validate;
use crate::support::waiting::PATIENCE;

const RULING: &str = "flagfall/1/arbiter/ev/1/b0/ruling";

fn a_ruling_has_its_words_and_a_choice_is_carried_out(broker: SocketAddr) {
    let hall = TestHall::new();
    let table = Table::new(&hall, 0, &play(0, 2, [300, 500]));
    let mut loaded = hall.loaded(vec![Board { time_control: Some("3".to_owned()), ..table.by_port(&hall) }]);
    loaded.config.broker.enabled = false;
    loaded.config.mqtt.port = Some(broker.port());
    loaded.config.user.insert("anna".to_owned(), User { role: Role::Arbiter, boards: Vec::new() });
    let subscriber = Subscriber::new(broker);
    let daemon = RunningDaemon::start(loaded);
    subscriber.wait_until_armed("b0");
    let hands = "0.2 set left 0:00:03 right 0:00:03\n1 run\n+0.3 lift e2\n+0.3 place e4\n+0.3 press left\n+4 stop\n";
    table.board.load(&Script::parse(hands).expect("a script")).expect("hands");
    assert!(table.board.wait_done(PATIENCE));
    let settled = subscriber.wait("a ruling that 6.9 settles", 0, |received| {
        let settled = received.topic == RULING && received.body()["screen"]["choices"][0]["verb"] == "confirm";
        settled.then(|| received.message.clone())
    });
    let (body, screen) = (&settled["body"], &settled["body"]["screen"]);
    assert_eq!((&screen["headline"], &screen["act"]), (&json!("BLACK FLAG"), &json!("stop_the_clocks")), "{screen}");
    assert_eq!(screen["choices"][0], json!({"label": "Confirm 1-0", "verb": "confirm", "body": {}}));
    for words in ["proposal", "moves", "why", "rules"] {
        assert!(screen[words].as_str().is_some_and(|text| !text.is_empty()), "{words}: {screen}");
    }
    let command = json!({
        "v": "1.1", "type": "cmd.confirm", "id": "tap-1", "body": screen["choices"][0]["body"],
        "expect": {"game": settled["game"], "finding": {"id": body["id"], "revision": body["revision"]}},
    });
    let topic = "flagfall/1/cmd/anna/ev/1/b0/confirm";
    assert_eq!(validate(topic, command.to_string()), Ok(()));
    publish(broker.port(), topic, &command.to_string(), &[]);
    let decided = subscriber.wait("the decision", 0, |received| {
        (received.topic == RULING && received.body().get("decision").is_some()).then(|| received.body().clone())
    });
    assert_eq!((&decided["decision"]["by"], &decided["decision"]["result"]), (&json!("anna"), &json!("1-0")));
    let labels: Vec<&Value> =
        decided["screen"]["choices"].as_array().expect("choices").iter().map(|choice| &choice["label"]).collect();
    assert_eq!(labels, ["Take the decision back"]);
    daemon.stop();
    for received in subscriber.all() {
        validate(&received.topic, &received.bytes).unwrap_or_else(|problem| panic!("{problem}"));
    }
}

#[test]
fn rulings_at_mosquitto() {
    a_ruling_has_its_words_and_a_choice_is_carried_out(Mosquitto::start().tcp);
}

#[test]
fn rulings_at_the_embedded_broker() {
    a_ruling_has_its_words_and_a_choice_is_carried_out(EmbeddedBroker::start().tcp);
}
