//! An emulated HoS board over Bluetooth LE, without its clock: it tells all squares again and again (`overview.md`, Short formats).
//! That it repeats them, and how often, is *assumed*.

use std::time::Duration;

use flagfall_protocols::drivers::hos::codes;
use flagfall_protocols::drivers::hos::framing::Message;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::Instant;

use super::bench::Bench;
use super::device::{Device, Kind, Sent};
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// How an emulated HoS board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HosSettings {
    /// What stands on it when it is switched on.
    pub placement: Placement,
    /// How often it tells its squares.
    pub period: Duration,
    /// The most bytes of one notification.
    pub notification: usize,
}

/// Told with the next report.
pub(super) const KINDS: &[Kind] = &[Kind {
    driver: "hos",
    variant: "",
    late: Duration::from_millis(250),
    learns: Duration::ZERO,
    start: |start| Box::new(Hos::new(HosSettings { placement: start.placement, ..HosSettings::default() })),
}];

impl Default for HosSettings {
    /// A board in the initial position, in notifications of the smallest size.
    fn default() -> HosSettings {
        HosSettings { placement: Placement::initial(), period: Duration::from_millis(250), notification: 20 }
    }
}

/// A HoS board that tells its squares. Whatever a host says over Bluetooth LE is not known: it is counted as
/// [`Counters::unknown`].
#[derive(Clone, Debug)]
pub struct Hos {
    settings: HosSettings,
    bench: Bench,
    /// When it tells its squares next.
    next: Instant,
    /// What it told last.
    told: Option<Placement>,
}

/// What happens next, in the order in which things of the same moment happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Report,
}

impl Hos {
    /// A board that is switched on at the beginning of time.
    pub fn new(settings: HosSettings) -> Hos {
        let bench = Bench::new(settings.placement, Line::unpaced(settings.notification));
        Hos { settings, bench, next: Instant::ZERO.after(settings.period), told: None }
    }

    fn happens(&self) -> Option<(Instant, Next)> {
        let motion = self.bench.moves().map(|at| (at, Next::Motion));
        let report = self.bench.powered.then_some((self.next, Next::Report));
        [motion, report].into_iter().flatten().min()
    }

    fn pass(&mut self, to: Instant) {
        while let Some((at, next)) = self.happens().filter(|(at, _)| *at <= to) {
            self.bench.arrive(at);
            match next {
                Next::Motion => {
                    if self.bench.carry_out() == Some(true) {
                        self.next = self.bench.now.after(self.settings.period);
                    }
                }
                Next::Report => self.report(),
            }
        }
        self.bench.arrive(to);
    }

    fn report(&mut self) {
        let seen = self.bench.seen();
        let mut bytes = Vec::new();
        Message::Board(codes(&seen)).encode_text(&mut bytes);
        self.bench.line.send(self.bench.now, &bytes);
        self.told = Some(seen);
        self.next = self.bench.now.after(self.settings.period.max(Duration::from_millis(1)));
    }
}

impl Device for Hos {
    fn load(&mut self, script: &Script) {
        self.bench.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.pass(at.max(self.bench.now));
        if self.bench.powered && !bytes.is_empty() {
            self.bench.counters.unknown += 1;
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

    /// It goes on repeating its squares; it is done when it has told the last ones.
    fn done(&self) -> bool {
        let told = !self.bench.powered || self.told == Some(self.bench.seen());
        self.bench.moves().is_none() && told && self.bench.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.bench.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.bench.impossible()
    }
}
