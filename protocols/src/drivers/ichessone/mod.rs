//! Supports the iChessOne, a board that identifies its pieces, over Bluetooth LE.
//!
//! ```text
//!  host to board                                                                         host.rs
//!    43 50 49 52 51  "CPIRQ"   report every change      52 50  "RP"   squares      52 42  "RB"   battery
//!    45 4c 80 0f 00  8 bytes  00 01 ff                  lights: a byte a rank, the eighth first, bit 0 = a
//!
//!  board to host                                                                         framing.rs
//!    3d 70  32 bytes           all squares, high nibble first: a8 b8 … h8 a7 … h1
//!                              0 empty, 1-6 P N B R Q K, 7-c p n b r q k
//!    3d 62  flag percent       battery: 1 charging
//! ```
//!
//! There is no checksum, but 3d cannot occur within the squares, because there is no piece d.
//!
//! `session.rs` is the driver: it asks questions and starts the reports of changes. It switches no lights. Nothing is published
//! about the cable (USB-HID). Page: `ichessone/README.md`, evidence B (`protocols/README.md#4`).

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};
use crate::square::{Color, Piece, Placement, Reading, Role, Square};

pub mod framing;
pub mod host;
pub mod session;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "ichessone",
    devices: &["iChessOne"],
    usb: &[],
    // No source names the advertised name; the product's name is assumed.
    ble: Some(Ble { names: &["iChessOne"], channels: &[Channel::NORDIC_UART] }),
    hid: None,
    // There is no serial cable. The value is only for a bridge that replaces the radio.
    baud: 115_200,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: true, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    // No source names the scan time; that of similar boards is assumed.
    timing: Timing { scan: Duration::from_millis(200), press_delay: Duration::ZERO, in_turn: false },
    harmless: |_, bytes| host::Query::ALL.iter().any(|query| query.bytes() == bytes),
    examples: &[
        Example::new(
            b"\x3d\x70\xa8\x9b\xc9\x8a\x77\x77\x77\x77\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x11\x11\x11\x11\x42\x35\x63\x24",
            "Frame(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)",
        ),
        Example::new(
            b"\x3d\x70\xa8\x9b\xc9\x8a\x77\x77\x77\x77\0\0\0\0\0\0\0\0\0\0\x10\0\0\0\0\0\x11\x11\x01\x11\x42\x35\x63\x24",
            "Frame(rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR)",
        ),
        Example::new(&[0x3d, 0x62, 0x00, 0x58], "percent: 88"),
        // 61 percent: here 3d does not begin a message.
        Example::new(&[0x3d, 0x62, 0x01, 0x3d], "percent: 61"),
    ],
    make: || Box::new(session::Session::default()),
};

/// The roles of the codes 1 to 6, and of 7 to 12.
const ROLES: [Role; 6] = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// Returns the reading of a code; `None` if the page does not list the code.
pub fn reading(code: u8) -> Option<Reading> {
    Some(match code {
        0 => Reading::Empty,
        1..=6 => Reading::Piece(Piece::new(Color::White, ROLES[usize::from(code - 1)])),
        7..=12 => Reading::Piece(Piece::new(Color::Black, ROLES[usize::from(code - 7)])),
        _ => return None,
    })
}

/// Returns the code of a reading; the code of an empty square if the board has no code for it.
pub fn code(reading: Reading) -> u8 {
    (0..=12).find(|code| self::reading(*code) == Some(reading)).unwrap_or(0)
}

/// Returns the placement of 32 bytes, a8 first; `None` if a code is not listed.
pub fn placement(codes: &[u8; 32]) -> Option<Placement> {
    let mut placement = Placement::EMPTY;
    for (n, code) in (0u8..).zip(codes.iter().flat_map(|byte| [byte >> 4, byte & 15])) {
        placement.set(square(n), reading(code)?);
    }
    Some(placement)
}

/// Returns the 32 bytes of these squares.
pub fn codes(placement: &Placement) -> [u8; 32] {
    let code_of = |n| code(placement.get(square(n)));
    let mut codes = [0; 32];
    for (byte, n) in codes.iter_mut().zip((0u8..).step_by(2)) {
        *byte = code_of(n) << 4 | code_of(n + 1);
    }
    codes
}

/// Returns the square at place `n`: a8 is the first, h1 the last.
const fn square(n: u8) -> Square {
    Square::wrapping(n ^ 0b111_000)
}
