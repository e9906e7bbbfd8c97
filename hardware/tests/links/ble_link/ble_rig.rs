//! A driver on a Bluetooth link in real time, and the reports of the link.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use flagfall_hardware::ble::{BleEvent, BleLink, Pace, Radio, Wanted};
use flagfall_protocols::driver::{Driver, DriverInfo, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant as Stamp;

/// Longer than any working step takes.
const LONG: Duration = Duration::from_secs(40);

/// A report of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LinkReport {
    Up(String),
    Bytes(u8, Vec<u8>),
    Down(String),
    Missing(String),
    Attempt(String),
}

/// Returns the microseconds since the first call.
#[allow(clippy::disallowed_methods, reason = "real time among real parts")]
pub(crate) fn now() -> u64 {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    BEGAN.get_or_init(Instant::now).elapsed().as_micros() as u64
}

/// A link with the session of its family.
pub(crate) struct BleRig {
    pub(crate) link: BleLink,
    reported: Receiver<(u64, LinkReport)>,
    driver: Box<dyn Driver>,
    /// All reports except bytes and steps of attempts.
    pub(crate) reports: Vec<LinkReport>,
    /// The steps of attempts to connect.
    pub(crate) attempts: Vec<String>,
    pub(crate) shown: Option<Placement>,
    pub(crate) responding: bool,
}

/// Returns the usual waits divided by `part`. Time limits that only end a wait for an expected event stay as usual.
pub(crate) fn pace(part: u32) -> Pace {
    let Pace { quiet, health, look, look_soon, listen, rebuild, apart, first, last, good, .. } = Pace::default();
    let [quiet, health, look, look_soon, listen] = [quiet, health, look, look_soon, listen].map(|wait| wait / part);
    let [rebuild, apart, first, last, good] = [rebuild, apart, first, last, good].map(|wait| wait / part);
    Pace { quiet, health, look, look_soon, listen, rebuild, apart, first, last, good, ..Pace::default() }
}

/// Returns a tenth of the usual waits.
pub(crate) fn brisk() -> Pace {
    pace(10)
}

/// Returns a radio with a tenth of the usual waits.
pub(crate) fn radio(seed: u64) -> Arc<Radio> {
    radio_at(brisk(), seed)
}

/// Returns a radio with these waits.
pub(crate) fn radio_at(pace: Pace, seed: u64) -> Arc<Radio> {
    Radio::start_at(pace, None, now, seed).expect("a thread")
}

/// Returns a wish that names only the family.
pub(crate) fn wanted(info: &DriverInfo) -> Wanted {
    let ble = info.ble.expect("it is met over Bluetooth LE");
    Wanted { address: None, name: None, serial: None, family: ble.names, channels: Some(ble.channels), unlock: None }
}

impl BleRig {
    pub(crate) fn start(radio: &Arc<Radio>, id: u64, driver: &str, wanted: Wanted) -> BleRig {
        let info = drivers::find(driver).expect("registered");
        let (sender, reported) = sync_channel(1024);
        let link = BleLink::start(Arc::clone(radio), id, wanted, sink(sender));
        BleRig { link, reported, driver: info.start(), reports: Vec::new(), attempts: Vec::new(), shown: None, responding: false }
    }

    /// Runs the link and the session until `done`.
    pub(crate) fn until(&mut self, what: &str, done: impl Fn(&BleRig) -> bool) {
        let end = now() + LONG.as_micros() as u64;
        while !done(self) {
            assert!(now() < end, "{what}: {:?}, shows {:?}", self.reports, self.shown);
            let due = self.driver.deadline().map_or(end, |due| due.0).min(end);
            match self.reported.recv_timeout(Duration::from_micros(due.saturating_sub(now()))) {
                Ok((at, reported)) => self.take(at, reported),
                Err(RecvTimeoutError::Timeout) => self.feed(now(), Input::Deadline),
                Err(RecvTimeoutError::Disconnected) => panic!("{what}: the link is gone"),
            }
        }
    }

    fn take(&mut self, at: u64, reported: LinkReport) {
        match &reported {
            LinkReport::Up(_) => self.feed(at, Input::LinkUp),
            LinkReport::Down(_) => {
                self.responding = false;
                self.feed(at, Input::LinkDown);
            }
            LinkReport::Bytes(channel, bytes) => return self.feed(at, Input::Bytes { channel: *channel, bytes }),
            LinkReport::Attempt(step) => return self.attempts.push(step.clone()),
            LinkReport::Missing(_) => {}
        }
        self.reports.push(reported);
    }

    fn feed(&mut self, at: u64, input: Input<'_>) {
        self.driver.handle(Stamp(at), input);
        while let Some(output) = self.driver.poll() {
            match output {
                // The link is down: the session starts again when the link is up.
                Output::Send { channel, bytes } => drop(self.link.send(channel, bytes)),
                Output::Event { event, .. } => match event {
                    DeviceEvent::Responding => self.responding = true,
                    DeviceEvent::Frame(frame) => self.shown = Some(frame),
                    DeviceEvent::Square { square, reading } => {
                        if let Some(shown) = &mut self.shown {
                            shown.set(square, reading);
                        }
                    }
                    _ => {}
                },
                Output::Anomaly { .. } => {}
            }
        }
    }
}

fn sink(sender: SyncSender<(u64, LinkReport)>) -> flagfall_hardware::ble::Sink {
    Box::new(move |at, event| {
        let reported = match event {
            BleEvent::Up { address, .. } => LinkReport::Up(address.to_string()),
            BleEvent::Bytes { channel, bytes } => LinkReport::Bytes(*channel, bytes.to_vec()),
            BleEvent::Down(error) => LinkReport::Down(error.to_string()),
            BleEvent::Missing(problem) => LinkReport::Missing(problem.to_string()),
            BleEvent::Attempt { step, .. } => LinkReport::Attempt(step.to_string()),
        };
        // A test that ended reads no reports, so the link does not wait for it.
        !matches!(sender.try_send((at, reported)), Err(TrySendError::Full(_)))
    })
}
