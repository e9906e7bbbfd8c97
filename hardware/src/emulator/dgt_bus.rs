//! Emulated DGT boards on a bus: up to twelve on one line of 9600 baud, each with its own hands and clock
//! (`dgt_bus/README.md#10`).
//!
//! Every board hears everything, and what two boards say at the same moment is mixed up bit by bit, as on the common wire.

use std::collections::VecDeque;
use std::time::Duration;

use fastrand::Rng;
use flagfall_protocols::time::Instant;

use super::device::{Device, Kind, Sent, Start};
use super::script::Script;
use super::settings::Settings;
use super::{Counters, Impossible};

mod behind;
mod member;

pub use behind::Behind;
use member::Member;

/// A byte on the wire.
const BYTE: Duration = Duration::from_micros(1042);

/// A scan, the pace of the line's master, and a whole picture in between.
pub(super) const KINDS: &[Kind] = &[Kind {
    driver: "dgt_bus",
    variant: "",
    late: Duration::from_millis(225 + 200 + 175),
    learns: Duration::ZERO,
    start: |start: &Start| {
        Box::new(Behind::new(Settings { placement: start.placement, serial: start.serial, ..Settings::default() }))
    },
}];

/// What the boards of a chain do wrong, each so often: probabilities of an answer, 0.0..=1.0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusFaults {
    /// Its sum is wrong.
    pub wrong_sum: f64,
    /// It breaks off.
    pub cut: f64,
    /// It comes 100 to 500 ms late.
    pub late: f64,
    /// The board did not hear the question.
    pub deaf: f64,
    /// It comes twice in a row.
    pub doubled: f64,
}

/// One emulated board of a chain. Its address is [`Settings::serial`].
#[derive(Clone, Debug, PartialEq)]
pub struct BusSettings {
    /// The board and its clock; what concerns a line of its own is not looked at.
    pub board: Settings,
    /// What it does wrong.
    pub faults: BusFaults,
    /// It never says anything.
    pub dead: bool,
    /// It does not answer 0x84 before the first 0x83 since its power-up: there is no packet to repeat.
    pub mute_without_packet: bool,
}

impl BusSettings {
    /// A good board.
    pub const fn new(board: Settings) -> BusSettings {
        BusSettings {
            board,
            faults: BusFaults { wrong_sum: 0.0, cut: 0.0, late: 0.0, deaf: 0.0, doubled: 0.0 },
            dead: false,
            mute_without_packet: false,
        }
    }
}

/// A byte on the common wire.
#[derive(Clone, Copy, Debug)]
struct OnWire {
    begin: Instant,
    end: Instant,
    byte: u8,
}

/// Boards on one line. No IO and no clock of its own, as [`Device`]: the same inputs at the same times give the same
/// bytes.
#[derive(Clone, Debug)]
pub struct Chain {
    boards: Vec<Member>,
    now: Instant,
    /// From the host, with the time at which each byte is heard.
    heard: VecDeque<(Instant, u8)>,
    wire: VecDeque<OnWire>,
    /// Bytes that two boards said at once.
    mixed: u64,
}

impl Chain {
    /// Boards that were switched on long ago; `seed` says when each answers a ping to all, and what goes wrong.
    pub fn new(settings: Vec<BusSettings>, seed: u64) -> Chain {
        let mut rng = Rng::with_seed(seed);
        Chain {
            boards: settings.into_iter().map(|settings| Member::new(settings, rng.u64(..))).collect(),
            now: Instant::ZERO,
            heard: VecDeque::new(),
            wire: VecDeque::new(),
            mixed: 0,
        }
    }

    /// Adds hand motions at a board, counted from 0; a script's time begins now.
    pub fn load(&mut self, board: usize, script: &Script) {
        let now = self.now;
        if let Some(board) = self.boards.get_mut(board) {
            board.load(now, script);
        }
    }

