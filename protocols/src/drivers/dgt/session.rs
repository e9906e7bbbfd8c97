//! Turns the bytes of a DGT board into events. `query_scheduler` sends the questions.

use super::board::{BatteryReport, BoardMessage};
use super::clock::AckOf;
use super::clock_reader::ClockReader;
use super::ee::{EeReader, EeTag};
use super::framing::{Framed, Framing};
use super::host::Query;
use super::query_scheduler::QueryScheduler;
use super::squares;
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::outbox::Outbox;
use crate::event::{Anomaly, Battery, ByteRange, DeviceEvent, Identity, LogEntry, Text};
use crate::square::{Placement, Reading};
use crate::time::Instant;
use core::time::Duration;

/// The silence after which an incomplete message is dropped.
const STALL: Duration = Duration::from_millis(500);
/// The time after the first byte of a log after which the log is dropped. A log takes 8.3 s at 9600 baud.
const LOG_STALL: Duration = Duration::from_secs(15);
/// The id of the message that contains the log.
const EE_MOVES: u8 = 0x8f;

/// The session with one board on one link: it decodes messages and sends questions.
///
/// Before [`Input::LinkUp`] it is passive: it reads, asks nothing and ignores commands. When the board is silent or the link
/// goes down, every open question ends. The game then sends its commands again.
#[derive(Debug, Default)]
pub struct Session {
    framing: Framing,
    /// The time at which the incomplete message began, and the time of the last byte.
    began: Instant,
    touched: Instant,
    now: Instant,
    reader: Reader,
}

/// Everything except the framing, because the messages borrow its buffer.
#[derive(Debug, Default)]
struct Reader {
    out: Outbox,
    clock: ClockReader,
    scheduler: Option<QueryScheduler>,
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        debug_assert!(self.reader.out.is_empty(), "drain before feeding again");
        self.now = self.now.max(at);
        match input {
            Input::LinkUp => self.set_link(Some(QueryScheduler::new(at))),
            Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new_settled(at))),
            Input::LinkDown => self.set_link(None),
            // A serial line has one channel.
            Input::Bytes { bytes, .. } => self.handle_bytes(at, bytes),
            Input::Command(command) => self.reader.handle_command(at, command),
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.reader.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        let scheduler = self.reader.scheduler.as_ref().and_then(QueryScheduler::deadline);
        // A timer may have become due while the log delayed everything. Time does not go back.
        [scheduler, self.stalls_at()].into_iter().flatten().min().map(|deadline| deadline.max(self.now))
    }
}

impl Session {
    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.framing.reset();
        self.reader.clock.reset();
        self.reader.out.forget_device();
        self.reader.scheduler = scheduler;
    }

    fn handle_bytes(&mut self, at: Instant, bytes: &[u8]) {
        if self.reader.scheduler.as_ref().is_some_and(QueryScheduler::is_discarding) {
            self.framing.skip(bytes.len());
            return;
        }
        for &byte in bytes {
            if byte & 0x80 != 0 {
                self.began = at;
            }
            self.touched = at;
            if let Some(framed) = self.framing.push(byte) {
                self.reader.handle_framed(at, framed);
            }
        }
    }

    fn stalls_at(&self) -> Option<Instant> {
        Some(match self.framing.id()? {
            EE_MOVES => self.began.after(LOG_STALL),
            _ => self.touched.after(STALL),
        })
    }

    fn handle_deadline(&mut self, at: Instant) {
        if self.stalls_at().is_some_and(|end| end <= at)
            && let Some(stalled) = self.framing.stall()
        {
            self.reader.handle_framed(at, stalled);
        }
        let here = ByteRange { channel: 0, start: self.framing.offset(), end: self.framing.offset() };
        let Some(scheduler) = &mut self.reader.scheduler else { return };
        if scheduler.expire(at, here, &mut self.reader.out) {
            self.reader.clock.reset();
            self.reader.out.forget_device();
        }
        if scheduler.is_discarding() {
            self.framing.reset();
        }
    }
}

