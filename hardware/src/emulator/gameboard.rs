//! An emulated board of the Gameboard UI Protocol: it looks at its squares in turn and tells what was lifted and what was put
//! down; asked for a square it says what it last saw there (its maker's page). How often it looks and how soon it answers is *assumed*.

use std::time::Duration;

use flagfall_protocols::drivers::gameboard::framing::{Found, Framing};
use flagfall_protocols::drivers::gameboard::host::HostCommand;
use flagfall_protocols::drivers::gameboard::message::Message;
use flagfall_protocols::square::{Placement, Reading, Square};
use flagfall_protocols::time::Instant;

use super::bench::Bench;
use super::device::{Device, Kind, Sent, Start};
use super::line::Line;
use super::script::Script;
use super::{Counters, Impossible};

/// How an emulated board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameboardSettings {
    /// What stands on it when it is switched on.
    pub placement: Placement,
    /// How often it has looked at all squares.
    pub look: Duration,
    /// From a question's arrival to its answer.
    pub reply_delay: Duration,
    /// Boards of the lowest levels answer nothing.
    pub answers: bool,
    /// It tells all squares by itself when it is switched on.
    pub greets: bool,
}

/// A look, and what waits on the line before it.
const LATE: Duration = Duration::from_millis(55);

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
        variant: "slow, tells its squares",
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

/// A board as its protocol describes it. Lights change nothing; a position that it is told is counted as
/// [`Counters::dangerous`].
#[derive(Clone, Debug)]
pub struct Gameboard {
    settings: GameboardSettings,
    bench: Bench,
    framing: Framing,
    began: Instant,
    /// Where something stood at the last look.
    occupied: u64,
}

/// What happens next, in the order in which things of the same moment happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Look,
}

impl Gameboard {
    /// A board that is switched on at the beginning of time.
    pub fn new(settings: GameboardSettings) -> Gameboard {
        let bench = Bench::new(settings.placement, Line::serial(115_200));
        let mut board = Gameboard { settings, bench, framing: Framing::default(), began: Instant::ZERO, occupied: 0 };
        board.power_up();
        board
    }

    fn power_up(&mut self) {
        self.framing.reset();
        self.began = self.bench.now;
        self.occupied = occupied(&self.bench.seen());
        if self.settings.greets {
            let position = Message::Position(self.bench.seen());
            self.tell(Duration::from_millis(500), &[position]);
        }
    }

    fn happens(&self) -> Option<(Instant, Next)> {
        let motion = self.bench.moves().map(|at| (at, Next::Motion));
        // A look that finds nothing need not be had.
        let differs = self.bench.powered && occupied(&self.bench.seen()) != self.occupied;
        let look = differs.then(|| (self.looks(), Next::Look));
        [motion, look].into_iter().flatten().min()
    }

    /// When it looks next, now or later.
    fn looks(&self) -> Instant {
        let period = self.settings.look.max(Duration::from_millis(1)).as_micros() as u64;
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
                Next::Look => self.look(),
            }
        }
        self.bench.arrive(to);
    }

    fn look(&mut self) {
        let seen = occupied(&self.bench.seen());
        let changed = seen ^ std::mem::replace(&mut self.occupied, seen);
        let news: Vec<Message> = Square::all()
            .filter(|square| changed & square.bit() != 0)
            .map(|square| Message::Square { square, occupied: seen & square.bit() != 0 })
            .collect();
        self.tell(Duration::ZERO, &news);
    }

    /// One line.
    fn tell(&mut self, after: Duration, messages: &[Message]) {
        let mut line = Vec::new();
        for message in messages {
            if !line.is_empty() {
                line.push(b' ');
            }
            message.encode(&mut line);
        }
        line.push(b'\r');
        self.bench.line.send(self.bench.now.after(after), &line);
    }

    fn obey(&mut self, command: &HostCommand) {
        match command {
            HostCommand::Ask(square) if self.settings.answers => {
                let occupied = self.occupied & square.bit() != 0;
                // 64 pieces do not fit.
                let count = self.occupied.count_ones() as u8 & 0x3f;
                self.tell(self.settings.reply_delay, &[Message::Status { occupied, count }]);
            }
            HostCommand::Ask(_) => {}
            HostCommand::Light(..) | HostCommand::Out(_) => self.bench.counters.lights += 1,
            HostCommand::Set(_) => self.bench.counters.dangerous += 1,
            HostCommand::Other(_) => self.bench.counters.unknown += 1,
        }
    }
}

/// Where the sensors see something, whatever it is.
fn occupied(placement: &Placement) -> u64 {
    Square::all().filter(|square| placement.get(*square) != Reading::Empty).fold(0, |mask, square| mask | square.bit())
}

impl Device for Gameboard {
    fn load(&mut self, script: &Script) {
        self.bench.load(script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.pass(at.max(self.bench.now));
        if !self.bench.powered {
            return;
        }
        let now = self.bench.now;
        self.bench.counters.stray += u64::from(self.framing.stall(now).is_some());
        for &byte in bytes {
            let command = match self.framing.push(now, byte) {
                Some((Found::Word(word), _)) => HostCommand::read(word),
                Some((Found::Broken(_), _)) => {
                    self.bench.counters.stray += 1;
                    continue;
                }
                None => continue,
            };
            self.obey(&command);
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
        let told = !self.bench.powered || occupied(&self.bench.seen()) == self.occupied;
        self.bench.moves().is_none() && told && self.bench.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        self.bench.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.bench.impossible()
    }
}
