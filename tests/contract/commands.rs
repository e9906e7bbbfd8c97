//! Commands at a station: the rights of each role, refusals, answers, and the lines of the audit.

mod answers;
mod choices;
pub(crate) mod command_rig;
mod decisions;
mod locks;
mod observations;
mod observed_at;
mod payloads;
mod replays;

use std::collections::BTreeMap;
use std::time::Duration;

use command_rig::{CommandRig, payload};
use flagfall::arbiter::verbs::{By, Lock, Until, VERBS};
use flagfall::arbiter::{Code, DaemonAction, RateLimit, Reply, Stage, role_of};
use flagfall::config::{Role, User};
use flagfall::system_clock::MonotonicTime;
use flagfall_protocols::trace::Audience;
use serde_json::json;

pub(crate) const ROLES: [Option<Role>; 4] = [None, Some(Role::Operator), Some(Role::Arbiter), Some(Role::Chief)];

/// A body that is valid for this verb.
pub(crate) fn body(verb: &str) -> serde_json::Value {
    match verb {
        "resync" => json!({"from": 3, "audience": "live"}),
        "bind-device" => json!({"serial": "12345"}),
        "set-round-game" => json!({"of_the_round": true}),
        "correct-move" => json!({"plies": 0, "uci": "d2d4"}),
        "take-back" => json!({"plies": 1}),
        "set-position" => json!({"fen": "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"}),
        "acknowledge-alert" => json!({"alarm": 1}),
        "claim" => json!({"flag": "white"}),
        "set-move-count" => json!({"completed": {"white": 3, "black": 3}}),
        "set-clock-record" => json!({"additional_time": 5}),
        "set-flag-order" => json!({"first": "white"}),
        "declare-result" => json!({"result": "1/2-1/2"}),
        "offer" | "accept" | "resign" => json!({"side": "white"}),
        "penalty" => json!({"side": "white", "seconds": {"white": 0, "black": 120}}),
        _ => json!({}),
    }
}

#[test]
fn every_role_may_do_what_the_table_says() {
    for verb in VERBS {
        for role in ROLES {
            let mut rig = CommandRig::playing();
            let before = rig.digest();
            let replies = rig.send(role, verb.name, &rig.ask(verb.name, "a", body(verb.name)));
            let last = replies.last().expect("an answer");
            let name = format!("{} as {role:?}: {last:?}", verb.name);
            // In a game without a flag an operator may use every verb of this group except `start-game`.
            let may = match role {
                None => false,
                Some(Role::Operator) => verb.role == Role::Operator && verb.name != "start-game",
                Some(Role::Arbiter | Role::Chief) => true,
            };
            let expected = match (may, verb.name) {
                (false, _) => Code::Denied,
                // No alarm is open, no draw was offered, no flag is down, and there is no finding.
                (_, "acknowledge-alert" | "accept" | "set-flag-order") => Code::Invalid,
                (_, "confirm" | "reject") => Code::Stale,
                _ => Code::Ok,
            };
            assert_eq!(last.code, expected, "{name}");
            assert_eq!(last.stage, if expected == Code::Ok { Stage::Done } else { Stage::Failed }, "{name}");
            let carried_on = !matches!(expected, Code::Denied | Code::Unsupported | Code::Busy | Code::Stale);
            assert_eq!(replies.len(), 1 + usize::from(carried_on), "{name}: the first answer is `accepted`");
            if expected != Code::Ok {
                assert_eq!(rig.digest(), before, "{name}: no effect");
            }
            let audit = rig.one_audit(&name);
            assert_eq!(
                (&audit["id"], &audit["actor"], &audit["verb"]),
                (&json!("a"), &json!("anna"), &json!(verb.name)),
                "{name}"
            );
            assert_eq!(audit["code"], json!(expected.name()), "{name}");
        }
    }
}

