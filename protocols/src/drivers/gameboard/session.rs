//! Turns the words of a board of the Gameboard UI Protocol into events, and tracks the known squares.
//!
//! The driver reports a change from the board at once. It stores answers until all squares are known, and then reports one
//! picture. After that, an answer that contradicts the known square counts only when the same question brings it twice. The
//! reason: an answer names no square, so a lost, late or doubled answer would count for another square.
//!
//! Boards of the lowest levels answer nothing. Their squares become known only when a piece is lifted or put down. No picture
//! is reported, so no game begins.

use super::framing::{Found, Framing};
use super::host::question;
use super::message::Message;
use super::square_poller::{Due, SquarePoller};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::outbox::Outbox;
use crate::event::{Anomaly, ByteRange, DeviceEvent};
use crate::square::{Placement, Reading, Square};
use crate::time::Instant;

/// The session with one board on one link: it decodes words and sends questions.
///
/// Before [`Input::LinkUp`] it is passive and ignores answers. It supports the command [`DeviceCommand::ReadBoard`]. The board
/// has no clock, battery or log to ask for.
#[derive(Debug, Default)]
pub struct Session {
    framing: Framing,
    out: Outbox,
    /// `None` while the link is down: then nothing is asked.
    poller: Option<SquarePoller>,
    squares: Squares,
    /// A picture of all squares was reported. A picture is wanted even if it is the same.
    reported: bool,
    wanted: bool,
    /// The start of the next picture's bytes.
    begun: u64,
    now: Instant,
}

/// The known squares, one bit each.
#[derive(Debug, Default)]
struct Squares {
    known: u64,
    occupied: u64,
    /// An answer that contradicts the known square.
    other: Option<(Square, bool)>,
}

impl Squares {
    /// Records a square. Returns whether it is news.
    fn learn(&mut self, square: Square, occupied: bool) -> bool {
        let news = !self.is_known_as(square, occupied);
        self.known |= square.bit();
        self.occupied = if occupied { self.occupied | square.bit() } else { self.occupied & !square.bit() };
        self.other = self.other.filter(|(other, _)| *other != square);
        news
    }

    /// Returns whether the square is known with this value.
    const fn is_known_as(&self, square: Square, occupied: bool) -> bool {
        self.known & square.bit() != 0 && (self.occupied & square.bit() != 0) == occupied
    }

    /// Returns whether an answer is accepted.
    fn accepts(&mut self, square: Square, occupied: bool) -> bool {
        let contradicts = self.known & square.bit() != 0 && !self.is_known_as(square, occupied);
        let second = self.other == Some((square, occupied));
        self.other = contradicts.then_some((square, occupied));
        second || !contradicts
    }

    fn placement(&self) -> Placement {
        let mut placement = Placement::EMPTY;
        for square in Square::all().filter(|square| self.occupied & square.bit() != 0) {
            placement.set(square, Reading::Occupied);
        }
        placement
    }
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        debug_assert!(self.out.is_empty(), "drain before feeding again");
        self.now = self.now.max(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(SquarePoller::new(at))),
            Input::LinkDown => self.set_link(None),
            Input::Bytes { bytes, .. } => bytes.iter().for_each(|byte| self.handle_byte(at, *byte)),
            Input::Command(DeviceCommand::ReadBoard) => {
                if let Some(poller) = &mut self.poller {
                    poller.ask_all();
                    (self.wanted, self.begun) = (true, self.framing.offset());
                }
            }
            Input::Command(DeviceCommand::ReadClock | DeviceCommand::ReadBattery | DeviceCommand::ReadLog) => {}
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        let poller = self.poller.as_ref().map(SquarePoller::deadline);
        // A question may have become due before it was useful. Time does not go back.
        [poller, self.framing.deadline()].into_iter().flatten().min().map(|deadline| deadline.max(self.now))
    }
}

impl Session {
    fn set_link(&mut self, poller: Option<SquarePoller>) {
        self.framing.reset();
        self.poller = poller;
        self.forget();
    }

