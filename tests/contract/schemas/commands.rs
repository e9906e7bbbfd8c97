//! Schema and daemon agree: a command that keeps to its schema is accepted, any other is `invalid`.

use flagfall::arbiter::verbs::VERBS;
use flagfall::arbiter::{Code, Stage};
use flagfall::config::Role;
use flagfall::wire::envelope;
use flagfall::wire::topics::{self, Board};
use flagfall_protocols::time::Instant;
use serde_json::{Value, json};

use crate::commands::command_rig::CommandRig;
use crate::schemas::messages::stamps;
use crate::schemas::wrong::with;
use crate::support::schemas::validate;

fn topic(verb: &str) -> String {
    format!("flagfall/1/cmd/anna/replay/1/1/{verb}")
}

/// Bodies that keep to the schema, and bodies that do not.
fn bodies(verb: &str) -> (Vec<Value>, Vec<Value>) {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    match verb {
        "start-game" => {
            (vec![json!({}), json!({"fen": fen}), json!({"fen": null})], vec![json!({"fen": 5}), json!({"Fen": fen})])
        }
        "set-position" => (vec![json!({"fen": fen})], vec![json!({}), json!({"fen": null}), json!({"fen": fen, "more": 1})]),
        "take-back" => (vec![json!({"plies": 1})], vec![json!({}), json!({"plies": -1}), json!({"plies": "1"})]),
        "correct-move" => {
            let right = vec![json!({"plies": 0, "uci": "e2e4"}), json!({"plies": 1, "uci": "e7e5"})];
            (right, vec![json!({"plies": 0}), json!({"uci": "e2e4"}), json!({"plies": 0.5, "uci": "e2e4"})])
        }
        "set-move-count" => {
            let right = vec![json!({"completed": {"white": 3, "black": 2}})];
            (right, vec![json!({}), json!({"completed": {"white": 3}}), json!({"completed": 3})])
        }
        "set-clock-record" => {
            let right = vec![
                json!({"time_control": "300+5"}),
                json!({"additional_time": 5}),
                json!({"flag_taken_back": "white"}),
                json!({"time_control": null, "additional_time": null, "flag_taken_back": "black"}),
            ];
            (right, vec![json!({"flag_taken_back": "green"}), json!({"additional_time": -5}), json!({"time": 5})])
        }
        "set-flag-order" => {
            let right = vec![json!({"first": "white"}), json!({"first": "black"})];
            (right, vec![json!({}), json!({"first": "both"}), json!({"first": null})])
        }
        "claim" => {
            let ground = |ground, standing| json!({"side": "white", "ground": ground, "standing": standing});
            let right = vec![
                json!({"flag": "white"}),
                json!({"flag": "black"}),
                ground("repetition", "lodged"),
                ground("fifty_moves", "refused"),
                ground("additional_time", "accepted"),
                json!({"side": "black", "ground": "normal_means", "standing": "accepted", "uci": null}),
                json!({"side": "white", "ground": "repetition", "standing": "lodged", "uci": "g1f3"}),
            ];
            let wrong = vec![
                json!({}),
                json!({"flag": "both"}),
                json!({"flag": "white", "observed_at": 5}),
                ground("boredom", "lodged"),
                ground("repetition", "withdrawn"),
                json!({"side": "white", "ground": "repetition"}),
                json!({"flag": "white", "ground": "repetition", "standing": "lodged"}),
            ];
            (right, wrong)
        }
        "offer" | "accept" | "resign" => (
            vec![json!({"side": "white"}), json!({"side": "black"})],
            vec![json!({}), json!({"side": 1}), json!({"by": "white"})],
        ),
        "penalty" => {
            let right = vec![
                json!({"side": "white", "seconds": {"white": -60, "black": 120}}),
                json!({"side": "black", "alarm": 1, "counts": true}),
                json!({"side": "black", "seconds": null, "alarm": null, "counts": null}),
            ];
            (right, vec![json!({}), json!({"side": "white", "seconds": 120}), json!({"side": "white", "counts": "yes"})])
        }
        "confirm" | "reject" => {
            (vec![json!({})], vec![json!({"finding": {"id": 1, "revision": 1}}), json!({"reason": "so"}), json!([])])
        }
        "declare-result" => {
            let right = ["1-0", "0-1", "1/2-1/2", "*"].map(|result| json!({"result": result})).to_vec();
            (right, vec![json!({}), json!({"result": "2-0"}), json!({"result": null})])
        }
        "acknowledge-alert" => (vec![json!({"alarm": 1})], vec![json!({}), json!({"alarm": "1"}), json!({"alarm": null})]),
        "resync" => {
            let right = ["arbiter", "live", "public"].map(|audience| json!({"from": 1, "audience": audience})).to_vec();
            (right, vec![json!({"from": 0, "audience": "live"}), json!({"from": 1, "audience": "all"}), json!({"from": 1})])
        }
        "bind-device" => {
            let right = vec![json!({"device": "dgt-12345"}), json!({"serial": "12345"}), json!({"port": "/dev/ttyACM0"})];
            let two = json!({"device": "dgt-12345", "serial": "12345"});
            (right, vec![json!({}), two, json!({"device": "DGT"}), json!({"serial": ""}), json!({"port": 5})])
        }
        "set-round-game" => {
            (vec![json!({"of_the_round": true})], vec![json!({}), json!({"of_the_round": 1}), json!({"publish": true})])
        }
        "swap-sides" | "stop-clocks" | "restart-clocks" => (vec![json!({})], vec![json!({"now": true}), json!([])]),
        other => panic!("no bodies for {other}"),
    }
}