#[test]
fn an_operator_leaves_a_fallen_flag_alone() {
    for verb in VERBS.iter().filter(|verb| verb.until == Until::FlagFell) {
        let mut rig = CommandRig::flag_fallen();
        let replies = rig.send(Some(Role::Operator), verb.name, &rig.ask(verb.name, "a", body(verb.name)));
        assert_eq!(replies[0].code, Code::Denied, "{}", verb.name);
        assert!(!replies[0].message.contains("flag"), "{}", replies[0].message);
        let replies = rig.send(Some(Role::Arbiter), verb.name, &rig.ask(verb.name, "b", body(verb.name)));
        assert_eq!(replies.last().expect("an answer").code, Code::Ok, "{}", verb.name);
    }
}

#[test]
fn a_command_without_a_lock_or_with_an_old_one_changes_nothing() {
    for verb in VERBS.iter().filter(|verb| verb.by == By::Game) {
        let rig = CommandRig::playing();
        let (game, rev) = rig.now();
        for (expect, code) in [
            (json!({}), Code::Invalid),
            (json!({"rev": rev}), Code::Invalid),
            (json!({"game": "other", "rev": rev}), Code::Stale),
            (json!({"game": game, "rev": rev - 1}), Code::Stale),
            (json!({"game": game, "rev": rev + 1}), Code::Stale),
        ] {
            let mut rig = CommandRig::playing();
            let before = rig.digest();
            let mut expect = expect;
            if verb.lock == Lock::Finding {
                expect["finding"] = json!({"id": 1, "revision": 1});
            }
            let replies = rig.send(Some(Role::Chief), verb.name, &payload(verb.name, "a", &expect, body(verb.name)));
            let name = format!("{} with {expect}", verb.name);
            assert_eq!((replies.len(), replies[0].code, replies[0].rev), (1, code, Some(rev)), "{name}");
            assert_eq!(rig.digest(), before, "{name}");
            assert_eq!(rig.one_audit(&name)["code"], json!(code.name()), "{name}");
        }
        if matches!(verb.lock, Lock::Rev | Lock::Finding) {
            let mut rig = CommandRig::playing();
            let replies =
                rig.send(Some(Role::Chief), verb.name, &payload(verb.name, "a", &json!({"game": game}), body(verb.name)));
            assert_eq!(replies[0].code, Code::Invalid, "{}", verb.name);
        }
    }
}

#[test]
fn the_same_again_is_answered_again_and_not_done_again() {
    let mut rig = CommandRig::playing();
    let ask = rig.ask("correct-move", "a", body("correct-move"));
    let first = rig.send(Some(Role::Arbiter), "correct-move", &ask);
    let (after, count) = (rig.digest(), rig.audits().len());
    for _ in 0..3 {
        let again = rig.send(Some(Role::Arbiter), "correct-move", &ask);
        assert_eq!(again, first[1..], "the lock is old, and the last answer is still the same");
    }
    assert_eq!((rig.digest(), rig.audits().len()), (after, count));
    // The same id with another content is a mistake of the sender.
    let other = rig.ask("correct-move", "a", json!({"plies": 0, "uci": "c2c4"}));
    assert_eq!(rig.send(Some(Role::Arbiter), "correct-move", &other)[0].code, Code::Invalid);
    assert_eq!((rig.digest(), rig.audits().len()), (after, count + 1));
    // The same id of another sender is another command.
    let theirs = rig.ask("correct-move", "a", json!({"plies": 0, "uci": "c2c4"}));
    assert_eq!(rig.send_as("bob", Some(Role::Arbiter), "correct-move", &theirs).last().expect("an answer").code, Code::Ok);
}

