//! Serves a serial line with several boards on it. A task asks the boards in turn and hands each board's replies to its station.
//!
//! ```text
//!  reactor ─▶ inbox ─▶ line task (asks, in turn) ─▶ inbox of board 1 ─▶ station
//!               ▲                                └▶ inbox of board 2 ─▶ station …
//!               └── what a station's driver asks
//! ```
//!
//! For a station the link is up while its board answers. If a station does not read its inbox fast enough, its link is closed, so
//! that nothing is lost unnoticed: its driver then asks for everything again.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use flagfall_hardware::port::{self, PortEvent, PortLink, SendError};
use flagfall_hardware::reactor::Reactor;
use flagfall_protocols::drivers::dgt_bus::line::{Line, LineInput, LineOutput};
use flagfall_protocols::time::Instant;

use super::device::UNANSWERED;
use super::inbox::{CAPACITY, Inbox, Popped};
use super::link::cause;
use super::message::ToStation;
use super::scheduler::{Next, Scheduler, Work};
use super::shared::Shared;
use crate::log_limit;
use crate::session::station::BOARD;
use crate::system_clock::{self, MonotonicTime};

#[cfg(test)]
mod tests;

/// Identifies one board on one line.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The line's port.
    pub port: port::Wanted,
    /// The board's address, which is its serial number.
    pub address: u16,
    /// The serial number as it is configured.
    pub serial: Option<String>,
    /// The addresses of all boards of this line, the same list for each of them.
    pub all: Vec<u16>,
}

/// One item for a line's task.
enum ToLine {
    Up { path: String },
    Bytes { at: MonotonicTime, bytes: Vec<u8> },
    Down { at: MonotonicTime, cause: &'static str },
    Missing { problem: String },
    Join { address: u16, inbox: Arc<Inbox<ToStation>> },
    Leave { address: u16 },
    Ask { address: u16, command: Vec<u8> },
}

/// A line with its task. It ends when the last of its boards is dropped.
pub(super) struct BusLine {
    inbox: Arc<Inbox<ToLine>>,
}

impl BusLine {
    fn start(wanted: &Wanted, reactor: &Arc<Reactor>, scheduler: &Arc<Scheduler>) -> BusLine {
        let inbox: Arc<Inbox<ToLine>> = Arc::default();
        let task = scheduler.reserve();
        let owner = inbox.replace_owner(Some((Arc::clone(scheduler), task)));
        let port = PortLink::start(reactor, wanted.port.clone(), line_sink(Arc::clone(&inbox)));
        let line = LineTask {
            inbox: Arc::clone(&inbox),
            owner,
            port,
            expected: wanted.all.clone(),
            line: Line::new(&wanted.all),
            path: None,
            problem: None,
            boards: BTreeMap::new(),
        };
        scheduler.begin(task, Box::new(line));
        BusLine { inbox }
    }
}

impl Drop for BusLine {
    fn drop(&mut self) {
        self.inbox.close();
    }
}

/// All lines of this machine, by what identifies their port.
#[derive(Default)]
pub(super) struct Lines(Mutex<BTreeMap<String, std::sync::Weak<BusLine>>>);

impl Lines {
    /// Returns the line of this board, which is started for its first board.
    fn get(&self, wanted: &Wanted, reactor: &Arc<Reactor>, scheduler: &Arc<Scheduler>) -> Arc<BusLine> {
        let key = format!("{:?} {:?}", wanted.port.port, wanted.port.usb_serial);
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(line) = lines.get(&key).and_then(std::sync::Weak::upgrade) {
            return line;
        }
        let line = Arc::new(BusLine::start(wanted, reactor, scheduler));
        lines.insert(key, Arc::downgrade(&line));
        line
    }
}

/// One board's place on its line.
pub(super) struct BusBoard {
    line: Arc<BusLine>,
    address: Mutex<u16>,
    station: Arc<Inbox<ToStation>>,
}

impl BusBoard {
    /// The line asks this board from now on and puts its replies into the inbox.
    pub(super) fn start(wanted: &Wanted, shared: &Shared, station: Arc<Inbox<ToStation>>) -> BusBoard {
        let line = shared.lines.get(wanted, &shared.reactor, &shared.scheduler);
        let board = BusBoard { line, address: Mutex::new(wanted.address), station };
        board.change_address(wanted.address);
        board
    }

