//! Emulates a HoS board, which reports all squares again and again, and by cable also the times of its clock (`hos/README.md#2`
//! and `hos/README.md#3`). The repetition and its interval are *assumed*.

use std::time::Duration;

use flagfall_protocols::drivers::hos::codes;
use flagfall_protocols::drivers::hos::framing::Message;
use flagfall_protocols::drivers::hos::host::HostCommand;
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::{ClockTime, Instant};

use super::clock::Clock;
use super::clock_model::{ClockSettings, Method, Model};
use super::device::{Device, Kind, Sent, Start};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// The settings of an emulated HoS board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HosSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The time from one report of its squares to the next.
    pub period: Duration,
    /// The largest size of one notification, in bytes.
    pub notification: usize,
    /// The settings of its clock if it is connected by cable; `None` if it is not.
    pub cable: Option<ClockSettings>,
}

/// The kinds of emulated HoS boards. The next report contains a change.
pub(super) const KINDS: &[Kind] = &[
    kind("hos", |start| begin(HosSettings { placement: start.placement, ..HosSettings::default() })),
    kind("hos_usb", |start| begin(HosSettings { placement: start.placement, ..HosSettings::by_cable() })),
];

const fn kind(driver: &'static str, start: fn(&Start) -> Box<dyn Device>) -> Kind {
    Kind { driver, variant: "", late: Duration::from_millis(250), learns: Duration::ZERO, start }
}

fn begin(settings: HosSettings) -> Box<dyn Device> {
    Box::new(Hos::new(settings))
}

impl Default for HosSettings {
    /// A board in the initial position, in notifications of the smallest size.
    fn default() -> HosSettings {
        HosSettings { placement: Placement::initial(), period: Duration::from_millis(250), notification: 20, cable: None }
    }
}

impl HosSettings {
    /// The same board by cable: each report is one message, and the clock has five minutes a side.
    pub fn by_cable() -> HosSettings {
        let clock = ClockSettings::new(Model::Generic, Method::TimeOnly, ClockTime::hms(0, 5, 0), ClockTime(0));
        HosSettings { notification: usize::MAX, cable: Some(clock), ..HosSettings::default() }
    }
}

/// A HoS board that reports its squares, and by cable the times of its clock. The commands over Bluetooth LE are not known and
/// are counted as [`Counters::unknown`]. The commands by cable switch lights or set the clock; they are counted as
/// [`Counters::set_and_run`] or [`Counters::display`] and change nothing.
#[derive(Clone, Debug)]
pub struct Hos {
    settings: HosSettings,
    core: EmulatorCore,
    /// The clock of a board by cable.
    clock: Option<Clock>,
    /// The time of the next report.
    next: Instant,
    /// The last reported squares.
    reported: Option<Placement>,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Report,
}

impl Hos {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: HosSettings) -> Hos {
        let core = EmulatorCore::new(settings.placement, Line::unpaced(settings.notification));
        let clock = settings.cable.clone().map(|clock| Clock::new(clock, Instant::ZERO));
        Hos { core, clock, next: Instant::ZERO.after(settings.period), reported: None, settings }
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        let report = self.core.powered.then_some((self.next, Next::Report));
        [motion, report].into_iter().flatten().min()
    }

    fn run_until(&mut self, to: Instant) {
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.advance_time(at);
            match next {
                Next::Motion => {
                    if self.core.carry_out_motion_with(self.clock.as_mut()) == Some(true) {
                        self.next = self.core.now.after(self.settings.period);
                    }
                }
                Next::Report => self.report(),
            }
        }
        self.advance_time(to);
    }

    fn advance_time(&mut self, at: Instant) {
        self.core.advance_time(at);
        if let Some(clock) = &mut self.clock {
            clock.advance(self.core.now);
        }
    }

    fn report(&mut self) {
        let seen = self.core.seen();
        let board = Message::Board(codes(&seen));
        let mut bytes = Vec::new();
        if let Some(clock) = &self.clock {
            board.encode(&mut bytes);
            self.core.line.send(self.core.now, &bytes);
            bytes.clear();
            Message::Clock(times(clock)).encode(&mut bytes);
        } else {
            board.encode_text(&mut bytes);
        }
        self.core.line.send(self.core.now, &bytes);
        self.reported = Some(seen);
        self.next = self.core.now.after(self.settings.period.max(Duration::from_millis(1)));
    }
}

/// Returns the times in the form of a report. The side that runs is the one whose lever is up. That a stopped clock reports a
/// side too is *assumed*.
fn times(clock: &Clock) -> [u8; 6] {
    let reading = clock.reading();
    let [left, right] = [reading.left, reading.right].map(|face| {
        let seconds = face.time.millis() / 1000;
        [seconds / 3600, seconds / 60 % 60, seconds % 60].map(|part| part as u8)
    });
    let running = if reading.running { 0x80 } else { 0 };
    let side = if reading.lever_up == ClockSide::Right { 0x40 } else { 0 };
    [left[0], left[1], left[2], right[0], right[1], right[2] | running | side]
}

impl Device for Hos {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered || bytes.is_empty() {
            return;
        }
        let command = self.clock.as_ref().and_then(|_| HostCommand::decode(bytes));
        let counters = &mut self.core.counters;
        match command {
            None => counters.unknown += 1,
            Some(HostCommand::Light(_) | HostCommand::LightsOut) => counters.display += 1,
            Some(_) => counters.set_and_run += 1,
        }
    }

    fn next(&self) -> Option<Instant> {
        let inner = self.next_event().map(|(at, _)| at);
        [inner, self.core.line.next()].into_iter().flatten().min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.run_until(to);
        self.core.line.take_arrived(self.core.now, out);
    }

    /// The board goes on repeating its squares. It counts as done when it has reported the last change.
    fn done(&self) -> bool {
        let reported = !self.core.powered || self.reported == Some(self.core.seen());
        self.core.next_motion().is_none() && reported && self.core.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.core.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.core.impossible()
    }
}
