//! Turns the bytes of a Chessnut board into events, and defines the questions to the board.
//!
//! There is no question for the squares. A board reports them by itself in real-time mode, and again after a while or when the
//! mode is set again. So the keep-alive is the question for the battery, which every board answers. After each answer the mode
//! is set again: soon while no position has come, and then every five seconds. This recovers a board that lost the mode and a
//! position whose notification was lost. Positions repeat. A position is reported when it differs from the last reported one,
//! when the link came up or the board came back, and when the game asks for it.

use core::time::Duration;

use super::framing::{Framed, Framing};
use super::message::{Message, SQUARES, placement};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::query_scheduler::{QueryPlan, QueryScheduler, Question};
use crate::drivers::shell::Shell;
use crate::event::{Anomaly, Battery, ByteRange, DeviceEvent};
use crate::time::Instant;

/// The silence on a channel after which its incomplete message is dropped.
const STALL: Duration = Duration::from_millis(500);
/// The interval at which the mode is set again while positions arrive.
const KEPT: Duration = Duration::from_secs(5);

/// The place of this question in the table of questions. The next constants are the places of the other questions.
const BATTERY: usize = 0;
const REALTIME: usize = 1;
const MOVE_BATTERY: usize = 2;

const QUESTIONS: &[Question] = &[
    Question { bytes: &[0x29, 0x01, 0x00], retry: Some(Duration::from_secs(1)), tries: None },
    // Some boards acknowledge this, others do not.
    Question { bytes: &[0x21, 0x01, 0x00], retry: None, tries: None },
    Question { bytes: &[0x41, 0x01, 0x0c], retry: Some(Duration::from_secs(1)), tries: Some(3) },
];

const fn plan(questions: &'static [Question]) -> QueryPlan {
    QueryPlan {
        settle: Duration::from_millis(300),
        confirm: true,
        // The maker's own program waits this long between two commands.
        gap: Duration::from_millis(200),
        questions,
        picture: BATTERY,
        age: Duration::from_secs(1),
        repair: Duration::from_secs(1),
    }
}

/// The differences between the boards of the family.
#[derive(Debug)]
pub struct Model {
    plan: QueryPlan,
    /// The row whose answer reports the battery.
    battery: usize,
}

impl Model {
    /// Returns whether a session of this board sends these bytes.
    pub fn asks(&self, bytes: &[u8]) -> bool {
        self.plan.questions.iter().any(|question| question.bytes == bytes)
    }
}

/// Air, Air+, Pro, Go, Smart Chess.
pub static AIR: Model = Model { plan: plan(QUESTIONS.split_at(MOVE_BATTERY).0), battery: BATTERY };
/// Move: it answers the first question too, but that answer does not report its battery.
pub static MOVE: Model = Model { plan: plan(QUESTIONS), battery: MOVE_BATTERY };

/// The session with one board on one link: it decodes messages and sends questions.
///
/// Before [`Input::LinkUp`] it is passive. It supports the commands [`DeviceCommand::ReadBoard`], which sets the mode again and
/// reports the next position even if it is the same, and [`DeviceCommand::ReadBattery`]. There is no clock, and no log is read.
#[derive(Debug)]
pub struct Session {
    /// The framings of channels 0 and 1, with the time of the last byte of each.
    framings: [(Framing, Instant); 2],
    reader: Reader,
}

/// Everything except the framing.
#[derive(Debug)]
struct Reader {
    model: &'static Model,
    shell: Shell,
    /// A position has come since the link came up or the board came back.
    pictured: bool,
    /// The reported state of the battery.
    battery: Option<Battery>,
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.reader.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at, &self.reader.model.plan))),
            Input::LinkDown => self.set_link(None),
            Input::Bytes { channel, bytes } => {
                // There is no third channel.
                let Some((framing, touched)) = self.framings.get_mut(usize::from(channel)) else { return };
                for &byte in bytes {
                    *touched = at;
                    framing.push(byte, &mut |framed| self.reader.handle_framed(at, framed));
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
        let stalls = self.framings.iter().filter(|(framing, _)| framing.holds()).map(|(_, touched)| touched.after(STALL));
        stalls.chain(self.reader.shell.deadline(false)).min()
    }
}

