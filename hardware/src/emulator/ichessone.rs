//! An emulated iChessOne: it looks at all squares at once and tells all of them when something has changed
//! (`ichessone/README.md#3`). How often it looks is *assumed*.

use std::time::Duration;

use flagfall_protocols::drivers::ichessone::codes;
use flagfall_protocols::drivers::ichessone::framing::Message;
use flagfall_protocols::drivers::ichessone::host::{HostCommand, HostDecoder, Query};
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::bench::Bench;
use super::device::{Device, Kind, Sent, Start};
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// How an emulated iChessOne is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IchessoneSettings {
    /// What stands on it when it is switched on.
    pub placement: Placement,
    /// How often it looks at its squares.
    pub poll: Duration,
    /// From a command's arrival to its answer.
    pub reply_delay: Duration,
    /// The most bytes of one notification.
    pub notification: usize,
    /// Charge of the battery in percent.
    pub battery: u8,
}

/// By its slowest look.
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
            // Percent that look like the beginning of a message.
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

/// An iChessOne that answers as real ones do. Lights change nothing.
#[derive(Clone, Debug)]
pub struct Ichessone {
    settings: IchessoneSettings,
    bench: Bench,
    decoder: HostDecoder,
    began: Instant,
    /// What the last look showed.
    looked: Placement,
    /// Changes are told.
    updates: bool,
}

/// What happens next, in the order in which things of the same moment happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Look,
}

impl Ichessone {
    /// A board that is switched on at the beginning of time.
    pub fn new(settings: IchessoneSettings) -> Ichessone {
        Ichessone {
            settings,
            bench: Bench::new(settings.placement, Line::unpaced(settings.notification)),
            decoder: HostDecoder::default(),
            began: Instant::ZERO,
            looked: settings.placement,
            updates: false,
        }
    }

    fn power_up(&mut self) {
        self.began = self.bench.now;
        self.looked = self.bench.seen();
        self.updates = false;
        self.decoder.reset();
    }

    fn happens(&self) -> Option<(Instant, Next)> {
        let motion = self.bench.moves().map(|at| (at, Next::Motion));
        // A look that finds nothing need not be had.
        let differs = self.bench.powered && self.bench.seen() != self.looked;
        let look = differs.then(|| (self.looks(), Next::Look));
        [motion, look].into_iter().flatten().min()
    }

    /// When it looks next, now or later.
    fn looks(&self) -> Instant {
        let period = self.settings.poll.max(Duration::from_millis(1)).as_micros() as u64;
        let waited = self.bench.now.since(self.began).as_micros() as u64;
        self.began.after(Duration::from_micros(waited.div_ceil(period).saturating_mul(period)))
    }

    fn pass(&mut self, to: Instant) {
        while let Some((at, next)) = self.happens().filter(|(at, _)| *at <= to) {
            self.bench.arrive(at);
            match next {
                Next::Motion => {
                    if self.bench.carry_out() == Some(true) {
                        self.power_up();
                    }
                }
                Next::Look => {
                    self.looked = self.bench.seen();
                    if self.updates {
                        self.send(Duration::ZERO, &Message::Board(codes(&self.looked)));
                    }
                }
            }
        }
        self.bench.arrive(to);
    }

    fn send(&mut self, after: Duration, message: &Message) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.bench.line.send(self.bench.now.after(after), &bytes);
    }

    fn obey(&mut self, command: HostCommand) {
        let soon = self.settings.reply_delay;
        match command {
            HostCommand::Query(Query::Updates) => self.updates = true,
            HostCommand::Query(Query::Board) => self.send(soon, &Message::Board(codes(&self.looked))),
            HostCommand::Query(Query::Battery) => {
                self.send(soon, &Message::Battery { flag: 0, percent: self.settings.battery.min(100) });
            }
            HostCommand::Lights(_) => self.bench.counters.lights += 1,
            HostCommand::Unknown(_) => self.bench.counters.unknown += 1,
        }
    }
}

impl Device for Ichessone {
    fn load(&mut self, script: &Script) {
        self.bench.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.pass(at.max(self.bench.now));
        if !self.bench.powered {
            return;
        }
        for &byte in bytes {
            if let Some(command) = self.decoder.push(byte) {
                self.obey(command);
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        let inner = self.happens().map(|(at, _)| at);
        [inner, self.bench.line.next()].into_iter().flatten().min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.pass(to);
        self.bench.line.take(self.bench.now, out);
    }

    fn done(&self) -> bool {
        let told = !self.bench.powered || self.bench.seen() == self.looked;
        self.bench.moves().is_none() && told && self.bench.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.bench.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.bench.impossible()
    }
}
