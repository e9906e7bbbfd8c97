//! Shows how to write a driver, for a board that does not exist: copy this file, rename it, and draw the bytes of the real
//! board here.
//!
//! ```text
//!  board to host      53  sq  oc  xx      one square: sq a1 = 0 … h8 = 63, oc 00 empty / 01 occupied, xx = sq ^ oc
//!                     └── 'S'
//!
//!  host to board      3f                  '?': report every square; sent once when the link came up
//! ```
//!
//! The template is compiled and tested, but it has no row in the registry. Commands that switch lights, show or set something
//! belong into a `host.rs` beside the driver, for the emulator and the tests. The template does not repeat questions, detect
//! silence or send keep-alives; `query_scheduler.rs` does.

use alloc::boxed::Box;
use alloc::collections::VecDeque;
use alloc::vec;
use core::time::Duration;

use crate::driver::{Capabilities, Driver, DriverInfo, Example, Input, Output, Timing};
use crate::event::{Anomaly, ByteRange, DeviceEvent};
use crate::square::{Reading, Square};
use crate::time::Instant;

/// The row of this board in the registry, if the board existed.
pub const INFO: DriverInfo = DriverInfo {
    name: "template",
    devices: &["No board at all"],
    usb: &[],
    ble: None,
    hid: None,
    baud: 9600,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: false, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    timing: Timing { scan: Duration::from_millis(100), press_delay: Duration::ZERO, in_turn: false },
    harmless: |_, bytes| bytes == b"?",
    examples: &[Example::new(b"S\x07\x01\x06", "square: h1"), Example::new(b"S\x0c\x00\x0c", "square: e2")],
    make: || Box::new(Template::default()),
};

/// The silence after which an incomplete message is dropped.
const STALL: Duration = Duration::from_millis(500);

/// Decodes the messages of one board and communicates with it. One type is enough, because the protocol is so small.
#[derive(Debug, Default)]
pub struct Template {
    out: VecDeque<Output>,
    /// The number of bytes since the start.
    offset: u64,
    /// The incomplete message.
    held: [u8; 4],
    len: usize,
    touched: Instant,
    greeted: bool,
    /// The link is up. Before that nothing is asked.
    up: bool,
    /// The time of the next question. A question is never sent at once, but when a deadline is fed.
    ask: Option<Instant>,
}

impl Driver for Template {
    fn handle(&mut self, at: Instant, input: Input<'_>) {
        debug_assert!(self.out.is_empty(), "drain before feeding again");
        match input {
            Input::LinkUp | Input::LinkTakenOver => {
                self.up = true;
                self.ask = Some(at);
            }
            Input::LinkDown => (self.len, self.greeted, self.up, self.ask) = (0, false, false, None),
            Input::Bytes { bytes, .. } => {
                for &byte in bytes {
                    self.touched = at;
                    self.handle_byte(byte);
                }
            }
            // This board only has a question for all squares.
            Input::Command(_) => self.ask = self.up.then_some(at),
            Input::Deadline => {
                if self.stalls_at().is_some_and(|end| end <= at) {
                    self.anomaly(Anomaly::Stalled, self.len);
                    self.len = 0;
                }
                if self.ask.take_if(|ask| *ask <= at).is_some() {
                    self.out.push_back(Output::Send { channel: 0, bytes: vec![b'?'] });
                }
            }
        }
    }

    fn poll(&mut self) -> Option<Output> {
        self.out.pop_front()
    }

    fn deadline(&self) -> Option<Instant> {
        self.stalls_at().into_iter().chain(self.ask).min()
    }
}

impl Template {
    fn stalls_at(&self) -> Option<Instant> {
        (self.len > 0).then(|| self.touched.after(STALL))
    }

    fn handle_byte(&mut self, byte: u8) {
        self.offset += 1;
        if self.len == 0 && byte != b'S' {
            return self.anomaly(Anomaly::StrayByte, 1);
        }
        self.held[self.len] = byte;
        self.len += 1;
        if self.len < self.held.len() {
            return;
        }
        self.len = 0;
        let [_, square, occupied, check] = self.held;
        let reading = match occupied {
            0 => Some(Reading::Empty),
            1 => Some(Reading::Occupied),
            _ => None,
        };
        match (Square::new(square), reading) {
            (Some(square), Some(reading)) if check == square.index() as u8 ^ occupied => {
                if !self.greeted {
                    self.greeted = true;
                    self.event(DeviceEvent::Responding);
                }
                self.event(DeviceEvent::Square { square, reading });
            }
            _ => self.anomaly(Anomaly::BadField, 4),
        }
    }

    fn event(&mut self, event: DeviceEvent) {
        self.out.push_back(Output::Event { unit: 0, event, bytes: self.last_bytes(4) });
    }

    fn anomaly(&mut self, anomaly: Anomaly, len: usize) {
        self.out.push_back(Output::Anomaly { unit: 0, anomaly, bytes: self.last_bytes(len) });
    }

    fn last_bytes(&self, len: usize) -> ByteRange {
        ByteRange { channel: 0, start: self.offset - len as u64, end: self.offset }
    }
}
