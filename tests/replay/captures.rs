//! Captures of other programs, imported with `trace import` and replayed with `replay --summary`.

mod board;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flagfall_protocols::bytes::hex;
use flagfall_protocols::trace::{Body, Trace};
use serde_json::Value;
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{Chess, EnPassantMode, Position};
use tempfile::TempDir;

use crate::support::parts::Parts;
use crate::support::tapes::shared;

fn flagfall(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flagfall")).args(words).output().expect("runs")
}

fn import(folder: &TempDir, capture: &Path, more: &[&str]) -> Result<PathBuf, String> {
    let trace = folder.path().join("imported.trace");
    let (from, to) = (capture.display().to_string(), trace.display().to_string());
    let output = flagfall(&[&["trace", "import", &from, "--driver", "dgt", "-o", &to], more].concat());
    match output.status.success() {
        true => Ok(trace),
        false => Err(String::from_utf8(output.stderr).expect("text")),
    }
}

fn summary(trace: &Path) -> Value {
    let output = flagfall(&["replay", &trace.display().to_string(), "--summary"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    serde_json::from_str(text.lines().last().expect("a line")).expect("JSON")
}

/// The last state for arbiters in a replay.
fn last_state(trace: &Path) -> Value {
    let output = flagfall(&["replay", &trace.display().to_string(), "--json"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut parts = Parts::default();
    let state = |line: Value| {
        let topic = line["topic"].as_str().expect("a topic");
        let whole = parts.joined(topic, line["payload"].to_string().as_bytes());
        let is_state = topic.ends_with("/state") && topic.contains("/arbiter/");
        is_state.then(|| serde_json::from_slice::<Value>(&whole).expect("JSON")["body"].take())
    };
    lines.filter_map(state).last().expect("a state")
}

/// Plays the moves with a library for the Laws; returns the last position.
fn last_position(summary: &Value) -> Chess {
    let texts = |part: &str| -> Vec<String> {
        summary[part].as_array().expect("a list").iter().map(|text| text.as_str().expect("a text").to_owned()).collect()
    };
    let mut position = Chess::default();
    for (uci, san) in texts("moves").iter().zip(texts("san")) {
        let mv = uci.parse::<shakmaty::uci::UciMove>().expect("UCI").to_move(&position).expect("legal");
        assert_eq!(san.parse::<San>().expect("SAN").to_move(&position).expect("legal"), mv);
        position.play_unchecked(mv);
    }
    assert_eq!(summary["fen"], Fen::from_position(&position, EnPassantMode::Legal).to_string());
    position
}

/// Checks a game with this number of plies, each completed by a press; none if the recording is not there.
fn whole_game(name: &str, control: &str, plies: usize) -> Option<(Value, Value, PathBuf)> {
    let capture = shared(name)?;
    let folder = tempfile::tempdir().expect("a folder");
    let trace = import(&folder, &capture, &["--time-control", control]).expect(name);
    let (summary, state) = (summary(&trace), last_state(&trace));
    assert_eq!(summary["moves"].as_array().map(Vec::len), Some(plies), "{name}");
    assert_eq!(state["moves"].as_array().map(Vec::len), Some(plies), "{name}");
    for (index, mv) in state["moves"].as_array().expect("a list").iter().enumerate() {
        assert!(mv["pressed_at"].is_array() && mv["completed_at"].is_array(), "{name}: {mv}");
        assert_eq!((&mv["how"], &mv["after_flag"]), (&"press".into(), &false.into()), "{name}: {mv}");
        assert_eq!(mv["color"], ["white", "black"][index % 2], "{name}: {mv}");
    }
    assert_eq!(summary["completed"]["white"], plies.div_ceil(2), "{name}");
    assert_eq!(summary["completed"]["black"], plies / 2, "{name}");
    assert_eq!(summary["pending"], Value::Null, "{name}");
    assert_eq!(summary["anomalies"], serde_json::json!({}), "{name}");
    let position = last_position(&summary);
    let last = board::while_the_clock_ran(&std::fs::read_to_string(&capture).expect("a text"));
    assert_eq!(position.board().board_fen().to_string(), last, "{name}: the board at the last report of a running clock");
    Some((summary, state, capture))
}

#[test]
fn a_blitz_game_that_ends_on_the_board() {
    let Some((summary, ..)) = whole_game("dgt-blitz-3+2.jsonl", "180+2", 57) else { return };
    for part in ["flags", "findings", "alarms"] {
        assert_eq!(summary[part], serde_json::json!([]), "{part}");
    }
}

#[test]
fn a_blitz_game_that_ends_by_a_flag_fall() {
    let Some((summary, state, _)) = whole_game("dgt-blitz-5+5-flagfall.jsonl", "300+5", 43) else { return };
    let flags = summary["flags"].as_array().expect("a list");
    assert_eq!(flags.len(), 1);
    assert_eq!((&flags[0]["side"], &flags[0]["path"]), (&"black".into(), &"blocked".into()));
    assert_eq!(flags[0]["after_end"], false);
    let alarms: Vec<&str> =
        summary["alarms"].as_array().expect("a list").iter().map(|alarm| alarm["kind"].as_str().expect("a word")).collect();
    assert_eq!(alarms, ["flag", "kings_in_centre"]);
    let findings = summary["findings"].as_array().expect("a list");
    assert_eq!(findings.len(), 1);
    assert_eq!((&findings[0]["flag"], &findings[0]["path"]), (&"black".into(), &"blocked".into()));
    assert_eq!((&findings[0]["completed"], &findings[0]["status"]), (&21.into(), &"proposed".into()));
    assert_eq!(findings[0]["position"], summary["fen"]);
    let hints = summary["hints"].as_array().expect("a list");
    assert_eq!(hints.len(), 1);
    assert_eq!((&hints[0]["kind"], &hints[0]["result"]), (&"kings_in_centre".into(), &"1-0".into()));
    assert!(!summary["san"].as_array().expect("a list").last().expect("a move").as_str().expect("SAN").starts_with('K'));
    assert_eq!((&summary["result"], &state["stage"]), (&Value::Null, &"over".into()));
}

fn capture(folder: &TempDir, text: &str) -> PathBuf {
    let file = folder.path().join("own.jsonl");
    std::fs::write(&file, text).expect("written");
    file
}

/// `kind channel bytes` of every record, with its time.
fn records(trace: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(trace).expect("a trace");
    let record = |line: &str| line.split(' ').skip(1).take(5).collect::<Vec<_>>().join(" ");
    text.lines().filter(|line| !line.starts_with('#')).map(record).collect()
}

#[test]
fn times_of_a_capture_count_from_its_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "{\"dir\":\"host->board\",\"hex\":\"44\",\"t\":0.5}\n\n{\"dir\":\"board->host\",\"hex\":\"8E00053F00\",\"t\":0.5}\n\
                {\"dir\":\"rx\",\"hex\":\"8e00053f02\",\"t\":12.345678}\n{\"dir\":\"tx\",\"hex\":\"42\",\"t\":13,\"note\":\"more\"}\n";
    let trace = import(&folder, &capture(&folder, text), &["--time-control", "40/5400+30:1800+30"]).expect("imported");
    let should = ["0 tx 0 0 44", "0 rx 0 0 8e00053f00", "11845678 rx 0 0 8e00053f02", "12500000 tx 0 0 42"].map(str::to_owned);
    assert_eq!(records(&trace), should);
    let text = std::fs::read_to_string(&trace).expect("a trace");
    for line in ["# driver: dgt *", "# source: import *", "# name: own *", "# time-control: 40/5400+30:1800+30 *"] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(summary(&trace)["moves"], serde_json::json!([]));
}

#[test]
fn without_times_the_clock_is_the_time() {
    let folder = tempfile::tempdir().expect("a folder");
    // The left clock runs: 5:00, a square, 4:58, 4:58 (stopped), and a square after the last report.
    let report = |left: &str, status: &str| format!("{{\"dir\":\"rx\",\"hex\":\"8d000a000500{left}{status}\"}}\n");
    let square = "{\"dir\":\"rx\",\"hex\":\"8e00053400\"}\n";
    let text = [report("000500", "09"), square.into(), report("000458", "09"), report("000458", "08"), square.into()];
    let trace = import(&folder, &capture(&folder, &text.concat()), &[]).expect("imported");
    let times: Vec<u64> =
        records(&trace).iter().map(|line| line.split(' ').next().expect("a time").parse().expect("µs")).collect();
    let steps: Vec<u64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(steps, [1_000_000, 1_000_000, 500_000, 250_000]);
}

/// A message that was captured in pieces is joined, because the capture has no time of the pieces.
#[test]
fn without_times_pieces_become_messages() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces/dgt/game.trace")).expect("our own trace");
    let trace = Trace::new(&text).expect("a trace");
    let bytes: Vec<u8> = trace
        .records()
        .filter_map(|record| match record.expect("a record").1.body {
            Body::Rx { bytes, .. } => Some(bytes.into_owned()),
            _ => None,
        })
        .flatten()
        .collect();
    let cut = |size: usize| {
        let line = |piece: &[u8]| format!("{{\"dir\":\"board->host\",\"hex\":\"{}\"}}\n", hex(piece));
        let capture = capture(&folder, &bytes.chunks(size).map(line).collect::<String>());
        records(&import(&folder, &capture, &[]).expect("imported"))
    };
    let whole = cut(bytes.len());
    assert!(whole.len() > 100, "one record for each message");
    for size in [1, 7, 64] {
        assert_eq!(cut(size), whole, "in pieces of {size}");
    }
}

#[test]
fn a_bad_capture_is_refused_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let good = "{\"dir\":\"rx\",\"hex\":\"44\",\"t\":5}\n";
    for (line, problem) in [
        ("nonsense", "line 2: expected"),
        ("{\"hex\":\"44\",\"t\":6}", "line 2: missing field `dir`"),
        ("{\"dir\":\"rx\",\"t\":6}", "line 2: missing field `hex`"),
        ("{\"dir\":\"up\",\"hex\":\"44\",\"t\":6}", "line 2: dir `up` is neither"),
        ("{\"dir\":\"rx\",\"hex\":\"4\",\"t\":6}", "line 2: hex `4`"),
        ("{\"dir\":\"rx\",\"hex\":\"zz\",\"t\":6}", "line 2: hex `zz`"),
        ("{\"dir\":\"rx\",\"hex\":\"\",\"t\":6}", "line 2: hex is empty"),
        ("{\"dir\":\"rx\",\"hex\":\"44\",\"t\":-1}", "line 2: t -1 is not"),
        ("{\"dir\":\"rx\",\"hex\":\"44\",\"t\":1e300}", "line 2: t 1000000"),
        ("{\"dir\":\"rx\",\"hex\":\"44\",\"t\":4.9}", "line 2: t 4.9 is before"),
        ("\n\n{\"dir\":\"rx\",\"hex\":\"44\",\"t\":4.9}", "line 4: t 4.9 is before"),
        ("{\"dir\":\"rx\",\"hex\":\"44\"}", "1 of 2 lines have a time"),
    ] {
        let error = import(&folder, &capture(&folder, &format!("{good}{line}\n")), &[]).expect_err(problem);
        assert!(error.contains(problem) && error.contains("own.jsonl"), "{line}: {error}");
        assert!(!folder.path().join("imported.trace").exists(), "{line}: a trace was written");
    }
    for (words, problem) in [(["--time-control", "soon"], "time control"), (["--driver", "none"], "")] {
        let error = import(&folder, &capture(&folder, good), &words).expect_err(problem);
        assert!(error.contains(problem), "{error}");
    }
    let error = import(&folder, &folder.path().join("missing"), &[]).expect_err("no file");
    assert!(error.contains("missing"), "{error}");
}
