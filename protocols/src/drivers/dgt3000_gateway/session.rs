//! The driver: text to events, and the one question that is asked.
//!
//! The times are asked for every second: the gateway tells them by itself only when they change, so the answer is the sign of
//! life, and it shows that a clock stands. What the gateway does not tell:
//!
//! * **Running.** A clock runs if a time fell within the last two seconds by the gateway's stamps. An answer has none: it was
//!   written after it was asked for, so that one which the radio held back does not show that the clock stands. A clock that counts
//!   up is not told as running: it cannot be known from one that is being set.
//! * **The lever**, until it moves. Until then the side is said to be up whose time fell last by itself, and left before one did; a
//!   running clock whose other time falls is told as a baseline. A movement says which side went down, so before it that side was
//!   up: if something else had been told (never moved yet, or a movement was lost) a baseline puts that right first.
//! * **Turn, flags, added time.** Never known: no turn, no flag, no added time.
//!
//! Stamps are milliseconds since the gateway was switched on. How late a message came compared with the quickest is told with its
//! reading; the same stamp again is the same movement of the lever told twice.

use core::time::Duration;

use super::framing::{Framed, Framing};
use super::host::{GET_TIME, ID};
use super::lateness::Lateness;
use super::message::{Button, Message, NOT_CONNECTED, Outcome, Refused};
use super::reader::{ClockReader, Readings, Written};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::query_scheduler::{QueryPlan, QueryScheduler, Question};
use crate::drivers::shell::Shell;
use crate::event::{Anomaly, ByteRange, ClockButton, ClockReading, DeviceEvent};
use crate::time::Instant;

/// The row that asks for the times; its answer is what a picture of all squares is to boards.
const TIMES: usize = 0;

const PLAN: QueryPlan = QueryPlan {
    settle: Duration::from_millis(300),
    confirm: true,
    gap: Duration::from_millis(100),
    questions: &[Question { bytes: GET_TIME, retry: Some(Duration::from_secs(1)), tries: None }],
    picture: TIMES,
    age: Duration::from_secs(1),
    repair: Duration::from_millis(500),
};

/// Codec and session of one gateway.
///
/// Until [`Input::LinkUp`] it is passive. Of commands it knows [`DeviceCommand::ReadClock`]; there is nothing else to ask for.
#[derive(Debug, Default)]
pub struct Session {
    framing: Framing,
    reader: Reader,
}

/// Everything except the framing, because the messages borrow its buffer.
#[derive(Debug, Default)]
struct Reader {
    shell: Shell,
    clock: ClockReader,
    lateness: Lateness,
    /// Since when an answer is waited for.
    asked: Option<Instant>,
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.reader.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at, &PLAN))),
            Input::LinkDown => self.set_link(None),
            // The gateway speaks on one characteristic only.
            Input::Bytes { bytes, .. } => {
                for &byte in bytes {
                    self.reader.shell.note_byte(at);
                    if let Some(framed) = self.framing.push(byte) {
                        self.reader.handle_framed(at, framed);
                    }
                }
            }
            Input::Command(DeviceCommand::ReadClock) => {
                self.reader.clock.request_repeat();
                self.reader.shell.ask(at, TIMES);
            }
            Input::Command(_) => {}
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.reader.shell.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        self.reader.shell.deadline(self.framing.holds())
    }
}

impl Session {
    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.framing.reset();
        self.reader.forget();
        self.reader.lateness = Lateness::default();
        self.reader.shell.set_scheduler(scheduler);
    }

    fn handle_deadline(&mut self, at: Instant) {
        if self.reader.shell.is_stalled(at, self.framing.holds())
            && let Some(stalled) = self.framing.stall()
        {
            self.reader.handle_framed(at, stalled);
        }
        if self.reader.shell.expire(at, self.framing.offset()) {
            self.reader.forget();
        }
        if self.reader.shell.waits_for(TIMES) {
            self.reader.asked.get_or_insert(at);
        }
    }
}