#[test]
fn the_memory_is_bounded_and_strangers_do_not_fill_it() {
    let mut rig = CommandRig::playing();
    let resync = |rig: &CommandRig, id: &str| rig.ask("resync", id, body("resync"));
    let done = |rig: &mut CommandRig, role, id: &str| {
        let ask = resync(rig, id);
        rig.send(role, "resync", &ask).len()
    };
    assert_eq!(done(&mut rig, Some(Role::Operator), "first"), 2);
    for stranger in 0..300 {
        rig.send_as("eve", None, "resync", &resync(&rig, &format!("s{stranger}")));
    }
    assert_eq!(
        done(&mut rig, Some(Role::Operator), "first"),
        1,
        "the command is still known: it gets one answer and is not accepted again"
    );
    for other in 0..256 {
        done(&mut rig, Some(Role::Operator), &format!("o{other}"));
    }
    assert_eq!(done(&mut rig, Some(Role::Operator), "first"), 2, "forgotten after 256 others");
}

#[test]
fn commands_to_the_daemon_become_its_actions() {
    let mut rig = CommandRig::playing();
    let resync = rig.ask("resync", "a", body("resync"));
    rig.send(Some(Role::Operator), "resync", &resync);
    assert_eq!(rig.daemon_actions, [DaemonAction::Resync { from: 3, audience: Audience::Live }]);
    let rev = rig.now();
    let bind = rig.ask("bind-device", "b", body("bind-device"));
    rig.send(Some(Role::Operator), "bind-device", &bind);
    let bound = DaemonAction::BindDevice { device: None, serial: Some("12345".into()), port: None };
    assert_eq!((rig.station.bound(), rig.now()), (Some((&bound, Some("0badcafe"))), rev));
    for wrong in [
        json!({}),
        json!({"device": "A B"}),
        json!({"serial": "1", "port": "/dev/ttyUSB0"}),
        json!({"serial": ""}),
        // No serial number is in these.
        json!({"device": "board-12"}),
        json!({"device": "other-12"}),
        json!({"device": "dgt-"}),
        // These belong to another board.
        json!({"device": "dgt-54321"}),
        json!({"serial": "54321"}),
        json!({"port": "/dev/ttyUSB7"}),
        json!({"port": "c0:ff:ee:00:10:25"}),
        json!({"port": "C0ffee001025"}),
    ] {
        let ask = rig.ask("bind-device", &format!("w{wrong}").replace(|c: char| !c.is_ascii_alphanumeric(), "."), wrong.clone());
        assert_eq!(rig.send(Some(Role::Chief), "bind-device", &ask)[0].code, Code::Invalid, "{wrong}");
    }
    assert_eq!(rig.daemon_actions.len(), 2);
    // In paths, small and capital letters are different.
    for right in [json!({"device": "dgt-12"}), json!({"port": "/dev/ttyUSB0"}), json!({"port": "/dev/ttyusb7"})] {
        let ask = rig.ask("bind-device", &format!("r{}", rig.daemon_actions.len()), right.clone());
        let replies = rig.send(Some(Role::Operator), "bind-device", &ask);
        assert_eq!(replies.last().map(|last| last.code), Some(Code::Ok), "{right}");
    }
}

#[test]
fn a_sender_without_rights_learns_nothing() {
    let facts = |reply: &Reply| (reply.code, reply.game.clone(), reply.rev);
    for mut rig in [CommandRig::playing(), CommandRig::flag_fallen()] {
        let (game, rev) = rig.now();
        for verb in VERBS {
            let right = rig.ask(verb.name, "a", body(verb.name));
            let stale = payload(verb.name, "b", &json!({"game": "other", "rev": rev + 1}), body(verb.name));
            for payload in [right.as_str(), &stale, "no payload"] {
                let replies = rig.send_as("screen-1", None, verb.name, payload);
                let [reply] = replies.as_slice() else { panic!("{replies:?}") };
                assert_eq!(facts(reply), (Code::Denied, None, None), "{reply:?}");
                let json = serde_json::to_string(reply).expect("JSON");
                assert!(!json.contains(&game) && !json.contains("rev") && !json.contains("flag"), "{json}");
            }
        }
        // An operator whose role is not enough learns nothing either.
        let ask = rig.ask("claim", "c", body("claim"));
        let replies = rig.send_as("otto", Some(Role::Operator), "claim", &ask);
        assert_eq!(facts(&replies[0]), (Code::Denied, None, None));
        // A sender with the right gets the values for the next lock.
        let ask = payload("take-back", "d", &json!({"game": game, "rev": rev + 1}), body("take-back"));
        let replies = rig.send_as("anna", Some(Role::Arbiter), "take-back", &ask);
        assert_eq!(facts(&replies[0]), (Code::Stale, Some(game), Some(rev)));
    }
}

