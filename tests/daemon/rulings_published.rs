//! The words of a ruling at a real mosquitto and at the embedded broker: a flag falls, a screen shows the words, the board is cleared, and
//! an arbiter taps the first choice, which is then decided (`laws/README.md#8`). At a second board two flags are called, and a draw is
//! accepted too late (`laws/README.md#9.3`).
#![cfg(feature = "broker")]

use std::cell::Cell;
use std::net::SocketAddr;
use std::time::Duration;

use flagfall::config::{Board, Role, User};
use flagfall_hardware::emulator::script::Script;
use serde_json::{Value, json};

use crate::support::hall::subscriber::{ReceivedMessage, Subscriber};
use crate::support::hall::table::{Table, play};
use crate::support::hall::{EmbeddedBroker, RunningDaemon, TestHall};
use crate::support::mqtt::{Mosquitto, publish};
use crate::support::schemas::validate;
use crate::support::waiting::{PATIENCE, pause};

const RULING: &str = "flagfall/1/arbiter/ev/1/b0/ruling";
/// The arbiters take turns, because nobody may send more than five commands a second.
const ARBITERS: [&str; 3] = ["anna", "bert", "carl"];
/// She has sent nothing before, so she need not wait.
const CHIEF: &str = "dora";

/// The arbiter's desk for the second board.
struct Desk<'a> {
    broker: SocketAddr,
    subscriber: &'a Subscriber,
    sent: Cell<u32>,
}

impl Desk<'_> {
    /// Sends a command about the present state, and returns the last answer to it. The state may change on the way: then it is sent again.
    fn send(&self, verb: &str, body: &Value, reason: Option<&str>) -> Value {
        let mut expect = self
            .subscriber
            .latest("/arbiter/ev/1/b1/state")
            .map(|state| (state.message["game"].clone(), state.message["rev"].clone()));
        loop {
            self.sent.set(self.sent.get() + 1);
            let id = format!("desk-{}", self.sent.get());
            let user = ARBITERS[self.sent.get() as usize % ARBITERS.len()];
            let (game, rev) = expect.clone().expect("a state");
            let command = json!({
                "v": "1.1", "type": format!("cmd.{verb}"), "id": id, "body": body, "reason": reason, "expect": {"game": game, "rev": rev},
            });
            publish(self.broker.port(), &format!("flagfall/1/cmd/{user}/ev/1/b1/{verb}"), &command.to_string(), &[]);
            let answer = self.subscriber.wait(&format!("the answer to {verb}"), 0, |received| {
                let ours = received.topic.contains("/reply/") && received.message["id"] == id.as_str();
                (ours && received.body()["stage"] != "accepted").then(|| received.body().clone())
            });
            match answer["code"].as_str() {
                Some("stale") => expect = Some((answer["game"].clone(), answer["rev"].clone())),
                // So many changes came that all three arbiters have sent five commands in a second.
                Some("busy") => pause(Duration::from_millis(200)),
                _ => return answer,
            }
        }
    }

    /// Waits for a ruling with this outcome after the message with this index.
    fn ruling(&self, outcome: &str, from: usize) -> Value {
        self.subscriber.wait(&format!("a ruling: {outcome}"), from, |received| {
            let ours = received.topic.ends_with("/arbiter/ev/1/b1/ruling") && received.body()["outcome"] == outcome;
            ours.then(|| received.body().clone())
        })
    }
}

/// White's flag is called, a draw is accepted, Black's flag is called, and the arbiter says twice which one fell first.
fn flags_and_a_late_acceptance(desk: &Desk<'_>) {
    let done = |verb: &str, body: Value| {
        let answer = desk.send(verb, &body, None);
        assert_eq!(answer["stage"], "done", "{verb}: {answer}");
    };
    done("offer", json!({"side": "white"}));
    done("claim", json!({"flag": "white"}));
    desk.ruling("black_wins", 0);
    let late = desk.send("accept", &json!({"side": "black"}), None);
    assert_eq!((&late["stage"], &late["code"]), (&json!("failed"), &json!("invalid")), "{late}");
    let alone = desk.send("set-flag-order", &json!({"first": "black"}), None);
    assert_eq!(alone["stage"], "failed", "{alone}");
    done("claim", json!({"flag": "black"}));
    for (first, outcome) in [("black", "white_wins"), ("white", "black_wins"), ("black", "white_wins")] {
        let from = desk.subscriber.count();
        done("set-flag-order", json!({"first": first}));
        let ruling = desk.ruling(outcome, from);
        assert_eq!((&ruling["row"], &ruling["flag"]), (&json!("14"), &json!(first)), "{ruling}");
    }
    let result = |received: &ReceivedMessage| received.topic.contains("/ev/1/b1/") && received.body()["result"].is_string();
    assert!(!desk.subscriber.all().iter().any(result), "nobody has a result of the late acceptance");
    let agreed = desk.send("accept", &json!({"side": "black"}), Some("it was agreed before, both players say"));
    assert_eq!(agreed["stage"], "done", "{agreed}");
    desk.subscriber.wait("the result for everybody", 0, |received| {
        (received.topic.ends_with("/live/ev/1/b1/state") && received.body()["result"] == "1/2-1/2").then_some(())
    });
}

