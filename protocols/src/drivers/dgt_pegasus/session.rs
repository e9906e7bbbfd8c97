//! Turns the bytes of a DGT Pegasus into events, and defines the questions to the board.
//!
//! All squares are asked for every five seconds, because a notification can be lost. A picture is reported when it differs from
//! the last report, when the link came up or the board came back, and when the game asks for it. If it differs, the mode is
//! also set again, because the board may have missed the command.

use core::time::Duration;

use super::host::Query;
use super::{change, reading};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::dgt::board::{BatteryReport, BoardMessage};
use crate::drivers::dgt::framing::{Framed, Framing};
use crate::drivers::dgt::squares;
use crate::drivers::query_scheduler::{QueryPlan, QueryScheduler, Question};
use crate::drivers::shell::Shell;
use crate::event::{Anomaly, Battery, ByteRange, DeviceEvent, Identity, Text};
use crate::square::{Placement, Reading};
use crate::time::Instant;

/// The place of this question in the table of questions. The next constants are the places of the other questions.
const VERSION: usize = 0;
const TRADEMARK: usize = 1;
const UPDATES: usize = 2;
const BOARD: usize = 3;
const SERIAL: usize = 4;
const LONG_SERIAL: usize = 5;
const BATTERY: usize = 6;

const fn ask(query: &'static [u8], tries: Option<u32>) -> Question {
    Question { bytes: query, retry: Some(Duration::from_secs(1)), tries }
}

/// The mode is set before the squares are asked for, so that no change is lost between them.
const PLAN: QueryPlan = QueryPlan {
    settle: Duration::from_millis(300),
    confirm: true,
    gap: Duration::from_millis(100),
    questions: &[
        ask(&[Query::Version as u8], Some(3)),
        ask(&[Query::Trademark as u8], Some(3)),
        Question { bytes: &[Query::Updates as u8], retry: None, tries: None },
        ask(&[Query::Board as u8], None),
        ask(&[Query::Serial as u8], Some(3)),
        ask(&[Query::LongSerial as u8], Some(3)),
        ask(&[Query::Battery as u8], Some(3)),
    ],
    picture: BOARD,
    age: Duration::from_secs(5),
    repair: Duration::from_secs(2),
};

/// The session with one board on one link: it decodes messages and sends questions.
///
/// Before [`Input::LinkUp`] it is passive. It supports the commands [`DeviceCommand::ReadBoard`] and
/// [`DeviceCommand::ReadBattery`]. The board has no clock and no log to ask for.
#[derive(Debug, Default)]
pub struct Session {
    framing: Framing,
    reader: Reader,
}

/// Everything except the framing, because the messages borrow its buffer.
#[derive(Debug, Default)]
struct Reader {
    shell: Shell,
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.reader.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at, &PLAN))),
            Input::LinkDown => self.set_link(None),
            // The board sends on one characteristic only.
            Input::Bytes { bytes, .. } => {
                for &byte in bytes {
                    self.reader.shell.note_byte(at);
                    if let Some(framed) = self.framing.push(byte) {
                        self.reader.handle_framed(at, framed);
                    }
                }
            }
            Input::Command(command) => self.reader.handle_command(at, command),
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.reader.shell.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        self.reader.shell.deadline(self.framing.id().is_some())
    }
}

impl Session {
    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.framing.reset();
        self.reader.forget();
        self.reader.shell.set_scheduler(scheduler);
    }

    fn handle_deadline(&mut self, at: Instant) {
        if self.reader.shell.is_stalled(at, self.framing.id().is_some())
            && let Some(stalled) = self.framing.stall()
        {
            self.reader.handle_framed(at, stalled);
        }
        if self.reader.shell.expire(at, self.framing.offset()) {
            self.reader.forget();
        }
    }
}

impl Reader {
    /// Forgets the board, because it may be another one when it comes back.
    fn forget(&mut self) {
        self.shell.forget();
    }

