//! Supports DGT boards that have their own line: boards by serial cable, USB or Bluetooth (its Serial Port Profile, SPP), and
//! the Revelation II.
//!
//! ```text
//!  host to board      one byte 40..60, or  2b n … 00  (clock), 60 n … 00 (lights)          host.rs, host_decoder.rs
//!
//!  board to host      id  hi  lo  data …      id has bit 7 set, every other byte has it clear
//!                     └── total = hi * 128 + lo, header included                           framing.rs, board.rs
//!
//!    86 00 43  64 codes            all squares, a8 first, h1 last                          squares.rs
//!    8e 00 05  square code         one square changed
//!    8d 00 0a  rrr lll s           clock: right h m s, left h m s, status; or an answer    clock.rs, clock_reader.rs
//!    8f hi lo  tags …              the board's own log                                     ee.rs
//!    90 bus address   91 serial   92 trademark   93 version   96 hardware   a0 battery   a2 long serial
//! ```
//!
//! `session.rs` is the driver: it decides what to ask when, and it reads the answers. Pages: `dgt/README.md`, `dgt/clock.md`.
//! DGT's notice: commercial users of the protocol should ask DGT for permission.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Capabilities, DriverInfo, Example, Timing};

pub mod board;
pub mod clock;
mod clock_command;
pub mod clock_reader;
pub mod ee;
pub mod framing;
pub mod host;
pub mod host_decoder;
mod query_scheduler;
pub mod session;
pub mod squares;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "dgt",
    devices: &["DGT serial, USB and Bluetooth e-board", "DGT Smart Board", "Revelation II"],
    usb: &[(0x0403, 0x6001), (0x04d8, 0x000a)],
    // Its Bluetooth boards (DGT_BT_…, PCS-REVII-…) are serial lines too.
    ble: None,
    hid: None,
    baud: 9600,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: true, clock: true, log: true },
    calibrated: None,
    casual_only: None,
    // `dgt/README.md#8`; the clock is polled more slowly than the squares, and its times are up to a second old
    // (`dgt/clock.md#2`).
    timing: Timing { scan: Duration::from_millis(250), press_delay: Duration::from_secs(1), in_turn: true },
    harmless: |_, bytes| match bytes {
        [0x4a] => false,
        [byte] => matches!(byte, 0x40..=0x4d | 0x55..=0x58),
        // The clock command that asks for the clock's version.
        _ => bytes == [0x2b, 0x03, 0x03, 0x09, 0x00],
    },
    examples: &[
        Example::new(&[0x8e, 0, 5, 0x3f, 0], "Square { square: h1, reading: Empty }"),
        Example::new(&[0x8d, 0, 10, 0x20, 0x05, 0x05, 0x20, 0x05, 0x04, 0x09], "time: ClockTime(305000)"),
        Example::new(&[0x8e, 0, 5, 0x24, 1], "square: e4"),
        Example::new(&[0x8f, 0, 5, 0x6a, 0x6b], "PowerUp"),
        Example::new(&[0xa0, 0, 12, 88, 0, 0, 0, 0, 0, 0, 0, 2], "percent: 88"),
    ],
    make: || Box::new(session::Session::default()),
};