impl Reader {
    fn handle_command(&mut self, at: Instant, command: DeviceCommand) {
        let query = match command {
            DeviceCommand::ReadBoard => Query::Board,
            DeviceCommand::ReadClock => Query::Clock,
            DeviceCommand::ReadBattery => Query::Battery,
            DeviceCommand::ReadLog => Query::EeMoves,
        };
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.ask(at, query);
        }
    }

    fn handle_framed(&mut self, at: Instant, framed: Framed<'_>) {
        match framed {
            Framed::Message { id, data, at: bytes } => match BoardMessage::decode(id, data) {
                Some(message) => self.handle_message(at, &message, bytes),
                None => self.out.anomaly(Anomaly::BadLength, bytes),
            },
            Framed::Anomaly { id, anomaly, at: bytes } => {
                self.out.anomaly(anomaly, bytes);
                let Some(scheduler) = &mut self.scheduler else { return };
                if anomaly != Anomaly::UnknownMessage {
                    scheduler.on_lost_bytes(at);
                }
                if id == EE_MOVES {
                    scheduler.on_log_failed(at, bytes, &mut self.out);
                }
            }
        }
    }

    fn handle_message(&mut self, at: Instant, message: &BoardMessage<'_>, bytes: ByteRange) {
        // A board that another host left in an update mode sends these by itself.
        let answer = !matches!(message, BoardMessage::Field { .. } | BoardMessage::Clock(_));
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_message(at, answer, bytes, &mut self.out);
        }
        match *message {
            BoardMessage::Field { index, code } => self.handle_field(at, index, code, bytes),
            BoardMessage::Clock(ref raw) => self.handle_clock(at, raw, bytes),
            BoardMessage::Board(codes) => self.handle_board(at, codes, bytes),
            BoardMessage::EeMoves(data) => self.handle_log(at, data, bytes),
            BoardMessage::BusAddress(address) => self.out.identity(Identity::BusAddress(address), bytes),
            // The form of 1998 has more characters after the five digits.
            BoardMessage::Serial(text) => self.out.identity(Identity::Serial(Text::new(&text[..text.len().min(5)])), bytes),
            BoardMessage::Trademark(text) => {
                let line = text.split(|&byte| byte == b'\r' || byte == b'\n').next().unwrap_or_default();
                self.out.identity(Identity::Trademark(Text::new(line)), bytes);
            }
            BoardMessage::Version { major, minor } => {
                self.out.identity(Identity::Firmware(major, minor), bytes);
                if let Some(scheduler) = &mut self.scheduler {
                    scheduler.on_version(at);
                }
            }
            BoardMessage::HardwareVersion { major, minor } => self.out.identity(Identity::Hardware(major, minor), bytes),
            BoardMessage::LongSerial(text) => self.out.identity(Identity::LongSerial(Text::new(text)), bytes),
            BoardMessage::Battery(report) => self.handle_battery(&report, bytes),
            // These messages are good, but they answer no question of this driver: draughts, I2C clocks, Pegasus.
            BoardMessage::Board100(_)
            | BoardMessage::BlackSquares(_)
            | BoardMessage::WhiteSquares(_)
            | BoardMessage::I2cClock(_)
            | BoardMessage::LockState(_)
            | BoardMessage::KeyState(_)
            | BoardMessage::Unknown { .. } => self.out.anomaly(Anomaly::Unasked, bytes),
        }
    }

    fn handle_field(&mut self, at: Instant, index: u8, code: u8, bytes: ByteRange) {
        let (square, reading) = (squares::square(index), squares::reading(code));
        if square.is_none() || reading.is_none() {
            self.out.anomaly(Anomaly::BadField, bytes);
            if let Some(scheduler) = &mut self.scheduler {
                scheduler.on_lost_bytes(at);
            }
        }
        if let Some(square) = square {
            self.out.event(DeviceEvent::Square { square, reading: reading.unwrap_or(Reading::Unreadable) }, bytes);
        }
    }

    fn handle_board(&mut self, at: Instant, codes: &[u8; 64], bytes: ByteRange) {
        let (mut placement, mut whole) = (Placement::EMPTY, true);
        for (index, &code) in (0u8..).zip(codes) {
            let reading = squares::reading(code).unwrap_or_else(|| {
                let start = bytes.start + 3 + u64::from(index);
                self.out.anomaly(Anomaly::BadField, ByteRange { start, end: start + 1, ..bytes });
                whole = false;
                Reading::Unreadable
            });
            if let Some(square) = squares::square(index) {
                placement.set(square, reading);
            }
        }
        if let Some(scheduler) = &mut self.scheduler {
            scheduler.on_board();
            if !whole {
                scheduler.on_lost_bytes(at);
            }
        }
        self.out.event(DeviceEvent::Frame(placement), bytes);
    }

    fn handle_clock(&mut self, at: Instant, raw: &[u8; 7], bytes: ByteRange) {
        let news = self.clock.read(raw);
        if let Some(anomaly) = news.anomaly {
            self.out.anomaly(anomaly, bytes);
        }
        if let Some(event) = news.event {
            if event == DeviceEvent::ClockAbsent {
                self.out.forget_clock();
            }
            self.out.event(event, bytes);
        }
        if let Some(ack) = news.ack {
            match ack.of() {
                _ if !ack.ok() => self.out.anomaly(Anomaly::ClockRefused, bytes),
                AckOf::Version(major, minor) => self.out.identity(Identity::ClockFirmware(major, minor), bytes),
                _ => {}
            }
        }
        let Some(scheduler) = &mut self.scheduler else { return };
        match news.event {
            Some(DeviceEvent::Clock(ref reading)) => scheduler.on_clock(at, reading, bytes, &mut self.out),
            Some(DeviceEvent::ClockAbsent) => scheduler.on_clock_gone(),
            _ => {}
        }
        if let Some(Anomaly::ClockJump | Anomaly::ClockIllegal) = news.anomaly {
            scheduler.on_doubtful_clock(at);
        }
        if let Some(ack) = news.ack {
            scheduler.on_message(at, true, bytes, &mut self.out);
            scheduler.on_clock_ack(at, ack);
        }
    }

    fn handle_battery(&mut self, report: &BatteryReport, bytes: ByteRange) {
        if report.percent > 100 {
            self.out.anomaly(Anomaly::BadField, bytes);
            return;
        }
        let [hours, minutes] = report.left;
        let known = hours != 0x7f && minutes != 0x7f;
        let minutes_left = known.then(|| u16::from(hours) * 60 + u16::from(minutes));
        let battery = Battery { percent: report.percent, minutes_left, charging: report.status & 1 != 0 };
        self.out.event(DeviceEvent::Battery(battery), bytes);
    }

    fn handle_log(&mut self, at: Instant, data: &[u8], bytes: ByteRange) {
        if let Some(scheduler) = &mut self.scheduler
            && !scheduler.close_log(at)
        {
            self.out.anomaly(Anomaly::Unasked, bytes);
        }
        let mut last = ByteRange { start: bytes.end, ..bytes };
        for (tag, taken) in EeReader::new(data) {
            last = ByteRange {
                start: bytes.start + 3 + taken.start as u64,
                end: bytes.start + 3 + taken.end as u64,
                channel: bytes.channel,
            };
            match tag.entry() {
                Some(LogEntry::End) => return self.out.event(DeviceEvent::Log(LogEntry::End), last),
                Some(entry) => self.out.event(DeviceEvent::Log(entry), last),
                None if matches!(tag, EeTag::Unknown(_)) => self.out.anomaly(Anomaly::UnknownLogTag, last),
                // Padding.
                None => {}
            }
        }
        self.out.anomaly(Anomaly::LogTruncated, last);
        self.out.event(DeviceEvent::Log(LogEntry::End), last);
    }
}
