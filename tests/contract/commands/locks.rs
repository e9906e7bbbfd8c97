//! Locks and repeated commands: a claim is decided at the revision that the arbiter saw, and an id belongs to one command with one lock.

use flagfall::arbiter::verbs::{self, Lock};
use flagfall::arbiter::{Code, Reply, Stage};
use flagfall::config::Role;
use flagfall::wire::topics::Board;
use flagfall_game::laws::outcome::GameResult;
use flagfall_protocols::time::Instant;
use serde_json::{Value, json};

use crate::commands::command_rig::{CommandRig, payload};

fn send(rig: &mut CommandRig, verb: &str, payload: &str) -> Reply {
    rig.send(Some(Role::Arbiter), verb, payload).pop().expect("an answer")
}

fn claim(standing: &str) -> Value {
    json!({"side": "white", "ground": "normal_means", "standing": standing})
}

#[test]
fn a_claim_that_is_decided_is_locked_to_the_revision() {
    let verb = verbs::find("claim").expect("the verb");
    for (standing, lock) in [("lodged", Lock::Game), ("accepted", Lock::Rev), ("refused", Lock::Rev)] {
        assert_eq!(verbs::required_lock(verb, &claim(standing)), lock, "{standing}");
    }
    assert_eq!(verbs::required_lock(verb, &json!({"flag": "white"})), Lock::Game, "an observation");
    for standing in ["accepted", "refused"] {
        let mut rig = CommandRig::playing();
        let game = rig.now().0;
        // A lodged claim stays true after later moves.
        let lodged = payload("claim", "lodged", &json!({"game": game}), claim("lodged"));
        assert_eq!(send(&mut rig, "claim", &lodged).code, Code::Ok, "{standing}");
        let unlocked = payload("claim", "unlocked", &json!({"game": game}), claim(standing));
        assert_eq!(send(&mut rig, "claim", &unlocked).code, Code::Invalid, "{standing}: no revision");
        let (_, rev) = rig.now();
        let seen = payload("claim", "first", &json!({"game": game, "rev": rev}), claim(standing));
        assert_eq!(send(&mut rig, "claim", &seen).code, Code::Ok, "{standing}");
    }
}

/// Two arbiters decide about the same claim, and each saw a state without a decision.
#[test]
fn a_claim_that_another_arbiter_has_decided_is_not_decided_again() {
    for (first, second, result) in [("refused", "accepted", None), ("accepted", "refused", Some(GameResult::Draw))] {
        let mut rig = CommandRig::playing();
        let lodged = rig.ask("claim", "lodged", claim("lodged"));
        assert_eq!(send(&mut rig, "claim", &lodged).code, Code::Ok);
        let ask = |rig: &CommandRig, id: &str, standing: &str| rig.ask("claim", id, claim(standing));
        let (annas, bobs) = (ask(&rig, "a", first), ask(&rig, "b", second));
        assert_eq!(rig.send_as("anna", Some(Role::Arbiter), "claim", &annas).pop().expect("an answer").code, Code::Ok);
        let before = rig.digest();
        let stale = rig.send_as("bob", Some(Role::Arbiter), "claim", &bobs).pop().expect("an answer");
        let present = Some(rig.now().1);
        assert_eq!((stale.stage, stale.code, stale.rev), (Stage::Failed, Code::Stale, present), "{first}, {second}");
        assert_eq!((rig.digest(), rig.station.game().result()), (before, result), "{first} holds");
        assert_eq!(rig.station.game().decisions().count(), 1, "{first}");
    }
}

/// The same id with the same body, but another game or another revision of a finding in the lock, is no repeat.
#[test]
fn a_repeat_has_the_same_lock() {
    for verb in ["confirm", "reject"] {
        let mut rig = CommandRig::flag_and_mate();
        let (id, revision) = rig.finding();
        let stale = rig.decide(verb, "x", (id, revision + 1));
        let first = send(&mut rig, verb, &stale);
        assert_eq!(first.code, Code::Stale, "{verb}");
        assert_eq!(send(&mut rig, verb, &stale), first, "{verb}: the same payload gets the same answer");
        let right = rig.decide(verb, "x", (id, revision));
        let before = rig.digest();
        for other in [right.clone(), rig.decide(verb, "x", (id + 1, revision))] {
            let reply = send(&mut rig, verb, &other);
            assert_eq!((reply.code, reply.message.as_str()), (Code::Invalid, "this id was another command's"), "{verb}");
        }
        assert_eq!((rig.digest(), rig.station.game().result()), (before, None), "{verb}");
        let fresh = right.replace("\"x\"", "\"y\"");
        assert_eq!(send(&mut rig, verb, &fresh).code, Code::Ok, "{verb}");
    }
    let mut rig = CommandRig::playing();
    let (game, rev) = rig.now();
    let of = |game: &str, body: Value| payload("declare-result", "z", &json!({"game": game, "rev": rev}), body);
    let draw = json!({"result": "1/2-1/2"});
    assert_eq!(send(&mut rig, "declare-result", &of(&game, draw.clone())).code, Code::Ok);
    for (other, what) in [(of("r1.b1.g7", draw.clone()), "game"), (of(&game, json!({"result": "1-0"})), "result")] {
        let reply = send(&mut rig, "declare-result", &other);
        assert_eq!((reply.code, reply.message.as_str()), (Code::Invalid, "this id was another command's"), "another {what}");
    }
    assert_eq!(send(&mut rig, "declare-result", &of(&game, draw)).code, Code::Ok, "the same as before");
    assert_eq!(rig.station.game().decisions().count(), 1);
}

