//! Code that the tests of drivers share: a rig that keeps the contract of `driver.rs`, and access to the shared data.

#![allow(dead_code, reason = "every test file uses a part")]

pub(crate) mod answering;
pub(crate) mod samples;

use std::path::PathBuf;
use std::time::Duration;

use flagfall_protocols::driver::{DeviceCommand, Driver, DriverInfo, Input, Output};
use flagfall_protocols::event::{Anomaly, DeviceEvent};
use flagfall_protocols::time::Instant;

/// Runs a driver in simulated time and keeps its outputs.
pub(crate) struct Rig {
    pub(crate) driver: Box<dyn Driver>,
    pub(crate) now: Instant,
    pub(crate) log: Vec<(Instant, Output)>,
}

impl Rig {
    pub(crate) fn new(info: &DriverInfo) -> Rig {
        Rig { driver: info.start(), now: Instant::ZERO, log: Vec::new() }
    }

    pub(crate) fn dgt() -> Rig {
        Rig::new(&flagfall_protocols::drivers::dgt::INFO)
    }

    fn give(&mut self, at: Instant, input: Input<'_>) {
        self.driver.handle(at, input);
        while let Some(output) = self.driver.poll() {
            self.log.push((at, output));
        }
    }

    /// Feeds the deadlines before `at` and then the input.
    pub(crate) fn feed(&mut self, at: Instant, input: Input<'_>) {
        self.deadlines(|deadline| deadline < at);
        self.now = at;
        self.give(at, input);
    }

    /// Lets time pass, deadlines at its end included.
    pub(crate) fn until(&mut self, at: Instant) {
        self.deadlines(|deadline| deadline <= at);
        self.now = at;
    }

    pub(crate) fn advance(&mut self, span: Duration) {
        self.until(self.now.after(span));
    }

    fn deadlines(&mut self, wanted: impl Fn(Instant) -> bool) {
        let mut same = (Instant::ZERO, 0);
        while let Some(deadline) = self.driver.deadline().filter(|&deadline| wanted(deadline)) {
            same = if same.0 == deadline { (deadline, same.1 + 1) } else { (deadline, 0) };
            assert!(same.1 < 100, "a deadline that is fed must go away: {deadline:?}");
            self.give(deadline, Input::Deadline);
        }
    }

    /// Feeds bytes of channel 0 now.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes_on(0, bytes);
    }

    /// Feeds bytes of a channel now.
    pub(crate) fn bytes_on(&mut self, channel: u8, bytes: &[u8]) {
        self.feed(self.now, Input::Bytes { channel, bytes });
    }

    /// Feeds a command now.
    pub(crate) fn command(&mut self, command: DeviceCommand) {
        self.feed(self.now, Input::Command(command));
    }

    /// Takes the outputs up to now.
    pub(crate) fn take(&mut self) -> Vec<(Instant, Output)> {
        std::mem::take(&mut self.log)
    }
}

/// Returns the commands among the outputs, with their time in milliseconds.
pub(crate) fn sent(log: &[(Instant, Output)]) -> Vec<(u64, Vec<u8>)> {
    log.iter()
        .filter_map(|(at, output)| match output {
            Output::Send { bytes, .. } => Some((at.micros() / 1000, bytes.clone())),
            _ => None,
        })
        .collect()
}

/// Returns the events among the outputs.
pub(crate) fn events(log: &[(Instant, Output)]) -> Vec<DeviceEvent> {
    log.iter()
        .filter_map(|(_, output)| match output {
            Output::Event { event, .. } => Some(*event),
            _ => None,
        })
        .collect()
}

/// Returns the anomalies among the outputs.
pub(crate) fn anomalies(log: &[(Instant, Output)]) -> Vec<Anomaly> {
    log.iter()
        .filter_map(|(_, output)| match output {
            Output::Anomaly { anomaly, .. } => Some(*anomaly),
            _ => None,
        })
        .collect()
}

pub(crate) fn ms(millis: u64) -> Instant {
    Instant(millis * 1000)
}

/// Reads a file of the shared reference data. Returns none and prints a line if the file is missing.
pub(crate) fn shared(path: &str) -> Option<String> {
    let full = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")).join(path);
    let text = std::fs::read_to_string(&full).ok();
    if text.is_none() {
        skipped(path);
    }
    text
}

#[allow(clippy::print_stderr, reason = "a skipped test must say so")]
fn skipped(path: &str) {
    eprintln!("skipped: no shared file {path}");
}
