//! Emulates a board of the Gameboard UI Protocol, which scans its squares in turn and reports pieces that were lifted and put
//! down. It answers a question for a square with its last scan (its maker's page). The scan time and the answer time are
//! *assumed*.

use std::time::Duration;

use flagfall_protocols::drivers::gameboard::framing::{Found, Framing};
use flagfall_protocols::drivers::gameboard::host::HostCommand;
use flagfall_protocols::drivers::gameboard::message::Message;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent, Start};
use super::emulator_core::EmulatorCore;
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// The settings of an emulated board of the Gameboard UI Protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameboardSettings {
    /// The pieces on the board when it is switched on.
    pub placement: Placement,
    /// The time of one scan of all squares.
    pub look: Duration,
    /// The time from a question's arrival to its answer.
    pub reply_delay: Duration,
    /// The board answers questions. Boards of the lowest levels do not.
    pub answers: bool,
    /// It reports all squares by itself when it is switched on.
    pub greets: bool,
}

/// The longest delay of a report: a scan, and the bytes that are sent before the report.
const LATE: Duration = Duration::from_millis(55);

/// The kinds of emulated boards of the Gameboard UI Protocol.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        driver: "gameboard",
        variant: "",
        late: LATE,
        learns: Duration::ZERO,
        start: |start| Box::new(Gameboard::new(settings(start))),
    },
    Kind {
        driver: "gameboard",
        variant: "slow, reports its squares",
        late: Duration::from_millis(155),
        learns: Duration::ZERO,
        start: |start| {
            let (look, reply_delay) = (Duration::from_millis(150), Duration::from_millis(25));
            Box::new(Gameboard::new(GameboardSettings { look, reply_delay, greets: true, ..settings(start) }))
        },
    },
];

fn settings(start: &Start) -> GameboardSettings {
    GameboardSettings { placement: start.placement, ..GameboardSettings::default() }
}

impl Default for GameboardSettings {
    /// A board in the initial position that answers questions.
    fn default() -> GameboardSettings {
        GameboardSettings {
            placement: Placement::initial(),
            look: Duration::from_millis(50),
            reply_delay: Duration::from_millis(5),
            answers: true,
            greets: false,
        }
    }
}

/// A board as its protocol describes it. Lights change nothing. A position from the host is counted as [`Counters::dangerous`].
#[derive(Clone, Debug)]
pub struct Gameboard {
    settings: GameboardSettings,
    core: EmulatorCore,
    framing: Framing,
    began: Instant,
    /// The occupied squares of the last scan.
    occupied: u64,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Scan,
}

impl Gameboard {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: GameboardSettings) -> Gameboard {
        let core = EmulatorCore::new(settings.placement, Line::serial(115_200));
        let mut board = Gameboard { settings, core, framing: Framing::default(), began: Instant::ZERO, occupied: 0 };
        board.power_up();
        board
    }

    fn power_up(&mut self) {
        self.framing.reset();
        self.began = self.core.now;
        self.occupied = occupied(&self.core.seen());
        if self.settings.greets {
            let position = Message::Position(self.core.seen());
            self.send(Duration::from_millis(500), &[position]);
        }
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.core.next_motion().map(|at| (at, Next::Motion));
        // A scan that finds no change is skipped.
        let differs = self.core.powered && occupied(&self.core.seen()) != self.occupied;
        let scan = differs.then(|| (self.next_scan(), Next::Scan));
        [motion, scan].into_iter().flatten().min()
    }

    /// Returns the time of the next scan, now or later.
    fn next_scan(&self) -> Instant {
        let period = self.settings.look.max(Duration::from_millis(1)).as_micros() as u64;
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
                Next::Scan => self.scan_squares(),
            }
        }
        self.core.advance_time(to);
    }

    fn scan_squares(&mut self) {
        let seen = occupied(&self.core.seen());
        let changed = seen ^ std::mem::replace(&mut self.occupied, seen);
        let news: Vec<Message> = Square::all()
            .filter(|square| changed & square.bit() != 0)
            .map(|square| Message::Square { square, occupied: seen & square.bit() != 0 })
            .collect();
        self.send(Duration::ZERO, &news);
    }

    /// Sends the messages as one line.
    fn send(&mut self, after: Duration, messages: &[Message]) {
        let mut line = Vec::new();
        for message in messages {
            if !line.is_empty() {
                line.push(b' ');
            }
            message.encode(&mut line);
        }
        line.push(b'\r');
        self.core.line.send(self.core.now.after(after), &line);
    }

    fn on_command(&mut self, command: &HostCommand) {
        match command {
            HostCommand::Ask(square) if self.settings.answers => {
                let occupied = self.occupied & square.bit() != 0;
                // The number 64 does not fit into the field.
                let count = self.occupied.count_ones() as u8 & 0x3f;
                self.send(self.settings.reply_delay, &[Message::Status { occupied, count }]);
            }
            HostCommand::Ask(_) => {}
            HostCommand::Light(..) | HostCommand::Out(_) => self.core.counters.lights += 1,
            HostCommand::Set(_) => self.core.counters.dangerous += 1,
            HostCommand::Other(_) => self.core.counters.unknown += 1,
        }
    }
}

/// Returns the squares where the sensors see a piece.
fn occupied(placement: &Placement) -> u64 {
    Square::all().filter(|square| placement.get(*square) != Reading::Empty).fold(0, |mask, square| mask | square.bit())
}

impl Device for Gameboard {
    fn load(&mut self, script: &Script) {
        self.core.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at.max(self.core.now));
        if !self.core.powered {
            return;
        }
        let now = self.core.now;
        self.core.counters.stray += u64::from(self.framing.stall(now).is_some());
        for &byte in bytes {
            let command = match self.framing.push(now, byte) {
                Some((Found::Word(word), _)) => HostCommand::read(word),
                Some((Found::Broken(_), _)) => {
                    self.core.counters.stray += 1;
                    continue;
                }
                None => continue,
            };
            self.on_command(&command);
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
