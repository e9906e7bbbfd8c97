//! Decisions by command: the lock on a finding, the audit and the retained ruling, and the audiences.

use flagfall::arbiter::{Code, Reply};
use flagfall::config::Role;
use flagfall::wire::finding::FindingKey;
use flagfall::wire::topics::Board;
use flagfall_game::alarm::AlarmKind;
use flagfall_game::laws::outcome::GameResult;
use serde_json::{Value, json};

use crate::commands::command_rig::{CommandRig, payload};

fn last(replies: &[Reply]) -> &Reply {
    replies.last().expect("an answer")
}

/// Bodies of the audit's lines of this kind.
fn audited(rig: &CommandRig, what: &str) -> Vec<Value> {
    let bodies = rig.messages.iter().filter(|message| message.topic == Board::default().audit());
    let bodies = bodies.map(|message| serde_json::from_str::<Value>(&message.payload).expect("JSON")["body"].clone());
    bodies.filter(|body| body["what"] == what).collect()
}

fn ruling(rig: &CommandRig) -> Value {
    let last = rig.messages.iter().rfind(|message| message.topic == Board::default().ruling()).expect("a ruling");
    assert!(last.retain);
    serde_json::from_str::<Value>(&last.payload).expect("JSON")["body"].clone()
}

#[test]
fn a_decision_is_locked_to_the_finding_as_the_arbiter_saw_it() {
    for verb in ["confirm", "reject"] {
        let mut rig = CommandRig::flag_and_mate();
        let (id, revision) = rig.finding();
        let (before, present) = (rig.digest(), Some(FindingKey { id, revision }));
        for (index, stale) in [(id, revision - 1), (id, revision + 1), (id + 1, revision)].into_iter().enumerate() {
            let ask = rig.decide(verb, &format!("s{index}"), stale);
            let replies = rig.send(Some(Role::Arbiter), verb, &ask);
            assert_eq!((replies.len(), replies[0].code, replies[0].finding), (1, Code::Stale, present), "{verb} {stale:?}");
            assert_eq!(replies[0].message, format!("the finding is {id}, its revision {revision}"));
        }
        let game = rig.now().0;
        let unlocked = payload(verb, "u", &json!({"game": game, "rev": rig.now().1}), json!({}));
        assert_eq!(rig.send(Some(Role::Chief), verb, &unlocked)[0].code, Code::Invalid);
        assert_eq!(rig.digest(), before, "{verb}");
        // Moves go on: the revision of the state is not the revision of the finding.
        let ask = rig.decide(verb, "a", (id, revision));
        let replies = rig.send(Some(Role::Arbiter), verb, &ask);
        assert_eq!((last(&replies).code, replies.len()), (Code::Ok, 2), "{verb}: {replies:?}");
    }
}

#[test]
fn an_operator_decides_nothing_and_learns_nothing() {
    let mut rig = CommandRig::flag_and_mate();
    for verb in ["confirm", "reject", "offer", "accept", "resign", "penalty", "claim"] {
        let ask = rig.ask(verb, verb, crate::commands::body(verb));
        let replies = rig.send(Some(Role::Operator), verb, &ask);
        assert_eq!((replies.len(), replies[0].code, replies[0].finding, replies[0].rev), (1, Code::Denied, None, None), "{verb}");
    }
    // A lock for a verb that the operator may use does not help.
    let (game, rev) = rig.now();
    let probe = payload(
        "resync",
        "r",
        &json!({"game": game, "rev": rev, "finding": {"id": 7, "revision": 1}}),
        crate::commands::body("resync"),
    );
    let replies = rig.send(Some(Role::Operator), "resync", &probe);
    assert_eq!((last(&replies).code, last(&replies).finding), (Code::Ok, None));
}

#[test]
fn a_rejection_needs_a_reason() {
    let mut rig = CommandRig::flag_and_mate();
    let ask: Value = serde_json::from_str(&rig.ask("reject", "a", json!({}))).expect("JSON");
    for (index, reason) in [json!(null), json!(""), json!("  ")].into_iter().enumerate() {
        let mut without = ask.clone();
        (without["reason"], without["id"]) = (reason, json!(format!("w{index}")));
        assert_eq!(rig.send(Some(Role::Arbiter), "reject", &without.to_string())[0].code, Code::Invalid);
    }
    assert_eq!(last(&rig.send(Some(Role::Arbiter), "reject", &ask.to_string())).code, Code::Ok);
}

