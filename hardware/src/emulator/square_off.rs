//! Emulates a Square Off board, which scans its squares several times a second and reports each square where a piece was put
//! down or lifted. The Neo also reports all squares by itself, with a delay (`square_off/README.md#4`).

use std::time::Duration;

use flagfall_protocols::drivers::square_off::framing::{Found, Framing};
use flagfall_protocols::drivers::square_off::host::{HostCommand, MAX_COMMAND, text};
use flagfall_protocols::drivers::square_off::message::{Decimal, Message};
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// The settings of an emulated Square Off board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareOffSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The time from one scan to the next.
    pub look: Duration,
    /// The time from a command's arrival to its answer.
    pub reply_delay: Duration,
    /// The largest size of one notification, in bytes.
    pub notification: usize,
    /// The voltage of the battery in millivolts.
    pub millivolts: u16,
    /// The Neo's own channels; `None` is a Pro.
    pub neo: Option<NeoSettings>,
}

/// The channels of a Neo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeoSettings {
    /// The time from one report of all squares to the next.
    pub interval: Duration,
    /// The age of that report, less than the interval.
    pub lag: Duration,
}

/// The longest delay of a report: a scan, and an answer that is sent before the event.
const LATE: Duration = Duration::from_millis(180 + 31);

/// The kinds of emulated Square Off boards.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        driver: "square_off",
        variant: "",
        late: LATE,
        learns: Duration::ZERO,
        start: |start| Box::new(SquareOff::new(SquareOffSettings { placement: start.placement, ..SquareOffSettings::default() })),
    },
    Kind {
        driver: "square_off_neo",
        variant: "",
        late: LATE,
        learns: Duration::ZERO,
        start: |start| Box::new(SquareOff::new(SquareOffSettings { placement: start.placement, ..SquareOffSettings::neo() })),
    },
];

impl Default for SquareOffSettings {
    /// A Pro in the initial position, in notifications of the smallest size.
    fn default() -> SquareOffSettings {
        SquareOffSettings {
            placement: Placement::initial(),
            look: Duration::from_millis(180),
            reply_delay: Duration::from_millis(31),
            notification: 20,
            millivolts: 3520,
            neo: None,
        }
    }
}

impl SquareOffSettings {
    /// The settings of a Neo in the initial position, with the times of the captures. Its picture is older than theirs.
    pub fn neo() -> SquareOffSettings {
        let neo = NeoSettings { interval: Duration::from_millis(2040), lag: Duration::from_millis(700) };
        SquareOffSettings { notification: 244, neo: Some(neo), ..SquareOffSettings::default() }
    }
}

/// A Square Off board that answers like real ones. Lights change nothing. Commands that begin a game, move a piece, report a
/// move or ask for the address are counted as [`Counters::dangerous`].
#[derive(Clone, Debug)]
pub struct SquareOff {
    settings: SquareOffSettings,
    core: EmulatorCore,
    decoder: Framing<HostCommand, MAX_COMMAND>,
    began: Instant,
    /// The occupied squares of the last scan.
    occupied: u64,
    /// The time of the Neo's next own picture, and the last picture until it is sent.
    next_picture: Instant,
    picture: Option<(Instant, u64)>,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Scan,
    SendPicture,
    TakePicture,
}

