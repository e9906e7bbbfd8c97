//! Runs the thread of one serial link: it passes bytes in both directions until the port is gone, and then searches again.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::problem::LinkProblem;
use super::registry::Ports;
use super::requests::LinkRequests;
use super::search::OpenPort;
use super::{PortEvent, Sink, Wanted};
use crate::fd::millis;
use crate::hotplug::Hotplug;
use crate::link::{LinkError, WRITE_TIMEOUT};
use crate::serial::Serial;

/// The largest number of pieces that are still read from a port after a write failed.
const MAX_LAST: usize = 64;

pub(super) struct LinkLoop {
    pub(super) wanted: Wanted,
    pub(super) learnt: Option<String>,
    pub(super) shared: Arc<Ports>,
    pub(super) id: u64,
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

impl LinkLoop {
    pub(super) fn new(wanted: Wanted, shared: Arc<Ports>, requests: Arc<LinkRequests>, now: fn() -> u64, sink: Sink) -> LinkLoop {
        let id = shared.add_link(Arc::clone(&requests));
        LinkLoop { wanted, learnt: None, shared, id, requests, now, sink, reported: None, tries: 0 }
    }

    pub(super) fn run(mut self) {
        let mut watch = None;
        while let Some(mut opened) = self.find_and_open(watch.take()) {
            self.reported = None;
            let end = self.serve(&mut opened);
            watch = opened.watch.take();
            // The port is closed and free before the event is sent. From here on plugging-in is noticed.
            drop(opened);
            watch.as_mut().map(Hotplug::drain);
            let at = (self.now)();
            match end {
                End::Stop => return,
                End::Wanted(wanted) => {
                    (self.sink)(at, PortEvent::Down(LinkError::Unplugged));
                    self.set_wanted(wanted);
                    // The folders may be others.
                    watch = None;
                }
                End::Lost(error) => {
                    // A port that opens and fails at once is also tried more and more slowly.
                    self.tries = self.tries.saturating_add(1);
                    (self.sink)(at, PortEvent::Down(error));
                }
            }
        }
    }

    pub(super) fn set_wanted(&mut self, wanted: Wanted) {
        self.wanted = wanted;
        (self.learnt, self.reported, self.tries) = (None, None, 0);
    }

    /// Reports the problem if it differs from the last reported one.
    pub(super) fn report_missing(&mut self, problem: LinkProblem) {
        if self.reported.as_ref() != Some(&problem) {
            self.reported = Some(problem.clone());
            (self.sink)((self.now)(), PortEvent::Missing(problem));
        }
    }

    pub(super) fn count_wake(&self) {
        self.requests.wakes.fetch_add(1, Ordering::Relaxed);
    }

    fn serve(&mut self, opened: &mut OpenPort) -> End {
        let requests = Arc::clone(&self.requests);
        let _up = requests.mark_up(opened.serial.writer());
        let OpenPort { found, asked, .. } = &*opened;
        (self.sink)((self.now)(), PortEvent::Up { path: &found.path, usb: found.usb.as_ref(), asked: *asked });
        let mut until = None;
        loop {
            let control = self.requests.take_control();
            if control.stop {
                return End::Stop;
            }
            if let Some(serial) = control.learnt {
                self.shared.record_serial(&opened.found, &serial);
                self.shared.set_serial(self.id, self.wanted.serial.as_deref().or(Some(&serial)));
                self.learnt = Some(serial);
            }
            if let Some(wanted) = control.wanted {
                return End::Wanted(wanted);
            }
            match self.poll_once(&mut opened.serial, &mut until) {
                Ok(()) => {}
                Err(error) => return End::Lost(error),
            }
        }
    }

    /// Waits once, then reads and writes what is possible. `until` is the time at which a waiting write fails; `None` if no
    /// bytes wait.
    fn poll_once(&mut self, serial: &mut Serial, until: &mut Option<u64>) -> Result<(), LinkError> {
        let left = until.map(|until| Duration::from_micros(until.saturating_sub((self.now)())));
        let what = if until.is_some() { PollFlags::POLLIN | PollFlags::POLLOUT } else { PollFlags::POLLIN };
        let (ready, called) = {
            let port = serial.fd().ok_or(LinkError::Unplugged)?;
            let mut fds = [PollFd::new(port, what), PollFd::new(self.requests.fd(), PollFlags::POLLIN)];
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
        let any = (gone || ready.contains(PollFlags::POLLIN)) && self.read(at, serial)?;
        if gone && !any {
            return Err(LinkError::Unplugged);
        }
        if called || ready.contains(PollFlags::POLLOUT) {
            self.write(at, serial, until)?;
        }
        match *until {
            Some(until) if at >= until => Err(LinkError::TimedOut),
            _ => Ok(()),
        }
    }

    /// Reads once. Returns whether there were bytes.
    fn read(&mut self, at: u64, serial: &mut Serial) -> Result<bool, LinkError> {
        let mut buffer = [0; 4096];
        match serial.read_now(&mut buffer)? {
            None => Ok(false),
            Some(count) => {
                self.tries = 0;
                (self.sink)(at, PortEvent::Bytes(&buffer[..count]));
                Ok(true)
            }
        }
    }

    fn write(&mut self, at: u64, serial: &mut Serial, until: &mut Option<u64>) -> Result<(), LinkError> {
        match self.requests.flush() {
            Ok(flushed) => {
                let given_up = at + WRITE_TIMEOUT.as_micros() as u64;
                *until = match *until {
                    _ if !flushed.left => None,
                    Some(until) if !flushed.any => Some(until),
                    _ => Some(given_up),
                };
                Ok(())
            }
            Err(error) => {
                for _ in 0..MAX_LAST {
                    if !self.read(at, serial).unwrap_or(false) {
                        break;
                    }
                }
                Err(error)
            }
        }
    }
}

impl Drop for LinkLoop {
    /// Removes the link, also when the sink panicked, so that its configured port is free for other links.
    fn drop(&mut self) {
        self.shared.remove_link(self.id);
    }
}
