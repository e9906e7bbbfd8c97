//! Commands in a journal: a replay takes over their verdicts and knows their answers.

use flagfall::arbiter::{Code, Recorded, Submission, Verdict};
use flagfall::config::Role;
use flagfall::session::record_input::read_input;
use flagfall::session::setting::{Overrides, Setting};
use flagfall::session::station::StationInput;
use flagfall_protocols::trace::{Body, Trace};
use serde_json::{Value, json};

use crate::commands::body;
use crate::commands::command_rig::{CommandRig, setup};

#[test]
fn a_replay_takes_the_verdicts_as_they_stand() {
    let mut rig = CommandRig::playing();
    let locked = rig.ask("take-back", "a", body("take-back"));
    rig.send(Some(Role::Arbiter), "take-back", &locked);
    let stale = locked.replace("\"a\"", "\"b\"");
    assert_eq!(rig.send(Some(Role::Arbiter), "take-back", &stale)[0].code, Code::Stale);
    rig.send(Some(Role::Arbiter), "take-back", &locked);
    rig.send(None, "start-game", &rig.ask("start-game", "c", json!({})));
    let ask = rig.ask("bind-device", "d", body("bind-device"));
    rig.send(Some(Role::Operator), "bind-device", &ask);
    let (messages, audits) = (rig.messages.clone(), rig.audits().len());
    assert_eq!(audits, 4, "a repeated command is one command");
    let mut replies = Vec::new();
    let mut again = CommandRig::playing();
    for (at, json) in &rig.records {
        let body = Body::Cmd(json);
        let input = read_input(&body).expect("readable").expect("an input");
        let StationInput::Submitted(recorded) = &input else { panic!("{input:?}") };
        again.now = *at;
        replies.extend(again.take(recorded));
    }
    assert_eq!(replies.len(), 2 + 1 + 1 + 1 + 2);
    assert!(again.messages == messages, "{:#?}", again.messages);
    assert_eq!((again.digest(), again.station.bound()), (rig.digest(), rig.station.bound()));
    assert_eq!(again.station.admit(again_of(&rig), &setup()).verdict, Verdict::Again, "the replay knows the earlier commands");
}

/// Of a command that is not carried out, the record has 200 bytes of the body; its repetitions are recognised all the same.
#[test]
fn refused_commands_do_not_fill_the_journal() {
    let mut rig = CommandRig::playing();
    let long = |id: &str, filling: &str| {
        let mut payload: Value = serde_json::from_str(&rig.ask("take-back", id, json!({}))).expect("JSON");
        payload["body"] = json!({ "nothing": filling.repeat(30_000) });
        payload.to_string()
    };
    let (first, other, unknown) = (long("a", "ä"), long("a", "ö"), long("b", "x"));
    let refused = rig.send(Some(Role::Arbiter), "take-back", &first);
    assert_eq!(refused.last().expect("an answer").code, Code::Invalid);
    assert_eq!(rig.send(Some(Role::Arbiter), "take-back", &first), refused, "the same command");
    let reply = rig.send(Some(Role::Arbiter), "take-back", &other);
    assert_eq!(reply.last().expect("an answer").message, "this id was another command's");
    rig.send(Some(Role::Operator), "no-such-verb", &unknown.replace("cmd.take-back", "cmd.no-such-verb"));
    for (_, json) in &rig.records {
        assert!(json.len() < 1500, "{}: {json}", json.len());
        let recorded: Recorded = serde_json::from_str(json).expect("a command");
        let body = &recorded.submission.body;
        assert!(body["bytes"].as_u64().is_some_and(|bytes| bytes > 30_000), "{body}");
        assert!(body["beginning"].as_str().is_some_and(|text| (190..=200).contains(&text.len())), "{body}");
    }
    let mut again = CommandRig::playing();
    for (at, json) in &rig.records {
        again.now = *at;
        again.take(&serde_json::from_str::<Recorded>(json).expect("a command"));
    }
    assert!(again.messages == rig.messages, "{:#?}", again.messages);
    assert_eq!(again.send(Some(Role::Arbiter), "take-back", &first), refused, "a restart knows it");
    // A short body, and the body of a command that is carried out, stand in the record as they came.
    let short = rig.ask("take-back", "c", body("take-back"));
    rig.send(Some(Role::Operator), "take-back", &short);
    rig.send(Some(Role::Arbiter), "take-back", &short.replace("\"c\"", "\"d\""));
    for (_, json) in &rig.records[4..] {
        assert!(!json.contains("crc32"), "{json}");
    }
}

#[test]
fn another_device_is_another_ones_health() {
    let mut rig = CommandRig::at_a_board_without_a_number();
    let bind = |rig: &mut CommandRig, id: &str, port: &str| {
        let ask = rig.ask("bind-device", id, json!({ "port": port }));
        rig.send(Some(Role::Operator), "bind-device", &ask);
    };
    let mut anew = vec![rig.station.game().health_rev()];
    for (id, port) in [("a", "/dev/ttyUSB0"), ("b", "/dev/ttyUSB0"), ("c", "/dev/ttyUSB1"), ("d", "/dev/ttyUSB1")] {
        bind(&mut rig, id, port);
        anew.push(rig.station.game().health_rev());
    }
    // This is the case after a restart with another configuration, in which the board had another device.
    let mut later: Recorded = serde_json::from_str(&rig.records[3].1).expect("JSON");
    later.submission.id = "e".to_owned();
    later.configuration = Some("11111111".to_owned());
    rig.take(&later);
    anew.push(rig.station.game().health_rev());
    let changed: Vec<bool> = anew.windows(2).map(|pair| pair[0] != pair[1]).collect();
    assert_eq!(changed, [true, false, true, false, true]);
}

/// The first command, sent again.
fn again_of(rig: &CommandRig) -> Submission {
    serde_json::from_str::<Recorded>(&rig.records[0].1).expect("JSON").submission
}

#[test]
fn the_bare_form_of_older_journals_is_read() {
    let text = include_str!("../../traces/dgt/illegal-move.trace");
    let trace = Trace::new(text.as_bytes()).expect("a trace");
    let commands: Vec<_> =
        trace.records().map(|record| record.expect("a record").1).filter(|record| matches!(record.body, Body::Cmd(_))).collect();
    assert_eq!(commands.len(), 1);
    let input = read_input(&commands[0].body).expect("readable").expect("an input");
    assert!(matches!(input, StationInput::Command(_)), "{input:?}");
    assert!(Setting::from_trace(&trace, &Overrides::default()).is_ok());
    for neither in ["{}", "[]", "1", "{\"verb\":\"explode\"}", "{\"submission\":{}}"] {
        let problem = read_input(&Body::Cmd(neither)).expect_err(neither);
        assert!(format!("{problem:#}").starts_with("command"), "{problem:#}");
    }
}