#[test]
fn the_audit_and_the_ruling_say_who_when_why_and_on_which_evidence() {
    let mut rig = CommandRig::flag_and_mate();
    let (id, revision) = rig.finding();
    let mut ask: Value = serde_json::from_str(&rig.ask("confirm", "c-1", json!({}))).expect("JSON");
    let at = rig.anchor.utc_at(rig.now).to_string();
    (ask["issued"], ask["observed_at"], ask["sync"]) = (json!(at), json!(at), json!("ntp"));
    let alarm = rig.station.game().alarms().iter().find(|alarm| alarm.kind == AlarmKind::Flag).expect("an alarm").id;
    rig.send_as("petra", Some(Role::Chief), "confirm", &ask.to_string());
    let seen = audited(&rig, "command")[0]["observed_us"].clone();
    let expected = json!({
        "number": 1,
        "kind": "confirmed",
        "result": "0-1",
        "finding": {"id": id, "revision": revision},
        "by": "petra",
        "reason": "the clock was set wrong",
        "command": "c-1",
        "observed_at": seen,
        "at": rig.now.0,
        "closed_alarms": [alarm],
    });
    let shown = ruling(&rig);
    assert_eq!((&shown["decision"], &shown["status"]), (&expected, &json!("confirmed")), "the finding says so too");
    assert_eq!(shown["revision"], json!(revision + 2), "the observation and the decision raise its revision");
    let (sign, before) = (&shown["readings"][1], &shown["readings"][0]);
    assert_eq!(shown["evidence"], json!([sign["source"], "cmd:c-1"]), "the sign of the clock, and the command of the observer");
    assert_eq!((&sign["white_ms"], before["white_ms"].as_u64().is_some_and(|left| left > 0)), (&json!(0), true), "{shown}");
    let mut entry = expected.clone();
    entry["what"] = json!("decision");
    assert_eq!(audited(&rig, "decision"), [entry]);
    let command = &audited(&rig, "command")[0];
    assert_eq!((&command["expect"]["finding"], &command["actor"]), (&expected["finding"], &json!("petra")));
    assert_eq!(rig.station.game().result(), Some(GameResult::BlackWins));
    // Another arbiter's later decision.
    let ask = rig.ask("declare-result", "d-1", json!({"result": "1/2-1/2"}));
    rig.send_as("anna", Some(Role::Arbiter), "declare-result", &ask);
    let decision = &ruling(&rig)["decision"];
    assert_eq!((&decision["by"], &decision["supersedes"], &decision["result"]), (&json!("anna"), &json!(1), &json!("1/2-1/2")));
    assert_eq!((&ruling(&rig)["status"], &ruling(&rig)["revision"]), (&json!("superseded"), &json!(revision + 3)));
    assert_eq!(audited(&rig, "decision").len(), 2);
    let kept: Vec<u32> = rig.station.game().decisions().map(|decision| decision.number).collect();
    assert_eq!(kept, [1, 2]);
}

/// Two arbiters decide within milliseconds, or one of them taps twice: the second answer says who decided what.
#[test]
fn the_second_decision_is_stale_and_its_answer_names_the_first() {
    for (first, second, said) in [
        ("confirm", "reject", "anna confirmed finding 1: 0-1"),
        ("confirm", "confirm", "anna confirmed finding 1: 0-1"),
        ("reject", "confirm", "anna rejected finding 1: the game goes on"),
        ("declare-result", "confirm", "anna declared the result 1/2-1/2"),
        ("confirm", "declare-result", "anna confirmed finding 1: 0-1"),
        ("declare-result", "declare-result", "anna declared the result 1/2-1/2"),
    ] {
        let name = format!("{first}, then {second}");
        let mut rig = CommandRig::flag_and_mate();
        let body = |verb: &str| if verb == "declare-result" { json!({"result": "1/2-1/2"}) } else { json!({}) };
        let (annas, bobs) = (rig.ask(first, "a", body(first)), rig.ask(second, "b", body(second)));
        assert_eq!(last(&rig.send_as("anna", Some(Role::Arbiter), first, &annas)).code, Code::Ok, "{name}");
        let before = rig.digest();
        let replies = rig.send_as("bob", Some(Role::Arbiter), second, &bobs);
        let stale = last(&replies);
        assert_eq!((replies.len(), stale.code, rig.digest()), (1, Code::Stale, before), "{name}");
        let (id, revision) = rig.finding();
        let present = match second {
            "declare-result" => format!("the game is {}, its revision {}", rig.now().0, rig.now().1),
            _ => format!("the finding is {id}, its revision {revision}"),
        };
        assert_eq!(stale.message, format!("{said}; {present}"), "{name}");
        assert_eq!(rig.audits()[1]["message"], json!(stale.message), "{name}");
        assert_eq!(rig.station.game().decisions().count(), 1, "{name}");
    }
}

