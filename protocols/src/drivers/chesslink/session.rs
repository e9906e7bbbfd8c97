//! Turns the bytes of a Millennium board into events, and defines the questions to the board.
//!
//! A board that reports changes by itself is asked for its squares once a second; this is the keep-alive. A board that does
//! not, or whose setting is unknown, is asked ten times a second. A picture is reported when it differs from the last reported
//! one, when the link came up or the board came back, and when the game asks for it.

use core::time::Duration;

use super::framing::{Framed, Framing, Speaker};
use super::host::{NEVER, REPORTS, SCAN_TIME, USUAL_SCAN, delay, reports_changes};
use super::message::{Message, placement};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::query_scheduler::{QueryPlan, QueryScheduler, Question};
use crate::drivers::shell::Shell;
use crate::event::{Anomaly, ByteRange, DeviceEvent, Identity};
use crate::time::Instant;

/// The age at which a picture of all squares is asked for again, for a board that must be asked.
pub(super) const POLLED: Duration = Duration::from_millis(100);
/// The age at which a picture of all squares is asked for again, for a board that reports by itself.
const REPORTED: Duration = Duration::from_secs(1);

/// The place of this question in the table of questions. The next constants are the places of the other questions.
const VERSION: usize = 0;
const SETTING: usize = 1;
const BOARD: usize = 2;
const SCAN: usize = 3;

/// The questions: V for the version, R02 for the reports, S for the squares, R01 for the scan time.
pub(super) const QUESTIONS: &[Question] = &[
    // V
    Question { bytes: &[0xd6, 0xb5, 0xb6], retry: Some(Duration::from_secs(2)), tries: Some(3) },
    // R02
    Question { bytes: &[0x52, 0xb0, 0x32, 0xb5, 0xb0], retry: Some(Duration::from_secs(2)), tries: Some(3) },
    // S
    Question { bytes: &[0xd3, 0xb5, 0xb3], retry: Some(Duration::from_secs(1)), tries: None },
    // R01
    Question { bytes: &[0x52, 0xb0, 0x31, 0xb5, 0xb3], retry: Some(Duration::from_secs(2)), tries: Some(3) },
];

/// Some boards do not answer every question. So questions that are not vital are dropped after a few tries, and the next
/// question does not wait for an answer. All questions only read.
const PLAN: QueryPlan = QueryPlan {
    settle: Duration::from_millis(500),
    confirm: false,
    // Commands by Bluetooth need a pause.
    gap: Duration::from_millis(100),
    questions: QUESTIONS,
    picture: BOARD,
    age: POLLED,
    repair: POLLED,
};

/// The session with one board on one link: it decodes messages and sends questions.
///
/// Before [`Input::LinkUp`] it is passive. It supports the command [`DeviceCommand::ReadBoard`]. The board has no clock, no
/// battery and no log to ask for.
#[derive(Debug)]
pub struct Session {
    framing: Framing,
    reader: Reader,
}

/// Everything except the framing, because the messages borrow its buffer.
#[derive(Debug, Default)]
struct Reader {
    shell: Shell,
    /// Its settings for reports and for the scan time, as far as they are known, and the delay that was reported from them.
    reports: Option<u8>,
    scan_time: Option<u8>,
    delay: Option<Duration>,
    /// The board senses only whether a square is occupied. Its letters are not the real pieces.
    occupancy: bool,
    /// The last board text that could not be used. It is counted once.
    unusable: Option<[u8; 64]>,
}

impl Default for Session {
    fn default() -> Session {
        Session { framing: Framing::new(Speaker::Board), reader: Reader::default() }
    }
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.reader.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at, &PLAN))),
            Input::LinkDown => self.set_link(None),
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
        self.reader.shell.deadline(self.framing.holds())
    }
}

impl Session {
    /// Creates a session for a board whose letters only show whether a square is occupied.
    pub fn for_occupancy() -> Session {
        Session { reader: Reader { occupancy: true, ..Reader::default() }, ..Session::default() }
    }

    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.framing.reset();
        self.reader.forget();
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
    }
}

impl Reader {
    /// Forgets the board, because it may be another one when it comes back.
    fn forget(&mut self) {
        self.shell.forget();
        self.unusable = None;
        (self.reports, self.scan_time, self.delay) = (None, None, None);
    }

    fn handle_command(&mut self, at: Instant, command: DeviceCommand) {
        if command == DeviceCommand::ReadBoard {
            self.shell.request_picture(at, BOARD);
        }
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed<'_>) {
        match framed {
            Framed::Message { text, at: bytes } => match Message::decode(text) {
                Some(message) => self.handle_message(at, &message, bytes),
                None => self.shell.out.anomaly(Anomaly::UnknownMessage, bytes),
            },
            Framed::Anomaly { anomaly, at: bytes } => self.shell.report_broken(at, anomaly, bytes, true),
        }
    }

    fn handle_message(&mut self, at: Instant, message: &Message<'_>, bytes: ByteRange) {
        self.shell.on_message(at, true, bytes);
        let row = match *message {
            Message::Version { major, minor } => {
                self.shell.out.identity(Identity::Firmware(major, minor), bytes);
                VERSION
            }
            Message::Setting { address: REPORTS, value } => {
                self.shell.set_picture_age(if reports_changes(value) { REPORTED } else { POLLED });
                self.reports = Some(value);
                self.report_delay(bytes);
                SETTING
            }
            Message::Setting { address: SCAN_TIME, value } => {
                self.scan_time = Some(value);
                self.report_delay(bytes);
                SCAN
            }
            Message::Board(letters) => {
                self.handle_board(letters, bytes);
                BOARD
            }
            // These messages are good, but they answer no question of this driver.
            Message::Setting { .. } | Message::Written { .. } | Message::Lit | Message::Unlit => {
                return self.shell.out.anomaly(Anomaly::Unasked, bytes);
            }
        };
        self.shell.on_answer(at, row);
    }

    /// Reports the delay of changes, as far as it is known now.
    fn report_delay(&mut self, bytes: ByteRange) {
        let known = delay(self.scan_time.unwrap_or(USUAL_SCAN), self.reports.unwrap_or(NEVER), POLLED);
        if self.delay.replace(known) != Some(known) {
            self.shell.out.event(DeviceEvent::Delay(known), bytes);
        }
    }

    fn handle_board(&mut self, letters: &[u8; 64], bytes: ByteRange) {
        let Some(placement) = placement(letters) else {
            if self.unusable.as_ref() != Some(letters) {
                self.unusable = Some(*letters);
                self.shell.out.anomaly(Anomaly::BadField, bytes);
            }
            return;
        };
        self.unusable = None;
        let placement = if self.occupancy { placement.occupied() } else { placement };
        if self.shell.pictures.record_picture(&placement).0 {
            self.shell.out.event(DeviceEvent::Frame(placement), bytes);
        }
    }
}
