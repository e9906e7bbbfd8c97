//! Emulates the clock port of a DGT board: the clock, its cable, and the queries to the clock two or three times a second.

use std::collections::VecDeque;
use std::time::Duration;

use fastrand::Rng;
use flagfall_protocols::drivers::dgt::clock::{ClockAck, ClockMessage, ClockReport, RawFace, Status};
use flagfall_protocols::event::{ClockFace, ClockReading, ClockSide};
use flagfall_protocols::time::{ClockTime, Instant};

use super::clock::Clock;
use super::settings::{ClockWay, Quirks, Settings};

/// The largest number of acknowledgements that are not delivered yet. A host should wait for each one.
const MAX_ACKS: usize = 16;
/// The longest time between two messages in mode UPDATE.
const AGAIN: Duration = Duration::from_secs(1);

/// Defines when the board reports the clock to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reporting {
    Never,
    OnChange,
    OnChangeAndEverySecond,
}

/// The result of one query to the clock.
pub(super) struct Polled {
    /// The message to send.
    pub(super) message: Option<ClockMessage>,
    /// The lever moved: the side that stopped, and its time.
    pub(super) stopped: Option<(ClockSide, ClockTime)>,
}

#[derive(Clone, Debug)]
pub(super) struct Port {
    pub(super) clock: Option<Clock>,
    pub(super) connected: bool,
    /// The clock is connected but does not answer.
    silent: bool,
    every: Duration,
    way: ClockWay,
    chance: Rng,
    /// Reports that are on their way to the host.
    late: VecDeque<(Instant, ClockMessage)>,
    pub(super) next_poll: Instant,
    sent: Option<(Instant, ClockMessage)>,
    lever: Option<ClockSide>,
    acks: VecDeque<(Instant, ClockMessage)>,
    quirks: Quirks,
    jump_at: Option<Instant>,
}

impl Port {
    pub(super) fn new(clock: Option<Clock>, settings: &Settings, at: Instant) -> Port {
        let (every, way, quirks) = (settings.clock_poll, settings.clock_way, settings.quirks);
        Port {
            connected: clock.is_some(),
            clock,
            silent: quirks.clock_silent_until_replug,
            every: every.max(Duration::from_millis(1)),
            way,
            chance: Rng::with_seed(way.seed),
            late: VecDeque::new(),
            next_poll: at,
            sent: None,
            lever: None,
            acks: VecDeque::new(),
            jump_at: quirks.clock_jump.map(|after| at.after(after)),
            quirks,
        }
    }

    pub(super) fn plug(&mut self, connected: bool) {
        self.connected = connected;
        self.silent &= !connected;
        self.lever = None;
    }

    /// Forgets the last sent report, because the board was switched on or a mode was set.
    pub(super) fn forget(&mut self) {
        self.sent = None;
    }

    pub(super) fn power_up(&mut self, at: Instant) {
        self.forget();
        self.acks.clear();
        self.late.clear();
        self.next_poll = at;
    }

    /// Queries the clock, which must have been advanced to `at`.
    pub(super) fn poll(&mut self, at: Instant, reporting: Reporting) -> Polled {
        self.next_poll = at.after(self.interval());
        if self.way.skipped > 0 && self.chance.u16(0..10_000) < self.way.skipped {
            return Polled { message: None, stopped: None };
        }
        let message = self.now();
        let stopped = self.lever_moved();
        let fresh = self.sent.is_none_or(|(last, sent)| {
            sent != message || (reporting == Reporting::OnChangeAndEverySecond && self.next_poll.since(last) > AGAIN)
        });
        if reporting == Reporting::Never || self.silent || !fresh {
            return Polled { message: None, stopped };
        }
        self.sent = Some((at, message));
        let jump = self.jump_at.is_some_and(|due| due <= at);
        let running = self.clock.as_ref().filter(|clock| jump && self.connected && clock.running());
        let message = match running.map(Clock::reading) {
            None => message,
            Some(reading) => {
                self.jump_at = None;
                // The right time then follows even if it did not change.
                self.sent = None;
                report(&jumped(reading))
            }
        };
        match self.delay() {
            Duration::ZERO => Polled { message: Some(message), stopped },
            delay => {
                let due = at.after(delay).max(self.late.back().map_or(at, |(due, _)| *due));
                self.late.push_back((due, message));
                Polled { message: None, stopped }
            }
        }
    }

