//! Supports DGT boards in bus mode, in which many boards share one serial line (`dgt_bus/README.md`).
//!
//! ```text
//!  host to board      cmd  hi lo  sum                       81 clock  82 board  83 changes  84 repeat  86 from start
//!                          └─┬─┘                            87 ping  8a ping, ignore the next one to all  8b version
//!                         address, 7 bits a byte, 0 = all
//!
//!  board to host      id  hi lo  hi lo  data …  sum         83 64 codes          84 rrr lll s     85, 8b log entries
//!                         └─┬─┘  └─┬─┘                      86 log entries       87 here I am     89 major minor
//!                     length, all  address                  b1 I2C frame, escaped
//! ```
//!
//! | file | for |
//! | --- | --- |
//! | `frame.rs` | both frames, both directions |
//! | `i2c.rs` | the content of b1 |
//! | `line.rs`, `line/` | the master of the whole line: it finds the boards, chooses the next question, and repeats questions |
//! | `session.rs`, `query_scheduler.rs` | the driver of one board: it reads the replies and asks through the line's master |
//!
//! The driver's link only receives whole reply frames of its board. The driver sends command frames, which the owner of the
//! line passes to [`line::Line`] as requests. The entries of the log and the bytes of the clock are those of [`super::dgt`].

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Capabilities, DriverInfo, Example, Timing};

pub mod frame;
pub mod i2c;
pub mod line;
mod query_scheduler;
pub mod session;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "dgt_bus",
    devices: &["DGT serial e-board on a bus (chain of boards)"],
    // The line is found as a serial port. A board on the line is not.
    usb: &[],
    ble: None,
    hid: None,
    baud: 9600,
    shares_line: true,
    capabilities: Capabilities { board: true, identifies_pieces: true, clock: true, log: true },
    calibrated: None,
    casual_only: None,
    // A scan and a cycle of twelve boards (`dgt_bus/README.md#9`). A clock value is up to a second old at the board, arrives a
    // cycle later, and has whole seconds. A longer cycle is reported as `DeviceEvent::Delay`.
    timing: Timing {
        scan: Duration::from_millis(250 + 700),
        press_delay: Duration::from_millis(1000 + 700 + 1000),
        in_turn: false,
    },
    harmless: |_, bytes| {
        use frame::Command::{SendBoard, SendClock, SendFromStart, SendVersion};
        matches!(frame::command(bytes), Some((SendBoard | SendClock | SendFromStart | SendVersion, 1..=frame::MAX_ADDRESS)))
    },
    examples: &[
        Example::new(&[0x85, 0, 10, 8, 1, 0x40, 0x34, 0x41, 0x24, 0x71], "square: e4"),
        Example::new(&[0x84, 0, 13, 8, 1, 0x20, 5, 5, 0x20, 5, 4, 9, 0x76], "time: ClockTime(305000)"),
        Example::new(&[0x89, 0, 8, 8, 1, 1, 2, 0x1d], "Firmware(1, 2)"),
        Example::new(&[0x86, 0, 9, 8, 1, 0x7b, 0x41, 0x24, 0x78], "StartMark"),
        Example::new(&[0x87, 0, 6, 8, 1, 0x16], "BusAddress(1025)"),
    ],
    make: || Box::new(session::Session::default()),
};
