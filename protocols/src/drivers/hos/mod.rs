//! Supports the HoS board (Zmartfun) over Bluetooth LE, which reports all squares by itself. The board reports its clock by
//! cable only (`hos_usb`).
//!
//! ```text
//!  board to host                                                                           framing.rs
//!    64 digits 0-9 A-F, 2c  ','                all squares, also with 00 before them
//!    46 46 … 2c  "FF…,"                        layout unknown
//!
//!  squares: a1 in the low four bits of the first byte, b1 in the high ones, h8 last
//!           0 empty, 1-6 K Q R N B P, 7-c k q r n b p
//! ```
//!
//! `session.rs` is the driver. No question is known, so it sends nothing at all. Page: `hos/README.md`, evidence C
//! (`protocols/README.md#4`).

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};
use crate::square::{Color, Piece, Placement, Reading, Role, Square};

pub mod framing;
pub mod host;
pub mod session;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "hos",
    devices: &["HoS (Zmartfun) board"],
    usb: &[],
    ble: Some(Ble {
        names: &["HOSBoard"],
        channels: &[Channel {
            write: Some(0x0000ffe1_0000_1000_8000_00805f9b34fb),
            notify: Some(0x0000ffe1_0000_1000_8000_00805f9b34fb),
            optional: false,
        }],
    }),
    hid: None,
    // It is no serial port. The value is only for a bridge that replaces the radio.
    baud: 115_200,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: true, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    // No source names the interval of its reports.
    timing: Timing { scan: Duration::from_millis(500), press_delay: Duration::ZERO, in_turn: false },
    harmless: |_, _| false,
    examples: &[
        Example::new(
            b"432551346666666600000000000000000000000000000000CCCCCCCCA98BB79A,",
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
        Example::new(
            b"00432551346666666600000000000000000000000000000000CCCCCCCCA98BB79A,",
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
    ],
    make: || Box::new(session::Session::new(framing::Form::Radio)),
};

/// The roles of the codes 1 to 6.
const WHITE: [Role; 6] = [Role::King, Role::Queen, Role::Rook, Role::Knight, Role::Bishop, Role::Pawn];

/// Returns the reading of a code; `None` if the page does not list the code.
pub fn reading(code: u8) -> Option<Reading> {
    Some(match code {
        0 => Reading::Empty,
        1..=6 => Reading::Piece(Piece::new(Color::White, WHITE[usize::from(code - 1)])),
        7..=12 => Reading::Piece(Piece::new(Color::Black, WHITE[usize::from(code - 7)])),
        _ => return None,
    })
}

/// Returns the code of a reading; the code of an empty square if the board has no code for it.
pub fn code(reading: Reading) -> u8 {
    (0..=12).find(|code| self::reading(*code) == Some(reading)).unwrap_or(0)
}

/// Returns the placement of 32 bytes; `None` if a code is not listed.
pub fn placement(codes: &[u8; 32]) -> Option<Placement> {
    let mut placement = Placement::EMPTY;
    for (n, code) in (0u8..).zip(codes.iter().flat_map(|byte| [byte & 15, byte >> 4])) {
        placement.set(Square::wrapping(n), reading(code)?);
    }
    Some(placement)
}

/// Returns the 32 bytes of these squares.
pub fn codes(placement: &Placement) -> [u8; 32] {
    let code_of = |n| code(placement.get(Square::wrapping(n)));
    let mut codes = [0; 32];
    for (byte, n) in codes.iter_mut().zip((0u8..).step_by(2)) {
        *byte = code_of(n) | code_of(n + 1) << 4;
    }
    codes
}
