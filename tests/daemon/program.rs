//! The program as a process: its command line, its lines and its end.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::Receiver;

use flagfall::system_clock::monotonic;

use crate::support::mqtt::lines;
use crate::support::waiting::PATIENCE;

/// The command line of the program with these arguments, which is not started yet.
pub(crate) fn flagfall(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    command.args(arguments).stdin(Stdio::null());
    command
}

/// Runs the program to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    flagfall(arguments).output().expect("the program starts")
}

/// A path as an argument of a command line.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// A program that runs; it is killed when it is dropped.
pub(crate) struct RunningProgram {
    pub(crate) child: Child,
    notes: Receiver<String>,
}

impl RunningProgram {
    pub(crate) fn start(command: &mut Command) -> RunningProgram {
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the program starts");
        let notes = lines(child.stderr.take().expect("a pipe"));
        RunningProgram { child, notes }
    }

    /// Waits until the program prints a line that contains this text, and returns the line; the program's end ends the wait, too,
    /// and so does [`PATIENCE`].
    #[track_caller]
    pub(crate) fn wait_for_line(&mut self, what: &str) -> String {
        let until = monotonic().after(PATIENCE);
        let mut all = String::new();
        loop {
            let line = match self.notes.recv_timeout(until.since(monotonic())) {
                Ok(line) => line,
                Err(error) => panic!("the program did not print `{what}` ({error}), but: {all}"),
            };
            if line.contains(what) {
                return line;
            }
            all.push_str(&line);
            all.push('\n');
        }
    }

    /// Waits for the end of the program; returns its exit code, and what it printed since the last line that was read.
    pub(crate) fn wait_for_end(mut self) -> (Option<i32>, String) {
        let rest: String = self.notes.iter().map(|line| line + "\n").collect();
        (self.child.wait().expect("it ends").code(), rest)
    }

    /// Like [`RunningProgram::wait_for_end`] for a program that must succeed.
    #[track_caller]
    pub(crate) fn wait_for_success(self) -> String {
        let (code, rest) = self.wait_for_end();
        assert_eq!(code, Some(0), "{rest}");
        rest
    }

    /// Sends a signal to the program and waits for its end.
    pub(crate) fn signal(self, signal: &str) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &pid]).status().expect("kill is there").success());
        self.wait_for_end()
    }

    /// Ends the program with a signal, which it must take as a success.
    #[track_caller]
    pub(crate) fn stop(self, signal: &str) -> String {
        let (code, rest) = self.signal(signal);
        assert_eq!(code, Some(0), "{rest}");
        rest
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        // It has ended if all went well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
