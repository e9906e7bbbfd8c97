//! Runs `flagfall record`: writes all bytes from and to a port into a trace file.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use flagfall_hardware::discover;
use flagfall_protocols::driver::{Driver, DriverInfo, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use flagfall_protocols::trace::Body;
use tokio::signal::unix::{SignalKind, signal};

use super::time_control::read_option;
use crate::system_clock::{MonotonicTime, monotonic};

mod checklist;
pub(super) mod device;
mod file;

use device::{Device, Events, LinkEvent};
use file::TraceFile;
pub(super) use file::note;

/// Write a trace of everything that passes on a port.
///
/// With --driver the board is asked as the daemon asks it, so that it talks; without, only what it
/// sends by itself is kept. The recording goes on over a pulled cable, and ends with Ctrl-C or after
/// --seconds. `flagfall replay FILE` shows what was played. A file that is there already is not
/// overwritten.
///
/// Without --driver a list of what to play is printed: a recording of all of it is what a new driver is
/// made from.
///
/// Examples:
///   flagfall record --bluetooth "My Board" my.trace
///   flagfall record /dev/serial/by-id/usb-FTDI_... game.trace --driver dgt
///   flagfall record /dev/ttyUSB0 unknown.trace --baud 38400 --seconds 60
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Record {
    /// The port, better by a name that stays (`flagfall devices`); with --bluetooth an address or advertised name.
    port: PathBuf,
    /// The trace file to be written.
    file: PathBuf,
    /// A device by Bluetooth LE: everything that it notifies of is kept, with its services.
    #[arg(long, conflicts_with = "baud")]
    bluetooth: bool,
    /// The device family whose questions are asked.
    #[arg(long, value_name = "NAME")]
    driver: Option<String>,
    /// End after so many seconds.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    /// Baud rate, if it is not the family's (9600 without one).
    #[arg(long, value_name = "RATE", value_parser = clap::value_parser!(u32).range(50..=4_000_000))]
    baud: Option<u32>,
    /// Time control in PGN notation, kept in the trace's head for the replay: `300+5`.
    #[arg(long, value_name = "PGN")]
    time_control: Option<String>,
}

impl Record {
    pub(super) fn run(self) -> Result<ExitCode> {
        let family = match &self.driver {
            Some(name) => Some(drivers::find(name).with_context(|| format!("no driver is called `{name}`"))?),
            None => None,
        };
        if let Some(text) = &self.time_control {
            read_option(text)?;
        }
        if !self.bluetooth && discover::at(&self.port).is_none() {
            bail!("{}: no such port", self.port.display());
        }
        // The questions would go to the first service of the device.
        if let Some(family) = family.filter(|family| self.bluetooth && family.ble.is_none()) {
            bail!(
                "`{}` is not available over Bluetooth LE; without --driver everything that the device sends is kept",
                family.name
            );
        }
        if let Some(family) = family.filter(|family| !self.bluetooth && family.hid.is_some() && family.usb.is_empty())
            && self.port.starts_with("/dev/hidraw")
        {
            bail!("`{}` over USB-HID cannot be recorded: the journal of `flagfall run` has the bytes", family.name);
        }
        let mut file = TraceFile::create(&self.file, family.map(|family| family.name), self.time_control.as_deref())?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let done = runtime.block_on(self.record(family, &mut file));
        let kept = file.finish();
        done?;
        note(&format!("{}: {}", self.file.display(), kept?))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn record(&self, family: Option<&'static DriverInfo>, file: &mut TraceFile) -> Result<()> {
        let began = monotonic();
        let end = self.seconds.map(|seconds| began.after(Duration::from_secs(seconds.into())));
        let (device, mut events) = self.open(family)?;
        let what = if self.bluetooth { "device" } else { "port" };
        let driver = family.map(DriverInfo::start);
        let mut recording = Recording { file, device, what, driver, began, last_deadline: Instant::ZERO, up: false };
        self.run_recording(&mut recording, &mut events, end).await
    }

    async fn run_recording(&self, recording: &mut Recording<'_>, events: &mut Events, end: Option<MonotonicTime>) -> Result<()> {
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        loop {
            let due = recording.deadline().into_iter().chain(end).min();
            tokio::select! {
                biased;
                _ = interrupt.recv() => return Ok(()),
                _ = terminate.recv() => return Ok(()),
                event = events.recv() => match event {
                    Some((at, event)) => recording.handle_event(at, event)?,
                    None => bail!("{}: its thread has ended", self.port.display()),
                },
                () = tokio::time::sleep(due.map_or(Duration::MAX, |due| due.since(monotonic()))) => {}
            }
            if end.is_some_and(|end| monotonic() >= end) {
                return Ok(());
            }
            recording.feed_deadlines(monotonic())?;
        }
    }

    fn open(&self, family: Option<&'static DriverInfo>) -> Result<(Device, Events)> {
        if self.bluetooth {
            return Ok(Device::ble(&self.port.to_string_lossy(), family)?);
        }
        // A port is opened like one of a family; only the baud rate differs.
        let mut driver = family.unwrap_or(&drivers::DRIVERS[0]);
        if let Some(baud) = self.baud {
            // This is leaked only once in the life of this program.
            driver = Box::leak(Box::new(DriverInfo { baud, ..*driver }));
        }
        Ok(Device::port(&self.port, driver)?)
    }
}

/// A recording in progress.
struct Recording<'a> {
    file: &'a mut TraceFile,
    device: Device,
    /// The word for the link: device or port.
    what: &'static str,
    driver: Option<Box<dyn Driver>>,
    began: MonotonicTime,
    /// The last deadline that was fed. An input comes later, so that a replay has the same order.
    last_deadline: Instant,
    /// Whether the link has been open.
    up: bool,
}

impl Recording<'_> {
    fn deadline(&self) -> Option<MonotonicTime> {
        let due = self.driver.as_ref()?.deadline()?;
        Some(self.began.after(Duration::from_micros(due.0)))
    }

    fn handle_event(&mut self, at: u64, event: LinkEvent) -> Result<()> {
        let at = Instant(MonotonicTime(at).since(self.began).as_micros() as u64);
        self.feed_deadlines_before(at)?;
        let at = at.max(self.last_deadline.after(Duration::from_micros(1)));
        match event {
            LinkEvent::Up(head, left_out) => {
                left_out.iter().try_for_each(|line| note(line))?;
                let again = std::mem::replace(&mut self.up, true);
                note(&if again { format!("the {} is back", self.what) } else { "recording; Ctrl-C ends".to_owned() })?;
                if !again {
                    head.iter().try_for_each(|(key, value)| self.file.add_header(key, value))?;
                    if self.driver.is_none() {
                        checklist::print()?;
                    }
                }
                self.file.write(at, Body::Link { link: 0, up: true, cause: "opened" })?;
                self.feed(at, Input::LinkUp)
            }
            LinkEvent::Bytes(channel, bytes) => {
                self.file.write(at, Body::Rx { link: 0, channel, bytes: bytes.as_slice().into() })?;
                self.feed(at, Input::Bytes { channel, bytes: &bytes })
            }
            LinkEvent::Down(cause) => {
                note(&format!("{cause}; waiting for the {} to come back", self.what))?;
                self.file.write(at, Body::Link { link: 0, up: false, cause: "lost" })?;
                self.feed(at, Input::LinkDown)
            }
            LinkEvent::Missing(trouble, may_come) if self.up || may_come => note(&trouble),
            LinkEvent::Missing(trouble, _) => bail!("{trouble}"),
        }
    }

    /// Feeds every deadline up to now.
    fn feed_deadlines(&mut self, now: MonotonicTime) -> Result<()> {
        self.feed_deadlines_before(Instant(now.since(self.began).as_micros() as u64 + 1))
    }

    fn feed_deadlines_before(&mut self, at: Instant) -> Result<()> {
        while let Some(due) = self.driver.as_ref().and_then(|driver| driver.deadline()).filter(|due| *due < at) {
            self.last_deadline = due;
            self.feed(due, Input::Deadline)?;
        }
        Ok(())
    }

    fn feed(&mut self, at: Instant, input: Input<'_>) -> Result<()> {
        let Some(driver) = &mut self.driver else { return Ok(()) };
        driver.handle(at, input);
        while let Some(output) = driver.poll() {
            if let Output::Send { channel, bytes } = output {
                // The record comes before the sending, so that no answer is earlier than its question.
                self.file.write(at, Body::Tx { link: 0, channel, bytes: bytes.as_slice().into() })?;
                self.device.send(channel, bytes);
            }
        }
        Ok(())
    }
}
