//! A recording by the program, and what it recorded.

use std::path::Path;

use flagfall_protocols::trace::{Body, Trace};
use serde_json::Value;

use crate::program::{RunningProgram, flagfall, run, text};

/// Starts `flagfall record` with these arguments.
pub(crate) fn start_recording(arguments: &[&str]) -> RunningProgram {
    RunningProgram::start(flagfall(&["record"]).args(arguments))
}

/// The moves of a recording, as a replay gives them.
pub(crate) fn moves(file: &Path) -> Vec<String> {
    let replayed = run(&["replay", "--summary", text(file)]);
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stderr));
    let out = String::from_utf8(replayed.stdout).expect("text");
    let summary: Value = serde_json::from_str(out.lines().last().expect("a last line")).expect("JSON");
    summary["moves"].as_array().expect("a list").iter().map(|uci| uci.as_str().expect("text").to_owned()).collect()
}

/// All bytes that are recorded as received so far; the last line may be half written.
pub(crate) fn received(file: &Path) -> Vec<u8> {
    let bytes = std::fs::read(file).expect("a file");
    let records = Trace::new(&bytes).expect("a head").records().map_while(Result::ok);
    let received = records.filter_map(|(_, record)| match record.body {
        Body::Rx { bytes, .. } => Some(bytes.to_vec()),
        _ => None,
    });
    received.flatten().collect()
}

/// The kinds of all records; a `link` is `up` or `down`.
pub(crate) fn kinds(file: &Path) -> Vec<&'static str> {
    let bytes = std::fs::read(file).expect("a file");
    let trace = Trace::new(&bytes).expect("a head");
    let kind = |body: &Body<'_>| match body {
        Body::Link { up: true, .. } => "up",
        Body::Link { up: false, .. } => "down",
        body => body.kind(),
    };
    trace.records().map(|record| kind(&record.expect("a whole line").1.body)).collect()
}