/// One step decides a game and arms the next: each line of the audit names its own game.
#[test]
fn a_decision_names_the_game_it_was_made_in() {
    let mut rig = CommandRig::playing();
    let broken_off = rig.now().0;
    let ask = rig.ask("start-game", "next", json!({}));
    assert_eq!(send(&mut rig, "start-game", &ask).code, Code::Ok);
    let begun = rig.now().0;
    assert_ne!(begun, broken_off);
    let audit = rig.messages.iter().filter(|message| message.topic == Board::default().audit());
    let lines: Vec<Value> = audit.map(|message| serde_json::from_str(&message.payload).expect("JSON")).collect();
    let games = |what: &str| {
        let of_kind = lines.iter().filter(|line| line["body"]["what"] == what);
        of_kind.map(|line| line["game"].as_str().expect("a game").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(games("decision"), std::slice::from_ref(&broken_off));
    assert!(games("game").contains(&begun), "{lines:#?}");
    let ruling = rig.messages.iter().rfind(|message| message.topic == Board::default().ruling()).expect("a ruling");
    let ruling: Value = serde_json::from_str(&ruling.payload).expect("JSON");
    assert_eq!((&ruling["game"], &ruling["body"]["decision"]["kind"]), (&json!(broken_off), &json!("restart")));
}

#[test]
fn a_repeat_with_another_moment_or_reason_is_another_command() {
    let mut rig = CommandRig::flag_fallen();
    let at = |rig: &CommandRig, ago: u64| rig.anchor.utc_at(Instant(rig.now.0 - ago * 1_000_000)).to_string();
    let mut ask: Value = serde_json::from_str(&rig.ask("claim", "q", json!({"flag": "white"}))).expect("JSON");
    ask["observed_at"] = json!(at(&rig, 0));
    let first = ask.clone();
    assert_eq!(send(&mut rig, "claim", &ask.to_string()).code, Code::Ok);
    ask["observed_at"] = json!(at(&rig, 1));
    assert_eq!(send(&mut rig, "claim", &ask.to_string()).message, "this id was another command's");
    let mut reasoned = first.clone();
    reasoned["reason"] = json!("on second thoughts");
    assert_eq!(send(&mut rig, "claim", &reasoned.to_string()).message, "this id was another command's");
    assert_eq!(send(&mut rig, "claim", &first.to_string()).code, Code::Ok, "the same command gets the same answer");
}

/// A command that is for the record only does not change the revision, so the lock of another arbiter stays valid.
#[test]
fn a_line_of_the_audit_makes_no_lock_old() {
    for verb in ["stop-clocks", "restart-clocks", "acknowledge-alert"] {
        let mut rig = CommandRig::flag_fallen();
        let result = rig.ask("declare-result", "a", json!({"result": "1/2-1/2"}));
        let alarm = rig.station.game().alarms().iter().find(|alarm| alarm.closed.is_none()).expect("an alarm").id;
        let body = if verb == "acknowledge-alert" { json!({ "alarm": alarm }) } else { json!({}) };
        let ask = rig.ask(verb, "b", body);
        let before = rig.now();
        let done = rig.send_as("bob", Some(Role::Arbiter), verb, &ask).pop().expect("an answer");
        assert_eq!((done.code, rig.now()), (Code::Ok, before), "{verb}");
        let state = Board::default().arbiter_state();
        assert!(rig.messages.iter().any(|message| message.topic == state), "{verb}: the state is published all the same");
        assert_eq!(send(&mut rig, "declare-result", &result).code, Code::Ok, "{verb}");
    }
    // A move or an entry does.
    let mut rig = CommandRig::playing();
    let back = rig.ask("take-back", "a", json!({"plies": 1}));
    let offer = rig.ask("offer", "b", json!({"side": "white"}));
    assert_eq!(send(&mut rig, "offer", &offer).code, Code::Ok);
    assert_eq!(send(&mut rig, "take-back", &back).code, Code::Stale);
}
