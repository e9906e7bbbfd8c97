//! Turns the bytes of an iChessOne into events, and defines the questions to the board.
//!
//! The first question is for the battery, because only an answer has this form, and because a Pegasus on the same
//! characteristics also treats these letters as questions. All squares are asked for every five seconds, because a notification
//! can be lost. A picture is reported when it differs from the last report, when the link came up or the board came back, and
//! when the game asks for it. An answer and a report are the same message. If such a message differs while an answer is
//! expected, the mode is set again, because the board may have missed the command.

use core::time::Duration;

use super::framing::{Framed, Framing, Message};
use super::host::Query;
use super::placement;
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::query_scheduler::{QueryPlan, QueryScheduler, Question};
use crate::drivers::shell::Shell;
use crate::event::{Anomaly, Battery, ByteRange, DeviceEvent};
use crate::time::Instant;

/// The place of this question in the table of questions. The next constants are the places of the other questions.
const BATTERY: usize = 0;
const UPDATES: usize = 1;
const BOARD: usize = 2;

/// The waiting time for an answer.
const RETRY: Option<Duration> = Some(Duration::from_secs(1));

/// The mode is set before the squares are asked for, so that no change is lost between them.
const PLAN: QueryPlan = QueryPlan {
    settle: Duration::from_millis(300),
    confirm: true,
    gap: Duration::from_millis(100),
    questions: &[
        Question { bytes: Query::Battery.bytes(), retry: RETRY, tries: Some(3) },
        Question { bytes: Query::Updates.bytes(), retry: None, tries: None },
        Question { bytes: Query::Board.bytes(), retry: RETRY, tries: None },
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
    shell: Shell,
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at, &PLAN))),
            Input::LinkDown => self.set_link(None),
            // The board sends on one characteristic only.
            Input::Bytes { bytes, .. } => {
                for &byte in bytes {
                    self.shell.note_byte(at);
                    if let Some(framed) = self.framing.push(byte) {
                        self.handle_framed(at, framed);
                    }
                }
            }
            Input::Command(DeviceCommand::ReadBoard) => self.shell.request_picture(at, BOARD),
            Input::Command(DeviceCommand::ReadBattery) => self.shell.ask(at, BATTERY),
            Input::Command(DeviceCommand::ReadClock | DeviceCommand::ReadLog) => {}
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.shell.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        self.shell.deadline(self.framing.holds())
    }
}

impl Session {
    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.framing.reset();
        self.shell.forget();
        self.shell.set_scheduler(scheduler);
    }

    fn handle_deadline(&mut self, at: Instant) {
        if self.shell.is_stalled(at, self.framing.holds())
            && let Some(stalled) = self.framing.stall()
        {
            self.handle_framed(at, stalled);
        }
        if self.shell.expire(at, self.framing.offset()) {
            // Forgets the board, because it may be another one when it comes back.
            self.shell.forget();
        }
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed) {
        match framed {
            Framed::Message { message: Message::Board(codes), at: bytes } => self.handle_board(at, &codes, bytes),
            Framed::Message { message: Message::Battery { flag, percent }, at: bytes } => {
                if percent > 100 {
                    return self.shell.report_broken(at, Anomaly::BadField, bytes, true);
                }
                self.shell.on_message(at, true, bytes);
                self.shell.on_answer(at, BATTERY);
                let battery = Battery { percent, minutes_left: None, charging: flag == 1 };
                self.shell.out.event(DeviceEvent::Battery(battery), bytes);
            }
            Framed::Anomaly { anomaly, at: bytes } => self.shell.report_broken(at, anomaly, bytes, true),
        }
    }

    fn handle_board(&mut self, at: Instant, codes: &[u8; 32], bytes: ByteRange) {
        // The squares have no checksum: one impossible code makes all of them doubtful.
        let Some(placement) = placement(codes) else {
            return self.shell.report_broken(at, Anomaly::BadField, bytes, true);
        };
        self.shell.on_message(at, true, bytes);
        let asked = self.shell.waits_for(BOARD);
        self.shell.on_answer(at, BOARD);
        let (news, differs) = self.shell.pictures.record_picture(&placement);
        if news {
            self.shell.out.event(DeviceEvent::Frame(placement), bytes);
        }
        if differs && asked {
            self.shell.ask(at, UPDATES);
        }
    }
}