    /// Forgets the board, because it may be another one when it comes back.
    fn forget(&mut self) {
        self.squares = Squares::default();
        (self.reported, self.wanted, self.begun) = (false, false, self.framing.offset());
    }

    fn handle_deadline(&mut self, at: Instant) {
        if let Some(bytes) = self.framing.stall(at) {
            self.report_broken(Anomaly::Stalled, bytes);
        }
        let here = ByteRange { channel: 0, start: self.framing.offset(), end: self.framing.offset() };
        let due = self.poller.as_mut().and_then(|poller| poller.expire(at));
        match due {
            None => {}
            Some(Due::Ask(square)) => self.out.send(question(square).into()),
            Some(Due::Again(square)) => {
                self.out.anomaly(Anomaly::Retried, here);
                self.out.send(question(square).into());
            }
            Some(Due::Silent) => {
                self.out.event(DeviceEvent::Silent, here);
                self.forget();
            }
        }
    }

    fn handle_byte(&mut self, at: Instant, byte: u8) {
        let Some((found, bytes)) = self.framing.push(at, byte) else { return };
        let read = match found {
            Found::Word(word) => Message::read(word).ok_or(Anomaly::BadField),
            Found::Broken(anomaly) => Err(anomaly),
        };
        match read {
            Ok(message) => self.handle_message(at, &message, bytes),
            Err(anomaly) => self.report_broken(anomaly, bytes),
        }
    }

    /// Reports bytes that are no message, and asks for all squares, because a change of the board may have been among them.
    fn report_broken(&mut self, anomaly: Anomaly, bytes: ByteRange) {
        self.out.anomaly(anomaly, bytes);
        self.poller.iter_mut().for_each(SquarePoller::ask_all);
    }

    fn handle_message(&mut self, at: Instant, message: &Message, bytes: ByteRange) {
        if self.poller.as_mut().is_some_and(|poller| poller.on_message(at)) {
            self.out.event(DeviceEvent::Responding, bytes);
        }
        match message {
            Message::Square { square, occupied } => {
                if self.squares.learn(*square, *occupied) {
                    self.report_square(*square, *occupied, bytes);
                }
            }
            Message::Status { occupied, .. } => self.handle_answer(at, *occupied, bytes),
            Message::Position(placement) => {
                let before = (self.squares.known, self.squares.occupied);
                for square in Square::all() {
                    self.squares.learn(square, placement.get(square) != Reading::Empty);
                }
                self.reported &= before == (self.squares.known, self.squares.occupied);
            }
        }
        self.report_picture(bytes);
    }

    fn handle_answer(&mut self, at: Instant, occupied: bool, bytes: ByteRange) {
        let Some(poller) = &mut self.poller else { return };
        let Some(square) = poller.on_answer(at, occupied) else {
            return self.out.anomaly(Anomaly::Unasked, bytes);
        };
        if !self.squares.accepts(square, occupied) {
            return poller.ask_first(square);
        }
        if self.squares.learn(square, occupied) && self.reported {
            self.report_square(square, occupied, bytes);
        }
    }

    fn report_square(&mut self, square: Square, occupied: bool, bytes: ByteRange) {
        let reading = if occupied { Reading::Occupied } else { Reading::Empty };
        self.out.event(DeviceEvent::Square { square, reading }, bytes);
    }

    /// Reports all squares when they are known and have not been reported, or when the game wants them.
    fn report_picture(&mut self, bytes: ByteRange) {
        let wanted = self.wanted && self.poller.as_ref().is_some_and(SquarePoller::is_done);
        let sure = self.poller.as_ref().is_none_or(SquarePoller::is_sure);
        if self.squares.known == !0 && (wanted || sure && !self.reported) {
            (self.reported, self.wanted) = (true, self.wanted && !wanted);
            let bytes = ByteRange { start: self.begun, ..bytes };
            self.begun = bytes.end;
            self.out.event(DeviceEvent::Frame(self.squares.placement()), bytes);
        }
    }
}