/// An operator's lock may be old too, but decisions are not for operators.
#[test]
fn an_operator_with_an_old_lock_learns_of_no_decision() {
    let mut rig = CommandRig::playing();
    let old = rig.ask("take-back", "t", json!({"plies": 1}));
    let ask = rig.ask("declare-result", "a", json!({"result": "1-0"}));
    assert_eq!(last(&rig.send(Some(Role::Arbiter), "declare-result", &ask)).code, Code::Ok);
    let stale = last(&rig.send_as("otto", Some(Role::Operator), "take-back", &old)).clone();
    assert_eq!((stale.code, stale.message.contains("anna")), (Code::Stale, false), "{}", stale.message);
}

#[test]
fn after_a_rejection_an_operator_may_begin_the_next_game() {
    let mut rig = CommandRig::over_with_a_flag();
    let ask = rig.ask("reject", "a", json!({}));
    assert_eq!(last(&rig.send(Some(Role::Arbiter), "reject", &ask)).code, Code::Ok);
    assert_eq!(ruling(&rig)["decision"]["kind"], json!("rejected"));
    assert!(!rig.station.game().awaits_ruling());
}

#[test]
fn claims_come_in_two_forms() {
    let mut rig = CommandRig::playing();
    let mut number = 0;
    let mut send = |rig: &mut CommandRig, body: Value| {
        number += 1;
        let ask = rig.ask("claim", &format!("c{number}"), body);
        last(&rig.send(Some(Role::Arbiter), "claim", &ask)).clone()
    };
    for wrong in [
        json!({"side": "white", "ground": "repetition"}),
        json!({"side": "white", "ground": "boredom", "standing": "lodged"}),
        json!({"flag": "white", "ground": "repetition", "standing": "lodged"}),
        json!({"side": "white", "ground": "repetition", "standing": "lodged", "observed_at": 5}),
    ] {
        assert_eq!(send(&mut rig, wrong.clone()).code, Code::Invalid, "{wrong}");
    }
    assert_eq!(send(&mut rig, json!({"side": "white", "ground": "normal_means", "standing": "lodged"})).code, Code::Ok);
    assert_eq!(audited(&rig, "claim").len(), 1);
    // Only an arbiter's command makes the daemon check the record of the game.
    let checked = send(&mut rig, json!({"side": "white", "ground": "repetition", "standing": "lodged"}));
    assert_eq!((checked.code, checked.message.as_str()), (Code::Ok, "not correct by the record of the game (9.5.3)"));
    assert_eq!((audited(&rig, "claim")[1]["correct"].clone(), rig.station.game().result()), (json!(false), None));
    assert_eq!(send(&mut rig, json!({"side": "white", "ground": "normal_means", "standing": "refused"})).code, Code::Ok);
    let kinds: Vec<_> = audited(&rig, "decision").iter().map(|decision| decision["kind"].clone()).collect();
    assert_eq!((kinds, rig.station.game().result()), (vec![json!("claim_refused")], None));
    assert_eq!(send(&mut rig, json!({"flag": "white"})).code, Code::Ok);
    assert!(rig.station.game().has_fallen_flag());
}

/// Statements and decisions of arbiters are not published for other audiences, except the result.
#[test]
fn others_see_results_only() {
    let mut rig = CommandRig::playing();
    for (verb, body) in [
        ("offer", json!({"side": "white"})),
        ("claim", json!({"side": "black", "ground": "fifty_moves", "standing": "refused"})),
        ("penalty", json!({"side": "black", "seconds": {"white": 120, "black": 0}})),
        ("resign", json!({"side": "black"})),
    ] {
        let ask = rig.ask(verb, verb, body);
        assert_eq!(last(&rig.send(Some(Role::Arbiter), verb, &ask)).code, Code::Ok, "{verb}");
    }
    let others = |rig: &CommandRig| rig.messages.iter().filter(|message| !message.topic.contains("/arbiter/")).count();
    assert_eq!(others(&rig), 0);
    // After the resignation it needs a reason.
    let mut ask: Value = serde_json::from_str(&rig.ask("accept", "a", json!({"side": "black"}))).expect("JSON");
    assert_eq!(last(&rig.send(Some(Role::Arbiter), "accept", &ask.to_string())).code, Code::Invalid);
    (ask["id"], ask["reason"]) = (json!("b"), json!("he had accepted before"));
    assert_eq!(last(&rig.send(Some(Role::Arbiter), "accept", &ask.to_string())).code, Code::Ok);
    assert_eq!((others(&rig), rig.station.game().result()), (1, Some(GameResult::Draw)));
}
