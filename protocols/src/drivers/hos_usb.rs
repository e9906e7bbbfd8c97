//! Supports the HoS board (Zmartfun) with the clock Tap N Set Pro by cable (USB-HID). It uses the driver of [`hos`]; by cable
//! the board also reports the times of its clock.
//!
//! ```text
//!  host to board      00 command …                                  never sent            hos/host.rs
//!
//!  board to host                                                                          hos/framing.rs
//!    00  32 bytes                              all squares, as the text has them
//!    00 ff ca  hl ml sl hr mr sr               clock
//!              └── 6 bits each; sr bit 7 running, bit 6 the right side
//! ```
//!
//! 00 is the number of the report, and the bytes after the message are padding. A report that has another form or is too short
//! goes to channel 1: its bytes are counted and never become part of a message. Page: `hos/README.md#3`, evidence C
//! (`protocols/README.md#4`).

use alloc::boxed::Box;
use core::time::Duration;

use super::hos::framing::Form;
use super::hos::{self, session};
use crate::driver::{Capabilities, DriverInfo, Example, Hid, Timing};

/// No source lists the product ids, and hobbyists' devices use the same vendor id. The usage page identifies the board, and
/// nothing is ever written to it.
pub const HID: Hid = Hid { vendor: 0x0925, products: (0x0000, 0xffff), usage_page: 0xff00, message: split_report };

/// Splits a report into channel and message. Squares and clock have their own lengths and go to channel 0.
fn split_report(report: &[u8]) -> (u8, &[u8]) {
    let message = match report {
        [0x00, 0xff, 0xca, ..] => report.get(..9),
        [0x00, 0xff, ..] => None,
        [0x00, ..] => report.get(..33),
        _ => None,
    };
    message.map_or((1, report), |message| (0, message))
}

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "hos_usb",
    devices: &["HoS (Zmartfun) board with Tap N Set Pro clock, by USB"],
    ble: None,
    hid: Some(HID),
    capabilities: Capabilities { clock: true, ..hos::INFO.capabilities },
    // The clock reports whole seconds.
    timing: Timing { press_delay: Duration::from_secs(1), ..hos::INFO.timing },
    examples: &[
        Example::new(
            b"\x00\x43\x25\x51\x34\x66\x66\x66\x66\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xcc\xcc\xcc\xcc\xa9\x8b\xb7\x9a",
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
        Example::new(&[0x00, 0xff, 0xca, 0, 4, 0x3b, 0, 5, 0x80], "running: true, lever_up: Left"),
        Example::new(&[0x00, 0xff, 0xca, 0, 4, 0x3b, 0, 4, 0xfb], "running: true, lever_up: Right"),
    ],
    make: || Box::new(session::Session::new(Form::Cable)),
    ..hos::INFO
};