impl Session {
    /// Creates a session with a board of this model.
    pub fn new(model: &'static Model) -> Session {
        Session {
            framings: [(Framing::new(0), Instant::ZERO), (Framing::new(1), Instant::ZERO)],
            reader: Reader { model, shell: Shell::default(), pictured: false, battery: None },
        }
    }

    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.framings.iter_mut().for_each(|(framing, _)| framing.reset());
        self.reader.forget();
        self.reader.shell.set_scheduler(scheduler);
    }

    fn handle_deadline(&mut self, at: Instant) {
        for (framing, touched) in &mut self.framings {
            if framing.holds() && touched.after(STALL) <= at {
                framing.stall(&mut |framed| self.reader.handle_framed(at, framed));
            }
        }
        if self.reader.shell.expire(at, self.framings[0].0.offset()) {
            self.reader.forget();
        }
    }
}

impl Reader {
    /// Forgets the board, because it may be another one when it comes back.
    fn forget(&mut self) {
        self.shell.forget();
        (self.pictured, self.battery) = (false, None);
    }

    fn handle_command(&mut self, at: Instant, command: DeviceCommand) {
        match command {
            DeviceCommand::ReadBoard => self.shell.request_picture(at, REALTIME),
            DeviceCommand::ReadBattery => {
                self.battery = None;
                self.shell.ask(at, self.model.battery);
            }
            DeviceCommand::ReadClock | DeviceCommand::ReadLog => {}
        }
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed) {
        match framed {
            Framed::Message { message, at: bytes } => self.handle_message(at, &message, bytes),
            Framed::Anomaly { anomaly, at: bytes } => self.shell.report_broken(at, anomaly, bytes, bytes.channel == 0),
        }
    }

    fn handle_message(&mut self, at: Instant, message: &Message, bytes: ByteRange) {
        self.shell.on_message(at, true, bytes);
        match message {
            Message::Board { squares, .. } => self.handle_board(squares, bytes),
            Message::Battery { .. } => {
                self.shell.on_answer(at, BATTERY);
                self.shell.ask(at, REALTIME);
                self.report_battery(message, bytes);
            }
            Message::MoveBattery { .. } => {
                self.shell.on_answer(at, MOVE_BATTERY);
                self.report_battery(message, bytes);
            }
            Message::Accepted => {}
            // The message does not name its command. Only the mode matters.
            Message::NotReady => self.shell.refresh_picture(at),
            // These messages are good, but they answer no question of this driver.
            Message::Games(_) | Message::Button(_) | Message::Kind(_) | Message::Pieces => {
                self.shell.out.anomaly(Anomaly::Unasked, bytes);
            }
        }
    }

    fn handle_board(&mut self, squares: &[u8; SQUARES], bytes: ByteRange) {
        // The framing has checked the codes.
        let Some(placement) = placement(squares) else { return self.shell.out.anomaly(Anomaly::BadField, bytes) };
        if !core::mem::replace(&mut self.pictured, true) {
            self.shell.set_picture_age(KEPT);
        }
        if self.shell.pictures.record_picture(&placement).0 {
            self.shell.out.event(DeviceEvent::Frame(placement), bytes);
        }
    }

    /// Reports the battery when it changes. It is asked for again and again.
    fn report_battery(&mut self, message: &Message, bytes: ByteRange) {
        let Some((percent, charging)) = message.battery() else { return };
        if percent > 100 {
            return self.shell.out.anomaly(Anomaly::BadField, bytes);
        }
        let battery = Battery { percent, minutes_left: None, charging };
        if self.battery.replace(battery) != Some(battery) {
            self.shell.out.event(DeviceEvent::Battery(battery), bytes);
        }
    }
}