    /// Bytes leave the host at `at`; the boards hear them at the pace of the wire.
    pub fn host(&mut self, at: Instant, bytes: &[u8]) {
        let mut when = self.heard.back().map_or(at, |(last, _)| at.max(*last));
        for &byte in bytes {
            when = when.after(BYTE);
            self.heard.push_back((when, byte));
        }
    }

    /// When something happens next by itself.
    pub fn next(&self) -> Option<Instant> {
        let wire = self.wire.iter().map(|byte| byte.end).min();
        [self.next_board_event(), wire].into_iter().flatten().min()
    }

    fn next_board_event(&self) -> Option<Instant> {
        let boards = self.boards.iter().filter_map(Member::next).min();
        [boards, self.heard.front().map(|(at, _)| *at)].into_iter().flatten().min()
    }

    /// Lets time pass up to `to`, and appends what reached the host by then, byte by byte.
    pub fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        while let Some(at) = self.next_board_event().filter(|at| *at <= to) {
            while let Some((_, byte)) = self.heard.pop_front_if(|(when, _)| *when <= at) {
                self.boards.iter_mut().for_each(|board| board.on_byte(at, byte));
            }
            for index in 0..self.boards.len() {
                if let Some(answer) = self.boards[index].run_until(at) {
                    self.put_on_wire(at, &answer);
                }
            }
        }
        for board in &mut self.boards {
            board.run_until(to);
        }
        self.now = self.now.max(to);
        while let Some(byte) = self.wire.pop_front_if(|byte| byte.end <= to) {
            out.push(Sent { at: byte.end, channel: 0, bytes: vec![byte.byte] });
        }
    }

    /// A board begins to speak: what is on the wire at the same time is mixed with it.
    fn put_on_wire(&mut self, at: Instant, answer: &[u8]) {
        for (place, &byte) in (0u32..).zip(answer) {
            let begin = at.after(BYTE * place);
            let end = begin.after(BYTE);
            match self.wire.iter_mut().find(|other| other.begin < end && begin < other.end) {
                Some(other) => {
                    other.byte |= byte;
                    self.mixed += 1;
                }
                None => self.wire.push_back(OnWire { begin, end, byte }),
            }
        }
        self.wire.make_contiguous().sort_by_key(|byte| byte.end);
    }

    /// Whether all hands are done, and everything was reported and asked for.
    pub fn done(&self) -> bool {
        self.boards.iter().all(Member::done)
    }

    /// What was asked of all boards and what went wrong. [`Counters::dangerous`] counts what is more than a question.
    pub fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for board in &self.boards {
            let one = board.counters;
            sum.dangerous += one.dangerous;
            sum.unknown += one.unknown;
            sum.stray += one.stray;
            sum.lost += one.lost;
            sum.impossible += one.impossible;
            sum.not_loaded += one.not_loaded;
        }
        sum
    }

    /// Bytes that two boards said at the same time.
    pub const fn mixed(&self) -> u64 {
        self.mixed
    }

    /// Hand movements at a board that could not be done.
    pub fn impossible(&self, board: usize) -> &[(Instant, Impossible)] {
        self.boards.get(board).map_or(&[], Member::impossible)
    }

    /// From now on a board does this wrong.
    pub fn damage(&mut self, board: usize, faults: BusFaults, dead: bool) {
        if let Some(board) = self.boards.get_mut(board) {
            board.damage(faults, dead);
        }
    }
}

/// As whoever opens the port sees it. Hands move at the first board.
impl Device for Chain {
    fn load(&mut self, script: &Script) {
        Chain::load(self, 0, script);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        Chain::host(self, at, bytes);
    }

    fn next(&self) -> Option<Instant> {
        Chain::next(self)
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        Chain::advance(self, to, out);
    }

    fn done(&self) -> bool {
        Chain::done(self)
    }

    fn counters(&self) -> Counters {
        Chain::counters(self)
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        Chain::impossible(self, 0)
    }
}
