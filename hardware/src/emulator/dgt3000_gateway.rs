//! Emulates a DGT3000 BLE Gateway with its clock, which reports a time when it has changed and the lever when it moves
//! (`dgt3000_gateway/README.md#4`).
//!
//! The program that commands the clock is not emulated. `run`, `set` and presses of a script have the effect of a program that
//! sends `run` and `setTime`. Such a program adds no time by itself, so the clock has no additional time.

use std::time::Duration;

use flagfall_protocols::drivers::dgt3000_gateway::framing::{Framed, Framing};
use flagfall_protocols::drivers::dgt3000_gateway::host::{HostCommand, Order};
use flagfall_protocols::drivers::dgt3000_gateway::json::{Members, Value};
use flagfall_protocols::drivers::dgt3000_gateway::message::{Button, Message, NOT_CONNECTED, Outcome, Times};
use flagfall_protocols::event::ClockSide;
use flagfall_protocols::square::Placement;
use flagfall_protocols::time::{ClockTime, Instant};

use super::clock::Clock;
use super::clock_model::{ClockSettings, Method, Model};
use super::device::{Device, Kind, Sent};
use super::hands::{Motion, apply_to_board, apply_to_clock};
use super::line::Line;
use super::motions::Motions;
use super::script::{Action, Script};
use super::simulated_board::SimulatedBoard;
use super::{Counters, Impossible};

/// The settings of an emulated gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewaySettings {
    /// The settings of its clock.
    pub clock: ClockSettings,
    /// The interval at which it reads the times of its clock.
    pub poll: Duration,
    /// The time from a command's arrival to its answer, and from a movement to its message.
    pub delay: Duration,
    /// The largest size of one notification, in bytes.
    pub notification: usize,
}

/// The kinds of emulated gateways. A press is reported after the delay of the gateway, and a time after the gateway's next
/// query.
pub(super) const KINDS: &[Kind] = &[
    Kind {
        driver: "dgt3000_gateway",
        variant: "",
        late: Duration::from_millis(15),
        learns: Duration::ZERO,
        start: |_| Box::new(Gateway::new(GatewaySettings::default())),
    },
    Kind {
        driver: "dgt3000_gateway",
        variant: "slow",
        late: Duration::from_millis(120),
        learns: Duration::ZERO,
        start: |_| Box::new(Gateway::new(slow())),
    },
];

/// A gateway that is slow in everything, with notifications of the smallest size.
fn slow() -> GatewaySettings {
    let (poll, delay) = (Duration::from_secs(1), Duration::from_millis(120));
    GatewaySettings { poll, delay, notification: 20, ..GatewaySettings::default() }
}

impl Default for GatewaySettings {
    /// Five minutes a side.
    fn default() -> GatewaySettings {
        GatewaySettings {
            clock: ClockSettings::new(Model::Dgt3000, Method::TimeOnly, ClockTime::hms(0, 5, 0), ClockTime(0)),
            poll: Duration::from_millis(100),
            delay: Duration::from_millis(15),
            notification: 180,
        }
    }
}

/// A gateway that answers like real ones. Commands that set, run or stop the clock are counted as [`Counters::set_and_run`] and
/// change nothing.
#[derive(Clone, Debug)]
pub struct Gateway {
    settings: GatewaySettings,
    now: Instant,
    powered: bool,
    /// The time at which it was switched on. Its stamps count from here.
    began: Instant,
    /// `None` while its cable is unplugged. The gateway then keeps the last times.
    clock: Option<Clock>,
    plugged_out: Option<Clock>,
    times: Times,
    line: Line,
    framing: Framing,
    motions: Motions,
    /// Always empty: every movement of a piece is impossible.
    squares: SimulatedBoard,
    counters: Counters,
}

/// The next event. The order of the variants is the order of events at the same moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Next {
    Motion,
    Poll,
}

impl Gateway {
    /// Creates a gateway that is switched on at time zero.
    pub fn new(settings: GatewaySettings) -> Gateway {
        let clock = Clock::new(settings.clock.clone(), Instant::ZERO);
        Gateway {
            now: Instant::ZERO,
            powered: true,
            began: Instant::ZERO,
            times: times(&clock),
            clock: Some(clock),
            plugged_out: None,
            line: Line::unpaced(settings.notification),
            framing: Framing::default(),
            motions: Motions::default(),
            squares: SimulatedBoard::new(Placement::EMPTY),
            counters: Counters::default(),
            settings,
        }
    }

    fn next_event(&self) -> Option<(Instant, Next)> {
        let motion = self.motions.next().map(|at| (at, Next::Motion));
        // A query that finds no change is skipped.
        let poll = self.next_poll().map(|at| (at, Next::Poll));
        [motion, poll].into_iter().flatten().min()
    }

    /// Returns the time of the next query, if the clock runs or shows a new time.
    fn next_poll(&self) -> Option<Instant> {
        let clock = self.clock.as_ref().filter(|clock| self.powered && (clock.running() || times(clock) != self.times))?;
        let period = self.settings.poll.max(Duration::from_millis(1)).as_micros() as u64;
        let waited = self.now.since(self.began).as_micros() as u64;
        // A running clock without a new time has been queried at this moment already.
        let next = if times(clock) == self.times { waited / period + 1 } else { waited.div_ceil(period) };
        Some(self.began.after(Duration::from_micros(next.saturating_mul(period))))
    }

    fn run_until(&mut self, to: Instant) {
        while let Some((at, next)) = self.next_event().filter(|(at, _)| *at <= to) {
            self.advance_time(at);
            match next {
                Next::Motion => self.carry_out(),
                Next::Poll => self.poll_clock(),
            }
        }
        self.advance_time(to);
    }

