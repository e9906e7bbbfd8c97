//! Turns the bytes of a HoS board into events. The session asks nothing, because no question is known.
//!
//! It is also not known whether a board repeats its squares or reports them only after a change. So silence is reported only
//! for a board that has repeated itself: three times the same squares, each within five seconds, and then nothing for five
//! seconds.
//!
//! The clock reports which side runs, and it reports no presses: the side that runs is the one whose lever is up. A stopped
//! clock does not report the side to move.

use core::time::Duration;

use super::framing::{Form, Framed, Framing, Message};
use super::placement;
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::shell::Shell;
use crate::event::{Anomaly, ByteRange, ClockFace, ClockReading, ClockSide, DeviceEvent};
use crate::square::Placement;
use crate::time::{ClockTime, Instant};

/// The longest interval between two reports of a board that repeats itself.
const REPEATS: Duration = Duration::from_secs(5);
/// The number of consecutive repetitions after which a board counts as one that repeats itself.
const ENOUGH: u8 = 3;

/// The session with one board on one link. It supports the commands [`DeviceCommand::ReadBoard`] and, by cable,
/// [`DeviceCommand::ReadClock`]: the next report is passed on even if it is the same.
#[derive(Debug)]
pub struct Session {
    framing: Framing,
    /// The number of bytes in reports that were no messages.
    odd: u64,
    shell: Shell,
    /// The link is up.
    up: bool,
    responding: bool,
    /// The last squares and their time, and the number of consecutive repetitions.
    last: Option<(Placement, Instant)>,
    repeated: u8,
    clock: Option<ClockReading>,
    clock_wanted: bool,
    /// The time of the last good message.
    last_message: Instant,
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        self.shell.begin_input(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(true),
            Input::LinkDown => self.set_link(false),
            Input::Bytes { channel: 0, bytes } => {
                for &byte in bytes {
                    self.shell.note_byte(at);
                    if let Some(framed) = self.framing.push(byte) {
                        self.handle_framed(at, framed);
                    }
                }
            }
            // Channel 1 has reports that are no messages. There is no third channel.
            Input::Bytes { channel, bytes } => {
                for _ in bytes.iter().filter(|_| channel == 1) {
                    let start = self.odd;
                    self.odd += 1;
                    self.shell.out.anomaly(Anomaly::StrayByte, ByteRange { channel, start, end: self.odd });
                }
            }
            Input::Command(DeviceCommand::ReadBoard) => self.shell.pictures.request_repeat(),
            Input::Command(DeviceCommand::ReadClock) => self.clock_wanted = true,
            Input::Command(DeviceCommand::ReadBattery | DeviceCommand::ReadLog) => {}
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.shell.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        [self.shell.deadline(self.framing.holds()), self.silent_at()].into_iter().flatten().min()
    }
}

impl Session {
    /// Creates a session for a board of this form. The times of its clock come by cable only.
    pub fn new(form: Form) -> Session {
        Session {
            framing: Framing::new(form),
            odd: 0,
            shell: Shell::default(),
            up: false,
            responding: false,
            last: None,
            repeated: 0,
            clock: None,
            clock_wanted: false,
            last_message: Instant::ZERO,
        }
    }

    fn set_link(&mut self, up: bool) {
        self.framing.reset();
        self.up = up;
        self.forget();
    }

    /// Forgets the board, because it may be another one when it comes back.
    fn forget(&mut self) {
        self.shell.forget();
        (self.responding, self.last, self.repeated, self.clock) = (false, None, 0, None);
    }

    /// Returns the time at which a board that repeats itself counts as silent.
    fn silent_at(&self) -> Option<Instant> {
        (self.responding && self.repeated >= ENOUGH).then(|| self.last_message.after(REPEATS))
    }

    fn handle_deadline(&mut self, at: Instant) {
        if self.shell.is_stalled(at, self.framing.holds())
            && let Some(stalled) = self.framing.stall()
        {
            self.handle_framed(at, stalled);
        }
        if self.silent_at().is_some_and(|end| end <= at) {
            let here = ByteRange { channel: 0, start: self.framing.offset(), end: self.framing.offset() };
            self.shell.out.event(DeviceEvent::Silent, here);
            self.forget();
        }
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed) {
        match framed {
            Framed::Message { message: Message::Board(codes), at: bytes } => self.handle_board(at, &codes, bytes),
            Framed::Message { message: Message::Clock(raw), at: bytes } => self.handle_clock(at, raw, bytes),
            Framed::Message { message: Message::OtherText, at: bytes } => self.shell.out.anomaly(Anomaly::UnknownMessage, bytes),
            Framed::Anomaly { anomaly, at: bytes } => self.shell.out.anomaly(anomaly, bytes),
        }
    }

    fn note_message(&mut self, at: Instant, bytes: ByteRange) {
        self.last_message = at;
        if self.up && !self.responding {
            self.responding = true;
            self.shell.out.event(DeviceEvent::Responding, bytes);
        }
    }

    fn handle_board(&mut self, at: Instant, codes: &[u8; 32], bytes: ByteRange) {
        // The squares have no checksum: one impossible code makes all of them doubtful.
        let Some(placement) = placement(codes) else {
            return self.shell.out.anomaly(Anomaly::BadField, bytes);
        };
        self.note_message(at, bytes);
        if let Some((before, when)) = self.last.replace((placement, at))
            && self.repeated < ENOUGH
        {
            let again = before == placement && at.since(when) <= REPEATS;
            self.repeated = if again { self.repeated + 1 } else { 0 };
        }
        if self.shell.pictures.record_picture(&placement).0 {
            self.shell.out.event(DeviceEvent::Frame(placement), bytes);
        }
    }

    fn handle_clock(&mut self, at: Instant, raw: [u8; 6], bytes: ByteRange) {
        let [left, right] = [[raw[0], raw[1], raw[2]], [raw[3], raw[4], raw[5]]].map(|side| {
            let [hours, minutes, seconds] = side.map(|byte| u32::from(byte & 63));
            (minutes <= 59 && seconds <= 59).then(|| ClockTime::hms(hours, minutes, seconds))
        });
        let (Some(left), Some(right)) = (left, right) else {
            return self.shell.out.anomaly(Anomaly::ClockIllegal, bytes);
        };
        self.note_message(at, bytes);
        let running = raw[5] & 0x80 != 0;
        let side = if raw[5] & 0x40 == 0 { ClockSide::Left } else { ClockSide::Right };
        let reading = ClockReading {
            left: ClockFace { time: left, ..ClockFace::default() },
            right: ClockFace { time: right, ..ClockFace::default() },
            running,
            lever_up: side,
            turn: running.then_some(side),
            battery_low: false,
            baseline: self.clock.is_none(),
            resolution_ms: 1000,
            late: Duration::ZERO,
        };
        let same = self.clock.is_some_and(|reported| reading == ClockReading { baseline: false, ..reported });
        self.clock = Some(reading);
        if !same || core::mem::take(&mut self.clock_wanted) {
            self.shell.out.event(DeviceEvent::Clock(reading), bytes);
        }
    }
}
