//! A link whose reports are kept, and the devices of the tests.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use flagfall_hardware::hid::{HidLink, Wanted};
use flagfall_hardware::port::{LinkProblem, PortEvent};
use flagfall_hardware::reactor::Reactor;
use flagfall_protocols::driver::DriverInfo;
use flagfall_protocols::drivers;

use crate::usb::{Identity, PLAIN, Usb, now};

/// Long enough for a busy machine. No working step waits so long.
pub(crate) const LONG: Duration = Duration::from_secs(60);

pub(crate) const CHESSNUT: Identity = Identity { vendor: 0x2d80, product: 0x8001, serial: "", descriptor: PLAIN };

#[derive(Debug, PartialEq)]
pub(crate) enum LinkReport {
    Up(PathBuf),
    Bytes(u8, Vec<u8>),
    Down(String),
    Missing(LinkProblem),
}

/// Starts a reactor for the links of one test.
pub(crate) fn reactor() -> Arc<Reactor> {
    Reactor::start(now).expect("a thread")
}

pub(crate) struct TestLink {
    pub(crate) link: HidLink,
    reactor: Arc<Reactor>,
    events: Receiver<(u64, LinkReport)>,
}

pub(crate) fn family(name: &str) -> &'static DriverInfo {
    drivers::find(name).expect("registered")
}

/// Returns a wish that names only the family.
pub(crate) fn any(usb: &Usb, name: &str) -> Wanted {
    Wanted { system: usb.system(), ..Wanted::for_driver(family(name)).expect("met over USB-HID") }
}

impl TestLink {
    pub(crate) fn start(wanted: Wanted, reactor: &Arc<Reactor>) -> TestLink {
        let (to, events) = sync_channel(65_536);
        let sink = move |at: u64, event: PortEvent<'_>| {
            let reported = match event {
                PortEvent::Up { path, .. } => LinkReport::Up(path.to_owned()),
                PortEvent::Bytes { channel, bytes } => LinkReport::Bytes(channel, bytes.to_vec()),
                PortEvent::Down(error) => LinkReport::Down(error.to_string()),
                PortEvent::Missing(problem) => LinkReport::Missing(problem.clone()),
            };
            // A test that ended reads no reports.
            let _ = to.send((at, reported));
            true
        };
        let link = HidLink::start(reactor, wanted, Box::new(sink));
        TestLink { link, reactor: Arc::clone(reactor), events }
    }

    /// How often the reactor of this link has woken up.
    pub(crate) fn wakes(&self) -> u64 {
        self.reactor.wakes()
    }

    pub(crate) fn within(&self, span: Duration) -> Option<(u64, LinkReport)> {
        match self.events.recv_timeout(span) {
            Ok(reported) => Some(reported),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => panic!("the link has ended"),
        }
    }

    pub(crate) fn next(&self) -> LinkReport {
        self.within(LONG).expect("an event within a minute").1
    }

    /// Returns the path of the next device that opens, and skips reports of a missing device.
    pub(crate) fn up(&self) -> PathBuf {
        loop {
            match self.next() {
                LinkReport::Up(path) => return path,
                LinkReport::Missing(_) => {}
                other => panic!("{other:?} instead of a device that opens"),
            }
        }
    }

    pub(crate) fn missing(&self) -> LinkProblem {
        match self.next() {
            LinkReport::Missing(problem) => problem,
            other => panic!("{other:?} instead of a problem"),
        }
    }

    /// Returns when the end was reported, and its cause.
    pub(crate) fn down(&self) -> (u64, String) {
        match self.within(LONG) {
            Some((at, LinkReport::Down(cause))) => (at, cause),
            other => panic!("{other:?} instead of an end"),
        }
    }

    pub(crate) fn quiet(&self, span: Duration) {
        assert_eq!(self.within(span), None);
    }
}
