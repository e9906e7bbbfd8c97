//! The driver of one board behind a line: its reply frames to events.
//!
//! A picture of all squares may be ahead of the changes that were told, because a change between the two questions is in it and
//! is reported afterwards too. So a picture is held until the next packet of changes: what that one mentions it tells itself, and
//! what differs all the same was lost and is told as a frame.

use core::time::Duration;

use super::frame::{Read, Reader, Reply, reply};
use super::query_scheduler::{Due, QueryScheduler, Question};
use crate::driver::{DeviceCommand, Driver, Input, Output};
use crate::drivers::dgt::clock_reader::ClockReader;
use crate::drivers::dgt::ee::{EeReader, EeTag};
use crate::drivers::dgt::squares;
use crate::drivers::outbox::Outbox;
use crate::event::{Anomaly, ByteRange, ClockReading, DeviceEvent, Identity, LogEntry};
use crate::square::{Placement, Reading, Square};
use crate::time::Instant;
use alloc::vec::Vec;

/// An incomplete frame is given up after this much silence.
const STALL: Duration = Duration::from_millis(500);
/// The same times are told again after this: they stand.
const SAME: Duration = Duration::from_secs(1);
/// A longer hole between packets is no cycle: another board told its log, or this one was away.
const MOST_CYCLE: Duration = Duration::from_secs(3);
/// Where the data of a reply begins.
const HEAD: u64 = 5;

/// Codec and session of one board. Passive until [`Input::LinkUp`]: then it reads every frame as it comes and asks nothing.
#[derive(Debug, Default)]
pub struct Session {
    reader: Reader,
    touched: Instant,
    now: Instant,
    board: Board,
}

#[derive(Debug, Default)]
struct Board {
    out: Outbox,
    scheduler: Option<QueryScheduler>,
    address: Option<u16>,
    clock: ClockReader,
    shown: Option<(Instant, ClockReading)>,
    /// What the game knows, and the picture that waits for the next packet.
    told: Option<Placement>,
    held: Option<(Placement, ByteRange)>,
    wanted: bool,
    /// Squares that a frame told before their change came as an entry, if it still comes: a bit each.
    ahead: u64,
    /// The last packet, as it came: a repeated one is not told twice.
    packet: Vec<u8>,
    pace: Pace,
}

/// How long a cycle takes: the longest hole between packets, of sixteen.
#[derive(Debug, Default)]
struct Pace {
    last: Option<Instant>,
    count: u8,
    longest: Duration,
    told: Option<Duration>,
}

impl Pace {
    /// A packet came. Gives how late a change may be told, if that is news.
    fn note_packet(&mut self, at: Instant) -> Option<Duration> {
        let gap = at.since(self.last.replace(at)?);
        if gap > MOST_CYCLE {
            return None;
        }
        self.longest = self.longest.max(gap);
        self.count += 1;
        if self.count < 16 {
            return None;
        }
        // A scan, and the cycle in steps of a quarter of a second.
        let quarters = self.longest.as_millis() as u64 / 250 + 2;
        (self.count, self.longest) = (0, Duration::ZERO);
        let delay = Duration::from_millis(250 * quarters);
        (self.told.replace(delay) != Some(delay)).then_some(delay)
    }
}

impl Driver for Session {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        debug_assert!(self.board.out.is_empty(), "drain before feeding again");
        self.now = self.now.max(at);
        match input {
            Input::LinkUp | Input::LinkTakenOver => self.set_link(Some(QueryScheduler::new(at))),
            Input::LinkDown => self.set_link(None),
            Input::Bytes { bytes, .. } => self.handle_bytes(at, bytes),
            Input::Command(command) => self.board.handle_command(at, command),
            Input::Deadline => self.handle_deadline(at),
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.board.out.poll()
    }

    fn deadline(&self) -> Option<Instant> {
        let scheduler = self.board.scheduler.as_ref().and_then(|scheduler| scheduler.deadline(self.board.address.is_some()));
        [scheduler, self.stalls_at()].into_iter().flatten().min().map(|deadline| deadline.max(self.now))
    }
}

impl Session {
    fn set_link(&mut self, scheduler: Option<QueryScheduler>) {
        self.reader.give_up();
        self.board.forget();
        self.board.scheduler = scheduler;
    }

    fn handle_bytes(&mut self, at: Instant, bytes: &[u8]) {
        for &byte in bytes {
            self.touched = at;
            match self.reader.push(byte) {
                None => {}
                Some(Read::Anomaly(anomaly, bytes)) => self.board.report_broken(at, anomaly, bytes),
                Some(Read::Frame(frame, bytes)) => self.board.handle_frame(at, frame, bytes),
            }
        }
    }

