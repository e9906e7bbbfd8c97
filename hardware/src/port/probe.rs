//! Asks the board at a serial port for its serial number: a session of the driver runs until the number arrives.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use flagfall_protocols::driver::{Driver, Input, Output};
use flagfall_protocols::event::{DeviceEvent, Identity};
use flagfall_protocols::time::Instant;

use crate::discover::Found;
use crate::reactor::Question;
use crate::serial::Serial;

/// The longest time that a board has to report its serial number.
const PATIENCE: Duration = Duration::from_secs(3);
/// A board has a short serial number and a long one. This is the waiting time for the second number after the first one.
const SECOND: Duration = Duration::from_millis(600);
/// The state of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No board has answered yet.
    Open,
    /// A board has reported all its numbers.
    Other,
    /// No board has answered.
    Silent,
    /// The driver panicked, so this device is not the wanted board.
    Panicked,
}

/// The largest number of outputs of a driver that are taken at once.
const MAX_OUTPUTS: usize = 1024;

/// A port that is being asked.
pub(crate) struct Probe {
    pub(crate) question: Question,
    /// The beginning of the probe, in microseconds.
    pub(crate) began: u64,
    serial: Serial,
    /// `None` after a panic.
    driver: Option<Box<dyn Driver>>,
    /// The driver's deadline.
    due: Option<Instant>,
    until: Instant,
    /// The serial numbers that the board reported, at most two.
    pub(crate) serials: Vec<String>,
    pub(crate) verdict: Verdict,
}

impl Probe {
    /// Begins to ask at the open port.
    pub(crate) fn new(began: u64, question: Question, serial: Serial) -> Probe {
        let at = Instant(began);
        let driver = catch_unwind(|| question.info.start()).ok();
        let (until, verdict) = (at.after(PATIENCE), if driver.is_some() { Verdict::Open } else { Verdict::Panicked });
        let mut probe = Probe { question, began, serial, driver, due: None, until, serials: Vec::new(), verdict };
        probe.feed(at, Input::LinkUp);
        probe
    }

    /// Returns the open port.
    pub(crate) fn into_port(self) -> (Arc<Found>, Serial) {
        (self.question.found, self.serial)
    }

    /// Returns the time at which the probe must be checked, with or without bytes.
    pub(crate) fn deadline(&self) -> u64 {
        match self.verdict {
            Verdict::Open => self.due.map_or(self.until, |due| due.min(self.until)).0,
            // The probe is checked at once.
            _ => 0,
        }
    }

    /// Reads the waiting bytes.
    pub(crate) fn read(&mut self, at: u64) {
        let mut buffer = [0; 4096];
        match self.serial.read_now(&mut buffer) {
            Ok(None) => {}
            Ok(Some(count)) => {
                self.feed_deadlines(at.saturating_sub(1));
                self.feed(Instant(at), Input::Bytes { channel: 0, bytes: &buffer[..count] });
            }
            Err(_) => self.verdict = Verdict::Silent,
        }
    }

    /// Feeds every deadline up to `at`.
    pub(crate) fn feed_deadlines(&mut self, at: u64) {
        // The loop is bounded. The next call feeds the remaining deadlines.
        for _ in 0..64 {
            let Some(due) = self.due.filter(|due| due.0 <= at) else { break };
            self.feed(due, Input::Deadline);
        }
        if self.verdict == Verdict::Open && self.until.0 <= at {
            self.verdict = if self.serials.is_empty() { Verdict::Silent } else { Verdict::Other };
        }
    }

    fn feed(&mut self, at: Instant, input: Input<'_>) {
        self.call_driver(|driver| driver.handle(at, input));
        for _ in 0..MAX_OUTPUTS {
            let Some(output) = self.call_driver(|driver| driver.poll()).flatten() else { break };
            match output {
                // A question is a few bytes. A port that does not accept them has no board that answers.
                Output::Send { bytes, .. } => match self.serial.write_now(&bytes) {
                    Ok(_) => {}
                    Err(_) => self.verdict = Verdict::Silent,
                },
                Output::Event { event: DeviceEvent::Identity(Identity::Serial(text) | Identity::LongSerial(text)), .. } => {
                    self.record_serial(at, text.as_str());
                }
                Output::Event { .. } | Output::Anomaly { .. } => {}
            }
        }
        self.due = self.call_driver(|driver| driver.deadline()).flatten();
    }

    /// Calls the driver and catches a panic, so that a strange device does not end the thread of all links. Returns `None` if the
    /// driver panicked, now or before.
    fn call_driver<T>(&mut self, act: impl FnOnce(&mut dyn Driver) -> T) -> Option<T> {
        let driver = self.driver.as_deref_mut()?;
        let done = catch_unwind(AssertUnwindSafe(|| act(driver))).ok();
        if done.is_none() {
            // The driver is not used again.
            (self.driver, self.verdict) = (None, Verdict::Panicked);
        }
        done
    }

    fn record_serial(&mut self, at: Instant, serial: &str) {
        if self.serials.len() < 2 && !self.serials.iter().any(|known| known == serial) {
            self.serials.push(serial.to_owned());
        }
        self.until = self.until.min(at.after(SECOND));
        if self.verdict == Verdict::Open && self.serials.len() == 2 {
            self.verdict = Verdict::Other;
        }
    }
}
