//! Emulates one board on a bus: its squares, its clock, its log, and the one command that it can store.

use std::time::Duration;

use fastrand::Rng;
use flagfall_protocols::drivers::dgt::clock::ClockMessage;
use flagfall_protocols::drivers::dgt::ee::EeTag;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::drivers::dgt_bus::frame::{Command, command, encode_reply};
use flagfall_protocols::square::{Reading, Square};
use flagfall_protocols::time::Instant;

use super::super::clock::Clock;
use super::super::hands::{apply_to_board, apply_to_port};
use super::super::memory::Memory;
use super::super::motions::Motions;
use super::super::port::{Port, Reporting};
use super::super::scan::Scan;
use super::super::script::Script;
use super::super::simulated_board::SimulatedBoard;
use super::super::{Counters, Impossible};
use super::{BYTE, BusFaults, BusSettings};

/// The time from switching on until the board receives commands.
const BOOT: Duration = Duration::from_secs(3);
/// The longest random delay of the answer to a ping to all boards, in milliseconds.
const SPREAD_MS: u64 = 1100;
/// The delay of any other answer, in microseconds.
const DELAY_US: std::ops::RangeInclusive<u64> = 2000..=6000;
/// The delay of an answer while the board writes its log, in microseconds.
const WRITING_US: std::ops::RangeInclusive<u64> = 10_000..=20_000;
/// The time for which the board writes its log after an entry.
const WRITING: Duration = Duration::from_millis(20);

#[derive(Clone, Debug)]
pub(super) struct Member {
    settings: BusSettings,
    rng: Rng,
    now: Instant,
    squares: SimulatedBoard,
    scan: Scan,
    port: Port,
    motions: Motions,
    memory: Memory,
    sampled: Option<(Instant, Square)>,
    powered: bool,
    /// The end of its start-up.
    boots: Option<Instant>,
    /// The board is in bus mode. Otherwise it has received a single-board command.
    bus: bool,
    /// The command that is being received, and the number of bytes of an ignored command.
    frame: Vec<u8>,
    swallow: u8,
    /// The next answer, and the end of the answer that is being sent.
    answer: Option<(Instant, Vec<u8>)>,
    busy: Instant,
    ignores_ping: bool,
    /// Positions in the log: the start of the game, and the first change that was not sent. Then the last packet.
    start: u64,
    unsent: u64,
    packet: Option<Vec<u8>>,
    wrote: Instant,
    pub(super) counters: Counters,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    StartUp,
    Sample(Square),
    Poll,
    Answer,
}

impl Member {
    pub(super) fn new(settings: BusSettings, seed: u64) -> Member {
        let board = &settings.board;
        let clock = board.clock.clone().map(|settings| Clock::new(settings, Instant::ZERO));
        let mut member = Member {
            rng: Rng::with_seed(seed),
            now: Instant::ZERO,
            squares: SimulatedBoard::new(board.placement),
            scan: Scan::new(Instant::ZERO.after(board.scan_phase), board.scan, board.placement),
            port: Port::new(clock, board, Instant::ZERO),
            motions: Motions::default(),
            memory: Memory::default(),
            sampled: None,
            powered: true,
            boots: None,
            bus: true,
            frame: Vec::new(),
            swallow: 0,
            answer: None,
            busy: Instant::ZERO,
            ignores_ping: false,
            start: 0,
            unsent: 0,
            packet: None,
            wrote: Instant::ZERO,
            counters: Counters::default(),
            settings,
        };
        member.memory.power_up(member.scan.reported());
        member
    }

    pub(super) fn load(&mut self, now: Instant, script: &Script) {
        self.motions.load(now, script, &mut self.counters);
    }

    pub(super) fn damage(&mut self, faults: BusFaults, dead: bool) {
        (self.settings.faults, self.settings.dead) = (faults, dead);
    }

    pub(super) fn impossible(&self) -> &[(Instant, Impossible)] {
        self.motions.impossible()
    }

