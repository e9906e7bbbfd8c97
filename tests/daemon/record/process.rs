//! The program as a process, and what it recorded.

#![allow(dead_code, reason = "each test that takes it in uses a part")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Output, Stdio};

use flagfall_protocols::trace::{Body, Trace};
use serde_json::Value;

pub(crate) fn flagfall(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    command.args(arguments).stdin(Stdio::null());
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    flagfall(arguments).output().expect("the program starts")
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A recording that runs.
pub(crate) struct RecordingProcess {
    pub(crate) child: Child,
    notes: BufReader<ChildStderr>,
}

impl RecordingProcess {
    pub(crate) fn start(arguments: &[&str]) -> RecordingProcess {
        RecordingProcess::of(flagfall(&["record"]).args(arguments))
    }

    /// Of a command line that is not started yet.
    pub(crate) fn of(command: &mut Command) -> RecordingProcess {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let notes = BufReader::new(child.stderr.take().expect("a pipe"));
        RecordingProcess { child, notes }
    }

    /// Waits for a line with this; the program's end ends the wait, too.
    pub(crate) fn wait_for_line(&mut self, what: &str) -> String {
        let mut all = String::new();
        loop {
            let before = all.len();
            let count = self.notes.read_line(&mut all).expect("text");
            assert!(count > 0, "`{what}` was not said, but: {all}");
            if all[before..].contains(what) {
                return all[before..].to_owned();
            }
        }
    }

    pub(crate) fn terminate(self) -> String {
        self.signal("-TERM")
    }

    /// Ends it with a signal; gives what it said since.
    pub(crate) fn signal(self, signal: &str) -> String {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill is there").success());
        self.ended()
    }

    /// Waits until it ends by itself; gives what it said since.
    pub(crate) fn ended(mut self) -> String {
        let mut rest = String::new();
        self.notes.read_to_string(&mut rest).expect("text");
        assert_eq!(self.child.wait().expect("it ends").code(), Some(0), "{rest}");
        rest
    }
}

impl Drop for RecordingProcess {
    fn drop(&mut self) {
        // It has ended if all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn moves(file: &Path) -> Vec<String> {
    let replayed = run(&["replay", "--summary", text(file)]);
    assert!(replayed.status.success(), "{}", String::from_utf8_lossy(&replayed.stderr));
    let out = String::from_utf8(replayed.stdout).expect("text");
    let summary: Value = serde_json::from_str(out.lines().last().expect("a last line")).expect("JSON");
    summary["moves"].as_array().expect("a list").iter().map(|uci| uci.as_str().expect("text").to_owned()).collect()
}

/// The kinds of all records, with `link` as up or down.
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
