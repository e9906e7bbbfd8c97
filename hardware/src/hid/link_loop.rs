//! Runs the thread of one USB-HID link: it passes reports in both directions until the device is gone, and then searches again.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{read, write};

use super::descriptor::MAX_REPORT;
use super::find::Found;
use super::requests::{ControlRequests, LinkRequests};
use super::search::OpenDevice;
use super::{HidEvent, Hids, Sink, Wanted};
use crate::fd::{cause, millis};
use crate::link::{LinkError, WRITE_TIMEOUT};
use crate::port::LinkProblem;

pub(super) struct LinkLoop {
    pub(super) wanted: Wanted,
    pub(super) shared: Arc<Hids>,
    pub(super) requests: Arc<LinkRequests>,
    pub(super) now: fn() -> u64,
    sink: Sink,
    reported: Option<LinkProblem>,
    /// Failed searches and ended links since the last bytes came.
    pub(super) tries: u32,
}

enum End {
    Stop,
    Wanted(Wanted),
    Lost(LinkError),
}

/// A report that the device has not accepted yet, and the time at which the write fails, in microseconds.
type Waiting = Option<(Vec<u8>, u64)>;

impl LinkLoop {
    pub(super) fn new(wanted: Wanted, shared: Arc<Hids>, requests: Arc<LinkRequests>, now: fn() -> u64, sink: Sink) -> LinkLoop {
        LinkLoop { wanted, shared, requests, now, sink, reported: None, tries: 0 }
    }

    pub(super) fn run(mut self) {
        while let Some(opened) = self.find_and_open() {
            self.reported = None;
            let end = self.serve(&opened);
            // The device is closed and free before the event is sent.
            drop(opened);
            let at = (self.now)();
            match end {
                End::Stop => return,
                End::Wanted(wanted) => {
                    (self.sink)(at, HidEvent::Down(LinkError::Unplugged));
                    self.set_wanted(wanted);
                }
                End::Lost(error) => {
                    // A device that opens and fails at once is also tried more and more slowly.
                    self.tries = self.tries.saturating_add(1);
                    (self.sink)(at, HidEvent::Down(error));
                }
            }
        }
    }

    pub(super) fn set_wanted(&mut self, wanted: Wanted) {
        (self.wanted, self.reported, self.tries) = (wanted, None, 0);
    }

    /// Reports the problem if it differs from the last reported one.
    pub(super) fn report_missing(&mut self, problem: LinkProblem) {
        if self.reported.as_ref() != Some(&problem) {
            self.reported = Some(problem.clone());
            (self.sink)((self.now)(), HidEvent::Missing(problem));
        }
    }

    pub(super) fn count_wake(&self) {
        self.requests.wakes.fetch_add(1, Ordering::Relaxed);
    }

    fn serve(&mut self, opened: &OpenDevice) -> End {
        let requests = Arc::clone(&self.requests);
        let _up = requests.mark_up(self.wanted.harmless);
        (self.sink)((self.now)(), HidEvent::Up { path: &opened.found.path });
        let mut waiting = None;
        loop {
            let ControlRequests { wanted, stop } = self.requests.take_control();
            if stop {
                return End::Stop;
            }
            if let Some(wanted) = wanted {
                return End::Wanted(wanted);
            }
            if let Err(error) = self.poll_once(opened, &mut waiting) {
                return End::Lost(error);
            }
        }
    }

    /// Waits once, then reads and writes what is possible.
    fn poll_once(&mut self, opened: &OpenDevice, waiting: &mut Waiting) -> Result<(), LinkError> {
        let left = waiting.as_ref().map(|(_, until)| Duration::from_micros(until.saturating_sub((self.now)())));
        let what = if waiting.is_some() { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
        let (ready, called) = {
            let mut fds = [PollFd::new(opened.node.as_fd(), what), PollFd::new(self.requests.fd(), PollFlags::POLLIN)];
            // A signal has the same effect as the timeout: everything is checked again.
            let _ = poll(&mut fds, left.map_or(PollTimeout::NONE, millis));
            (fds[0].revents().unwrap_or(PollFlags::POLLERR), fds[1].any().unwrap_or(true))
        };
        let at = (self.now)();
        self.count_wake();
        if called {
            self.requests.clear_wake();
        }
        let gone = ready.intersects(PollFlags::POLLHUP | PollFlags::POLLERR | PollFlags::POLLNVAL);
        let any = (gone || ready.contains(PollFlags::POLLIN)) && self.read(at, opened)?;
        if gone && !any {
            return Err(LinkError::Unplugged);
        }
        if called || ready.contains(PollFlags::POLLOUT) {
            self.write(at, opened, waiting)?;
        }
        match waiting {
            Some((_, until)) if at >= *until => Err(LinkError::TimedOut),
            _ => Ok(()),
        }
    }

    /// Reads one report. Returns whether there was one.
    fn read(&mut self, at: u64, opened: &OpenDevice) -> Result<bool, LinkError> {
        // 00 stands before the data of reports without numbers.
        let mut buffer = [0; 1 + MAX_REPORT];
        let count = match read(&opened.node, &mut buffer[1..]) {
            Ok(0) => return Err(LinkError::Unplugged),
            Ok(count) => count,
            Err(Errno::EAGAIN | Errno::EINTR) => return Ok(false),
            Err(error) => return Err(cause(error)),
        };
        self.tries = 0;
        let from = usize::from(opened.found.descriptor.numbered);
        let (channel, bytes) = (self.wanted.hid.message)(&buffer[from..=count]);
        if !bytes.is_empty() {
            (self.sink)(at, HidEvent::Bytes { channel, bytes });
        }
        Ok(true)
    }

    /// Writes as many of the waiting reports as the device accepts now.
    fn write(&mut self, at: u64, opened: &OpenDevice, waiting: &mut Waiting) -> Result<(), LinkError> {
        loop {
            let next = || Some((report(&opened.found, &self.requests.next()?), at + WRITE_TIMEOUT.as_micros() as u64));
            let Some((report, until)) = waiting.take().or_else(next) else { return Ok(()) };
            match write(&opened.node, &report) {
                Ok(_) => {}
                Err(Errno::EAGAIN | Errno::EINTR) => {
                    *waiting = Some((report, until));
                    return Ok(());
                }
                Err(error) => return Err(cause(error)),
            }
        }
    }
}

/// Returns a message in the form that the kernel expects: 00 comes first if the device does not number its reports, and zeros
/// fill it up to the length in the device's descriptor. A longer message is unchanged.
fn report(found: &Found, message: &[u8]) -> Vec<u8> {
    let number = if found.descriptor.numbered { message.first().copied().unwrap_or(0) } else { 0 };
    let mut report = if found.descriptor.numbered { Vec::new() } else { vec![0] };
    report.extend_from_slice(message);
    let whole = 1 + found.descriptor.output(number);
    report.resize(report.len().max(whole), 0);
    report
}
