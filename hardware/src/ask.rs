//! Asks a connected device once for its serial numbers and its firmware version. Commands that list the connected devices use
//! this.

use std::time::Duration;

use flagfall_protocols::driver::{DriverInfo, Input, Output};
use flagfall_protocols::event::{DeviceEvent, Identity};
use flagfall_protocols::time::Instant;

use crate::link::{Link, LinkError};

/// The longest time that a device has for all its answers.
const PATIENCE: Duration = Duration::from_secs(3);

/// The data that a device reported about itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its serial number.
    pub serial: Option<String>,
    /// Its long serial number.
    pub long_serial: Option<String>,
    /// Firmware, major and minor.
    pub firmware: Option<(u8, u8)>,
    /// The device answers as this family does.
    pub responding: bool,
}

impl Answer {
    fn is_whole(&self) -> bool {
        self.serial.is_some() && self.long_serial.is_some() && self.firmware.is_some()
    }

    fn record(&mut self, event: &DeviceEvent) {
        match event {
            DeviceEvent::Responding => self.responding = true,
            DeviceEvent::Identity(Identity::Serial(text)) => self.serial = Some(text.as_str().to_owned()),
            DeviceEvent::Identity(Identity::LongSerial(text)) => self.long_serial = Some(text.as_str().to_owned()),
            DeviceEvent::Identity(Identity::Firmware(major, minor)) => self.firmware = Some((*major, *minor)),
            _ => {}
        }
    }
}

/// Runs a session of the family over `link` for at most three seconds. The session asks questions and changes nothing that a
/// player sees. `now` returns microseconds.
///
/// # Errors
/// The errors of the link. A silent device is no error: the answer is then empty.
pub fn ask(link: &mut dyn Link, family: &DriverInfo, now: fn() -> u64) -> Result<Answer, LinkError> {
    let mut driver = family.start();
    let mut answer = Answer::default();
    let mut buffer = [0; 4096];
    let end = now() + PATIENCE.as_micros() as u64;
    driver.handle(Instant(now()), Input::LinkUp);
    let mut is_over = false;
    loop {
        while let Some(output) = driver.poll() {
            match output {
                Output::Send { bytes, .. } => link.write(&bytes)?,
                Output::Event { event, .. } => answer.record(&event),
                Output::Anomaly { .. } => {}
            }
        }
        let at = now();
        if answer.is_whole() || is_over {
            return Ok(answer);
        }
        let due = driver.deadline().filter(|due| due.0 < end);
        if let Some(due) = due.filter(|due| due.0 <= at) {
            driver.handle(due, Input::Deadline);
            continue;
        }
        // What has come counts, also if this program stood still until the end.
        is_over = at >= end;
        let wait = Duration::from_micros(due.map_or(end, |due| due.0).saturating_sub(at));
        match link.read(&mut buffer, wait) {
            Ok(count) => driver.handle(Instant(now()), Input::Bytes { channel: 0, bytes: &buffer[..count] }),
            Err(LinkError::TimedOut) => {}
            Err(error) => return Err(error),
        }
    }
}
