//! HoS (Zmartfun) board with the clock Tap N Set Pro: it tells all squares by itself, over Bluetooth LE or by cable (USB-HID).
//!
//! ```text
//!  host to board      00 command …                                  by cable               host.rs
//!
//!  board to host                                                                           framing.rs
//!    00  32 bytes                              all squares          by cable
//!    00 ff ca  hl ml sl hr mr sr               clock                by cable
//!              └── 6 bits each; sr bit 7 running, bit 6 the right side
//!    64 digits 0-9 A-F, 2c  ','                all squares          Bluetooth LE, also with 00 before them
//!    46 46 … 2c  "FF…,"                        layout unknown       Bluetooth LE
//!
//!  squares: a1 in the low four bits of the first byte, b1 in the high ones, h8 last
//!           0 empty, 1-6 K Q R N B P, 7-c k q r n b p
//! ```
//!
//! The forms are told apart by their first byte: 00, or a digit. By cable ([`HID`]) 00 is the number of the report, and what is
//! behind these bytes is padding. A report of another form or too short is channel 1: bytes that are counted, and never part of
//! a message.
//!
//! `session.rs` is the driver. No question is known that could be asked, so it says nothing at all. Source: `overview.md` (Short
//! formats, HoS clock report), evidence C.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Hid, Timing};
use crate::square::{Color, Piece, Placement, Reading, Role, Square};

pub mod framing;
pub mod host;
pub mod session;

/// By cable. Which products are boards the page does not say, and the vendor id is that of hobbyists' devices too: the usage page
/// tells, and nothing is ever written.
pub const HID: Hid = Hid { vendor: 0x0925, products: (0x0000, 0xffff), usage_page: 0xff00, message: of_report };

/// Squares and clock, each of its own length, are channel 0.
fn of_report(report: &[u8]) -> (u8, &[u8]) {
    let message = match report {
        [0x00, 0xff, 0xca, ..] => report.get(..9),
        [0x00, 0xff, ..] => None,
        [0x00, ..] => report.get(..33),
        _ => None,
    };
    message.map_or((1, report), |message| (0, message))
}

/// The registry's row.
pub const INFO: DriverInfo = DriverInfo {
    name: "hos",
    devices: &["HoS (Zmartfun) board with Tap N Set Pro clock"],
    // It is no serial port.
    usb: &[],
    ble: Some(Ble {
        names: &["HOSBoard"],
        channels: &[Channel {
            write: Some(0x0000ffe1_0000_1000_8000_00805f9b34fb),
            notify: Some(0x0000ffe1_0000_1000_8000_00805f9b34fb),
            optional: false,
        }],
    }),
    hid: Some(HID),
    baud: 115_200,
    shares_line: false,
    // The clock by cable only.
    capabilities: Capabilities { board: true, identifies_pieces: true, clock: true, log: false },
    calibrated: None,
    casual_only: None,
    // How often it reports no page tells; the clock in whole seconds.
    timing: Timing { scan: Duration::from_millis(500), press_delay: Duration::from_secs(1), in_turn: false },
    harmless: |_, _| false,
    examples: &[
        Example::new(
            b"\x00\x43\x25\x51\x34\x66\x66\x66\x66\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xcc\xcc\xcc\xcc\xa9\x8b\xb7\x9a",
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
        Example::new(&[0x00, 0xff, 0xca, 0, 4, 0x3b, 0, 5, 0x80], "running: true, lever_up: Left"),
        Example::new(&[0x00, 0xff, 0xca, 0, 4, 0x3b, 0, 4, 0xfb], "running: true, lever_up: Right"),
        Example::new(
            b"432551346666666600000000000000000000000000000000CCCCCCCCA98BB79A,",
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
    ],
    make: || Box::new(session::Session::default()),
};

/// Roles of the codes 1 to 6.
const WHITE: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Knight, Role::Bishop, Role::Pawn];

/// What a code means; none for one that the page does not list.
pub fn reading(code: u8) -> Option<Reading> {
    Some(match code {
        0 => Reading::Empty,
        1..=6 => Reading::Piece(Piece::new(Color::White, WHITE[usize::from(code - 1)])),
        7..=12 => Reading::Piece(Piece::new(Color::Black, WHITE[usize::from(code - 7)])),
        _ => return None,
    })
}

/// The code of what stands somewhere; empty for what the board has no code for.
pub fn code(reading: Reading) -> u8 {
    (0..=12).find(|code| self::reading(*code) == Some(reading)).unwrap_or(0)
}

/// The squares of 32 bytes; none if a code is not listed.
pub fn placement(codes: &[u8; 32]) -> Option<Placement> {
    let mut placement = Placement::EMPTY;
    for (n, code) in (0u8..).zip(codes.iter().flat_map(|byte| [byte & 15, byte >> 4])) {
        placement.set(Square::wrapping(n), reading(code)?);
    }
    Some(placement)
}

/// The 32 bytes of these squares.
pub fn codes(placement: &Placement) -> [u8; 32] {
    let code_of = |n| code(placement.get(Square::wrapping(n)));
    let mut codes = [0; 32];
    for (byte, n) in codes.iter_mut().zip((0u8..).step_by(2)) {
        *byte = code_of(n) | code_of(n + 1) << 4;
    }
    codes
}
