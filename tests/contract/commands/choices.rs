//! The words of a ruling and its choices: they are those of `flagfall adjudicate`, and each choice is a command that is carried out.

use std::process::Command;

use flagfall::arbiter::Code;
use flagfall::arbiter::verbs::{self, Lock};
use flagfall::config::Role;
use flagfall::session::station::StationOutput;
use flagfall::wire::topics::Board;
use serde_json::{Value, json};

use crate::commands::command_rig::{CommandRig, payload};
use crate::support::schemas::keeps_to;

/// Makes a board at which a flag has fallen.
type Begin = fn() -> CommandRig;

/// The ruling that a screen which connects now receives.
fn ruling(rig: &mut CommandRig) -> Value {
    let mut out = Vec::new();
    rig.station.all_current_states(rig.now, &mut out);
    let payload = out.into_iter().find_map(|output| match output {
        StationOutput::Message(message) if message.topic == Board::default().ruling() => Some(message.payload),
        _ => None,
    });
    serde_json::from_str::<Value>(&payload.expect("a ruling")).expect("JSON")["body"].clone()
}

/// The command of a choice, with the lock that the ruling and the state give.
fn command(rig: &CommandRig, ruling: &Value, choice: &Value, id: &str) -> (String, String) {
    let verb = choice["verb"].as_str().expect("a verb");
    let (game, rev) = rig.now();
    let expect = match verbs::find(verb).expect("a known verb").lock {
        Lock::Finding => json!({"game": game, "finding": {"id": ruling["id"], "revision": ruling["revision"]}}),
        _ => json!({"game": game, "rev": rev}),
    };
    let mut message: Value = serde_json::from_str(&payload(verb, id, &expect, choice["body"].clone())).expect("JSON");
    message["reason"] = json!("because");
    assert_eq!(keeps_to(&format!("cmd.{verb}"), &message), Ok(()), "{choice}");
    (verb.to_owned(), message.to_string())
}

fn labels(ruling: &Value) -> Vec<&str> {
    let choices = ruling["screen"]["choices"].as_array().expect("choices");
    choices.iter().map(|choice| choice["label"].as_str().expect("a label")).collect()
}

/// Takes every choice of a ruling, and after it every choice of the ruling that follows.
#[test]
fn every_choice_is_carried_out_and_so_is_every_choice_after_it() {
    let rigs: [(&str, Begin); 3] = [
        ("flag and mate", CommandRig::flag_and_mate),
        ("over with a flag", CommandRig::over_with_a_flag),
        ("one move short", CommandRig::flag_fallen),
    ];
    for (name, begin) in rigs {
        let first = ruling(&mut begin());
        let choices = first["screen"]["choices"].as_array().expect("choices").len();
        assert!(choices >= 3, "{name}: {first}");
        for one in 0..choices {
            let decided = |id: &str| {
                let mut rig = begin();
                let shown = ruling(&mut rig);
                let (verb, message) = command(&rig, &shown, &shown["screen"]["choices"][one], id);
                let replies = rig.send(Some(Role::Arbiter), &verb, &message);
                let last = replies.last().expect("an answer");
                assert_eq!(last.code, Code::Ok, "{name}: {}: {}", labels(&shown)[one], last.message);
                rig
            };
            let mut rig = decided("a");
            let next = ruling(&mut rig);
            assert!(next.get("decision").is_some(), "{name}: {next}");
            for two in 0..labels(&next).len() {
                let mut rig = decided("a");
                let (verb, message) = command(&rig, &next, &next["screen"]["choices"][two], "b");
                let replies = rig.send(Some(Role::Arbiter), &verb, &message);
                let last = replies.last().expect("an answer");
                let path = format!("{} / {}", labels(&first)[one], labels(&next)[two]);
                assert_eq!(last.code, Code::Ok, "{name}: {path}: {}", last.message);
            }
        }
    }
}

#[test]
fn a_decision_that_is_taken_back_leaves_the_proposal() {
    let mut rig = CommandRig::flag_and_mate();
    let before = ruling(&mut rig);
    assert_eq!(labels(&before), ["Confirm 0-1", "The game goes on", "Other result: 1-0", "Other result: 1/2-1/2"], "{before}");
    for (index, wanted) in ["Confirm 0-1", "Take the decision back"].into_iter().enumerate() {
        let shown = ruling(&mut rig);
        let choices = shown["screen"]["choices"].as_array().expect("choices");
        let choice = choices.iter().find(|choice| choice["label"] == wanted).unwrap_or_else(|| panic!("{shown}"));
        let (verb, message) = command(&rig, &shown, choice, &index.to_string());
        rig.send(Some(Role::Arbiter), &verb, &message);
    }
    let after = ruling(&mut rig);
    assert_eq!((rig.station.game().result(), &after["status"]), (None, &json!("proposed")), "{after}");
    // The arbiter who confirmed has seen the flag.
    assert_eq!(after["screen"]["proposal"], json!("Proposal: BLACK WINS."));
    assert_eq!(labels(&after), labels(&before));
}

/// The words of a board's ruling are those that the command line gives for the same facts.
#[test]
fn the_words_are_those_of_the_command_line() {
    let rigs: [(&str, Begin, &[&str]); 2] = [
        ("over with a flag", CommandRig::over_with_a_flag, &["--time-control", "15+2"]),
        ("one move short", CommandRig::flag_fallen, &["--time-control", "2/20:60", "--not-pressed", "2. c4"]),
    ];
    for (name, begin, more) in rigs {
        let shown = ruling(&mut begin().answer_asks());
        let text = |field: &str| shown[field].as_str().unwrap_or_else(|| panic!("{name}: no {field} in {shown}"));
        let completed = shown["completed"].to_string();
        let mut arguments = vec!["adjudicate", "--json", "--shorter", "0", "--fen", text("position"), "--flagged", text("flag")];
        arguments.extend(["--profile", text("profile"), "--completed", &completed]);
        arguments.extend(more);
        let output = Command::new(env!("CARGO_BIN_EXE_flagfall")).args(&arguments).output().expect("it runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let printed = &report["rulings"].as_array().and_then(|rulings| rulings.last()).expect("a ruling")["screen"];
        for field in ["headline", "act", "proposal", "moves", "why", "line", "final_position", "check", "unknown", "rules"] {
            assert_eq!(shown["screen"][field], printed[field], "{name}: {field}\n{shown}\n{printed}");
        }
        assert_eq!(json!(labels(&shown)), printed["choices"], "{name}");
    }
}

/// A screen knows how long ago it happened and what the clocks show now.
#[test]
fn the_words_have_no_age_and_no_running_time() {
    let shown = ruling(&mut CommandRig::flag_and_mate());
    let screen = shown["screen"].as_object().expect("words");
    assert!(!screen.contains_key("times") && !screen.contains_key("age_s"), "{shown}");
    assert!(!screen["headline"].as_str().expect("a text").contains("ago"), "{shown}");
}
