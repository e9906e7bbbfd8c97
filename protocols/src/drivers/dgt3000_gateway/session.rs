//! Turns the text of the gateway into events, and asks one question: the times of the clock.
//!
//! The times are asked for every second. The gateway reports them by itself only when they change, so the answer is the sign of
//! life, and it shows that a clock is stopped. The gateway does not report:
//!
//! * **Running.** A clock runs if a time fell within the last two seconds by the gateway's stamps. An answer has no stamp. It
//!   was written after the question, so an answer that the radio delayed does not prove that the clock is stopped. A clock that
//!   counts up is not reported as running, because it looks like a clock that is being set.
//! * **The lever**, until it moves. Until then the reported side is the one whose time fell last by itself, and the left side
//!   before any time fell. If the other time of a running clock falls, the reading is reported as a baseline. A movement names
//!   the side that went down, so that side was up before. If the other side had been reported (the lever never moved, or a
//!   movement was lost), a baseline corrects this first.
//! * **Turn, flags, added time.** They are never known, so the driver reports no turn, no flag and no added time.
//!
//! Stamps are milliseconds since the gateway was switched on. The delay of a message, compared with the quickest one, is
//! reported with its reading. The same stamp again means that the same movement of the lever was reported twice.

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

/// The place of the question for the times. The scheduler treats its answer like a board's picture of all squares.
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

/// The session with one gateway on one link: it decodes messages and sends the question.
///
/// Before [`Input::LinkUp`] it is passive. It supports the command [`DeviceCommand::ReadClock`]. There is nothing else to ask
/// for.
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
    /// The time since which an answer is expected.
    asked: Option<Instant>,
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.reader.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at, &PLAN))),
            Input::LinkDown => self.set_link(None),
            // The gateway sends on one characteristic only.
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
    /// Forgets the clock, because it may be another one when it comes back.
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
        // All other messages come without a question.
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
                // The clone does not repeat the command's name.
                if id.is_some_and(|id| !id.is(ID)) {
                    return self.shell.out.anomaly(Anomaly::Unasked, bytes);
                }
                self.shell.on_answer(at, TIMES);
                // A passive session does not know the time of the question.
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
            // The result is reported separately: the clock goes away.
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
