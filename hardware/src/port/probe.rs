//! Asks the board at a serial port for its serial number: a session of the driver runs until the number arrives. Another link
//! may take over the probe.

use std::fmt;
use std::os::fd::BorrowedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use flagfall_protocols::driver::{Driver, DriverInfo, Input, Output};
use flagfall_protocols::event::{DeviceEvent, Identity, same_serial};
use flagfall_protocols::time::Instant;

use crate::discover::Found;
use crate::link::{Link, LinkError};
use crate::serial::Serial;

use super::registry::PortClaim;

/// The longest time that a board has to report its serial number.
const PATIENCE: Duration = Duration::from_secs(3);
/// A board has a short serial number and a long one. This is the waiting time for the second number after the first one.
const SECOND: Duration = Duration::from_millis(600);
/// The silence after which a line counts as being between two messages.
const QUIET: Duration = Duration::from_millis(30);
/// The largest number of pieces of late answers that are read at the end of the probe. This takes at most ten times [`QUIET`].
const MAX_TAIL: usize = 10;

/// The state of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// No board has answered yet.
    Open,
    /// The wanted board has answered.
    Found,
    /// Another board has answered.
    Other,
    /// No board has answered.
    Silent,
    /// The driver panicked, so this device is not the wanted board.
    Panicked,
}

/// A port that is being asked.
pub(super) struct Probe {
    pub(super) found: Found,
    pub(super) info: &'static DriverInfo,
    /// The beginning of the probe, in microseconds.
    pub(super) began: u64,
    serial: Serial,
    /// This field is dropped after the port, because only a closed port is free.
    claim: PortClaim,
    /// `None` after a panic.
    driver: Option<Box<dyn Driver>>,
    /// The driver's deadline.
    due: Option<Instant>,
    wanted: String,
    until: Instant,
    /// The serial numbers that the board reported, at most two.
    pub(super) serials: Vec<String>,
    verdict: Verdict,
}

impl Probe {
    /// Begins to ask at the open port.
    pub(super) fn new(
        began: u64,
        info: &'static DriverInfo,
        wanted: &str,
        found: Found,
        claim: PortClaim,
        serial: Serial,
    ) -> Probe {
        let at = Instant(began);
        let driver = Some(info.start());
        let wanted = wanted.to_owned();
        let until = at.after(PATIENCE);
        let (serials, verdict) = (Vec::new(), Verdict::Open);
        let mut probe = Probe { found, info, began, claim, serial, driver, due: None, wanted, until, serials, verdict };
        probe.feed(at, Input::LinkUp);
        probe
    }

    /// Hands the probe to another link, which wants the board `wanted`.
    pub(super) fn take_over(&mut self, wanted: &str) {
        wanted.clone_into(&mut self.wanted);
        self.update_verdict();
    }

    pub(super) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.serial.fd()
    }

    pub(super) fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Returns the time at which the probe must be checked, with or without bytes.
    pub(super) fn deadline(&self) -> u64 {
        match self.verdict {
            Verdict::Open => self.due.map_or(self.until, |due| due.min(self.until)).0,
            // The probe is ended at once.
            _ => 0,
        }
    }

    /// Reads the waiting bytes.
    pub(super) fn read(&mut self, at: u64) {
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
    pub(super) fn feed_deadlines(&mut self, at: u64) {
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
        while let Some(output) = self.call_driver(|driver| driver.poll()).flatten() {
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

    /// Calls the driver and catches a panic, so that a strange device does not end the link's thread. Returns `None` if the
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
        self.update_verdict();
    }

    fn update_verdict(&mut self) {
        if !matches!(self.verdict, Verdict::Open | Verdict::Other) {
            return;
        }
        self.verdict = match self.serials.as_slice() {
            serials if serials.iter().any(|serial| same_serial(serial, &self.wanted)) => Verdict::Found,
            [_, _, ..] => Verdict::Other,
            _ => Verdict::Open,
        };
    }

    /// Returns the open port for the real session, after the late answers to this probe have been read.
    pub(super) fn finish(mut self) -> Result<(Found, PortClaim, Serial), LinkError> {
        let mut buffer = [0; 4096];
        for _ in 0..MAX_TAIL {
            match self.serial.read(&mut buffer, QUIET) {
                Ok(_) => {}
                Err(LinkError::TimedOut) => break,
                Err(error) => return Err(error),
            }
        }
        self.claim.mark_open();
        Ok((self.found, self.claim, self.serial))
    }
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("found", &self.found).field("serials", &self.serials).finish_non_exhaustive()
    }
}
