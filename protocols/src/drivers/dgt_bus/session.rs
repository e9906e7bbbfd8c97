//! Turns the reply frames of one board on a line into events.
//!
//! A picture of all squares may be newer than the reported changes: a change between the two questions is in the picture and is
//! reported again afterwards. So a picture waits for the next packet of changes. The packet reports its own changes. If the
//! picture still differs, a change was lost, and the picture is reported as a frame.

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

/// The silence after which an incomplete frame is dropped.
const STALL: Duration = Duration::from_millis(500);
/// The time after which the same clock times are reported again, to show that they are stopped.
const SAME: Duration = Duration::from_secs(1);
/// The longest gap between packets that counts as a cycle. In a longer gap another board sent its log, or this board was away.
const MOST_CYCLE: Duration = Duration::from_secs(3);
/// The offset of a reply's data in its frame, in bytes.
const HEAD: u64 = 5;

/// The session with one board. Before [`Input::LinkUp`] it is passive: it reads every frame as it comes and asks nothing.
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
    /// The squares reported to the game, and the picture that waits for the next packet.
    reported: Option<Placement>,
    held: Option<(Placement, ByteRange)>,
    wanted: bool,
    /// Squares that a frame reported before their change came as an entry, one bit each. The entry may still come.
    ahead: u64,
    /// The last packet as received. A repeated packet is not reported twice.
    packet: Vec<u8>,
    pace: Pace,
}

/// The measured cycle: the longest gap between sixteen packets.
#[derive(Debug, Default)]
struct Pace {
    last: Option<Instant>,
    count: u8,
    longest: Duration,
    reported: Option<Duration>,
}

impl Pace {
    /// Records a packet. Returns the longest delay of a change, if it differs from the last reported one.
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
        // The delay is a scan and the cycle, in steps of a quarter of a second.
        let quarters = self.longest.as_millis() as u64 / 250 + 2;
        (self.count, self.longest) = (0, Duration::ZERO);
        let delay = Duration::from_millis(250 * quarters);
        (self.reported.replace(delay) != Some(delay)).then_some(delay)
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
        (self.address, self.shown, self.reported, self.held, self.wanted) = (None, None, None, None, false);
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
            // The answer of a board to this is not known.
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

    /// Reports bytes that are no frame, and requests a repair, because a change may have been among them.
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
                // A repeated packet may have the other one of the two ids.
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
        if self.reported != Some(placement) || self.wanted {
            for square in Square::all() {
                if self.reported.is_none_or(|reported| reported.get(square) != placement.get(square)) {
                    self.ahead |= 1 << square.index();
                }
            }
            (self.reported, self.wanted) = (Some(placement), false);
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
                    // Changes before the first picture are no news. The entries after a restart are all pieces on the board.
                    if restarted || (self.scheduler.is_some() && self.reported.is_none()) {
                        continue;
                    }
                    if let Some(reported) = &mut self.reported {
                        let bit = 1 << square.index();
                        let before = self.ahead & bit != 0;
                        self.ahead &= !bit;
                        if before && reported.get(square) == reading {
                            continue;
                        }
                        reported.set(square, reading);
                    }
                    self.out.event(DeviceEvent::Square { square, reading }, here);
                }
                EeTag::PowerUp | EeTag::Watchdog(_) => {
                    restarted = true;
                    // A waiting picture may be older than the restart.
                    self.held = None;
                    self.clock.reset();
                    self.ask(at, Question::Board);
                }
                // This is a press. The line asks the clock after every packet, and the clock shows better which time runs now.
                EeTag::Time { .. } => {}
                // This is a delay of newer boards with an unknown layout, or an unlisted entry.
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
                let same = self.shown.is_some_and(|(reported, shown)| shown == reading && at.since(reported) < SAME);
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

/// Returns the range of an entry's bytes.
const fn entry_range(bytes: ByteRange, taken: &core::ops::Range<usize>) -> ByteRange {
    let begin = bytes.start + HEAD;
    ByteRange { channel: bytes.channel, start: begin + taken.start as u64, end: begin + taken.end as u64 }
}