    fn stalls_at(&self) -> Option<Instant> {
        self.reader.holds().then(|| self.touched.after(STALL))
    }

    fn handle_deadline(&mut self, at: Instant) {
        if self.stalls_at().is_some_and(|end| end <= at)
            && let Some(bytes) = self.reader.give_up()
        {
            self.board.report_broken(at, Anomaly::Stalled, bytes);
        }
        let here = ByteRange { channel: 0, start: self.reader.offset(), end: self.reader.offset() };
        self.board.expire(at, here);
    }
}

impl Board {
    /// Forgets the board, because it may be another one when it comes back.
    fn forget(&mut self) {
        self.out.forget_device();
        (self.address, self.shown, self.told, self.held, self.wanted) = (None, None, None, None, false);
        self.clock.reset();
        self.packet.clear();
        self.ahead = 0;
        self.pace = Pace::default();
    }

    fn ask(&mut self, at: Instant, question: Question) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.ask(at, question));
    }

    fn handle_command(&mut self, at: Instant, command: DeviceCommand) {
        match command {
            DeviceCommand::ReadBoard => {
                self.wanted = self.scheduler.is_some();
                self.ask(at, Question::Board);
            }
            DeviceCommand::ReadClock => {
                self.shown = None;
                self.ask(at, Question::Clock);
            }
            DeviceCommand::ReadLog => self.ask(at, Question::Log),
            // What a board answers to that is not known.
            DeviceCommand::ReadBattery => {}
        }
    }

    fn expire(&mut self, at: Instant, here: ByteRange) {
        let Some(scheduler) = &mut self.scheduler else { return };
        match scheduler.expire(at, self.address.is_some()) {
            Some(Due::Silent) => {
                let again = scheduler.restart(at);
                self.out.event(DeviceEvent::Silent, here);
                self.forget();
                self.scheduler = Some(again);
            }
            Some(Due::Ask(command)) => {
                if let Some(address) = self.address {
                    self.out.send(command.to(address).into());
                }
            }
            Some(Due::Again) => self.out.anomaly(Anomaly::Retried, here),
            Some(Due::LogLost) => {
                self.out.anomaly(Anomaly::LogTruncated, here);
                self.out.event(DeviceEvent::Log(LogEntry::End), here);
            }
            None => {}
        }
    }

    /// Bytes that are no frame: a change may have been among them.
    fn report_broken(&mut self, at: Instant, anomaly: Anomaly, bytes: ByteRange) {
        self.out.anomaly(anomaly, bytes);
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.request_repair(at));
    }

    fn handle_frame(&mut self, at: Instant, frame: &[u8], bytes: ByteRange) {
        let Some((address, reply)) = reply(frame) else { return };
        if address == 0 || self.address.is_some_and(|own| own != address) {
            return self.report_broken(at, Anomaly::Unasked, bytes);
        }
        let (id, known) = (frame[0], !matches!(reply, Reply::Other(_)));
        if known {
            if self.scheduler.as_mut().is_some_and(|scheduler| scheduler.on_message(at)) {
                self.out.event(DeviceEvent::Responding, bytes);
            }
            self.address = Some(address);
            self.out.identity(Identity::BusAddress(address), bytes);
        }
        match reply {
            Reply::Board(codes) => self.handle_picture(at, codes, bytes),
            Reply::Clock(raw) => self.handle_clock(at, &raw, bytes),
            Reply::Changes(data) => {
                if let Some(delay) = self.pace.note_packet(at) {
                    self.out.event(DeviceEvent::Delay(delay), bytes);
                }
                // The id of a repeated packet may be the other of the two.
                if data.is_empty() || self.packet != data {
                    self.packet.clear();
                    self.packet.extend_from_slice(data);
                    self.handle_changes(at, data, bytes);
                }
            }
            Reply::FromStart(data) => self.handle_log(at, data, bytes),
            Reply::Version(version) => {
                self.scheduler.iter_mut().for_each(|scheduler| scheduler.on_answer(at, Question::Version));
                if let Some((major, minor)) = version {
                    self.out.identity(Identity::Firmware(major, minor), bytes);
                }
            }
            Reply::Ping => {}
            Reply::StartWritten | Reply::I2c(_) => self.out.anomaly(Anomaly::Unasked, bytes),
            Reply::Other(_) => {
                let listed = matches!(id, 0x8a | 0x8c | 0xb0..=0xb5);
                self.out.anomaly(if listed { Anomaly::Unasked } else { Anomaly::UnknownMessage }, bytes);
            }
        }
    }

    fn handle_picture(&mut self, at: Instant, codes: &[u8; 64], bytes: ByteRange) {
        let mut placement = Placement::EMPTY;
        for (index, &code) in (0u8..).zip(codes) {
            let reading = squares::reading(code).unwrap_or_else(|| {
                let start = bytes.start + HEAD + u64::from(index);
                self.out.anomaly(Anomaly::BadField, ByteRange { start, end: start + 1, ..bytes });
                Reading::Unreadable
            });
            if let Some(square) = squares::square(index) {
                placement.set(square, reading);
            }
        }
        match &mut self.scheduler {
            Some(scheduler) => {
                scheduler.on_answer(at, Question::Board);
                self.held = Some((placement, bytes));
            }
            None => self.report_picture(placement, bytes),
        }
    }

    fn report_picture(&mut self, placement: Placement, bytes: ByteRange) {
        if self.told != Some(placement) || self.wanted {
            for square in Square::all() {
                if self.told.is_none_or(|told| told.get(square) != placement.get(square)) {
                    self.ahead |= 1 << square.index();
                }
            }
            (self.told, self.wanted) = (Some(placement), false);
            self.out.event(DeviceEvent::Frame(placement), bytes);
        }
    }

    fn handle_changes(&mut self, at: Instant, data: &[u8], bytes: ByteRange) {
        let mut restarted = false;
        for (tag, taken) in EeReader::new(data) {
            let here = entry_range(bytes, &taken);
            match tag {
                EeTag::Field { index, code, .. } => {
                    let (Some(square), Some(reading)) = (squares::square(index), squares::reading(code)) else { continue };
                    if let Some((held, _)) = &mut self.held {
                        held.set(square, reading);
                    }
                    // What came before the first picture is no news; what follows a restart is all that stands there.
                    if restarted || (self.scheduler.is_some() && self.told.is_none()) {
                        continue;
                    }
                    if let Some(told) = &mut self.told {
                        let bit = 1 << square.index();
                        let before = self.ahead & bit != 0;
                        self.ahead &= !bit;
                        if before && told.get(square) == reading {
                            continue;
                        }
                        told.set(square, reading);
                    }
                    self.out.event(DeviceEvent::Square { square, reading }, here);
                }
                EeTag::PowerUp | EeTag::Watchdog(_) => {
                    restarted = true;
                    // A picture that waits may be from before.
                    self.held = None;
                    self.clock.reset();
                    self.ask(at, Question::Board);
                }
                // A press: the line asks the clock after every packet, and it says best which time runs now.
                EeTag::Time { .. } => {}
                // A delay of newer boards, whose layout is not known, or what was never listed.
                EeTag::Unknown(byte) => {
                    self.out.anomaly(Anomaly::UnknownLogTag, here);
                    if byte >= 0x40 {
                        self.scheduler.iter_mut().for_each(|scheduler| scheduler.request_repair(at));
                    }
                }
                _ => {}
            }
        }
        if let Some((held, from)) = self.held.take() {
            self.report_picture(held, from);
        }
    }

    fn handle_clock(&mut self, at: Instant, raw: &[u8; 7], bytes: ByteRange) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.on_answer(at, Question::Clock));
        let news = self.clock.read(raw);
        if let Some(anomaly) = news.anomaly {
            self.out.anomaly(anomaly, bytes);
        }
        match news.event {
            Some(DeviceEvent::Clock(reading)) => {
                let same = self.shown.is_some_and(|(told, shown)| shown == reading && at.since(told) < SAME);
                if !same {
                    self.shown = Some((at, reading));
                    self.out.event(DeviceEvent::Clock(reading), bytes);
                }
            }
            Some(event) => {
                self.shown = None;
                self.out.event(event, bytes);
            }
            None => {}
        }
    }

    fn handle_log(&mut self, at: Instant, data: &[u8], bytes: ByteRange) {
        self.scheduler.iter_mut().for_each(|scheduler| scheduler.on_answer(at, Question::Log));
        let end = ByteRange { start: bytes.end, ..bytes };
        for (tag, taken) in EeReader::new(data) {
            let here = entry_range(bytes, &taken);
            match tag.entry() {
                Some(LogEntry::End) => break,
                Some(entry) => self.out.event(DeviceEvent::Log(entry), here),
                None if matches!(tag, EeTag::Unknown(_)) => self.out.anomaly(Anomaly::UnknownLogTag, here),
                // Padding.
                None => {}
            }
        }
        self.out.event(DeviceEvent::Log(LogEntry::End), end);
    }
}

/// Where an entry stood.
const fn entry_range(bytes: ByteRange, taken: &core::ops::Range<usize>) -> ByteRange {
    let begin = bytes.start + HEAD;
    ByteRange { channel: bytes.channel, start: begin + taken.start as u64, end: begin + taken.end as u64 }
}
