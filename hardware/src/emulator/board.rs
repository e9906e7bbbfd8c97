//! Emulates a DGT board with its clock, and carries out its events in order of time.

use std::time::Duration;

use fastrand::Rng;
use flagfall_protocols::drivers::dgt::board::BoardMessage;
use flagfall_protocols::drivers::dgt::clock::ClockMessage;
use flagfall_protocols::drivers::dgt::ee::EeTag;
use flagfall_protocols::drivers::dgt::host_decoder::HostDecoder;
use flagfall_protocols::drivers::dgt::squares;
use flagfall_protocols::square::Square;
use flagfall_protocols::time::Instant;

use super::answers::Mode;
use super::clock::Clock;
use super::device::{Kind, Sent, Start};
use super::line::Line;
use super::memory::Memory;
use super::motions::Motions;
use super::port::Port;
use super::scan::Scan;
use super::script::Script;
use super::settings::Settings;
use super::simulated_board::{Impossible, SimulatedBoard};

/// The kinds of emulated DGT boards. A change is reported after at most one scan and the time of the message on the line.
pub(super) const KINDS: &[Kind] = &[Kind {
    driver: "dgt",
    variant: "",
    late: Duration::from_millis(225 + 15),
    learns: Duration::ZERO,
    start: |start| {
        let Start { placement, serial, lost_updates } = *start;
        Box::new(Emulator::new(Settings { placement, serial, lost_updates, ..Settings::default() }))
    },
}];

/// Counts the commands that a host sent and the errors that an emulated board met. Tests use the counters to prove that a host
/// never sent certain commands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Commands to set the clock's times and run. They are acknowledged as refused and change nothing.
    pub set_and_run: u64,
    /// Commands that change the clock's display or make it beep. They are acknowledged and change nothing.
    pub display: u64,
    /// Commands for lights.
    pub lights: u64,
    /// Commands that a chess board must never receive: bootloader, scan into memory.
    pub dangerous: u64,
    /// Bus commands. This board does not answer them.
    pub bus: u64,
    /// Commands that are unknown, or to which this board has no answer.
    pub unknown: u64,
    /// Bytes that begin no command, and commands that were cut off.
    pub stray: u64,
    /// Messages that were lost because the host asked for more than the line can hold.
    pub lost: u64,
    /// Impossible hand movements.
    pub impossible: u64,
    /// Hand movements that were dropped because too many were waiting.
    pub not_loaded: u64,
}

/// A board and its clock that answer like real ones. They do no IO and read no clock: the same inputs at the same times give
/// the same bytes at the same times.
#[derive(Clone, Debug)]
pub struct Emulator {
    pub(super) settings: Settings,
    pub(super) now: Instant,
    pub(super) squares: SimulatedBoard,
    pub(super) scan: Scan,
    pub(super) port: Port,
    pub(super) powered: bool,
    pub(super) mode: Mode,
    pub(super) decoder: HostDecoder,
    pub(super) line: Line,
    pub(super) memory: Memory,
    motions: Motions,
    log_at: Option<Instant>,
    /// Decides which field updates are lost.
    losses: Rng,
    pub(super) counters: Counters,
    /// The time and square of the next sample that finds a change. It is computed again after every change of its inputs.
    sampled: Option<(Instant, Square)>,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Sample(Square),
    Ack,
    Poll,
    Late,
    Log,
}

impl Emulator {
    /// Creates a board that is switched on at time zero.
    pub fn new(settings: Settings) -> Emulator {
        let at = Instant::ZERO;
        let clock = settings.clock.clone().map(|settings| Clock::new(settings, at));
        let mut emulator = Emulator {
            now: at,
            squares: SimulatedBoard::new(settings.placement),
            scan: Scan::new(at.after(settings.scan_phase), settings.scan, settings.placement),
            port: Port::new(clock, &settings, at),
            powered: true,
            mode: Mode::Idle,
            decoder: HostDecoder::new(),
            line: Line::new(settings.paced),
            memory: Memory::default(),
            motions: Motions::default(),
            log_at: settings.quirks.unasked_log.map(|after| at.after(after)),
            losses: Rng::with_seed(settings.lost_updates.seed),
            counters: Counters::default(),
            sampled: None,
            settings,
        };
        emulator.memory.power_up(emulator.scan.reported());
        if emulator.settings.quirks.starts_mid_message {
            emulator.begin_mid_message();
        }
        emulator
    }