impl Reader {
    /// The clock may be another one when it comes back.
    fn forget(&mut self) {
        self.shell.forget();
        (self.clock, self.asked) = (ClockReader::default(), None);
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed<'_>) {
        match framed {
            Framed::Message { text, at: bytes } => match Message::decode(text) {
                Ok(message) => self.handle_message(at, &message, bytes),
                Err(refused) => {
                    let anomaly = match refused {
                        Refused::Unknown => Anomaly::UnknownMessage,
                        Refused::NotJson | Refused::Field => Anomaly::BadField,
                    };
                    self.shell.report_broken(at, anomaly, bytes, anomaly != Anomaly::UnknownMessage);
                }
            },
            Framed::Anomaly { anomaly, at: bytes } => self.shell.report_broken(at, anomaly, bytes, true),
        }
    }

    fn handle_message(&mut self, at: Instant, message: &Message<'_>, bytes: ByteRange) {
        // Everything else comes without our asking.
        let answer = matches!(message, Message::Response { .. });
        self.shell.on_message(at, answer, bytes);
        let late = message.stamp().map_or(Duration::ZERO, |stamp| self.lateness.measure(at, stamp));
        match *message {
            Message::Time { ref times, .. } => {
                let readings = self.clock.read_times(Written::exactly(at.before(late)), times, false);
                self.report_readings(readings, late, bytes);
            }
            Message::Button { stamp, button, repeat, .. } => self.handle_button(at, (stamp, late), button, repeat, bytes),
            Message::Connection { connected: true, .. } => self.clock.mark_present(),
            Message::Connection { connected: false, .. } => self.report_absent(bytes),
            Message::Error { code, .. } => self.handle_failure(Some(code), bytes),
            Message::Response { id, ref outcome } => {
                // The clone does not repeat the name.
                if id.is_some_and(|id| !id.is(ID)) {
                    return self.shell.out.anomaly(Anomaly::Unasked, bytes);
                }
                self.shell.on_answer(at, TIMES);
                // Who only listens does not know when it was asked for.
                let earliest = if self.shell.asks_questions() { self.asked.take() } else { Some(at) };
                match outcome {
                    Outcome::Done(Some(times)) => {
                        let readings = self.clock.read_times(Written { earliest, latest: at }, times, true);
                        self.report_readings(readings, late, bytes);
                    }
                    Outcome::Done(None) => {}
                    Outcome::Failed(code) => self.handle_failure(*code, bytes),
                }
            }
        }
    }

    fn handle_button(
        &mut self,
        at: Instant,
        (stamp, late): (u64, Duration),
        button: Option<Button>,
        repeat: bool,
        bytes: ByteRange,
    ) {
        let Some(button) = button else { return self.shell.out.anomaly(Anomaly::BadField, bytes) };
        let pressed = match button {
            Button::LeverLeft | Button::LeverRight => {
                let readings = self.clock.read_lever(at.before(late), stamp, button);
                return self.report_readings(Ok(readings), late, bytes);
            }
            Button::Back => ClockButton::Back,
            Button::Minus => ClockButton::Minus,
            Button::PlayPause => ClockButton::RunPause,
            Button::Plus => ClockButton::Plus,
            Button::Forward => ClockButton::Ok,
            // What becomes of it is told by itself: a clock that goes away.
            Button::OnOffPress | Button::OnOffRelease => return,
        };
        if !repeat {
            self.shell.out.event(DeviceEvent::ClockButton(pressed), bytes);
        }
    }

    fn handle_failure(&mut self, code: Option<u16>, bytes: ByteRange) {
        self.shell.out.anomaly(Anomaly::ClockRefused, bytes);
        if code == Some(NOT_CONNECTED) {
            self.report_absent(bytes);
        }
    }

    fn report_absent(&mut self, bytes: ByteRange) {
        if self.clock.mark_absent() {
            self.shell.out.event(DeviceEvent::ClockAbsent, bytes);
        }
    }

    fn report_readings(&mut self, readings: Result<Readings, Anomaly>, late: Duration, bytes: ByteRange) {
        match readings {
            Ok(readings) => {
                for reading in readings.into_iter().flatten() {
                    self.shell.out.event(DeviceEvent::Clock(ClockReading { late, ..reading }), bytes);
                }
            }
            Err(anomaly) => self.shell.out.anomaly(anomaly, bytes),
        }
    }
}