    /// Asks the line to send a question to the board.
    ///
    /// # Errors
    /// Too many questions wait already.
    pub(super) fn send(&self, command: Vec<u8>) -> Result<(), SendError> {
        let address = *self.address.lock().unwrap_or_else(PoisonError::into_inner);
        if self.line.inbox.offer_or_closed(ToLine::Ask { address, command }) { Ok(()) } else { Err(SendError::Full) }
    }

    /// From now on the board has this address. Its station is informed of the link from its beginning.
    pub(super) fn change_address(&self, address: u16) {
        let before = std::mem::replace(&mut *self.address.lock().unwrap_or_else(PoisonError::into_inner), address);
        // At most one such item of each board is in the inbox.
        self.line.inbox.push_unbounded(ToLine::Leave { address: before });
        self.line.inbox.push_unbounded(ToLine::Join { address, inbox: Arc::clone(&self.station) });
    }
}

impl Drop for BusBoard {
    fn drop(&mut self) {
        let address = *self.address.lock().unwrap_or_else(PoisonError::into_inner);
        self.line.inbox.push_unbounded(ToLine::Leave { address });
    }
}

fn line_sink(inbox: Arc<Inbox<ToLine>>) -> port::Sink {
    Box::new(move |at, event| {
        let item = match event {
            PortEvent::Up { path, .. } => ToLine::Up { path: path.display().to_string() },
            PortEvent::Bytes { bytes, .. } => ToLine::Bytes { at: MonotonicTime(at), bytes: bytes.to_vec() },
            PortEvent::Down(error) => ToLine::Down { at: MonotonicTime(at), cause: cause(error) },
            PortEvent::Missing(trouble) => ToLine::Missing { problem: trouble.to_string() },
        };
        inbox.offer_or_closed(item)
    })
}

/// A station whose board is on the line.
struct Member {
    inbox: Arc<Inbox<ToStation>>,
    /// The station knows that its link is up.
    up: bool,
    /// The station must still be informed that its link is down: there was no room for that.
    owes_down: bool,
}

impl Member {
    fn send(&mut self, at: MonotonicTime, item: ToStation) {
        if self.owes_down {
            self.owes_down = !self.inbox.offer_or_closed(ToStation::Down { at, link: BOARD, cause: "overrun" });
        }
        if self.owes_down || !self.inbox.offer_or_closed(item) {
            (self.up, self.owes_down) = (false, true);
        }
    }

    /// The board does not answer any more, or never answered.
    fn report_silent(&mut self, at: MonotonicTime) {
        if self.up {
            return self.report_down(at, "silent");
        }
        self.send(at, ToStation::Missing { link: BOARD, problem: UNANSWERED.to_owned() });
    }

    fn report_down(&mut self, at: MonotonicTime, cause: &'static str) {
        if std::mem::take(&mut self.up) {
            self.send(at, ToStation::Down { at, link: BOARD, cause });
        }
    }
}

struct LineTask {
    inbox: Arc<Inbox<ToLine>>,
    owner: u64,
    port: PortLink,
    expected: Vec<u16>,
    line: Line,
    /// The open port.
    path: Option<String>,
    problem: Option<String>,
    boards: BTreeMap<u16, Member>,
}

impl Work for LineTask {
    fn turn(&mut self) -> Next {
        catch_unwind(AssertUnwindSafe(|| self.handle_all())).unwrap_or_else(|_| {
            tracing::error!("a fault in the program: a line with several boards begins anew");
            self.line = Line::new(&self.expected);
            let at = system_clock::monotonic();
            self.boards.values_mut().for_each(|member| member.report_down(at, "restart"));
            if self.path.is_some() {
                self.feed(at, LineInput::Up);
            }
            Next::Now
        })
    }
}

impl LineTask {
    /// Handles everything that waits and a deadline that has come. Items come before a deadline, since the answer may be among them;
    /// never more than may wait at once.
    fn handle_all(&mut self) -> Next {
        for _ in 0..CAPACITY {
            match self.inbox.take(self.owner) {
                Popped::Item(item) => self.handle_item(system_clock::monotonic(), item),
                Popped::TimedOut => break,
                Popped::Closed => return Next::End,
            }
        }
        self.handle_deadline(system_clock::monotonic());
        if !self.inbox.rest(self.owner) {
            return Next::Now;
        }
        Next::Wait(self.line.deadline().map(|due| MonotonicTime(due.0)))
    }

