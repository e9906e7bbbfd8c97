//! What an arbiter reads after a command: sentences in the answer, and what the retained state keeps.

use flagfall::arbiter::{Code, Reply};
use flagfall::config::Role;
use flagfall::wire::topics::Board;
use flagfall_game::laws::outcome::GameResult;
use serde_json::{Value, json};

use crate::commands::command_rig::CommandRig;
use crate::support::parts::Parts;

fn send(rig: &mut CommandRig, verb: &str, payload: &str) -> Reply {
    rig.send(Some(Role::Arbiter), verb, payload).pop().expect("an answer")
}

/// The record refutes the claim, so its acceptance needs a reason, and the answer says so.
#[test]
fn a_refuted_claim_is_not_accepted_without_a_reason() {
    let mut rig = CommandRig::playing();
    let accepted = json!({"side": "white", "ground": "repetition", "standing": "accepted"});
    let ask = rig.ask("claim", "without", accepted.clone());
    let refused = send(&mut rig, "claim", &ask);
    let words = "claim: the record of the game refutes this claim: to accept it, give a reason";
    assert_eq!((refused.code, refused.message.as_str(), rig.station.game().result()), (Code::Invalid, words, None));
    let mut ask: Value = serde_json::from_str(&rig.ask("claim", "with", accepted)).expect("JSON");
    ask["reason"] = json!("the scoresheets show it");
    let done = send(&mut rig, "claim", &ask.to_string());
    assert_eq!((done.code, rig.station.game().result()), (Code::Ok, Some(GameResult::Draw)), "{}", done.message);
}

#[test]
fn a_wrong_body_is_answered_with_a_sentence() {
    for (verb, body, sentence) in [
        ("take-back", json!({"plies": "1"}), "plies must be a whole number from 0 to 4294967295"),
        ("take-back", json!({}), "the body needs the field plies"),
        ("declare-result", json!({"result": "2-0"}), "result must be 1-0 or 0-1 or 1/2-1/2 or *"),
    ] {
        let mut rig = CommandRig::playing();
        let ask = rig.ask(verb, "a", body);
        let reply = send(&mut rig, verb, &ask);
        assert_eq!((reply.code, reply.message.as_str()), (Code::Invalid, sentence), "{ask}");
    }
}

/// The moves before a position that an arbiter sets stay in the retained state, as a part of the game of their own.
#[test]
fn a_position_that_is_set_keeps_the_moves_before_it() {
    let mut rig = CommandRig::playing();
    let before: Vec<String> = rig.station.game().moves().map(|played| played.uci.to_string()).collect();
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let ask = rig.ask("set-position", "p", json!({ "fen": fen }));
    assert_eq!(send(&mut rig, "set-position", &ask).code, Code::Ok);
    let (topic, mut parts) = (Board::default().arbiter_state(), Parts::default());
    let joined = rig.messages.iter().map(|message| (&message.topic, parts.joined(&message.topic, message.payload.as_bytes())));
    let (_, state) = joined.filter(|(of, _)| **of == topic).last().expect("a state");
    let body = serde_json::from_slice::<Value>(&state).expect("JSON")["body"].clone();
    let kept = body["segments"][0]["moves"].as_array().expect("the moves before");
    let kept: Vec<&str> = kept.iter().filter_map(|mv| mv["uci"].as_str()).collect();
    assert_eq!(
        (kept, &body["initial_fen"], &body["moves"]),
        (before.iter().map(String::as_str).collect(), &json!(fen), &json!([]))
    );
}