#[test]
fn an_answer_is_not_repeated_to_a_sender_who_has_lost_the_right() {
    let mut rig = CommandRig::playing();
    let ask = rig.ask("resync", "a", body("resync"));
    rig.send(Some(Role::Operator), "resync", &ask);
    let replies = rig.send(None, "resync", &ask);
    assert_eq!((replies[0].code, replies[0].rev), (Code::Denied, None));
}

#[test]
fn the_audit_names_the_decision() {
    let mut rig = CommandRig::flag_fallen();
    let (game, rev) = rig.now();
    let mut ask: serde_json::Value = serde_json::from_str(&rig.ask("claim", "a", body("claim"))).expect("JSON");
    let at = rig.anchor.utc_at(rig.now).to_string();
    (ask["issued"], ask["observed_at"]) = (json!(at), json!(at));
    rig.send(Some(Role::Arbiter), "claim", &ask.to_string());
    let audit = rig.one_audit("claim");
    assert_eq!((&audit["code"], &audit["body"]), (&json!("ok"), &json!({"flag": "white"})));
    assert_eq!(audit["expect"], json!({"game": game, "rev": rev}));
    assert_eq!(audit["observed_us"], json!(rig.now.micros()));
    let bind = rig.ask("bind-device", "b", json!({"serial": "12345"}));
    rig.send(Some(Role::Arbiter), "bind-device", &bind);
    assert_eq!(rig.audits()[1]["body"], json!({"serial": "12345"}));
    // The audit does not repeat the content of a refused command.
    let stale = payload("declare-result", "c", &json!({"game": game, "rev": 0}), json!({"result": "1-0"}));
    rig.send(Some(Role::Arbiter), "declare-result", &stale);
    assert_eq!((&rig.audits()[2]["body"], &rig.audits()[2]["expect"]["rev"]), (&json!(null), &json!(0)));
}

#[test]
fn a_user_has_a_role_on_their_boards() {
    let user = |role, boards: &[&str]| User { role, boards: boards.iter().map(|&board| board.to_owned()).collect() };
    let users = BTreeMap::from([
        ("anna".to_owned(), user(Role::Arbiter, &["b1", "b2"])),
        ("ole".to_owned(), user(Role::Operator, &[])),
        ("chief".to_owned(), user(Role::Chief, &["b1"])),
    ]);
    for (name, board, role) in [
        ("anna", "b1", Some(Role::Arbiter)),
        ("anna", "b3", None),
        ("ole", "b3", Some(Role::Operator)),
        ("chief", "b3", Some(Role::Chief)),
        ("eve", "b1", None),
    ] {
        assert_eq!(role_of(&users, name, board), role, "{name} on {board}");
    }
}

#[test]
fn nobody_sends_more_than_five_a_second() {
    let mut limit = RateLimit::new(5, Duration::from_secs(1));
    let passed = |limit: &mut RateLimit, user: &str, at: u64| (0..20).filter(|_| limit.allow(user, MonotonicTime(at))).count();
    assert_eq!(passed(&mut limit, "anna", 1_000_000), 5);
    assert_eq!(passed(&mut limit, "bob", 1_000_000), 5, "each sender has a limit of its own");
    assert_eq!(passed(&mut limit, "anna", 1_200_000), 1);
    assert_eq!(passed(&mut limit, "anna", 60_000_000), 5);
    for user in 0..1000 {
        assert!(limit.allow(&format!("user{user}"), MonotonicTime(70_000_000)));
    }
}