    fn advance_time(&mut self, at: Instant) {
        self.now = self.now.max(at);
        for clock in [&mut self.clock, &mut self.plugged_out].into_iter().flatten() {
            clock.advance(self.now);
        }
    }

    fn poll_clock(&mut self) {
        let Some(seen) = self.clock.as_ref().map(times) else { return };
        if std::mem::replace(&mut self.times, seen) != seen {
            self.send(Duration::ZERO, &Message::Time { stamp: self.stamp(), times: seen });
        }
    }

    fn stamp(&self) -> u64 {
        self.now.since(self.began).as_millis() as u64
    }

    fn send(&mut self, after: Duration, message: &Message<'_>) {
        if self.powered {
            let mut bytes = Vec::new();
            message.encode(&mut bytes);
            self.line.send(self.now.after(after), &bytes);
        }
    }

    fn carry_out(&mut self) {
        let Some(motion) = self.motions.pop() else { return };
        let done = match apply_to_board(&mut self.squares, self.now, motion) {
            Ok(Some(Motion::Do(Action::Power(on)))) => {
                self.power(on);
                Ok(())
            }
            Ok(Some(Motion::OtherClock)) => {
                self.plugged_out = Some(Clock::new(self.settings.clock.clone(), self.now));
                self.plug(true);
                Ok(())
            }
            Ok(Some(Motion::Do(action))) => self.handle_clock(action),
            Ok(_) => Ok(()),
            Err(problem) => Err(problem),
        };
        if let Err(problem) = done {
            self.motions.record_failure(self.now, problem, &mut self.counters);
        }
    }

    fn handle_clock(&mut self, action: Action) -> Result<(), Impossible> {
        let clock = self.clock.as_mut().or(self.plugged_out.as_mut()).ok_or(Impossible::NoClock)?;
        match action {
            Action::Press(side) => {
                let moved = clock.reading().lever_up == side;
                apply_to_clock(clock, action)?;
                if moved && self.clock.is_some() {
                    let (button, code) =
                        if side == ClockSide::Left { (Button::LeverLeft, 0xc0) } else { (Button::LeverRight, 0x40) };
                    self.send_button(button, code);
                }
            }
            Action::Connect => self.plug(true),
            Action::Disconnect | Action::Replace => self.plug(false),
            _ => return apply_to_clock(clock, action),
        }
        Ok(())
    }

    fn send_button(&mut self, button: Button, code: u8) {
        let event = Message::Button { stamp: self.stamp(), button: Some(button), code, repeat: false, count: None };
        self.send(self.settings.delay, &event);
    }

    /// The cable between gateway and clock.
    fn plug(&mut self, connected: bool) {
        if connected == self.clock.is_some() {
            return;
        }
        std::mem::swap(&mut self.clock, &mut self.plugged_out);
        let event = Message::Connection { stamp: self.stamp(), connected, configured: connected };
        self.send(self.settings.delay, &event);
    }

    fn power(&mut self, on: bool) {
        if on != self.powered {
            self.powered = on;
            self.began = self.now;
            self.framing.reset();
            self.line.drop_unsent(self.now);
        }
    }

    fn on_command(&mut self, command: &HostCommand) {
        let outcome = match command.order {
            Order::GetTime if self.clock.is_none() => Outcome::Failed(Some(NOT_CONNECTED)),
            Order::GetTime => Outcome::Done(Some(self.times)),
            Order::SetTime { .. } | Order::Run { .. } | Order::Stop => {
                self.counters.set_and_run += 1;
                Outcome::Done(None)
            }
            Order::DisplayText(_) | Order::EndDisplay => {
                self.counters.display += 1;
                Outcome::Done(None)
            }
            Order::Unknown => {
                self.counters.unknown += 1;
                Outcome::Failed(Some(1101))
            }
        };
        // The answer repeats the command's name as the host wrote it in JSON.
        let mut named = Vec::new();
        command.encode(&mut named);
        let id = Members::new(&named).flatten().find(|member| member.name.is("id"));
        let id = id.and_then(|member| if let Value::Text(text) = member.value { Some(text) } else { None });
        self.send(self.settings.delay, &Message::Response { id, outcome });
    }
}

/// Returns the times of the clock as the gateway reads them.
fn times(clock: &Clock) -> Times {
    let reading = clock.reading();
    let [left, right] = [reading.left, reading.right].map(|face| {
        let seconds = face.time.millis() / 1000;
        [seconds / 3600, seconds / 60 % 60, seconds % 60].map(|part| part as u8)
    });
    Times { left, right }
}

impl Device for Gateway {
    fn load(&mut self, script: &Script) {
        self.motions.load(self.now, script, &mut self.counters);
    }

    fn host(&mut self, at: Instant, _: u8, bytes: &[u8]) {
        self.run_until(at.max(self.now));
        if !self.powered {
            return;
        }
        for &byte in bytes {
            let command = match self.framing.push(byte) {
                Some(Framed::Message { text, .. }) => HostCommand::decode(text),
                Some(Framed::Anomaly { .. }) => {
                    self.counters.stray += 1;
                    continue;
                }
                None => continue,
            };
            match command {
                Some(command) => self.on_command(&command),
                None => self.counters.unknown += 1,
            }
        }
    }

    fn next(&self) -> Option<Instant> {
        let inner = self.next_event().map(|(at, _)| at);
        [inner, self.line.next()].into_iter().flatten().min()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.run_until(to);
        self.line.take_arrived(self.now, out);
    }

    /// A running clock goes on reporting its times. The gateway counts as done anyway.
    fn done(&self) -> bool {
        self.motions.next().is_none() && self.line.next().is_none()
    }

    fn counters(&self) -> Counters {
        Counters { lost: self.line.lost, ..self.counters }
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.motions.impossible()
    }
}