fn a_ruling_has_its_words_and_a_choice_is_carried_out(broker: SocketAddr) {
    let hall = TestHall::new();
    let table = Table::new(&hall, 0, &play(0, 2, [300, 500]));
    let second = Table::new(&hall, 1, &play(1, 2, [300, 500]));
    let boards = vec![Board { time_control: Some("3".to_owned()), ..table.by_port(&hall) }, second.by_port(&hall)];
    let mut loaded = hall.loaded(boards);
    loaded.config.broker.enabled = false;
    loaded.config.mqtt.port = Some(broker.port());
    for name in ARBITERS.into_iter().chain([CHIEF]) {
        loaded.config.user.insert(name.to_owned(), User { role: Role::Arbiter, boards: Vec::new() });
    }
    let subscriber = Subscriber::new(broker);
    let daemon = RunningDaemon::start(loaded);
    subscriber.wait_until_armed("b0");
    subscriber.wait_until_armed("b1");
    second.board.load(&second.script).expect("hands");
    // Black makes his move and does not press.
    let hands = "0.2 set left 0:00:03 right 0:00:03\n1 run\n+0.3 lift e2\n+0.3 place e4\n+0.3 press left\n\
                 +0.3 lift e7\n+0.3 place e5\n+3.5 stop\n";
    table.board.load(&Script::parse(hands).expect("a script")).expect("hands");
    assert!(table.board.wait_done(PATIENCE));
    let settled = subscriber.wait("a ruling that 6.9 settles", 0, |received| {
        let settled = received.topic == RULING && received.body()["screen"]["choices"][0]["verb"] == "confirm";
        settled.then(|| received.message.clone())
    });
    let (body, screen) = (&settled["body"], &settled["body"]["screen"]);
    assert_eq!((&screen["headline"], &screen["act"]), (&json!("BLACK FLAG"), &json!("stop_the_clocks")), "{screen}");
    assert_eq!(screen["choices"][0], json!({"label": "Confirm 1-0", "verb": "confirm", "body": {}}));
    let made = "0 moves completed, last period; 1... e5 made, clock NOT PRESSED.";
    assert_eq!((&screen["moves"], &body["phase"]), (&json!(made), &json!("made")));
    // The board is cleared, which is no move.
    let cleared = "0.1 lift e5\n+1 board 8/8/8/8/8/8/8/8\n";
    table.board.load(&Script::parse(cleared).expect("a script")).expect("hands");
    subscriber.wait("an empty board", 0, |received| {
        let shown = received.topic.ends_with("/arbiter/ev/1/b0/state") && received.body()["board"] == "8/8/8/8/8/8/8/8";
        shown.then_some(())
    });
    flags_and_a_late_acceptance(&Desk { broker, subscriber: &subscriber, sent: Cell::new(0) });
    let rulings = subscriber.all().into_iter().filter(|received| received.topic == RULING);
    assert!(rulings.clone().all(|ruling| ruling.body()["screen"]["moves"] == made), "{:?}", rulings.clone().next_back());
    for words in ["proposal", "moves", "why", "rules"] {
        assert!(screen[words].as_str().is_some_and(|text| !text.is_empty()), "{words}: {screen}");
    }
    let command = json!({
        "v": "1.1", "type": "cmd.confirm", "id": "tap-1", "body": screen["choices"][0]["body"],
        "expect": {"game": settled["game"], "finding": {"id": body["id"], "revision": body["revision"]}},
    });
    let topic = format!("flagfall/1/cmd/{CHIEF}/ev/1/b0/confirm");
    assert_eq!(validate(&topic, command.to_string()), Ok(()));
    publish(broker.port(), &topic, &command.to_string(), &[]);
    let decided = subscriber.wait("the decision", 0, |received| {
        (received.topic == RULING && received.body().get("decision").is_some()).then(|| received.body().clone())
    });
    assert_eq!((&decided["decision"]["by"], &decided["decision"]["result"]), (&json!(CHIEF), &json!("1-0")));
    assert_eq!((&decided["screen"]["moves"], &decided["position"]), (&json!(made), &body["position"]), "the words stay");
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
