//! The time at which an arbiter saw something: the answer says so if it is not used.

use flagfall::arbiter::{Code, Reply};
use flagfall::config::Role;
use flagfall::wire::time::TimeSource;
use flagfall_game::clock::flag::FlagFall;
use flagfall_protocols::time::Instant;
use serde_json::{Value, json};

use crate::commands::body;
use crate::commands::command_rig::CommandRig;

const SECOND: i64 = 1_000_000;

/// Sends a command for something seen `ago` microseconds before now. Returns the last answer and the audit line.
fn send(rig: &mut CommandRig, verb: &str, ago: i64, change: impl Fn(&mut Value)) -> (Reply, Value) {
    let id = format!("o{}", rig.records.len());
    let now = rig.anchor.utc_at(rig.now);
    let mut ask: Value = serde_json::from_str(&rig.ask(verb, &id, body(verb))).expect("JSON");
    (ask["issued"], ask["sync"]) = (json!(now.to_string()), json!("ntp"));
    ask["observed_at"] = json!(now.after_micros(-ago).to_string());
    change(&mut ask);
    let reply = rig.send(Some(Role::Arbiter), verb, &ask.to_string()).pop().expect("an answer");
    assert_eq!(reply.code, Code::Ok, "{ask}: {reply:?}");
    (reply, rig.audits().pop().expect("a line"))
}

fn white_flag(rig: &CommandRig) -> FlagFall {
    rig.station.game().flags().next().expect("a flag").0.clone()
}

/// A time that cannot be used is named in the answer and in the audit, and the time of the command counts.
#[test]
fn a_time_that_is_not_used_is_named() {
    type Change = fn(&mut Value);
    let changes: [(i64, &str, Change); 4] = [
        (SECOND, "are not known to be synchronised", |ask| {
            (ask["sync"], ask["issued"]) = (json!(null), json!(null));
        }),
        (-60 * SECOND, "later than the command", |_| {}),
        (-60 * SECOND, "later than the command", |ask| ask["sync"] = json!(null)),
        (86_400 * SECOND, "the game had not begun", |_| {}),
    ];
    for (ago, words, change) in changes {
        let mut rig = CommandRig::flag_fallen();
        rig.now = Instant(rig.now.0 + 5_000_000);
        let (reply, audit) = send(&mut rig, "claim", ago, change);
        assert!(reply.message.starts_with("observed_at is not used") && reply.message.contains(words), "{}", reply.message);
        assert_eq!((&audit["message"], audit.get("observed_us")), (&json!(reply.message), None), "{ago}");
        assert_eq!(white_flag(&rig).observed_at, Some(rig.now), "{ago}");
    }
}

/// The game began some time after the journal.
#[test]
fn a_time_before_the_game_is_not_used() {
    let mut rig = CommandRig::flag_fallen();
    rig.now = Instant(rig.now.0 + 5_000_000);
    let began = rig.station.game().began();
    assert!(began > Instant::ZERO);
    let before = (rig.now.0 - began.0) as i64 + 10_000;
    let (reply, _) = send(&mut rig, "offer", before, |_| {});
    assert!(reply.message.contains("the game had not begun"), "{}", reply.message);
}

#[test]
fn a_flag_cannot_be_seen_before_it_fell() {
    let mut rig = CommandRig::flag_fallen();
    rig.now = Instant(rig.now.0 + 1_000_000);
    let fell = white_flag(&rig).fell.earliest;
    let before = (rig.now.0 - fell.0) as i64 + SECOND;
    let (reply, _) = send(&mut rig, "claim", before, |_| {});
    assert!(reply.message.starts_with("the flag had not fallen at observed_at"), "{}", reply.message);
    assert_eq!(white_flag(&rig).observed_at, Some(fell));
    // The earlier of two observations counts.
    let (reply, _) = send(&mut rig, "claim", 0, |_| {});
    assert_eq!(reply.message, "observed_at is not used, because the flag was observed before");
}

#[test]
fn a_time_that_is_used_needs_no_words() {
    for sync in [TimeSource::Ntp, TimeSource::None] {
        let mut rig = CommandRig::flag_fallen();
        rig.anchor.sync = sync;
        rig.now = Instant(rig.now.0 + 5_000_000);
        // A tablet's clock may be a little fast.
        for (verb, ago) in [("claim", 2 * SECOND), ("offer", -SECOND / 2), ("declare-result", SECOND)] {
            let (reply, audit) = send(&mut rig, verb, ago, |_| {});
            assert_eq!((reply.message.as_str(), audit.get("message")), ("", None), "{verb} {sync:?}");
        }
    }
}

#[test]
fn a_command_about_the_present_keeps_the_time_in_the_audit() {
    for verb in ["stop-clocks", "take-back", "resync"] {
        let mut rig = CommandRig::playing();
        let (reply, audit) = send(&mut rig, verb, SECOND / 10, |_| {});
        assert_eq!(reply.message, "observed_at is in the audit only, because it changes nothing for this command", "{verb}");
        assert!(audit["observed_us"].is_u64(), "{verb}: {audit}");
    }
}
