//! A simulated device for the tests of sessions. Each of its answers may be lost, late or doubled.

use std::time::Duration;

use flagfall_protocols::driver::{DriverInfo, Input, Output};
use flagfall_protocols::event::DeviceEvent;
use flagfall_protocols::time::Instant;

use super::{Rig, events};

/// Returns the answers to the `count`-th command, each with its delay.
pub(crate) type Manner = Box<dyn Fn(usize, &[u8]) -> Vec<(Duration, Vec<u8>)>>;

/// A session and the device on its line.
pub(crate) struct Line {
    pub(crate) rig: Rig,
    /// Commands the device received, with their time in milliseconds.
    pub(crate) received: Vec<(u64, Vec<u8>)>,
    pub(crate) manner: Manner,
    coming: Vec<(Instant, Vec<u8>)>,
    seen: usize,
}

impl Line {
    /// Starts a session whose link comes up at time zero.
    pub(crate) fn up(info: &DriverInfo, manner: Manner) -> Line {
        let mut line = Line { rig: Rig::new(info), received: Vec::new(), manner, coming: Vec::new(), seen: 0 };
        line.rig.feed(Instant::ZERO, Input::LinkUp);
        line
    }

    /// Lets the session and the device run until `millis`.
    pub(crate) fn run(&mut self, millis: u64) {
        let end = Instant(millis * 1000);
        loop {
            self.receive();
            let came = self.coming.iter().map(|(at, _)| *at).min();
            let Some(next) = [came, self.rig.driver.deadline()].into_iter().flatten().min().filter(|next| *next <= end) else {
                break;
            };
            let due = self.coming.iter().position(|(at, _)| *at == next);
            match due {
                Some(index) => {
                    let (at, bytes) = self.coming.remove(index);
                    self.rig.feed(at, Input::Bytes { channel: 0, bytes: &bytes });
                }
                None => self.rig.until(next),
            }
        }
        self.rig.until(end);
        self.receive();
    }

    /// The device sends these bytes now without a question.
    pub(crate) fn send_from_device(&mut self, bytes: &[u8]) {
        self.rig.bytes(bytes);
        self.receive();
    }

    fn receive(&mut self) {
        for (at, output) in &self.rig.log[self.seen..] {
            if let Output::Send { bytes, .. } = output {
                for (after, answer) in (self.manner)(self.received.len(), bytes) {
                    self.coming.push((at.after(after), answer));
                }
                self.received.push((at.micros() / 1000, bytes.clone()));
            }
        }
        self.seen = self.rig.log.len();
    }

    /// Returns when the device received this command, in milliseconds.
    pub(crate) fn times_of(&self, command: &[u8]) -> Vec<u64> {
        self.received.iter().filter(|(_, bytes)| bytes == command).map(|(at, _)| *at).collect()
    }

    /// Returns the events that were reported up to now.
    pub(crate) fn reported(&self) -> Vec<DeviceEvent> {
        events(&self.rig.log)
    }

    /// Returns how often this event was reported.
    pub(crate) fn count(&self, event: DeviceEvent) -> usize {
        self.reported().iter().filter(|&&reported| reported == event).count()
    }
}

/// The device answers with `answer` soon.
pub(crate) fn healthy(answer: fn(&[u8]) -> Option<Vec<u8>>) -> Manner {
    Box::new(move |_, command| answer(command).map(|bytes| vec![(Duration::from_millis(30), bytes)]).unwrap_or_default())
}

pub(crate) fn silent() -> Manner {
    Box::new(|_, _| Vec::new())
}

/// Like [`healthy`], but each answer comes once after each of the delays.
pub(crate) fn often(answer: fn(&[u8]) -> Option<Vec<u8>>, delays: &'static [u64]) -> Manner {
    let each = |bytes: Vec<u8>| delays.iter().map(|ms| (Duration::from_millis(*ms), bytes.clone())).collect();
    Box::new(move |_, command| answer(command).map(each).unwrap_or_default())
}

/// Like [`healthy`], but the first answer to `lost` never comes.
pub(crate) fn losing(answer: fn(&[u8]) -> Option<Vec<u8>>, lost: &'static [u8]) -> Manner {
    let gone = std::cell::Cell::new(false);
    Box::new(move |_, command| {
        if command == lost && !gone.replace(true) {
            return Vec::new();
        }
        answer(command).map(|bytes| vec![(Duration::from_millis(30), bytes)]).unwrap_or_default()
    })
}