/// A station in a state in which this verb can have an effect.
fn rig_for(verb: &str) -> CommandRig {
    if matches!(verb, "confirm" | "reject") { CommandRig::flag_and_mate() } else { CommandRig::playing() }
}

/// Whether a payload was admitted, and the code of the last answer. All answers and messages must keep to their schemas.
fn answered(verb: &str, payload: &str) -> (bool, Code) {
    let mut rig = rig_for(verb);
    let replies = rig.send(Some(Role::Chief), verb, payload);
    for reply in &replies {
        for stamp in stamps() {
            let answer = envelope::make_message("cmd.reply", Some(&reply.id), &stamp, Some(Instant(7)), reply);
            validate(&topics::reply(topics::ROOT, "anna", "all"), answer).unwrap_or_else(|problem| panic!("{problem}"));
        }
    }
    for message in &rig.messages {
        let payload = envelope::add_stamp(&message.payload, &stamps()[0]);
        validate(&message.topic, payload).unwrap_or_else(|problem| panic!("{problem}"));
    }
    assert!(rig.messages.iter().any(|message| message.topic == Board::default().audit()), "{verb}: in the record");
    let (first, last) = (replies.first().expect("an answer"), replies.last().expect("an answer"));
    (first.stage == Stage::Accepted, last.code)
}

fn carried_out() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|verb| verb.name)
}

fn command(verb: &str, body: Value) -> Value {
    let rig = rig_for(verb);
    let mut message: Value = serde_json::from_str(&rig.ask(verb, "c-1", json!({}))).expect("JSON");
    message["body"] = body;
    message
}

#[test]
fn schema_and_daemon_agree_on_bodies() {
    for verb in carried_out() {
        let (right, wrong) = bodies(verb);
        for body in right {
            let payload = command(verb, body).to_string();
            assert_eq!(validate(&topic(verb), &payload), Ok(()));
            // The game may not have this alarm or move.
            assert!(answered(verb, &payload).0, "{payload}");
        }
        for body in wrong {
            let payload = command(verb, body).to_string();
            validate(&topic(verb), &payload).expect_err(&payload);
            assert_eq!(answered(verb, &payload), (false, Code::Invalid), "{payload}");
        }
    }
}

#[test]
fn schema_and_daemon_agree_on_the_lock_of_a_finding() {
    let base = || command("reject", json!({}));
    assert_eq!((validate(&topic("reject"), base().to_string()), answered("reject", &base().to_string()).1), (Ok(()), Code::Ok));
    let wrong = [
        ("/expect/finding", None),
        ("/expect/game", None),
        ("/reason", None),
        ("/reason", Some(json!(null))),
        ("/reason", Some(json!(" "))),
        ("/expect/finding", Some(json!(1))),
        ("/expect/finding/id", Some(json!(0))),
        ("/expect/finding/revision", None),
    ];
    for (path, value) in wrong {
        let message = with(base(), path, value);
        validate(&topic("reject"), message.to_string()).expect_err(&message.to_string());
        assert_eq!(answered("reject", &message.to_string()), (false, Code::Invalid), "{message}");
    }
}

#[test]
fn schema_and_daemon_agree_on_headers() {
    let base = || command("take-back", json!({"plies": 1}));
    let full = [
        ("/issued", json!("2026-11-21T13:00:01Z")),
        ("/observed_at", json!("2026-11-21T13:00:00Z")),
        ("/reason", json!("touched")),
        ("/sync", json!("none")),
        ("/reply_to", json!("flagfall/1/reply/anna/tablet")),
        ("/corr", json!("x1")),
        ("/new", json!([1])),
    ];
    let mut right = vec![base(), full.into_iter().fold(base(), |message, (path, value)| with(message, path, Some(value)))];
    right.extend(
        ["/issued", "/observed_at", "/reason", "/sync", "/reply_to", "/corr"].map(|path| with(base(), path, Some(json!(null)))),
    );
    right.push(with(base(), "/v", Some(json!("1.7"))));
    for message in right {
        assert_eq!(validate(&topic("take-back"), message.to_string()), Ok(()));
        assert_eq!(answered("take-back", &message.to_string()), (true, Code::Ok), "{message}");
    }
    let lock = ["/expect", "/expect/game", "/expect/rev"].map(|path| with(base(), path, None));
    let missing = ["/v", "/type", "/id", "/body"].map(|path| with(base(), path, None));
    let values = [
        ("/v", json!("one")),
        ("/v", json!(1)),
        ("/type", json!("cmd.claim")),
        ("/id", json!("")),
        ("/id", json!("a b")),
        ("/issued", json!("yesterday")),
        ("/observed_at", json!(5)),
        ("/reason", json!(5)),
        ("/sync", json!("sun")),
        ("/corr", json!("x".repeat(129))),
        ("/expect", json!("now")),
        ("/expect/rev", json!("5")),
        ("/expect/rev", json!(-1)),
        ("/body", json!("plies")),
    ];
    let wrong = values.map(|(path, value)| with(base(), path, Some(value)));
    for message in lock.into_iter().chain(missing).chain(wrong) {
        validate(&topic("take-back"), message.to_string()).expect_err(&message.to_string());
        assert_eq!(answered("take-back", &message.to_string()), (false, Code::Invalid), "{message}");
    }
}