impl SquareOff {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: SquareOffSettings) -> SquareOff {
        SquareOff {
            settings,
            core: EmulatorCore::new(settings.placement, Line::unpaced(settings.notification)),
            decoder: Framing::new(0, text),
            began: Instant::ZERO,
            occupied: occupied(&settings.placement),
            next_picture: Instant::ZERO,
            picture: None,
        }
    }

    fn power(&mut self, on: bool) {
        self.decoder.reset();
        self.picture = None;
        if on {
            (self.began, self.next_picture) = (self.core.now, self.core.now);
            self.occupied = occupied(&self.core.seen());
        }
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        // A scan that finds no change is skipped.
        let differs = self.core.powered && occupied(&self.core.seen()) != self.occupied;
        let scan = differs.then(|| (self.next_scan(), Next::Scan));
        let send = self.picture.map(|(at, _)| (at, Next::SendPicture));
        let take = (self.core.powered && self.settings.neo.is_some()).then_some((self.next_picture, Next::TakePicture));
        [motion, scan, send, take].into_iter().flatten().min()
    }

    /// Returns the time of the next scan, now or later.
    fn next_scan(&self) -> Instant {
        let period = self.settings.look.max(Duration::from_millis(10)).as_micros() as u64;
        let waited = self.core.now.since(self.began).as_micros() as u64;
        self.began.after(Duration::from_micros(waited.div_ceil(period).saturating_mul(period)))
    }

    fn run_until(&mut self, to: Instant) {
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.core.advance_time(at);
            match next {
                Next::Motion => {
                    if let Some(on) = self.core.carry_out_motion() {
                        self.power(on);
                    }
                }
                Next::Scan => self.scan_squares(),
                Next::SendPicture => {
                    if let Some((_, occupied)) = self.picture.take() {
                        self.send(2, Duration::ZERO, &Message::Board(occupied));
                    }
                }
                Next::TakePicture => {
                    let Some(neo) = self.settings.neo else { break };
                    let interval = neo.interval.max(Duration::from_millis(100));
                    self.picture = Some((at.after(neo.lag.min(interval)), self.occupied));
                    self.next_picture = at.after(interval);
                }
            }
        }
        self.core.advance_time(to);
    }

    fn scan_squares(&mut self) {
        let seen = occupied(&self.core.seen());
        let changed = seen ^ std::mem::replace(&mut self.occupied, seen);
        for square in Square::all().filter(|square| changed & square.bit() != 0) {
            let channel = u8::from(self.settings.neo.is_some());
            self.send(channel, Duration::ZERO, &Message::Field { square, placed: seen & square.bit() != 0 });
        }
    }

    fn send(&mut self, channel: u8, after: Duration, message: &Message) {
        let mut bytes = Vec::new();
        if channel == 0 {
            message.encode(&mut bytes)
        } else {
            message.encode_bare(&mut bytes)
        }
        self.core.line.send_on(channel, self.core.now.after(after), &bytes);
    }

    fn on_command(&mut self, command: &HostCommand) {
        let soon = self.settings.reply_delay;
        let (neo, millivolts) = (self.settings.neo.is_some(), u32::from(self.settings.millivolts));
        match *command {
            HostCommand::Board => self.send(0, soon, &Message::Board(self.occupied)),
            HostCommand::Battery if neo => {
                self.send(0, soon, &Message::Millivolts(Decimal { digits: millivolts * 100, places: 2 }));
                self.send(3, soon, &Message::Percent((millivolts.saturating_sub(3000) / 10).min(100) as u8));
            }
            HostCommand::Battery => self.send(0, soon, &Message::Volts(Decimal { digits: millivolts / 10, places: 2 })),
            HostCommand::Lights(_) | HostCommand::Signal(_) => self.core.counters.lights += 1,
            HostCommand::Start(_) => {
                self.core.counters.dangerous += 1;
                if !neo {
                    self.send(0, soon, &Message::Go);
                }
            }
            HostCommand::Expect(expected) => {
                self.core.counters.dangerous += 1;
                if expected == self.occupied {
                    self.send(0, soon, &Message::InSync);
                }
            }
            HostCommand::Address => {
                self.core.counters.dangerous += 1;
                self.send(0, soon, &Message::Address);
            }
            HostCommand::Route(_) | HostCommand::Notice(_) => self.core.counters.dangerous += 1,
            HostCommand::Other(ref text) if text.starts_with(b"24#") || text.starts_with(b"0#") || text.starts_with(b"14#") => {
                self.core.counters.dangerous += 1;
            }
            HostCommand::Other(_) => self.core.counters.unknown += 1,
        }
    }
}

/// Returns the squares where the sensors see a piece.
fn occupied(placement: &Placement) -> u64 {
    Square::all().filter(|square| placement.get(*square) != Reading::Empty).fold(0, |mask, square| mask | square.bit())
}

impl Device for SquareOff {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered {
            return;
        }
        let mut received = Vec::new();
        if channel == 0 {
            // A command whose end does not come in time is dropped.
            let now = self.core.now;
            let mut stray = u64::from(self.decoder.stall(now).is_some());
            for &byte in bytes {
                self.decoder.push(now, byte, |found, _| match found {
                    Found::Message(command) => received.push(command),
                    Found::Broken(_) => stray += 1,
                });
            }
            self.core.counters.stray += stray;
        } else {
            // The motor and the signals have their own characteristics, and each write is one command.
            received.push(HostCommand::decode_own(bytes).unwrap_or_else(|| HostCommand::Notice(bytes.into())));
        }
        received.iter().for_each(|command| self.on_command(command));
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
        let all_sent = !self.core.powered || occupied(&self.core.seen()) == self.occupied;
        self.core.next_motion().is_none() && all_sent && self.core.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.core.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.core.impossible()
    }
}
