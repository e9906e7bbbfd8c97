//! Emulates an iChessOne, which scans all squares at once and reports all of them after a change (`ichessone/README.md#3`). The
//! scan time is *assumed*.

use std::time::Duration;

use flagfall_protocols::drivers::ichessone::codes;
use flagfall_protocols::drivers::ichessone::framing::Message;
use flagfall_protocols::drivers::ichessone::host::{HostCommand, HostDecoder, Query};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent, Start};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// The settings of an emulated iChessOne.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IchessoneSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The time from one scan to the next.
    pub poll: Duration,
    /// The time from a command's arrival to its answer.
    pub reply_delay: Duration,
    /// The largest size of one notification, in bytes.
    pub notification: usize,
    /// Charge of the battery in percent.
    pub battery: u8,
}

/// The kinds of emulated iChessOne boards. The delay of a report is that of the slowest scan.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        driver: "ichessone",
        variant: "",
        late: Duration::from_millis(100),
        learns: Duration::ZERO,
        start: |start| Box::new(Ichessone::new(settings(start))),
    },
    Kind {
        driver: "ichessone",
        variant: "slow",
        late: Duration::from_millis(200),
        learns: Duration::ZERO,
        start: |start| {
            let poll = Duration::from_millis(200);
            // This percent value is the same byte as the beginning of a message.
            Box::new(Ichessone::new(IchessoneSettings { poll, notification: 180, battery: 61, ..settings(start) }))
        },
    },
];

fn settings(start: &Start) -> IchessoneSettings {
    IchessoneSettings { placement: start.placement, ..IchessoneSettings::default() }
}

impl Default for IchessoneSettings {
    /// A board in the initial position, its battery half full, in notifications of the smallest size.
    fn default() -> IchessoneSettings {
        IchessoneSettings {
            placement: Placement::initial(),
            poll: Duration::from_millis(100),
            reply_delay: Duration::from_millis(15),
            notification: 20,
            battery: 50,
        }
    }
}

/// An iChessOne that answers like real ones. Lights change nothing.
#[derive(Clone, Debug)]
pub struct Ichessone {
    settings: IchessoneSettings,
    core: EmulatorCore,
    decoder: HostDecoder,
    began: Instant,
    /// The squares at the last scan.
    scanned: Placement,
    /// The board reports changes.
    updates: bool,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Scan,
}

impl Ichessone {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: IchessoneSettings) -> Ichessone {
        Ichessone {
            settings,
            core: EmulatorCore::new(settings.placement, Line::unpaced(settings.notification)),
            decoder: HostDecoder::default(),
            began: Instant::ZERO,
            scanned: settings.placement,
            updates: false,
        }
    }

    fn power_up(&mut self) {
        self.began = self.core.now;
        self.scanned = self.core.seen();
        self.updates = false;
        self.decoder.reset();
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        // A scan that finds no change is skipped.
        let differs = self.core.powered && self.core.seen() != self.scanned;
        let scan = differs.then(|| (self.next_scan(), Next::Scan));
        [motion, scan].into_iter().flatten().min()
    }

    /// Returns the time of the next scan, now or later.
    fn next_scan(&self) -> Instant {
        let period = self.settings.poll.max(Duration::from_millis(1)).as_micros() as u64;
        let waited = self.core.now.since(self.began).as_micros() as u64;
        self.began.after(Duration::from_micros(waited.div_ceil(period).saturating_mul(period)))
    }

    fn run_until(&mut self, to: Instant) {
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.core.advance_time(at);
            match next {
                Next::Motion => {
                    if self.core.carry_out_motion() == Some(true) {
                        self.power_up();
                    }
                }
                Next::Scan => {
                    self.scanned = self.core.seen();
                    if self.updates {
                        self.send(Duration::ZERO, &Message::Board(codes(&self.scanned)));
                    }
                }
            }
        }
        self.core.advance_time(to);
    }

    fn send(&mut self, after: Duration, message: &Message) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.core.line.send(self.core.now.after(after), &bytes);
    }

    fn on_command(&mut self, command: HostCommand) {
        let soon = self.settings.reply_delay;
        match command {
            HostCommand::Query(Query::Updates) => self.updates = true,
            HostCommand::Query(Query::Board) => self.send(soon, &Message::Board(codes(&self.scanned))),
            HostCommand::Query(Query::Battery) => {
                self.send(soon, &Message::Battery { flag: 0, percent: self.settings.battery.min(100) });
            }
            HostCommand::Lights(_) => self.core.counters.lights += 1,
            HostCommand::Unknown(_) => self.core.counters.unknown += 1,
        }
    }
}

impl Device for Ichessone {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered {
            return;
        }
        for &byte in bytes {
            if let Some(command) = self.decoder.push(byte) {
                self.on_command(command);
            }
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

    fn done(&self) -> bool {
        let all_sent = !self.core.powered || self.core.seen() == self.scanned;
        self.core.next_motion().is_none() && all_sent && self.core.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.core.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.core.impossible()
    }
}
