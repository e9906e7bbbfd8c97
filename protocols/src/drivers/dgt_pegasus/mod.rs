//! Supports the DGT Pegasus, which sends messages of the DGT family over Bluetooth LE. It senses occupied squares but does not
//! identify pieces.
//!
//! ```text
//!  host to board      one byte 40..5a, or  60 n … 00  (lights), 63 n … 00  (a key)         host.rs
//!
//!  board to host      id  hi  lo  data …      as any DGT board                               ../dgt/framing.rs, ../dgt/board.rs
//!
//!    86 00 43  64 codes            all squares, a8 first, h1 last; 00 and 7f empty, 01 occupied
//!    8e 00 05  square code         one square changed; 00 lifted, else put down
//!    a0 00 0c  p … s               battery: percent, six bytes of unknown meaning and zero, 1 charging / 2 discharging
//!    91 serial   92 trademark   93 version   96 hardware   a2 long serial   a4 lock   a5 key
//! ```
//!
//! `session.rs` is the driver: it asks questions, sets the mode in which changes are reported, and recovers lost notifications.
//! It sends no key, switches no lights, and never sends 43 or 4b, which are modes with a clock. Page: `dgt_pegasus/README.md`.

use alloc::boxed::Box;
use core::time::Duration;

use crate::driver::{Ble, Capabilities, Channel, DriverInfo, Example, Timing};
use crate::square::Reading;

pub mod host;
pub mod session;

/// The row of this family in the registry of all families.
pub const INFO: DriverInfo = DriverInfo {
    name: "dgt_pegasus",
    devices: &["DGT Pegasus"],
    usb: &[],
    ble: Some(Ble { names: &["DGT_PEGASUS_"], channels: &[Channel::NORDIC_UART] }),
    hid: None,
    // There is no cable. The value is only for a bridge that replaces the radio.
    baud: 115_200,
    shares_line: false,
    capabilities: Capabilities { board: true, identifies_pieces: false, clock: false, log: false },
    calibrated: None,
    casual_only: None,
    // The scan time is not known. Similar boards scan 10 to 20 times a second.
    timing: Timing { scan: Duration::from_millis(100), press_delay: Duration::ZERO, in_turn: false },
    harmless: |_, bytes| matches!(bytes, [0x42 | 0x44 | 0x45 | 0x47 | 0x4c | 0x4d | 0x55]),
    examples: &[
        Example::new(&[0x8e, 0, 5, 0x34, 0], "Square { square: e2, reading: Empty }"),
        Example::new(&[0x8e, 0, 5, 0x24, 1], "Square { square: e4, reading: Occupied }"),
        Example::new(&[0xa0, 0, 12, 88, 0, 0, 0, 0, 0, 0, 0, 2], "percent: 88"),
        Example::new(&[0x93, 0, 5, 1, 0], "Firmware(1, 0)"),
    ],
    make: || Box::new(session::Session::default()),
};

/// Returns the reading of a code in a picture of all squares; `None` if the page does not list the code. Such a square is
/// occupied.
pub const fn reading(code: u8) -> Option<Reading> {
    match code {
        0x00 | 0x7f => Some(Reading::Empty),
        0x01 => Some(Reading::Occupied),
        _ => None,
    }
}

/// Returns the reading of a code of one changed square; `None` if the page does not list the code. Then a piece was put down.
pub const fn change(code: u8) -> Option<Reading> {
    match code {
        0x00 => Some(Reading::Empty),
        0x01 => Some(Reading::Occupied),
        _ => None,
    }
}

/// Returns the code of a reading. All pieces have the same code.
pub const fn code(reading: Reading) -> u8 {
    match reading {
        Reading::Empty => 0x00,
        _ => 0x01,
    }
}
