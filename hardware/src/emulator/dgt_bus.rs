//! Emulates DGT boards on a bus: up to twelve boards on one serial line of 9600 baud, each with its own hand motions and clock
//! (`dgt_bus/README.md#10`).
//!
//! Every board receives all bytes. If two boards send at the same moment, their bytes are mixed bit by bit, as on the common
//! wire.

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

/// The time of one byte on the wire.
const BYTE: Duration = Duration::from_micros(1042);

/// The kinds of emulated boards on a bus. A change is reported after at most one scan, one turn of the line's master, and a
/// picture of all squares in between.
pub(super) const KINDS: &[Kind] = &[Kind {
    driver: "dgt_bus",
    variant: "",
    late: Duration::from_millis(225 + 200 + 175),
    learns: Duration::ZERO,
    start: |start: &Start| {
        Box::new(Behind::new(Settings { placement: start.placement, serial: start.serial, ..Settings::default() }))
    },
}];

/// The faults of an emulated board on a bus: the probability of each fault per answer, 0.0..=1.0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BusFaults {
    /// The answer has a wrong sum.
    pub wrong_sum: f64,
    /// The answer is cut off.
    pub cut: f64,
    /// The answer comes 100 to 500 ms late.
    pub late: f64,
    /// The board did not receive the question.
    pub deaf: f64,
    /// The answer comes twice in a row.
    pub doubled: f64,
}

/// One emulated board of a chain. Its address is [`Settings::serial`].
#[derive(Clone, Debug, PartialEq)]
pub struct BusSettings {
    /// The board and its clock. The settings of a board's own line are ignored.
    pub board: Settings,
    /// Its faults.
    pub faults: BusFaults,
    /// The board never sends anything.
    pub dead: bool,
    /// The board does not answer 0x84 before the first 0x83 after its power-up, because it has no packet to repeat.
    pub mute_without_packet: bool,
}

impl BusSettings {
    /// Creates a board without faults.
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

/// Boards on one line. They do no IO and read no clock, as every [`Device`]: the same inputs at the same times give the same
/// bytes.
#[derive(Clone, Debug)]
pub struct Chain {
    boards: Vec<Member>,
    now: Instant,
    /// Bytes from the host, with the time at which the boards receive each byte.
    received: VecDeque<(Instant, u8)>,
    wire: VecDeque<OnWire>,
    /// The number of bytes that two boards sent at once.
    mixed: u64,
}

impl Chain {
    /// Creates boards that were switched on long ago. `seed` decides when each board answers a ping to all, and which faults
    /// happen.
    pub fn new(settings: Vec<BusSettings>, seed: u64) -> Chain {
        let mut rng = Rng::with_seed(seed);
        Chain {
            boards: settings.into_iter().map(|settings| Member::new(settings, rng.u64(..))).collect(),
            now: Instant::ZERO,
            received: VecDeque::new(),
            wire: VecDeque::new(),
            mixed: 0,
        }
    }

    /// Adds hand motions at a board, counted from 0. The script's time begins now.
    pub fn load(&mut self, board: usize, script: &Script) {
        let now = self.now;
        if let Some(board) = self.boards.get_mut(board) {
            board.load(now, script);
        }
    }

    /// Passes bytes that leave the host at `at`. The boards receive them at the pace of the wire.
    pub fn host(&mut self, at: Instant, bytes: &[u8]) {
        let mut when = self.received.back().map_or(at, |(last, _)| at.max(*last));
        for &byte in bytes {
            when = when.after(BYTE);
            self.received.push_back((when, byte));
        }
    }

    /// Returns the time of the next event without other input.
    pub fn next(&self) -> Option<Instant> {
        let wire = self.wire.iter().map(|byte| byte.end).min();
        [self.next_board_event(), wire].into_iter().flatten().min()
    }

    fn next_board_event(&self) -> Option<Instant> {
        let boards = self.boards.iter().filter_map(Member::next).min();
        [boards, self.received.front().map(|(at, _)| *at)].into_iter().flatten().min()
    }

    /// Lets time pass up to `to`, and appends the bytes that reached the host until then, one by one.
    pub fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        while let Some(at) = self.next_board_event().filter(|at| *at <= to) {
            while let Some((_, byte)) = self.received.pop_front_if(|(when, _)| *when <= at) {
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

    /// Puts a board's answer on the wire, and mixes it with the bytes that are there at the same time.
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

    /// Returns whether all hand motions are done and all changes were queried and reported.
    pub fn done(&self) -> bool {
        self.boards.iter().all(Member::done)
    }

    /// Returns the counters of commands and errors of all boards. [`Counters::dangerous`] counts the commands that are not just
    /// questions.
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

    /// Returns the number of bytes that two boards sent at the same time.
    pub const fn mixed(&self) -> u64 {
        self.mixed
    }

    /// Returns the impossible hand movements at a board.
    pub fn impossible(&self, board: usize) -> &[(Instant, Impossible)] {
        self.boards.get(board).map_or(&[], Member::impossible)
    }

    /// Sets the faults of a board from now on.
    pub fn damage(&mut self, board: usize, faults: BusFaults, dead: bool) {
        if let Some(board) = self.boards.get_mut(board) {
            board.damage(faults, dead);
        }
    }
}

/// The chain as a program sees it that opens the port. Hand motions apply to the first board.
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