    fn handle_command(&mut self, at: Instant, command: DeviceCommand) {
        match command {
            DeviceCommand::ReadBoard => self.shell.request_picture(at, BOARD),
            DeviceCommand::ReadBattery => self.shell.ask(at, BATTERY),
            DeviceCommand::ReadClock | DeviceCommand::ReadLog => {}
        }
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed<'_>) {
        match framed {
            Framed::Message { id, data, at: bytes } => match BoardMessage::decode(id, data) {
                Some(message) => self.handle_message(at, &message, bytes),
                None => self.shell.out.anomaly(Anomaly::BadLength, bytes),
            },
            Framed::Anomaly { anomaly, at: bytes, .. } => {
                self.shell.report_broken(at, anomaly, bytes, anomaly != Anomaly::UnknownMessage);
            }
        }
    }

    fn handle_message(&mut self, at: Instant, message: &BoardMessage<'_>, bytes: ByteRange) {
        // Changes arrive without a question if a former host left the mode set.
        let answer = !matches!(message, BoardMessage::Field { .. });
        self.shell.on_message(at, answer, bytes);
        let row = match *message {
            BoardMessage::Field { index, code } => return self.handle_field(at, index, code, bytes),
            BoardMessage::Board(codes) => {
                self.handle_board(at, codes, bytes);
                BOARD
            }
            BoardMessage::Serial(text) => {
                self.shell.out.identity(Identity::Serial(Text::new(&text[..text.len().min(5)])), bytes);
                SERIAL
            }
            BoardMessage::LongSerial(text) => {
                self.shell.out.identity(Identity::LongSerial(Text::new(text)), bytes);
                LONG_SERIAL
            }
            BoardMessage::Trademark(text) => {
                let line = text.split(|&byte| byte == b'\r' || byte == b'\n').next().unwrap_or_default();
                self.shell.out.identity(Identity::Trademark(Text::new(line)), bytes);
                TRADEMARK
            }
            BoardMessage::Version { major, minor } => {
                self.shell.out.identity(Identity::Firmware(major, minor), bytes);
                VERSION
            }
            BoardMessage::Battery(report) => {
                self.handle_battery(&report, bytes);
                BATTERY
            }
            // These messages are good, but they answer no question of this driver or belong to other boards of the family.
            _ => return self.shell.out.anomaly(Anomaly::Unasked, bytes),
        };
        self.shell.on_answer(at, row);
    }

    fn handle_field(&mut self, at: Instant, index: u8, code: u8, bytes: ByteRange) {
        let (square, change) = (squares::square(index), change(code));
        if square.is_none() || change.is_none() {
            self.shell.report_broken(at, Anomaly::BadField, bytes, true);
        }
        if let Some(square) = square {
            let reading = change.unwrap_or(Reading::Occupied);
            self.shell.pictures.record_square(square, reading);
            self.shell.out.event(DeviceEvent::Square { square, reading }, bytes);
        }
    }

    fn handle_board(&mut self, at: Instant, codes: &[u8; 64], bytes: ByteRange) {
        let mut placement = Placement::EMPTY;
        for (index, &code) in (0u8..).zip(codes) {
            let reading = reading(code).unwrap_or_else(|| {
                let start = bytes.start + 3 + u64::from(index);
                self.shell.out.anomaly(Anomaly::BadField, ByteRange { start, end: start + 1, ..bytes });
                Reading::Occupied
            });
            if let Some(square) = squares::square(index) {
                placement.set(square, reading);
            }
        }
        let (news, differs) = self.shell.pictures.record_picture(&placement);
        if news {
            self.shell.out.event(DeviceEvent::Frame(placement), bytes);
        }
        if differs {
            self.shell.ask(at, UPDATES);
        }
    }

    fn handle_battery(&mut self, report: &BatteryReport, bytes: ByteRange) {
        if report.percent > 100 {
            return self.shell.out.anomaly(Anomaly::BadField, bytes);
        }
        let battery = Battery { percent: report.percent, minutes_left: None, charging: report.status & 1 != 0 };
        self.shell.out.event(DeviceEvent::Battery(battery), bytes);
    }
}
