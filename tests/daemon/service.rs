//! What the program does for systemd and for the people who look after it.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::process::{Command, Stdio};

use crate::rig::{Rig, Seat};
use crate::support::ports::free_port;
use crate::support::waiting::{PATIENCE, wait_until};

/// The log of a daemon without a broker. Standard error is a file, and `JOURNAL_STREAM` names that file, or nothing if `is_journal` is
/// false.
fn log(is_journal: bool) -> String {
    let rig = Rig::new(free_port(), "", &[Seat { id: "b1", time_control: "600" }]);
    let path = rig.config().with_file_name("stderr");
    let file = File::create(&path).expect("a file");
    let found = file.metadata().expect("a file");
    let inode = if is_journal { found.ino() } else { found.ino() + 1 };
    let mut process = Command::new(env!("CARGO_BIN_EXE_flagfall"));
    process.args(["run", "--config"]).arg(rig.config()).env_clear();
    process.env("JOURNAL_STREAM", format!("{}:{inode}", found.dev()));
    let mut child = process.stdin(Stdio::null()).stdout(Stdio::null()).stderr(file).spawn().expect("the program");
    let text = || std::fs::read_to_string(&path).expect("a log");
    wait_until("a warning", PATIENCE, || text().lines().any(|line| line.contains("no connection to the broker")));
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    text()
}

#[test]
fn the_journal_of_systemd_gets_priorities() {
    let text = log(true);
    for (level, priority) in [("WARN", "<4>"), ("INFO", "<6>")] {
        let mut lines = text.lines().filter(|line| line.contains(&format!(" {level} "))).peekable();
        assert!(lines.peek().is_some(), "{level}: {text}");
        lines.for_each(|line| assert!(line.starts_with(priority), "{line}"));
    }
}

#[test]
fn a_file_gets_no_priorities_although_a_service_started_the_program() {
    let text = log(false);
    assert!(!text.lines().any(|line| line.starts_with('<')), "{text}");
}
