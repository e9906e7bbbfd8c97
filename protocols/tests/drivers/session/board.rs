//! A simulated board for the tests of the session. Each of its answers may be lost, late or doubled.

use std::time::Duration;

use flagfall_protocols::driver::{Input, Output};
use flagfall_protocols::time::Instant;

use crate::common::Rig;

pub(crate) const VERSION: &[u8] = &[0x93, 0, 5, 1, 2];
pub(crate) const SERIAL: &[u8] = &[0x91, 0, 8, b'0', b'1', b'0', b'2', b'5'];
pub(crate) const LONG_SERIAL: &[u8] = &[0xa2, 0, 13, b'3', b'0', b'0', b'0', b'1', b'4', b'7', b'7', b'4', b'0'];
pub(crate) const CLOCK_VERSION: &[u8] = &[0x8d, 0, 10, 0x0a, 0x10, 0x09, 0, 0x20, 0, 0];
/// The clock shows 0:05:00 on the right and on the left, it is the left player's turn, and the clock is stopped.
pub(crate) const CLOCK: &[u8] = &[0x8d, 0, 10, 0, 0x05, 0, 0, 0x05, 0, 0x08];
pub(crate) const LIFT_E2: &[u8] = &[0x8e, 0, 5, 0x34, 0];

pub(crate) const RESET: &[u8] = &[0x40];
pub(crate) const ASK_VERSION: &[u8] = &[0x4d];
pub(crate) const ASK_BOARD: &[u8] = &[0x42];
pub(crate) const ASK_CLOCK: &[u8] = &[0x41];
pub(crate) const ASK_SERIAL: &[u8] = &[0x45];
pub(crate) const ASK_LONG: &[u8] = &[0x55];
pub(crate) const NICE: &[u8] = &[0x4b];
pub(crate) const ASK_LOG: &[u8] = &[0x49];
pub(crate) const ASK_CLOCK_VERSION: &[u8] = &[0x2b, 3, 3, 9, 0];
pub(crate) const ASK_BATTERY: &[u8] = &[0x4c];

pub(crate) fn dump() -> Vec<u8> {
    let mut bytes = vec![0x86, 0, 0x43];
    bytes.extend([8, 9, 10, 12, 11, 10, 9, 8, 7, 7, 7, 7, 7, 7, 7, 7]);
    bytes.extend([0; 32]);
    bytes.extend([1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 6, 5, 4, 3, 2]);
    bytes
}

/// Returns the answers to one command, each with its delay.
pub(crate) type Manner = fn(count: usize, command: &[u8]) -> Vec<(Duration, Vec<u8>)>;

pub(crate) const SOON: Duration = Duration::from_millis(30);

/// Answers as a healthy board with a clock.
pub(crate) fn healthy(_: usize, command: &[u8]) -> Vec<(Duration, Vec<u8>)> {
    answer(command).map(|bytes| vec![(SOON, bytes)]).unwrap_or_default()
}

pub(crate) fn silent(_: usize, _: &[u8]) -> Vec<(Duration, Vec<u8>)> {
    Vec::new()
}

pub(crate) fn answer(command: &[u8]) -> Option<Vec<u8>> {
    Some(match command {
        ASK_VERSION => VERSION.to_vec(),
        ASK_SERIAL => SERIAL.to_vec(),
        ASK_LONG => LONG_SERIAL.to_vec(),
        ASK_BOARD => dump(),
        ASK_CLOCK => CLOCK.to_vec(),
        ASK_CLOCK_VERSION => CLOCK_VERSION.to_vec(),
        _ => return None,
    })
}

/// A session and the board on its line.
pub(crate) struct Line {
    pub(crate) rig: Rig,
    /// Commands the board received, with their time.
    pub(crate) received: Vec<(Instant, Vec<u8>)>,
    pub(crate) manner: Manner,
    coming: Vec<(Instant, Vec<u8>)>,
    seen: usize,
}

impl Line {
    /// Starts a session whose link comes up at time zero.
    pub(crate) fn up(manner: Manner) -> Line {
        Line::after(Input::LinkUp, manner)
    }

    /// Starts a session on a link on which the board has just been identified.
    pub(crate) fn taken_over(manner: Manner) -> Line {
        Line::after(Input::LinkTakenOver, manner)
    }

    fn after(input: Input<'_>, manner: Manner) -> Line {
        let mut line = Line { rig: Rig::dgt(), received: Vec::new(), manner, coming: Vec::new(), seen: 0 };
        line.rig.feed(Instant::ZERO, input);
        line
    }

    /// Returns a healthy line three seconds after its link came up, without the commands and outputs up to then.
    pub(crate) fn settled() -> Line {
        let mut line = Line::up(healthy);
        line.run(3000);
        line.rig.take();
        line.received.clear();
        line.seen = 0;
        line
    }

    /// Runs until `millis`.
    pub(crate) fn run(&mut self, millis: u64) {
        let end = Instant(millis * 1000);
        loop {
            self.listen();
            self.coming.sort_by_key(|(at, _)| *at);
            let next = self.coming.first().map(|(at, _)| *at).filter(|&at| at <= end);
            let deadline = self.rig.driver.deadline().filter(|&at| at <= end);
            match (next, deadline) {
                (Some(at), deadline) if deadline.is_none_or(|deadline| at <= deadline) => {
                    let (_, bytes) = self.coming.remove(0);
                    self.rig.feed(at, Input::Bytes { channel: 0, bytes: &bytes });
                }
                (_, Some(deadline)) => self.rig.until(deadline),
                _ => break,
            }
        }
        self.rig.until(end);
        self.listen();
    }

    /// The board sends these bytes now without a question.
    pub(crate) fn send_from_device(&mut self, bytes: &[u8]) {
        self.rig.bytes(bytes);
    }

    fn listen(&mut self) {
        for (at, output) in &self.rig.log[self.seen..] {
            if let Output::Send { bytes, .. } = output {
                for (delay, answer) in (self.manner)(self.received.len(), bytes) {
                    self.coming.push((at.after(delay), answer));
                }
                self.received.push((*at, bytes.clone()));
            }
        }
        self.seen = self.rig.log.len();
    }

    /// Returns when the board received this command, in milliseconds.
    pub(crate) fn times_of(&self, command: &[u8]) -> Vec<u64> {
        self.received.iter().filter(|(_, bytes)| bytes == command).map(|(at, _)| at.micros() / 1000).collect()
    }
}
