//! HoS (Zmartfun) board with the clock Tap N Set Pro by cable (USB-HID). The driver is that of [`hos`]; by cable the times of its
//! clock come too.
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
//! 00 is the number of the report, and what is behind these bytes is padding. A report of another form or too short is channel 1:
//! bytes that are counted, and never part of a message. Page: `hos/README.md#3`, evidence C
//! (`protocols/README.md#4`).

use alloc::boxed::Box;
use core::time::Duration;

use super::hos::framing::Form;
use super::hos::{self, session};
use crate::driver::{Capabilities, DriverInfo, Example, Hid, Timing};

/// Which products are boards no source says, and the vendor id is that of hobbyists' devices too: the usage page tells, and
/// nothing is ever written.
pub const HID: Hid = Hid { vendor: 0x0925, products: (0x0000, 0xffff), usage_page: 0xff00, message: split_report };

/// Squares and clock, each of its own length, are channel 0.
fn split_report(report: &[u8]) -> (u8, &[u8]) {
    let message = match report {
        [0x00, 0xff, 0xca, ..] => report.get(..9),
        [0x00, 0xff, ..] => None,
        [0x00, ..] => report.get(..33),
        _ => None,
    };
    message.map_or((1, report), |message| (0, message))
}

/// The row of the registry.
pub const INFO: DriverInfo = DriverInfo {
    name: "hos_usb",
    devices: &["HoS (Zmartfun) board with Tap N Set Pro clock, by USB"],
    ble: None,
    hid: Some(HID),
    capabilities: Capabilities { clock: true, ..hos::INFO.capabilities },
    // The clock's times are whole seconds.
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