    pub(super) fn done(&self) -> bool {
        let all_sent = !self.powered || (self.sampled.is_none() && self.unsent == self.memory.end() && self.answer.is_none());
        self.motions.next().is_none() && all_sent
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.next_event().map(|(at, _)| at)
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.motions.next().map(|at| (at, Next::Motion));
        if !self.powered {
            return motion;
        }
        if let Some(at) = self.boots {
            return [motion, Some((at, Next::StartUp))].into_iter().flatten().min();
        }
        let sample = self.sampled.map(|(at, square)| (at, Next::Sample(square)));
        let answer = self.answer.as_ref().map(|(at, _)| (*at, Next::Answer));
        [motion, sample, Some((self.port.next_poll, Next::Poll)), answer].into_iter().flatten().min()
    }

    fn advance_time(&mut self, at: Instant) {
        self.now = self.now.max(at);
        if let Some(clock) = &mut self.port.clock {
            clock.advance(self.now);
        }
    }

    /// Does everything up to `to`. Returns the answer that it begins to send then. The caller must stop at every moment at
    /// which the board sends.
    pub(super) fn run_until(&mut self, to: Instant) -> Option<Vec<u8>> {
        let mut said = None;
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.advance_time(at);
            match next {
                Next::Motion => self.carry_out_motion(),
                Next::StartUp => self.start_up(),
                Next::Sample(square) => self.sample(square),
                Next::Poll => {
                    if let Some((side, time)) = self.port.poll(at, Reporting::Never).stopped {
                        self.write(EeTag::Time { side, time });
                    }
                }
                Next::Answer => {
                    let answer = self.answer.take().map(|(_, bytes)| bytes).unwrap_or_default();
                    self.busy = at.after(BYTE * answer.len() as u32);
                    said = Some(answer);
                }
            }
        }
        self.advance_time(to);
        said
    }

    fn carry_out_motion(&mut self) {
        let Some(motion) = self.motions.pop() else { return };
        let done = apply_to_board(&mut self.squares, self.now, motion)
            .and_then(|rest| rest.map_or(Ok(None), |motion| apply_to_port(&mut self.port, self.now, motion)));
        match done {
            Ok(Some(on)) if on != self.powered => {
                self.powered = on;
                (self.answer, self.frame, self.sampled) = (None, Vec::new(), None);
                self.boots = on.then(|| self.now.after(BOOT));
            }
            Ok(_) => self.schedule_sample(),
            Err(problem) => self.motions.record_failure(self.now, problem, &mut self.counters),
        }
    }

    fn start_up(&mut self) {
        (self.boots, self.bus, self.swallow, self.ignores_ping) = (None, true, 0, false);
        self.start = self.memory.end();
        self.scan = Scan::new(self.now, self.settings.board.scan, self.squares.seen());
        self.memory.power_up(self.scan.reported());
        self.port.power_up(self.now);
        self.packet = None;
        self.schedule_sample();
    }

    fn schedule_sample(&mut self) {
        if self.powered && self.boots.is_none() {
            self.sampled = self.scan.next(&self.squares.seen(), self.now);
        }
    }

    fn sample(&mut self, square: Square) {
        self.scan.report(square, self.squares.seen().get(square));
        self.schedule_sample();
        self.memory.field(self.now, square, self.scan.reported());
        self.wrote = self.now;
    }

    fn write(&mut self, tag: EeTag) {
        self.memory.write(tag);
        self.wrote = self.now;
    }

    /// Receives a byte of the host.
    pub(super) fn on_byte(&mut self, at: Instant, byte: u8) {
        self.advance_time(at);
        if !self.powered || self.boots.is_some() || self.settings.dead {
            return;
        }
        if !self.bus {
            // Both bring the board back to bus mode. The bus command itself is not carried out, and its other three bytes are
            // ignored.
            self.bus = byte == 0x4a || byte & 0x80 != 0;
            self.swallow = if byte & 0x80 != 0 { 3 } else { 0 };
            return;
        }
        if byte & 0x80 != 0 {
            (self.frame, self.swallow) = (vec![byte], 0);
            return;
        }
        if self.swallow > 0 {
            self.swallow -= 1;
        } else if self.frame.is_empty() {
            self.bus = byte == 0x4a || !matches!(byte, 0x40..=0x60 | 0x2b);
            self.counters.stray += u64::from(byte != 0x4a);
        } else {
            self.frame.push(byte);
            if self.frame.len() == 4 {
                let frame = std::mem::take(&mut self.frame);
                self.on_command(&frame);
            }
        }
    }

    fn on_command(&mut self, frame: &[u8]) {
        let Some((command, address)) = command(frame) else { return };
        let own = self.settings.board.serial & 0x3fff;
        let for_all = address == 0 && matches!(command, Command::Ping | Command::EndBusMode | Command::Reset);
        if address != own && !for_all {
            return;
        }
        if self.answer.is_some() || self.busy > self.now {
            self.counters.lost += 1;
            return;
        }
        if self.rng.f64() < self.settings.faults.deaf {
            return;
        }
        if command == Command::Ping && address == 0 {
            if !std::mem::take(&mut self.ignores_ping) {
                let after = Duration::from_micros(self.rng.u64(0..=SPREAD_MS * 1000));
                self.reply(after, 0x87, &[]);
            }
            return;
        }
        let writing = self.now.since(self.wrote) < WRITING;
        let delay = Duration::from_micros(self.rng.u64(if writing { WRITING_US } else { DELAY_US }));
        match command {
            Command::SendClock => {
                if let Some(message) = self.port.query() {
                    self.reply(delay, 0x84, &ClockMessage::encode(&message));
                }
            }
            Command::SendBoard => self.reply(delay, 0x83, &self.codes()),
            Command::SendChanges => {
                let packet = self.memory.between(self.unsent, self.memory.end());
                self.unsent = self.memory.end();
                self.memory.seal();
                self.reply(delay, 0x85, &packet);
                self.packet = Some(packet);
            }
            Command::RepeatChanges if self.packet.is_none() && self.settings.mute_without_packet => {}
            Command::RepeatChanges => self.reply(delay, 0x85, &self.packet.clone().unwrap_or_default()),
            Command::SendFromStart => self.reply(delay, 0x86, &self.memory.between(self.start, self.unsent)),
            Command::Ping => self.reply(delay, 0x87, &[]),
            Command::IgnoreNextPing => {
                self.ignores_ping = true;
                self.reply(delay, 0x87, &[]);
            }
            Command::SendVersion => {
                let (major, minor) = self.settings.board.version;
                self.reply(delay, 0x89, &[major, minor]);
            }
            Command::SetStartGame => {
                self.counters.dangerous += 1;
                self.start_game();
                self.reply(Duration::from_millis(70), 0x88, &[]);
            }
            Command::EndBusMode => {
                self.counters.dangerous += 1;
                self.bus = false;
            }
            Command::Reset => {
                self.counters.dangerous += 1;
                self.boots = Some(self.now.after(BOOT));
            }
            _ => self.counters.unknown += 1,
        }
    }

    /// Writes the start mark and all pieces into the log.
    fn start_game(&mut self) {
        self.start = self.memory.end();
        self.write(EeTag::StartMark);
        for square in Square::all() {
            let reading = self.scan.reported().get(square);
            if reading != Reading::Empty {
                let code = squares::code(reading).unwrap_or(0);
                self.write(EeTag::Field { index: squares::index(square), code, quick: false });
            }
        }
    }

    fn reply(&mut self, after: Duration, id: u8, data: &[u8]) {
        let mut bytes = Vec::new();
        encode_reply(id, self.settings.board.serial & 0x3fff, data, &mut bytes);
        let faults = self.settings.faults;
        if self.rng.f64() < faults.wrong_sum
            && let Some(sum) = bytes.last_mut()
        {
            *sum ^= 0x11;
        }
        if self.rng.f64() < faults.cut {
            bytes.truncate(self.rng.usize(1..bytes.len()));
        }
        // No number is drawn without this fault, so that the results of older seeds stay the same.
        if faults.doubled > 0.0 && self.rng.f64() < faults.doubled {
            bytes.extend_from_within(..);
        }
        let late = if self.rng.f64() < faults.late { self.rng.u64(100..=500) } else { 0 };
        self.answer = Some((self.now.after(after + Duration::from_millis(late)), bytes));
    }

    fn codes(&self) -> [u8; 64] {
        let mut codes = [0; 64];
        for square in Square::all() {
            codes[usize::from(squares::index(square))] = squares::code(self.scan.reported().get(square)).unwrap_or(0);
        }
        codes
    }
}
