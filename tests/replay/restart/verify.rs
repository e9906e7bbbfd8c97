//! `flagfall replay --verify` on a journal.

use std::process::Command;

use flagfall::wire;
use flagfall::wire::topics::Board;
use flagfall_game::laws::answering;
use flagfall_game::laws::proof::Proof;
use flagfall_game::laws::winnable::{Answer, CHECKED_ON_ENTRY};
use flagfall_protocols::trace::{Body, Record, parse, print};

use crate::restart::RecorderRig;
use crate::support::tapes::memory::Memory;
use crate::support::tapes::own_tapes;

/// The exit code and the output of `replay --verify`.
fn verify(text: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("00000001-test.journal");
    std::fs::write(&file, text).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_flagfall")).args(["replay", "--verify"]).arg(&file).output().expect("runs");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

type Change = fn(&mut Body<'_>);

/// The journal with its `nth` output changed and sealed again.
fn with_changed_output(text: &str, nth: usize, change: Change) -> String {
    let mut seen = 0;
    let mut altered = String::new();
    for line in text.lines() {
        let is_out = line.split(' ').nth(2) == Some("out");
        seen += usize::from(is_out);
        if is_out && seen == nth {
            let Record { seq, at, mut body } = parse(line).expect("a record");
            change(&mut body);
            print(&Record { seq, at, body }, &mut altered).expect("a record");
        } else {
            altered.push_str(line);
            altered.push('\n');
        }
    }
    assert_ne!(altered, text);
    altered
}

/// The head of a journal does not name the event's board; the recorded topics do.
#[test]
fn a_journal_of_an_event_is_compared_with_the_same_topics() {
    for mut tape in own_tapes() {
        tape.setting.board = Board { root: "hall".into(), event: "open26".into(), round: "9".into(), board: "12".into() };
        let mut rig = RecorderRig::open(&tape, Memory::default());
        rig.feed_rest(&tape);
        let count = rig.numbered().len();
        assert_eq!(verify(&rig.text()), (Some(0), format!("{count} outputs compared, 0 differences\n")), "{}", tape.name);
    }
}

#[test]
fn a_journal_is_compared_with_what_comes_out() {
    for (index, tape) in own_tapes().into_iter().enumerate() {
        let mut rig = RecorderRig::open(&tape, Memory::default());
        rig.feed_rest(&tape);
        let text = rig.text();
        let count = rig.numbered().len();
        assert_eq!(verify(&text), (Some(0), format!("{count} outputs compared, 0 differences\n")), "{}", tape.name);
        // A board that identifies no pieces may give no moves, so there is nothing to change. Each change is a start of the program.
        if count == 0 || index % 4 != 0 {
            continue;
        }
        let changes: [(&str, Change); 5] = [
            ("payload", |body| {
                if let Body::Out { payload, .. } = body {
                    *payload = String::leak(payload.replacen("\"body\"", "\"other\"", 1));
                }
            }),
            ("number", |body| {
                if let Body::Out { number, .. } = body {
                    *number += 1;
                }
            }),
            ("audience", |body| {
                if let Body::Out { audience, .. } = body {
                    *audience = flagfall_protocols::trace::Audience::Public;
                }
            }),
            ("topic", |body| {
                if let Body::Out { topic, .. } = body {
                    *topic = "flagfall/1/other";
                }
            }),
            ("retain", |body| {
                if let Body::Out { retain, .. } = body {
                    *retain = true;
                }
            }),
        ];
        for (what, change) in changes {
            for nth in [1, count / 2 + 1, count] {
                let (code, words) = verify(&with_changed_output(&text, nth, change));
                assert_eq!(code, Some(1), "{}: {what} of output {nth}\n{words}", tape.name);
                assert!(words.starts_with("record "), "{words}");
            }
        }
    }
}

#[test]
fn a_state_that_differs_from_its_digest_is_reported() {
    let tape = own_tapes().into_iter().find(|tape| tape.name.ends_with("game.trace")).expect("a trace");
    let mut rig = RecorderRig::open(&tape, Memory::default());
    rig.feed_rest(&tape);
    let text = rig.text();
    let line = text.lines().find(|line| line.split(' ').nth(2) == Some("snap")).expect("a digest");
    let Record { seq, at, .. } = parse(line).expect("a record");
    let mut other = String::new();
    print(&Record { seq, at, body: Body::Snap([0; 4].as_slice().into()) }, &mut other).expect("a record");
    let (code, words) = verify(&text.replace(line, other.trim_end()));
    assert_eq!(code, Some(1));
    assert!(words.starts_with(&format!("record {seq}: the state differs")), "{words}");
}

#[test]
fn recorded_answers_are_checked_again() {
    let tape = own_tapes().into_iter().find(|tape| tape.name.ends_with("freeze-and-kings.trace")).expect("a trace");
    let mut rig = RecorderRig::open(&tape, Memory::default());
    rig.feed_rest(&tape);
    let text = rig.text();
    let asks = RecorderRig::open(&tape, crate::restart::on_disk(text.lines())).restored.asks;
    let [ask] = asks.as_slice() else { panic!("{asks:?}") };
    let good = answering::answer(ask).answer;
    let count = Proof::ExhaustedClosure {
        positions: CHECKED_ON_ENTRY as u32 + 1,
        depth: 3,
        material: 0,
        stalemates: 0,
        mated: 0,
        walled: 0,
        walls: Vec::new(),
    };
    for (answer, problem) in [
        (good.clone(), None),
        (Answer { id: ask.id, ..Answer::default() }, None),
        // This proof was too large to be checked when it came, but the record says that it was checked.
        (Answer { line: None, proof: Some(count), checked: true, ..good.clone() }, Some("does not hold: the positions are not")),
        (Answer { line: None, proof: Some(Proof::BareKing), ..good }, Some("does not hold: the position is not")),
    ] {
        let mut rig = RecorderRig::open(&tape, crate::restart::on_disk(text.lines()));
        rig.feed(tape.end(), &Body::Answer(&serde_json::to_string(&wire::answer::Answer::from(answer)).expect("JSON")));
        rig.recorder.flush(tape.end()).expect("written");
        let (code, words) = verify(&rig.text());
        assert!(words.contains("1 answers on Article 6.9 checked again, "), "{words}");
        assert_eq!(code, Some(i32::from(problem.is_some())), "{words}");
        assert!(words.contains(problem.unwrap_or(", 0 differences")), "{words}");
    }
}