    /// Adds hand motions. The script's time begins at the last moment to which the board was advanced.
    pub fn load(&mut self, script: &Script) {
        self.motions.load(self.now, script, &mut self.counters);
    }

    /// Returns the time of the board's next own action, if there is no other input.
    pub fn next(&self) -> Option<Instant> {
        let inner = self.next_event().map(|(at, _)| at);
        [inner, self.line.next()].into_iter().flatten().min()
    }

    /// Lets time pass up to `to`, and appends the bytes that the board sent until then. Each piece has the time at which its
    /// last byte arrives.
    pub fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.run_until(to);
        self.line.take_arrived(self.now, out);
    }

    /// Returns whether all hand motions are done, reported and sent. The clock may go on.
    pub fn done(&self) -> bool {
        let reported = !self.powered || self.sampled.is_none();
        self.motions.next().is_none() && reported && self.line.next().is_none()
    }

    /// Returns the counters of commands and errors.
    pub const fn counters(&self) -> Counters {
        Counters { lost: self.line.lost, ..self.counters }
    }

    /// Returns the first hundred impossible hand movements.
    pub fn impossible(&self) -> &[(Instant, Impossible)] {
        self.motions.impossible()
    }

    /// Returns the clock, if there is one, at the last moment to which the board was advanced.
    pub const fn clock(&self) -> Option<&Clock> {
        self.port.clock.as_ref()
    }

    pub(super) fn run_until(&mut self, to: Instant) {
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.advance_time(at);
            match next {
                Next::Motion => {
                    if let Some(motion) = self.motions.pop()
                        && let Err(problem) = self.carry_out(motion)
                    {
                        self.motions.record_failure(at, problem, &mut self.counters);
                    }
                    self.schedule_sample();
                }
                Next::Sample(square) => self.sample(square),
                Next::Ack => {
                    let ack = self.port.pop_ack().filter(|_| self.mode.reports_clock());
                    if let Some(ack) = ack {
                        self.send_clock(ack);
                    }
                }
                Next::Poll => {
                    let polled = self.port.poll(at, self.mode.reporting());
                    if let Some((side, time)) = polled.stopped {
                        self.memory.write(EeTag::Time { side, time });
                    }
                    if let Some(message) = polled.message {
                        self.send_clock(message);
                    }
                }
                Next::Late => {
                    let late = self.port.pop_late().filter(|_| self.mode.reports_clock());
                    if let Some(late) = late {
                        self.send_clock(late);
                    }
                }
                Next::Log => {
                    self.log_at = None;
                    if self.mode != Mode::Idle {
                        self.send_log();
                    }
                }
            }
        }
        self.advance_time(to);
    }

    pub(super) fn send(&mut self, message: &BoardMessage<'_>) {
        let mut bytes = Vec::new();
        message.encode(&mut bytes);
        self.line.send(self.now, &bytes);
    }

    pub(super) fn send_clock(&mut self, message: ClockMessage) {
        self.send(&BoardMessage::Clock(message.encode()));
    }

    fn advance_time(&mut self, at: Instant) {
        self.now = self.now.max(at);
        if let Some(clock) = &mut self.port.clock {
            clock.advance(self.now);
        }
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.motions.next().map(|at| (at, Next::Motion));
        if !self.powered {
            return motion;
        }
        let sample = self.sampled.map(|(at, square)| (at, Next::Sample(square)));
        let ack = self.port.next_ack().map(|at| (at, Next::Ack));
        let log = self.log_at.map(|at| (at, Next::Log));
        let poll = Some((self.port.next_poll, Next::Poll));
        let late = self.port.next_late().map(|at| (at, Next::Late));
        [motion, sample, ack, poll, late, log].into_iter().flatten().min()
    }

    /// Computes the next sample. This is called after a change of the squares, their sensors or the reported readings.
    fn schedule_sample(&mut self) {
        self.sampled = self.scan.next(&self.squares.seen(), self.now);
    }

    fn sample(&mut self, square: Square) {
        let reading = self.squares.seen().get(square);
        self.scan.report(square, reading);
        self.schedule_sample();
        self.memory.field(self.now, square, self.scan.reported());
        let lost = self.losses.u16(0..10_000) < self.settings.lost_updates.share;
        if self.mode != Mode::Idle && !lost {
            self.send(&BoardMessage::Field { index: squares::index(square), code: squares::code(reading).unwrap_or(0) });
        }
    }
}
