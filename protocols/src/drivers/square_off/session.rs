//! Turns the bytes of a Square Off board into events, and defines the questions to the board. The session is the same for all
//! boards: a board without the Neo's channels sends nothing on them.
//!
//! All squares are asked for every three seconds, because a lost notification is a lost event, and some boards send no events.
//! The Neo also sends its picture by itself every two seconds.
//!
//! **Pictures and events.** Events come at once, but a picture may be one interval old when it is sent. So a square with an
//! event within the last [`FRESH`] keeps the reading of the event, whatever the picture shows there. All other squares get the
//! reading of the picture. If the result differs from the reported squares, it is reported as one frame. In the captures no
//! picture contradicts an event that is younger than 25 s, so no true change is held back. A square that is read as empty for
//! minutes although a piece stands on it (`square_off/README.md#4.1`) is reported once when the piece disappears and once when
//! it comes back.
//!
//! **The battery** is reported in volts, and the charge cannot be computed from them: two points (3752.5 mV at 73 %, 3792.0 mV
//! at 76 %) are not enough for a curve. So the driver does not report the volts. The Neo reports percent in its own
//! characteristic.

use core::time::Duration;

use super::framing::{Found, Framing};
use super::message::{MAX_TEXT, Message, NO_MILLIVOLTS, event, percent, picture, placement, text};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::query_scheduler::{QueryPlan, QueryScheduler, Question};
use crate::drivers::shell::Shell;
use crate::event::{Anomaly, Battery, ByteRange, DeviceEvent};
use crate::square::{Reading, Square};
use crate::time::Instant;

/// The time for which an event of a square has priority over a picture: the Neo's usual interval, 2.04 s, and half of another
/// one.
pub const FRESH: Duration = Duration::from_secs(3);

/// The place of this question in the table of questions. The next constants are the places of the other questions.
const BOARD: usize = 0;
const BATTERY: usize = 1;

/// 30#R and 4#. The driver never sends 14#1, which restarts the board's game, and never 1#, which asks for its address.
pub(in crate::drivers) const QUESTIONS: &[Question] = &[
    Question { bytes: b"30#R*", retry: Some(Duration::from_secs(1)), tries: None },
    Question { bytes: b"4#*", retry: Some(Duration::from_secs(1)), tries: Some(3) },
];

const PLAN: QueryPlan = QueryPlan {
    settle: Duration::from_millis(250),
    confirm: true,
    gap: Duration::from_millis(150),
    questions: QUESTIONS,
    picture: BOARD,
    age: Duration::from_secs(3),
    repair: Duration::from_secs(1),
};

/// The session with one board on one link: it decodes messages and sends questions.
///
/// Before [`Input::LinkUp`] it is passive. It supports the commands [`DeviceCommand::ReadBoard`] and
/// [`DeviceCommand::ReadBattery`]. The board has no clock and no log to ask for.
#[derive(Debug)]
pub struct Session {
    text: Framing<Message, MAX_TEXT>,
    events: Framing<Message, 3>,
    pictures: Framing<Message, 64>,
    percent: Framing<Message, 1>,
    reader: Reader,
}

#[derive(Debug)]
struct Reader {
    shell: Shell,
    /// The last event of each square.
    events: [Option<(Instant, Reading)>; 64],
}

impl Default for Session {
    fn default() -> Session {
        Session {
            text: Framing::new(0, text),
            events: Framing::new(1, event),
            pictures: Framing::new(2, picture),
            percent: Framing::new(3, percent),
            reader: Reader { shell: Shell::default(), events: [None; 64] },
        }
    }
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.reader.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at, &PLAN))),
            Input::LinkDown => self.set_link(None),
            Input::Bytes { channel, bytes } => {
                let reader = &mut self.reader;
                for &byte in bytes {
                    let give = |found, bytes| reader.handle_found(at, found, bytes);
                    match channel {
                        0 => self.text.push(at, byte, give),
                        1 => self.events.push(at, byte, give),
                        2 => self.pictures.push(at, byte, give),
                        3 => self.percent.push(at, byte, give),
                        // No board has more channels.
                        _ => {}
                    }
                }
            }
            Input::Command(DeviceCommand::ReadBoard) => self.reader.shell.request_picture(at, BOARD),
            Input::Command(DeviceCommand::ReadBattery) => self.reader.shell.ask(at, BATTERY),
            Input::Command(DeviceCommand::ReadClock | DeviceCommand::ReadLog) => {}
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.reader.shell.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        let stalls = [self.text.deadline(), self.events.deadline(), self.pictures.deadline()];
        stalls.into_iter().chain([self.reader.shell.deadline(false)]).flatten().min()
    }
}

impl Session {
    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.text.reset();
        self.events.reset();
        self.pictures.reset();
        self.reader.forget();
        self.reader.shell.set_scheduler(scheduler);
    }

    fn handle_deadline(&mut self, at: Instant) {
        let stalled = [self.text.stall(at), self.events.stall(at), self.pictures.stall(at)];
        for bytes in stalled.into_iter().flatten() {
            self.reader.handle_found(at, Found::Broken(Anomaly::Stalled), bytes);
        }
        if self.reader.shell.expire(at, self.text.offset()) {
            self.reader.forget();
        }
    }
}

impl Reader {
    /// Forgets the board, because it may be another one when it comes back.
    fn forget(&mut self) {
        self.shell.forget();
        self.events = [None; 64];
    }

    fn handle_found(&mut self, at: Instant, found: Found<Message>, bytes: ByteRange) {
        match found {
            Found::Message(message) => self.handle_message(at, message, bytes),
            Found::Broken(anomaly) => self.shell.report_broken(at, anomaly, bytes, anomaly != Anomaly::UnknownMessage),
        }
    }

    fn handle_message(&mut self, at: Instant, message: Message, bytes: ByteRange) {
        // All messages except the answer to 30#R also come without a question.
        let answer = bytes.channel == 0 && matches!(message, Message::Board(_));
        self.shell.on_message(at, answer, bytes);
        match message {
            Message::Field { square, placed } => {
                let reading = if placed { Reading::Occupied } else { Reading::Empty };
                self.events[square.index()] = Some((at, reading));
                self.shell.pictures.record_square(square, reading);
                self.shell.out.event(DeviceEvent::Square { square, reading }, bytes);
            }
            Message::Board(occupied) => {
                self.handle_picture(at, occupied, bytes);
                if answer {
                    self.shell.on_answer(at, BOARD);
                }
            }
            Message::Volts(_) | Message::Millivolts(_) => {
                if matches!(message, Message::Millivolts(number) if number.is(NO_MILLIVOLTS)) {
                    self.shell.out.anomaly(Anomaly::BadField, bytes);
                }
                self.shell.on_answer(at, BATTERY);
            }
            Message::Percent(percent) => {
                let battery = Battery { percent, minutes_left: None, charging: false };
                self.shell.out.event(DeviceEvent::Battery(battery), bytes);
            }
            // These messages are good, but they answer no question of this driver.
            Message::Go | Message::InSync | Message::Address | Message::MotorDone => {
                self.shell.out.anomaly(Anomaly::Unasked, bytes);
            }
        }
    }

    fn handle_picture(&mut self, at: Instant, occupied: u64, bytes: ByteRange) {
        let mut shown = placement(occupied);
        for (square, event) in Square::all().zip(self.events) {
            if let Some((_, reading)) = event.filter(|(reported_at, _)| at.since(*reported_at) < FRESH) {
                shown.set(square, reading);
            }
        }
        if self.shell.pictures.record_picture(&shown).0 {
            self.shell.out.event(DeviceEvent::Frame(shown), bytes);
        }
    }
}