    /// Handles a deadline that is due, at the time `now` and not at the time at which it was due. So a question that is sent late
    /// has its whole time for the answer.
    fn handle_deadline(&mut self, now: MonotonicTime) {
        if self.line.deadline().is_some_and(|due| due.0 <= now.0) {
            self.feed(now, LineInput::Deadline);
        }
    }

    fn handle_item(&mut self, now: MonotonicTime, item: ToLine) {
        match item {
            ToLine::Up { path } => {
                (self.path, self.problem) = (Some(path), None);
                self.feed(now, LineInput::Up);
            }
            ToLine::Bytes { at, bytes } => self.feed(at, LineInput::Bytes(&bytes)),
            ToLine::Down { at, cause } => {
                self.path = None;
                self.feed(at, LineInput::Down);
                self.boards.values_mut().for_each(|member| member.report_down(at, cause));
            }
            ToLine::Missing { problem } => {
                for member in self.boards.values_mut() {
                    member.send(now, ToStation::Missing { link: BOARD, problem: problem.clone() });
                }
                self.problem = Some(problem);
            }
            ToLine::Join { address, inbox } => {
                let mut member = Member { inbox, up: false, owes_down: false };
                if let Some(problem) = &self.problem {
                    member.send(now, ToStation::Missing { link: BOARD, problem: problem.clone() });
                }
                self.boards.insert(address, member);
                self.expected.retain(|expected| *expected != address);
                self.expected.push(address);
                self.feed(now, LineInput::Expect(address));
            }
            ToLine::Leave { address } => {
                if let Some(mut member) = self.boards.remove(&address) {
                    member.report_down(now, "unplugged");
                }
                self.expected.retain(|expected| *expected != address);
                self.feed(now, LineInput::Dismiss(address));
            }
            ToLine::Ask { address, command } => {
                // The driver sends whole command frames only.
                if let Ok(command) = command.try_into() {
                    self.feed(now, LineInput::Request { address, command });
                }
            }
        }
    }

    fn feed(&mut self, at: MonotonicTime, input: LineInput<'_>) {
        self.line.handle(Instant(at.0), input);
        while let Some(output) = self.line.poll() {
            match output {
                // A lost port is reported separately, and a full one gets no answer: the line asks again.
                LineOutput::Send(bytes) => drop(self.port.send(bytes)),
                LineOutput::Frame { address, bytes, .. } => self.deliver_frame(at, address, bytes),
                LineOutput::Answering(_) => {}
                LineOutput::Silent(address) => {
                    if let Some(member) = self.boards.get_mut(&address) {
                        member.report_silent(at);
                    }
                }
                LineOutput::Found(address) => {
                    if !self.boards.contains_key(&address) {
                        log_limit::warn("a board is on the line and is not configured", &address);
                    }
                }
                LineOutput::Anomaly { address, anomaly, .. } => tracing::debug!("line: board {address}: {anomaly:?}"),
            }
        }
    }

    fn deliver_frame(&mut self, at: MonotonicTime, address: u16, bytes: Vec<u8>) {
        let Some(member) = self.boards.get_mut(&address) else { return };
        if !member.up {
            let path = self.path.clone().unwrap_or_default();
            member.up = true;
            member.send(
                at,
                ToStation::Up { at, link: BOARD, asked: false, port: format!("{path}, address {address}"), signal: None },
            );
        }
        if member.up {
            member.send(at, ToStation::Bytes { at, link: BOARD, channel: 0, bytes });
        }
    }
}
