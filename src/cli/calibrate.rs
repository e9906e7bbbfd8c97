//! Runs `flagfall calibrate`: learns the identity of each man on one board, and writes it to a calibration file.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::Args;
use flagfall_hardware::discover;
use flagfall_protocols::calibration::{Calibrated, Learned};
use flagfall_protocols::driver::{Driver, DriverInfo, Input, Output};
use flagfall_protocols::drivers;
use flagfall_protocols::time::Instant;
use tokio::signal::unix::{SignalKind, signal};

use super::record::device::{Device, Events, LinkEvent};
use super::record::note;
use crate::calibration;
use crate::system_clock::{MonotonicTime, monotonic, utc};

mod coach;
mod file;

use coach::Coach;
use file::NewFile;

/// Learn which man is which at one board, and keep it in a file for `board.calibration_file`.
///
/// For boards whose men carry tags. It says what to do: the men are set up for a new game, then spare
/// queens are put on the squares it names, one after another. It writes the file once all men are
/// known, and ends 30 seconds after the last spare one, with --spares as soon as there are so many, or
/// with Ctrl-C. Nothing is sent to the board. The daemon must not have the port open.
///
/// Examples:
///   flagfall calibrate --driver certabo /dev/serial/by-id/usb-Silicon_Labs_... board-12.calibration --spares 2
///   flagfall calibrate --driver certabo --bluetooth C0:FF:EE:00:10:25 board-12.calibration
#[derive(Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Calibrate {
    /// The port, better by a name that stays (`flagfall devices`); with --bluetooth an address or advertised name.
    port: PathBuf,
    /// The file to be written.
    file: PathBuf,
    /// The device family.
    #[arg(long, value_name = "NAME")]
    driver: String,
    /// A device by Bluetooth LE.
    #[arg(long)]
    bluetooth: bool,
    /// End when so many spare men are known; 0 = there are none.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=32))]
    spares: Option<u8>,
    /// End after so many seconds, whatever is known.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    seconds: Option<u32>,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
}

impl Calibrate {
    pub(super) fn run(self) -> Result<ExitCode> {
        let name = &self.driver;
        let family = drivers::find(name).with_context(|| format!("no driver is called `{name}`"))?;
        let Some(calibrated) = family.calibrated else {
            let why = calibration::needed(family).err().unwrap_or_default();
            bail!("{why}");
        };
        if !self.bluetooth && discover::at(&self.port).is_none() {
            bail!("{}: no such port", self.port.display());
        }
        // The file is made before the men are set up, so that no work is lost.
        let file = NewFile::create(&self.file, self.force)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let learned = runtime.block_on(self.learn(family, &calibrated))?;
        let Some(found) = &learned.calibration else {
            bail!("{} is not written: {}", self.file.display(), coach::trouble(&learned));
        };
        let known = coach::known(&learned);
        let text = calibration::print(family, &format!("{}: {known}", utc()), found);
        // A calibration that the daemon would refuse is not saved.
        calibration::parse(text.as_bytes(), family).map_err(anyhow::Error::msg).context("what was learned")?;
        file.save(&text)?;
        note(&format!("{}: {known}", self.file.display()))?;
        let path = std::fs::canonicalize(&self.file).unwrap_or(self.file);
        note(&format!("for the board's table in the configuration: calibration_file = {path:?}"))?;
        Ok(ExitCode::SUCCESS)
    }

    async fn learn(&self, family: &'static DriverInfo, calibrated: &Calibrated) -> Result<Learned> {
        let (device, mut events) = match self.bluetooth {
            true => Device::ble(&self.port.to_string_lossy(), Some(family))?,
            false => Device::port(&self.port, family)?,
        };
        let coach = Coach::new(monotonic(), self.spares.map(usize::from), calibrated.spares);
        let mut lesson =
            Lesson { device, driver: (calibrated.learn)(), began: monotonic(), last_deadline: Instant::ZERO, up: false, coach };
        let done = self.run_lesson(&mut lesson, &mut events).await;
        done.map(|()| lesson.learned())
    }

    async fn run_lesson(&self, lesson: &mut Lesson, events: &mut Events) -> Result<()> {
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let end = self.seconds.map(|seconds| lesson.began.after(Duration::from_secs(seconds.into())));
        loop {
            let due = lesson.deadline().into_iter().chain(end).min();
            tokio::select! {
                biased;
                _ = interrupt.recv() => return Ok(()),
                _ = terminate.recv() => return Ok(()),
                event = events.recv() => match event {
                    Some((at, event)) => lesson.handle_event(at, event)?,
                    None => bail!("{}: its thread has ended", self.port.display()),
                },
                () = tokio::time::sleep(due.map_or(Duration::MAX, |due| due.since(monotonic()))) => {}
            }
            lesson.feed_deadlines(monotonic());
            if lesson.print_messages(monotonic())? || end.is_some_and(|end| monotonic() >= end) {
                return Ok(());
            }
        }
    }
}

/// A board that is being learned.
struct Lesson {
    device: Device,
    driver: Box<dyn Driver>,
    began: MonotonicTime,
    /// The last deadline that was fed.
    last_deadline: Instant,
    /// Whether the port has been open.
    up: bool,
    coach: Coach,
}

impl Lesson {
    fn learned(&self) -> Learned {
        self.driver.learned().unwrap_or_default()
    }

    fn deadline(&self) -> Option<MonotonicTime> {
        let driver = self.driver.deadline().map(|due| self.began.after(Duration::from_micros(due.0)));
        driver.into_iter().chain(self.coach.due()).min()
    }

    fn handle_event(&mut self, at: u64, event: LinkEvent) -> Result<()> {
        let at = Instant(MonotonicTime(at).since(self.began).as_micros() as u64);
        self.feed_deadlines_before(at);
        let at = at.max(self.last_deadline);
        match event {
            LinkEvent::Up(..) => {
                match std::mem::replace(&mut self.up, true) {
                    true => note("the board is back")?,
                    false => self.coach.begin().iter().try_for_each(|line| note(line))?,
                }
                self.feed(at, Input::LinkUp);
            }
            LinkEvent::Bytes(channel, bytes) => self.feed(at, Input::Bytes { channel, bytes: &bytes }),
            LinkEvent::Down(cause) => {
                note(&format!("{cause}; waiting for the board to come back"))?;
                self.feed(at, Input::LinkDown);
            }
            LinkEvent::Missing(trouble, may_come) if self.up || may_come => note(&trouble)?,
            LinkEvent::Missing(trouble, _) => bail!("{trouble}"),
        }
        Ok(())
    }

    /// Prints new messages. Returns whether it is done.
    fn print_messages(&mut self, now: MonotonicTime) -> Result<bool> {
        let learned = self.learned();
        if self.up {
            self.coach.messages(now, &learned).iter().try_for_each(|line| note(line))?;
        }
        Ok(self.coach.is_done(now))
    }

    /// Feeds every deadline up to now.
    fn feed_deadlines(&mut self, now: MonotonicTime) {
        self.feed_deadlines_before(Instant(now.since(self.began).as_micros() as u64 + 1));
    }

    fn feed_deadlines_before(&mut self, at: Instant) {
        while let Some(due) = self.driver.deadline().filter(|due| *due < at) {
            self.last_deadline = due;
            self.feed(due, Input::Deadline);
        }
    }

    fn feed(&mut self, at: Instant, input: Input<'_>) {
        self.driver.handle(at, input);
        while let Some(output) = self.driver.poll() {
            if let Output::Send { channel, bytes } = output {
                self.device.send(channel, bytes);
            }
        }
    }
}