    /// Returns the time until the next query to the clock.
    fn interval(&mut self) -> Duration {
        let sooner = self.way.sooner.min(self.every).as_micros() as u64;
        let sooner = if sooner == 0 { 0 } else { self.chance.u64(0..=sooner) };
        self.every.saturating_sub(Duration::from_micros(sooner)).max(Duration::from_millis(1))
    }

    fn delay(&mut self) -> Duration {
        let [from, to] = self.way.delay.map(|delay| delay.as_micros() as u64);
        if to == 0 { Duration::ZERO } else { Duration::from_micros(self.chance.u64(from.min(to)..=to)) }
    }

    /// Returns the arrival time of the next report that is on its way.
    pub(super) fn next_late(&self) -> Option<Instant> {
        self.late.front().map(|(due, _)| *due)
    }

    pub(super) fn pop_late(&mut self) -> Option<ClockMessage> {
        self.late.pop_front().map(|(_, message)| message)
    }

    /// Returns the answer to "send clock"; `None` if the clock does not answer.
    pub(super) fn query(&self) -> Option<ClockMessage> {
        (!self.silent).then(|| self.now())
    }

    /// Queues the acknowledgement of a clock command for the time `due`.
    pub(super) fn acknowledge(&mut self, at: Instant, due: Instant, ack: ClockAck) {
        if !self.connected || self.silent || self.acks.len() + 3 > MAX_ACKS {
            return;
        }
        let mut ack = ack;
        if std::mem::take(&mut self.quirks.ack_fails_once) {
            ack.0[0] = ClockAck::FAILED;
        }
        if self.quirks.null_clock_message {
            self.acks.push_back((at, ClockMessage::Null));
        }
        if std::mem::take(&mut self.quirks.illegal_time)
            && let ClockMessage::Report(now) = self.now()
        {
            self.acks.push_back((at, ClockMessage::Report(ClockReport { right: RawFace([0x0c, 0x08, 0x08]), ..now })));
        }
        self.acks.push_back((due, ClockMessage::Ack(ack)));
    }

    pub(super) fn next_ack(&self) -> Option<Instant> {
        self.acks.front().map(|(due, _)| *due)
    }

    pub(super) fn pop_ack(&mut self) -> Option<ClockMessage> {
        self.acks.pop_front().map(|(_, message)| message)
    }

    fn now(&self) -> ClockMessage {
        match self.clock.as_ref().filter(|_| self.connected) {
            Some(clock) => report(&clock.reading()),
            None => ClockMessage::Report(ClockReport { status: Status(Status::NO_CLOCK), ..ClockReport::default() }),
        }
    }

    fn lever_moved(&mut self) -> Option<(ClockSide, ClockTime)> {
        let reading = self.clock.as_ref().filter(|_| self.connected)?.reading();
        let before = self.lever.replace(reading.lever_up)?;
        (before != reading.lever_up).then(|| (before, reading.face(before).time))
    }
}

fn report(reading: &ClockReading) -> ClockMessage {
    let turn = match reading.turn {
        Some(ClockSide::Left) => Status::LEFT_TURN,
        Some(ClockSide::Right) => Status::RIGHT_TURN,
        None => 0,
    };
    let bits = [
        (reading.running, Status::RUNNING),
        (reading.lever_up == ClockSide::Right, Status::RIGHT_UP),
        (reading.battery_low, Status::BATTERY_LOW),
    ];
    let status = bits.into_iter().filter(|(set, _)| *set).fold(turn, |status, (_, bit)| status | bit);
    ClockMessage::Report(ClockReport {
        right: RawFace::new(reading.right),
        left: RawFace::new(reading.left),
        status: Status(status),
    })
}

fn jumped(reading: ClockReading) -> ClockReading {
    let up = |face: ClockFace| ClockFace { time: ClockTime(face.time.millis() + 5_400_000), ..face };
    match reading.turn {
        Some(ClockSide::Right) => ClockReading { right: up(reading.right), ..reading },
        _ => ClockReading { left: up(reading.left), ..reading },
    }
}
