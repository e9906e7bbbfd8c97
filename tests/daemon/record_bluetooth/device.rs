//! Devices that keep a log of the bytes that they sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use flagfall_hardware::emulator::script::Script;
use flagfall_hardware::emulator::{Counters, Device, Impossible, Sent};
use flagfall_protocols::driver::Channel;
use flagfall_protocols::time::Instant;

use crate::bluez::Service;

/// The characteristics of the unknown device: short messages, long messages, one for writing.
pub(crate) const SHORT: u128 = 0x0000aa01_0000_1000_8000_00805f9b34fb;
pub(crate) const LONG: u128 = 0x0000aa02_0000_1000_8000_00805f9b34fb;
const WRITE: u128 = 0x0000bb01_0000_1000_8000_00805f9b34fb;
const SERVICE: u128 = 0x0000aa00_0000_1000_8000_00805f9b34fb;
const OTHER: u128 = 0x0000bb00_0000_1000_8000_00805f9b34fb;
/// The characteristic with the device's name, which every device has and which a recording does not use.
const NAME: u128 = 0x00002a00_0000_1000_8000_00805f9b34fb;

/// Its channels with their numbers in a recording.
pub(crate) const CHANNELS: &[Channel] = &[
    Channel { write: None, notify: Some(SHORT), optional: false },
    Channel { write: Some(LONG), notify: Some(LONG), optional: false },
    Channel { write: Some(WRITE), notify: None, optional: false },
];

/// The lines about the channels in a recording.
pub(crate) const TOLD: [(&str, &str); 3] = [
    ("channel-0", "notify 0000aa0100001000800000805f9b34fb, service 0000aa0000001000800000805f9b34fb"),
    ("channel-1", "notify write 0000aa0200001000800000805f9b34fb, service 0000aa0000001000800000805f9b34fb"),
    ("channel-2-w", "write 0000bb0100001000800000805f9b34fb, service 0000bb0000001000800000805f9b34fb"),
];

/// The services of the unknown device.
pub(crate) fn services() -> Vec<Service> {
    vec![
        (SERVICE, vec![(LONG, vec!["notify", "write"]), (SHORT, vec!["notify"])]),
        (OTHER, vec![(NAME, vec!["read"]), (WRITE, vec!["write-without-response"])]),
    ]
}

/// All pieces that a device sent, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentLog(Arc<Mutex<Vec<Sent>>>);

impl SentLog {
    fn append(&self, sent: &[Sent]) {
        self.0.lock().expect("the lock is not poisoned").extend_from_slice(sent);
    }

    /// Channel and bytes of all pieces.
    pub(crate) fn received(&self) -> Vec<(u8, Vec<u8>)> {
        self.0.lock().expect("the lock is not poisoned").iter().map(|sent| (sent.channel, sent.bytes.clone())).collect()
    }
}

/// A device that sends a short piece at each step of a script, of any kind, and a long piece at every other step.
#[derive(Debug)]
pub(crate) struct UnknownDevice {
    log: SentLog,
    now: Instant,
    waiting: VecDeque<Instant>,
    count: u8,
}

impl UnknownDevice {
    pub(crate) fn new(log: SentLog) -> UnknownDevice {
        UnknownDevice { log, now: Instant::ZERO, waiting: VecDeque::new(), count: 0 }
    }
}

impl Device for UnknownDevice {
    fn load(&mut self, script: &Script) {
        self.waiting.extend(script.steps().iter().map(|step| self.now.after(step.at)));
    }

    fn host(&mut self, at: Instant, _: u8, _: &[u8]) {
        self.now = self.now.max(at);
    }

    fn next(&self) -> Option<Instant> {
        self.waiting.front().copied()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        self.now = self.now.max(to);
        while let Some(at) = self.waiting.pop_front_if(|at| *at <= to) {
            self.count += 1;
            let mut pieces = vec![Sent { at, channel: 0, bytes: vec![0x55, self.count] }];
            if self.count.is_multiple_of(2) {
                // This piece is longer than a notification.
                pieces.push(Sent { at, channel: 1, bytes: (0..50).map(|byte| byte ^ self.count).collect() });
            }
            self.log.append(&pieces);
            out.extend(pieces);
        }
    }

    fn done(&self) -> bool {
        self.waiting.is_empty()
    }

    fn counters(&self) -> Counters {
        Counters::default()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        &[]
    }
}

/// A board whose pieces are logged.
#[derive(Debug)]
pub(crate) struct LoggedDevice {
    board: Box<dyn Device>,
    log: SentLog,
}

impl LoggedDevice {
    pub(crate) fn new(board: Box<dyn Device>, log: SentLog) -> LoggedDevice {
        LoggedDevice { board, log }
    }
}

impl Device for LoggedDevice {
    fn load(&mut self, script: &Script) {
        self.board.load(script);
    }

    fn host(&mut self, at: Instant, channel: u8, bytes: &[u8]) {
        self.board.host(at, channel, bytes);
    }

    fn next(&self) -> Option<Instant> {
        self.board.next()
    }

    fn advance(&mut self, to: Instant, out: &mut Vec<Sent>) {
        let before = out.len();
        self.board.advance(to, out);
        self.log.append(&out[before..]);
    }

    fn done(&self) -> bool {
        self.board.done()
    }

    fn counters(&self) -> Counters {
        self.board.counters()
    }

    fn impossible(&self) -> &[(Instant, Impossible)] {
        self.board.impossible()
    }
}
